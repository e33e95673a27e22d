"""The magics: ``%%prompt``, ``%prompt`` and ``%dialog``."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class, no_var_expand
from IPython.core.magic_arguments import argument, magic_arguments

from ..errors import PromptUsageError, ReplyInterrupted
from ..prompt.grammar import PROMPT_OPTIONS, ParsedPrompt, split_options, whole_text
from .namespace import check_variable
from .report import messages_report, state_report
from .session import Session


def _prompt_arguments(function: Callable[..., Any]) -> Callable[..., Any]:
    """Declare the options of the prompt grammar as IPython's magic arguments."""
    for option in reversed(PROMPT_OPTIONS):
        function = argument(*option.flags, **option.settings)(function)
    decorated: Callable[..., Any] = magic_arguments("%prompt")(function)
    return decorated


@magics_class
class DialogMagics(Magics):
    """The extension's magics.

    Parameters
    ----------
    shell : IPython.core.interactiveshell.InteractiveShell
        The shell that they are registered with.
    session : Session
        The session that they work on.

    Attributes
    ----------
    shadowed : dict
        Magics of the same names that were there before, by kind and name.
    """

    def __init__(self, shell: Any, session: Session) -> None:
        super().__init__(shell)
        self.session = session
        self.shadowed: dict[tuple[str, str], Any] = {}

    @no_var_expand
    @cell_magic("prompt")
    @_prompt_arguments
    def prompt_cell(self, line: str, cell: str = "") -> None:
        """Ask the model; the text on this line and below it is the prompt, exactly as typed."""
        self._ask(line, cell)

    @no_var_expand
    @line_magic("prompt")
    def prompt_line(self, line: str) -> None:
        """Ask the model one line, with the options of ``%%prompt``."""
        self._ask(line, "")

    @no_var_expand
    @line_magic("dialog")
    def dialog(self, line: str) -> None:
        """Show or steer the dialog: ``%dialog [context | model [NAME] | speed N | help]``."""
        command, _, rest = line.strip().partition(" ")
        commands = {
            "": self._state,
            "context": self._context,
            "help": self._help,
            "-h": self._help,
            "--help": self._help,
            "model": self._model,
            "speed": self._speed,
        }
        if command not in commands:
            near = difflib.get_close_matches(command, commands, n=1)
            guess = f" Did you mean %dialog {near[0]}?" if near and near[0] else ""
            raise PromptUsageError(
                f"%dialog has no command {command!r}.{guess}", "%dialog help lists them."
            )
        commands[command](rest.strip())

    def _ask(self, line: str, body: str) -> None:
        try:
            words, text = split_options(line)
            options = self._parsed(words)
            if options.pop("help"):
                print(self.prompt_cell.parser.format_help().removeprefix("::").strip("\n"))
                return
            prompt = ParsedPrompt(text=whole_text(text, body), **options)
            if not prompt.text.strip():
                print("Nothing to ask: write the prompt below %%prompt, or on its line.")
                return
            self._turn(prompt)
        except ReplyInterrupted:
            raise
        except KeyboardInterrupt:
            raise ReplyInterrupted(kept=False) from None

    def _turn(self, prompt: ParsedPrompt) -> None:
        if prompt.out is not None:
            check_variable(prompt.out)
        if prompt.dry_run:
            print(messages_report(self.session.preview(prompt)))
            return
        display = self.session.new_display()
        try:
            turn = self.session.run(prompt, display)
        except KeyboardInterrupt:
            raise ReplyInterrupted(kept=True) from None
        if not turn.reply.text.strip():
            print("The model gave an empty reply.")
        if prompt.out is not None:
            self.shell.push({prompt.out: turn.reply.text})

    def _parsed(self, words: list[str]) -> dict[str, Any]:
        """Read option words by the parser that the magic's arguments declare."""
        try:
            return dict(vars(self.prompt_cell.parser.parse_args(words)))
        except UsageError as error:
            raise PromptUsageError(f"%%prompt: {error}", "%%prompt -h lists the options.") from None

    def _state(self, rest: str) -> None:
        print(state_report(self.session))

    def _context(self, rest: str) -> None:
        print(messages_report(self.session.preview()))

    def _help(self, rest: str) -> None:
        print(_HELP)

    def _model(self, name: str) -> None:
        if name:
            self.session.model = name
        print(f"model  {self.session.model_name}")

    def _speed(self, rest: str) -> None:
        self.session.set_speed(rest)
        print(f"speed  {rest} words a second")


_HELP = """\
%dialog               the state: model, source, messages, tokens, last turn
%dialog context       the messages that the next prompt would send
%dialog model [NAME]  show or change the model; NAME may be a variable that holds one
%dialog speed N       pace of the offline model, in words a second
%%prompt -h           the options of a prompt"""
