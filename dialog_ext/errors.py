"""Errors that a user meets: each carries its data and says in one or two lines what to do."""

from __future__ import annotations

from collections.abc import Sequence


class DialogError(Exception):
    """A problem that the user can solve; it renders itself without a traceback.

    Parameters
    ----------
    what : str
        What happened, in one line.
    fix : str, default ""
        What to do about it, in one line.

    Attributes
    ----------
    what, fix : str
        The parameters, unchanged.
    """

    def __init__(self, what: str, fix: str = "") -> None:
        super().__init__(what, fix)
        self.what = what
        self.fix = fix

    def __str__(self) -> str:
        return f"{self.what}\n{self.fix}" if self.fix else self.what

    def _render_traceback_(self) -> list[str]:
        """Give the lines that IPython shows in place of a traceback."""
        return str(self).split("\n")


class PromptUsageError(DialogError):
    """A magic line that cannot be read: an unknown option, a bad or a missing value."""


class UnknownModel(DialogError):
    """A model's name that stands for nothing.

    Parameters
    ----------
    name : str
        The name as given.
    near : sequence of str
        Names that it may have meant, best first.
    known : sequence of str
        Every name that would have worked.
    """

    def __init__(self, name: str, near: Sequence[str] = (), known: Sequence[str] = ()) -> None:
        self.name, self.near, self.known = name, tuple(near), tuple(known)
        guess = f" Did you mean {' or '.join(near)}?" if near else ""
        super().__init__(
            f"There is no model {name!r}.{guess}",
            f"Names that work here: {', '.join(known)}; or a variable that holds an LLMModel.",
        )


class NoSession(DialogError):
    """The extension is not loaded in this process."""

    def __init__(self) -> None:
        super().__init__(
            "dialog_ext is not loaded in this kernel.", "Run %load_ext dialog_ext first."
        )


class ModelFailure(DialogError):
    """A model that raised; its own error is the cause (``__cause__``).

    Parameters
    ----------
    model : str
        The model's name.
    error : BaseException
        What it raised.
    kept : bool
        Whether a part of the reply had come and was kept.
    """

    def __init__(self, model: str, error: BaseException, kept: bool = False) -> None:
        self.model, self.error, self.kept = model, error, kept
        try:
            said = " ".join(str(error).split())
        except Exception:  # an error that cannot even say what it is
            said = ""
        # IPython prints the whole chain of a group, past any rendering of ours
        self.__cause__ = None if isinstance(error, BaseExceptionGroup) else error
        super().__init__(
            f"The model {model} failed: {type(error).__name__}: {said[:300]}".rstrip(": "),
            "What had come of the reply is kept above; run the cell to ask again."
            if kept
            else "Nothing of a reply had come; %dialog model NAME asks another one.",
        )


class ReplyInterrupted(DialogError, KeyboardInterrupt):
    """A turn that the user stopped; the text so far is kept. Still a KeyboardInterrupt."""

    def __init__(self, kept: bool = True) -> None:
        self.kept = kept
        super().__init__(
            "Interrupted: the reply so far is kept."
            if kept
            else "Interrupted before the model was asked."
        )


class RunFailed(DialogError):
    """A headless run that stopped at a cell.

    Parameters
    ----------
    index : int
        The cell's place in the notebook, from 1.
    ename, evalue : str
        The error's class and text.
    source : str
        The cell's source.
    """

    def __init__(self, index: int, ename: str, evalue: str, source: str = "") -> None:
        self.index, self.ename, self.evalue, self.source = index, ename, evalue, source
        super().__init__(f"Cell {index} failed: {ename}: {evalue}".rstrip(": "))
