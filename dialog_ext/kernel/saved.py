"""The notebook's file, where a front end tells its path: what it holds, and how old it is."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final

from ..dialog import Message
from ..errors import DialogError

_VARIABLES: Final = ("__vsc_ipynb_file__", "__session__")
_ENVIRONMENT: Final = "JPY_SESSION_NAME"
_CELL_ID: Final = re.compile(r'"id":\s*"([A-Za-z0-9_-]{1,64})"')


def told_path(namespace: Mapping[str, Any], environ: Mapping[str, str] = os.environ) -> Path | None:
    """The path of the notebook as the front end told it when the kernel started.

    Parameters
    ----------
    namespace : Mapping
        The user's variables: VS Code sets ``__vsc_ipynb_file__``, ipykernel sets
        ``__session__`` to what the server told it.
    environ : Mapping, optional
        Environment variables: JupyterLab and Notebook 7 set ``JPY_SESSION_NAME``.

    Returns
    -------
    Path or None
        The file need not be there any more: it may have been renamed since.
    """
    told = [namespace.get(name) for name in _VARIABLES] + [environ.get(_ENVIRONMENT)]
    paths = (Path(path) for path in told if isinstance(path, str))
    return next((path for path in paths if path.suffix == ".ipynb"), None)


class SavedNotebook:
    """A notebook's file, read anew only when it has changed.

    Parameters
    ----------
    path : Path
        The file. If it goes away, a notebook in the same folder that holds the cells
        that ran here is taken for it: the front end tells nobody of a renaming.

    Attributes
    ----------
    path : Path
        Where the file was last found.
    trouble : str
        Why the file cannot be used now; empty if it can.
    has_ids : bool
        Whether the file gives its cells ids, as nbformat 4.5 does.
    met : dict
        Ids of its cells by those that the front end gives them, where the two differ.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.trouble = ""
        self._stamp: tuple[int, int] | None = None
        self._messages: dict[str, Message] = {}
        self._order: list[Message] = []
        self.has_ids = False
        self.met: dict[str, str] = {}

    @property
    def ids(self) -> set[str]:
        """Ids of the cells that it held when it was last read."""
        return set(self._messages)

    def names(self, cell: str) -> bool:
        """Whether the file holds a cell of this id."""
        return cell in self._messages

    @property
    def age(self) -> float:
        """Seconds since the file was written; 0 where it is not there."""
        return time.time() - self._stamp[0] / 1e9 if self._stamp else 0.0

    def messages(self, ran: Collection[str] = ()) -> list[Message]:
        """The file's messages; those of a cell stay the same object while its id stays.

        Parameters
        ----------
        ran : collection of str
            Ids of cells that ran here, to know the file by if it was renamed.
        """
        try:
            status = self._found(ran).stat()
            stamp = (status.st_mtime_ns, status.st_size)
            if stamp != self._stamp:
                self._read(ran)
                self._stamp = stamp
            self.trouble = ""
        except (OSError, DialogError) as error:
            self._order, self._stamp = [], None
            said = error.strerror if isinstance(error, OSError) else str(error).partition("\n")[0]
            self.trouble = f"{self.path.name}: {said}"
        return self._order

    def _found(self, ran: Collection[str]) -> Path:
        if not self.path.exists() and ran:
            near = {path: _shared(path, ran) for path in self.path.parent.glob("*.ipynb")}
            best = max(near, key=lambda path: near[path], default=None)
            if best is not None and near[best]:
                self.path = best
        return self.path

    def _read(self, ran: Collection[str]) -> None:
        from ..notebook import read_ipynb  # only where a front end tells of a file

        dialog = read_ipynb(self.path)
        self.has_ids = dialog.has_ids
        self._order = [
            message if message.id in ran else self._same(message) for message in dialog.messages
        ]
        self._messages = {message.id: message for message in self._order}

    def _same(self, message: Message) -> Message:
        """The message that stood for this cell before, brought up to date."""
        known = self._messages.get(message.id)
        if known is None or known.msg_type != message.msg_type:
            return message
        known.update(content=message.content, output=message.output, meta=message.meta)
        return known


class NotebookFiles:
    """The file of the notebook that a cell stands in; two notebooks may share a kernel.

    Parameters
    ----------
    told : Path
        The notebook that the front end told of when the kernel started.

    Attributes
    ----------
    chosen : SavedNotebook
        The notebook of the cell that was asked for last.
    """

    def __init__(self, told: Path) -> None:
        self.chosen = SavedNotebook(told)
        self._files = {told: self.chosen}
        self._seen: dict[Path, int] = {}

    def of(self, cell: str | None, ran: Collection[str]) -> SavedNotebook:
        """Give the notebook that names this cell; where none does, the last one.

        Parameters
        ----------
        cell : str or None
            Id of the running cell, where the front end tells it.
        ran : collection of str
            Ids of cells that ran here.
        """
        self.chosen.messages(ran)
        if cell is None or self.chosen.names(cell):
            return self.chosen
        known = (file for file in self._files.values() if file.messages(ran) and file.names(cell))
        found = next(known, None) or self._near(cell)
        if found is not None:
            self.chosen = found
            found.messages(ran)
        return self.chosen

    def elsewhere(self, ran: Collection[str]) -> set[str]:
        """Ids of cells that only another known notebook names."""
        others = (file for file in self._files.values() if file is not self.chosen)
        return {m.id for file in others for m in file.messages(ran)} - self.chosen.ids

    def _near(self, cell: str) -> SavedNotebook | None:
        """A notebook beside the one that was told of; each is looked at once a version."""
        for path in sorted(self.chosen.path.parent.glob("*.ipynb")):
            stamp = path.stat().st_mtime_ns
            if path in self._files or self._seen.get(path) == stamp:
                continue
            self._seen[path] = stamp
            if _shared(path, [cell]):
                return self._files.setdefault(path, SavedNotebook(path))
        return None


def _shared(path: Path, ran: Collection[str]) -> int:
    """How many of these ids a file names."""
    try:
        return len(set(_CELL_ID.findall(path.read_text("utf-8"))) & set(ran))
    except (OSError, UnicodeDecodeError):
        return 0
