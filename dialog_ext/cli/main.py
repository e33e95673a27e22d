"""Arguments of the ``dialog`` command, and its exit codes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from .. import __version__
from ..errors import DialogError

FORMS: Final = ("ipynb", "json", "yaml", "md", "py", "openai")
_FORMS: Final = "FILE is a notebook, Markdown of dialog export, or messages in JSON or YAML."


def main(argv: Sequence[str] | None = None) -> int:
    """Run the ``dialog`` command.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; default: the process's own.

    Returns
    -------
    int
        0 if all went well, 1 for an error, 2 for a wrong command line, 130 after an
        interrupt.
    """
    options = _parser().parse_args(argv)
    try:
        code: int = options.action(options)
    except DialogError as error:
        print(f"dialog: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("dialog: interrupted.", file=sys.stderr)
        return 130
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="dialog", description="Notebooks that talk with a model.")
    parser.add_argument("--version", action="version", version=f"dialog_ext {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for add in (_add_run, _add_show, _add_export, _add_import, _add_convert):
        add(commands)
    return parser


def _add_run(commands: Any) -> None:
    run = commands.add_parser(
        "run",
        help="run a notebook, its prompts included",
        description="Run a notebook from top to bottom in a new kernel, prompts included, and "
        "write the result beside it. The notebook itself is not changed unless OUT names it.",
    )
    run.add_argument("file", type=Path, metavar="FILE.ipynb", help="the notebook to run")
    run.add_argument(
        "-o",
        "--out",
        type=Path,
        metavar="OUT",
        help="where to write the executed notebook; default: FILE.executed.ipynb beside FILE",
    )
    run.add_argument(
        "--model", metavar="NAME", help="the model of prompts that name none; default: fake"
    )
    run.set_defaults(action=_run)


def _add_show(commands: Any) -> None:
    show = commands.add_parser(
        "show",
        help="print a dialog",
        description="Print a dialog: each message with its kind, the first lines of outputs, "
        f"replies in full. {_FORMS}",
    )
    show.add_argument("file", type=Path, metavar="FILE", help="the dialog")
    show.set_defaults(action=_show)


def _add_export(commands: Any) -> None:
    export = commands.add_parser(
        "export",
        help="write a dialog in another form",
        description="Write a dialog in another form beside FILE. json and yaml are the messages "
        "that a model is given, openai the same as OpenAI's API takes them; md is Markdown to "
        "read, which dialog import brings back unchanged; py is the code in cells that begin "
        f"with #| export. {_FORMS}",
    )
    export.add_argument("file", type=Path, metavar="FILE", help="the dialog")
    export.add_argument("--to", required=True, choices=FORMS, help="the form")
    _add_out(export, "FILE with the suffix of the form")
    export.set_defaults(action=_export)


def _add_import(commands: Any) -> None:
    parser = commands.add_parser(
        "import",
        help="make a notebook of another form",
        description="Make a notebook of messages in JSON or YAML, or of Markdown that dialog "
        "export --to md wrote.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="a .json, .yaml, .yml or .md file")
    _add_out(parser, "FILE with the suffix .ipynb")
    parser.set_defaults(action=_import)


def _add_convert(commands: Any) -> None:
    convert = commands.add_parser(
        "convert",
        help="write older Solveit prompts in the newer form",
        description="Write prompts of the older Solveit form, where a markdown cell holds prompt "
        "and reply, as code cells that start with %%prompt.",
    )
    convert.add_argument("file", type=Path, metavar="FILE.ipynb", help="the notebook")
    _add_out(convert, "FILE.converted.ipynb")
    convert.set_defaults(action=_convert)


def _add_out(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument(
        "-o",
        "--out",
        type=Path,
        metavar="OUT",
        help=f"where to write, also over a file that is there; default: {default}, if there is "
        "no such file yet",
    )


def _run(options: argparse.Namespace) -> int:
    from .run import run_notebook

    return run_notebook(options.file, options.out, options.model)


def _show(options: argparse.Namespace) -> int:
    from .show import show_dialog

    return show_dialog(options.file)


def _export(options: argparse.Namespace) -> int:
    from .exchange import export_dialog

    return export_dialog(options.file, options.to, options.out)


def _import(options: argparse.Namespace) -> int:
    from .exchange import import_dialog

    return import_dialog(options.file, options.out)


def _convert(options: argparse.Namespace) -> int:
    from .exchange import convert_notebook

    return convert_notebook(options.file, options.out)
