"""What can be wrong with a notebook file."""

from __future__ import annotations

from ..errors import DialogError


class NotebookError(DialogError):
    """A file that cannot be read as a notebook, or not be written. It is left as it was.

    Parameters
    ----------
    what, fix : str
        What happened, and what to do, as :class:`~dialog_ext.errors.DialogError` has them.
    line, column : int, optional
        The place in the file, both from 1; None where no place can be named.
    cell : int, optional
        The cell's number, from 1; None outside the cells.

    Attributes
    ----------
    line, column, cell : int or None
        The parameters.
    """

    def __init__(
        self,
        what: str,
        fix: str = "",
        line: int | None = None,
        column: int | None = None,
        cell: int | None = None,
    ) -> None:
        super().__init__(what, fix)
        self.line, self.column, self.cell = line, column, cell


def broken(
    name: str, problem: str, text: str, at: int, cell: int | None = None, fix: str = ""
) -> NotebookError:
    """Build the error of a file that is broken at a position of its text."""
    line = text.count("\n", 0, at) + 1
    column = at - text.rfind("\n", 0, at)
    where = f"line {line}, column {column}" + (f", cell {cell}" if cell else "")
    shown = name or "The text"
    return NotebookError(f"{shown} is broken at {where}: {problem}.", fix, line, column, cell)
