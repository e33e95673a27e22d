"""Errors that a user meets: each carries its data and says in one or two lines what to do."""

from __future__ import annotations


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
