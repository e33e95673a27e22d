"""A dialog on its way into a notebook's text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ..dialog import Dialog, Message
from .cells import Target, fields_of, filed_attachments, new_cell
from .errors import NotebookError
from .file import EMPTY, FILED, NotebookFile, Origin, cell_id, parse
from .patch import Item, item_base, patched, put_together
from .solveit import is_older
from .spans import is_same
from .style import indentation

ORIGIN: Final = "_origin"
FILE: Final = "_file"
# Names in the __dict__ of messages and dialogs that came from a file. There they follow them
# through copies and pickles of a dialog, and a pasted copy of a message has none.


class Writer:
    """Writes one dialog into the text that it came from.

    Parameters
    ----------
    dialog : Dialog
        The dialog.
    """

    def __init__(self, dialog: Dialog) -> None:
        self.dialog = dialog
        file = vars(dialog).get(FILE)
        self.file: NotebookFile = file if file is not None else parse(EMPTY)[0]
        self.target = Target(self.file.minor >= 5, self.file.style.lines)
        self.metadata = self.file.metadata
        filed = self.metadata.get(FILED)
        self.old_filed: dict[str, Any] = filed if isinstance(filed, dict) else {}
        self.filed = dict(self.old_filed)

    def text(self) -> str:
        """The notebook's text."""
        file, style, top = self.file, self.file.style, self.file.top
        text, starts = file.text, top.starts
        # cells first: they say which attachments the metadata are to hold
        written = {top.place("cells"): self._cells()}
        metadata = self._metadata()
        at = top.place("metadata")
        if at is not None and (metadata or self.metadata):
            written[at] = self._dumped("the metadata", metadata, starts[at])
        items: list[Item] = [
            (i, text[top.heads[i] : starts[i]] + written.get(i, text[starts[i] : top.ends[i]]))
            for i in range(len(top.keys))
        ]
        base = indentation(text, top.start)
        if at is None and metadata:
            inner = item_base(text, top, style, base)
            value = self._dumped("the metadata", metadata, None, inner)
            items.append((None, style.dump("metadata") + style.colon + value))
        whole = put_together(text, top, items, style, base)
        return text[: top.start] + whole + text[top.end :]

    def _cells(self) -> str:
        file, cells = self.file, self.file.cells
        base = indentation(file.text, cells.start)
        inner = item_base(file.text, cells, file.style, base)
        origins = list(self._origins())
        here = {origin.id for _, origin in origins if origin and self._is_ours(origin)}
        for gone in set(file.filed) - here:
            del self.filed[gone]
        items = [self._item(message, origin, inner) for message, origin in origins]
        return put_together(file.text, cells, items, file.style, base)

    def _is_ours(self, origin: Origin) -> bool:
        return origin.file is self.file or origin.file.text == self.file.text

    def _origins(self) -> Iterator[tuple[Message, Origin | None]]:
        """Each message with the cell that it came from, or else with that of its id."""
        messages = self.dialog.messages
        own: list[Origin | None] = [vars(message).get(ORIGIN) for message in messages]
        if all(own):
            yield from zip(messages, own, strict=True)
            return
        taken = {origin.place for origin in own if origin and self._is_ours(origin)}
        free: dict[str, Origin] = {}
        for i in range(len(self.file.cells.starts)):
            if i not in taken:
                there = Origin(self.file, i, "")
                found = cell_id(there.cell)
                if found is not None and found not in free:
                    free[found] = there._replace(id=found)
        for message, origin in zip(messages, own, strict=True):
            yield message, origin or free.pop(message.id, None)

    def _item(self, message: Message, origin: Origin | None, inner: str) -> Item:
        """A message's cell, as an item of the list of cells."""
        if origin is None:
            cell = new_cell(message, None, self.target)
            self._file_attachments(message, cell, None)
            return None, self._dumped(f"message {message.id}", cell, None, inner)
        ours = self._is_ours(origin)
        old = origin.cell
        filed = self.old_filed.get(origin.id) if ours else None
        if ours and _is_unchanged(message, origin, old, filed):
            return origin.place, origin.written
        cell = new_cell(message, old, self.target, origin.older)
        if not self.target.ids:
            if not ours:
                cell.pop("id", None)
        elif message.id != origin.id or not (ours or "id" in cell):
            cell["id"] = message.id
        self._file_attachments(message, cell, filed if old["cell_type"] == "code" else None)
        if ours and message.id != origin.id and filed is not None:
            self.filed.pop(origin.id, None)
        at = self.file.cells.starts[origin.place] if ours else None
        written = self._dumped(f"message {message.id}", cell, at, inner)
        return (origin.place if ours else None), written

    def _file_attachments(self, message: Message, cell: dict[str, Any], filed: Any) -> None:
        """Put the attachments of a code cell into the notebook's metadata, by its id."""
        if cell["cell_type"] != "code":
            if filed is not None:
                self.filed.pop(message.id, None)
            return
        bundles = filed_attachments(filed, message.attachments)
        if not bundles:
            self.filed.pop(message.id, None)
            return
        if cell_id(cell) != message.id:
            if self.target.ids:
                cell["id"] = message.id
            else:
                cell["metadata"] = {**(cell.get("metadata") or {}), "id": message.id}
        self.filed[message.id] = bundles

    def _metadata(self) -> dict[str, Any]:
        """The notebook's metadata, with the attachments that stand there."""
        metadata = dict(self.dialog.meta)
        if self.filed or self.metadata.get(FILED) == {}:
            given = metadata.get(FILED)
            metadata[FILED] = {**(given if isinstance(given, dict) else {}), **self.filed}
        return metadata

    def _dumped(self, what: str, value: Any, at: int | None, base: str = "") -> str:
        """A value's text: in place of what stands at a position, or anew."""
        style = self.file.style
        try:
            if at is not None:
                return patched(self.file.text, at, value, style)
            return style.dump(value, base)
        except (TypeError, ValueError, RecursionError) as error:
            raise NotebookError(
                f"{self.dialog.name or 'The dialog'} cannot be written: {what} holds "
                f"what JSON cannot: {error}.",
                "validate() tells of each such place.",
            ) from error


def _is_unchanged(message: Message, origin: Origin, old: dict[str, Any], filed: Any) -> bool:
    """Whether a message says what its cell does."""
    was = fields_of(old, filed)
    return (
        message.content == was.content
        and message.msg_type == was.msg_type
        and message.id == origin.id
        and is_same(message.output, was.output)
        and is_same(message.meta, was.meta)
        and message.attachments == was.attachments
        and (origin.older or not is_older(old))
    )
