"""A dialog as a view of an open notebook's document: what changes in one changes in the other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from operator import is_not
from typing import Any, Final

from pycrdt import Array, Doc, Map

from ..dialog import Dialog, Message
from .bulk import collector_paused
from .cells import Target, fields_of, filed_attachments, new_cell
from .file import FILED
from .moves import kept_in_order
from .ydoc import CELLS, META, new_ycell, read_cell, read_cells, read_field, update_ycell

_TARGET: Final = Target(ids=True, lines=False)
_READ: Final = ("content", "output", "meta", "attachments")


class _Cell:
    """A cell of the document, its state when it was last read, and its message."""

    __slots__ = ("json", "message", "shared", "stale")

    def __init__(self, shared: Map[Any] | None, json: dict[str, Any]) -> None:
        self.shared = shared
        self.json = json
        self.message: Message | None = None
        self.stale: set[str] = set()


class LiveDialog:
    """Keeps a dialog and a Yjs document in step.

    Parameters
    ----------
    dialog : Dialog
        The dialog. Its messages are edited as the document changes, and keep their
        identity as long as their cells keep their ids.
    send : callable
        Given each update (bytes) of the document that comes of a change of the dialog: one
        for a change, or for all changes within one ``dialog.step()``.

    Attributes
    ----------
    doc : pycrdt.Doc or None
        The document that is shown now.

    Notes
    -----
    While a cell runs, its kernel knows of outputs before the page has written them into
    the document: :meth:`hold` leaves a message's outputs to the kernel, :meth:`release`
    gives them back to the document. All methods may be called from any thread.
    """

    def __init__(self, dialog: Dialog, send: Callable[[bytes], object]) -> None:
        self.dialog = dialog
        self.doc: Doc[Any] | None = None
        self._send = send
        self._lock = threading.RLock()
        self._order: list[_Cell] = []
        self._of: dict[int, _Cell] = {}
        self._held: dict[int, Message] = {}
        self._filed: dict[str, Any] = {}
        self._subscriptions: list[Any] = []
        self._muted = 0
        self._steps = 0
        self._changed: dict[int, Message] = {}
        self._is_moved = False
        self._news: dict[int, _Cell] = {}
        self._is_shuffled = False
        self._is_meta_stale = False
        dialog.on_change.append(self._on_change)

    def close(self) -> None:
        """Leave dialog and document to themselves."""
        self.detach()
        if self._on_change in self.dialog.on_change:
            self.dialog.on_change.remove(self._on_change)

    # -- the document

    def attach(self, doc: Doc[Any]) -> None:
        """Show this document from now on; messages of the same cell ids stay.

        Parameters
        ----------
        doc : pycrdt.Doc
            A notebook's document.
        """
        if doc is self.doc:
            return
        with self._lock, collector_paused():
            self.detach()
            self.doc = doc
            cells: Array[Any] = doc.get(CELLS, type=Array)
            meta: Map[Any] = doc.get(META, type=Map)
            self._subscriptions = [
                (cells, cells.observe_deep(self._on_cells)),
                (meta, meta.observe_deep(self._on_meta)),
            ]
            self._read_meta()
            known = {cell.json["id"]: cell.message for cell in self._order}
            known |= {m.id: m for m in self.dialog.messages}
            # a handle of each cell costs more than its text: they are made when needed
            self._order = [_Cell(None, json) for json in read_cells(cells)]
            for cell in self._order:
                cell.message = known.pop(cell.json["id"], None)
                self._news[id(cell)] = cell
            self._is_shuffled = True
            self._fold()

    def detach(self) -> None:
        """Show no document; the dialog stays as it is."""
        with self._lock:
            for shared, subscription in self._subscriptions:
                shared.unobserve(subscription)
            self._subscriptions = []
            self.doc = None

    def apply(self, update: bytes) -> None:
        """Take in an update of the document that comes from elsewhere.

        Parameters
        ----------
        update : bytes
            A Yjs update, version 1.
        """
        with self._lock:
            if self.doc is not None:
                self.doc.apply_update(update)
                self._fold()

    # -- outputs that are ahead of the document

    def hold(self, message: Message) -> None:
        """Leave a message's outputs to the kernel until :meth:`release`."""
        with self._lock:
            self._held[id(message)] = message

    def release(self, message: Message) -> None:
        """Let a message have the outputs that the document has."""
        with self._lock:
            self._held.pop(id(message), None)
            cell = self._of.get(id(message))
            if cell is not None and self.doc is not None:
                cell.stale.add("outputs")
                self._news[id(cell)] = cell
                self._fold()

    @contextmanager
    def muted(self) -> Iterator[None]:
        """Change the dialog inside without changing the document."""
        with self._lock:
            self._muted += 1
            try:
                yield
            finally:
                self._muted -= 1

    # -- from the document to the dialog

    def _on_cells(self, events: Sequence[Any]) -> None:
        """Note what a transaction changed; called within it."""
        deep = []
        for event in events:
            if event.path:
                deep.append(event)
            elif not self._muted:
                self._restructure(event.delta)
        for event in deep if not self._muted else ():
            at = event.path[0]
            keys = {event.path[1]} if len(event.path) > 1 else set(event.keys)
            cell = self._order[at]
            cell.stale |= keys
            self._news[id(cell)] = cell

    def _on_meta(self, events: Sequence[Any]) -> None:
        self._is_meta_stale = not self._muted

    def _restructure(self, delta: Iterable[dict[str, Any]]) -> None:
        """Give the list of cells its new order; a cell that was taken out and put in moved."""
        at = 0
        gone: dict[str, _Cell] = {}
        come: list[_Cell] = []
        for change in delta:
            if "retain" in change:
                at += change["retain"]
            elif "delete" in change:
                for cell in self._order[at : at + change["delete"]]:
                    gone.setdefault(cell.json["id"], cell)
                del self._order[at : at + change["delete"]]
            else:
                cells = [_Cell(shared, read_cell(shared)) for shared in change["insert"]]
                self._order[at:at] = cells
                at += len(cells)
                come += cells
        for cell in come:
            if (before := gone.pop(cell.json["id"], None)) is not None:
                cell.message = before.message
            self._news[id(cell)] = cell
        self._is_shuffled = True

    def _fold(self) -> None:
        """Bring the dialog in step with what was noted."""
        with self.muted():
            if self._is_meta_stale:
                self._is_meta_stale = False
                self._read_meta()
            news, self._news = list(self._news.values()), {}
            for cell in news:
                self._refresh(cell)
            if self._is_shuffled:
                self._is_shuffled = False
                self._arrange()

    def _refresh(self, cell: _Cell) -> None:
        """Read what is stale of a cell, and edit its message where it differs."""
        message = cell.message
        is_held = message is not None and id(message) in self._held
        for key in cell.stale - {"outputs"} if is_held else cell.stale:
            value = read_field(self._shared(cell), key)
            if value is None and key != "execution_count":
                cell.json.pop(key, None)
            elif key != "execution_state":
                cell.json[key] = value
        cell.stale = cell.stale & {"outputs"} if is_held else set()
        fields = fields_of(cell.json, self._filed.get(cell.json["id"]))
        if message is None:
            message = self.dialog.msg_cls(
                fields.content,
                output=fields.output,
                id=cell.json["id"],
                msg_type=fields.msg_type,
                attachments=fields.attachments,
                meta=fields.meta,
            )
            cell.message = message
        else:
            if message.msg_type != fields.msg_type:
                message.msg_type = fields.msg_type
            for name in _READ:
                value = getattr(fields, name)
                if name == "output" and (is_held or same_outputs(message.output, value)):
                    continue
                if getattr(message, name) != value:
                    _assign(message, name, value)
        self._of[id(message)] = cell

    def _arrange(self) -> None:
        """Give the dialog the messages of the cells, in their order."""
        there = self.dialog.messages
        wanted = [cell.message for cell in self._order if cell.message is not None]
        start, end = _same_ends(there, wanted)
        if start + end < max(len(there), len(wanted)):
            there[start : len(there) - end] = wanted[start : len(wanted) - end]
        if len(self._of) > len(wanted):
            self._of = {id(cell.message): cell for cell in self._order}

    def _read_meta(self) -> None:
        """Read the notebook's metadata; attachments of code cells stand in them."""
        doc = self.doc
        assert doc is not None
        meta: Map[Any] = doc.get(META, type=Map)
        metadata = read_field(meta, "metadata") or {}
        filed = metadata.pop(FILED, None)
        filed = filed if isinstance(filed, dict) else {}
        if filed != self._filed:
            self._filed = filed
            self._news |= {id(cell): cell for cell in self._order}
        if self.dialog.meta != metadata:
            self.dialog.meta.clear()
            self.dialog.meta.update(metadata)

    # -- from the dialog to the document

    def _on_change(self, kind: str, message: Message | None) -> None:
        if kind in ("begin", "end"):
            self._steps += 1 if kind == "begin" else -1
        elif self._muted or self.doc is None:
            return
        elif kind in ("insert", "remove", "order"):
            self._is_moved = True
        elif message is not None and not (kind == "output" and id(message) in self._held):
            self._changed[id(message)] = message
        if not self._steps and (self._is_moved or self._changed):
            self._push()

    def _push(self) -> None:
        """Write what changed in the dialog into the document, as one transaction."""
        with self._lock:
            doc = self.doc
            changed, self._changed = list(self._changed.values()), {}
            is_moved, self._is_moved = self._is_moved, False
            if doc is None:
                return
            before = doc.get_state()
            with self.muted(), doc.transaction():
                cells: Array[Any] = doc.get(CELLS, type=Array)
                if is_moved:
                    self._push_order(cells)
                for message in changed:
                    if (cell := self._of.get(id(message))) is not None:
                        self._push_cell(cells, cell, message)
            update = doc.get_update(before)
        self._send(update)

    def _push_order(self, cells: Array[Any]) -> None:
        """Take out, put in and move cells as the messages were."""
        wanted = list(self.dialog.messages)
        start, end = _same_ends([cell.message for cell in self._order], wanted)
        wanted = wanted[start : len(wanted) - end]
        there = self._order[start : len(self._order) - end]
        stays = kept_in_order([id(cell.message) for cell in there], [id(m) for m in wanted])
        for at in range(len(there) - 1, -1, -1):
            if id(there[at].message) not in stays:
                del cells[start + at]
        placed = []
        for at, message in enumerate(wanted, start):
            cell = self._of.get(id(message))
            if cell is None or id(message) not in stays:
                if cell is None:
                    cell = _Cell(None, new_cell(message, None, _TARGET))
                    cell.message = message
                    self._of[id(message)] = cell
                    _marked(message, cell.json)
                cell.shared = None
                cells.insert(at, new_ycell(cell.json))
            placed.append(cell)
        self._order[start : len(self._order) - end] = placed
        self._of = {id(cell.message): cell for cell in self._order}

    def _push_cell(self, cells: Array[Any], cell: _Cell, message: Message) -> None:
        """Write what changed of a message."""
        new = new_cell(message, cell.json, _TARGET) | {"id": message.id}
        if id(message) in self._held and "outputs" in cell.json and "outputs" in new:
            kept = ("outputs", "execution_count")
            new |= {key: cell.json[key] for key in kept if key in cell.json}
        if (new["cell_type"], new["id"]) == (cell.json["cell_type"], cell.json["id"]):
            update_ycell(self._shared(cell), cell.json, new)
        else:
            at = self._order.index(cell)
            del cells[at]
            cells.insert(at, new_ycell(new))
            cell.shared = None
        cell.json = new
        _marked(message, new)
        if message.msg_type == "prompt":
            self._push_attachments(message)

    def _push_attachments(self, message: Message) -> None:
        """Write a prompt's attachments, which stand in the notebook's metadata."""
        old = self._filed.get(message.id)
        new = filed_attachments(old, message.attachments)
        if new != (old or {}):
            doc = self.doc
            assert doc is not None
            self._filed = {**self._filed, message.id: new}
            doc.get(META, type=Map)["metadata"][FILED] = self._filed

    def _shared(self, cell: _Cell) -> Map[Any]:
        """The cell in the document."""
        if cell.shared is None:
            doc = self.doc
            assert doc is not None
            cell.shared = doc.get(CELLS, type=Array)[self._order.index(cell)]
        return cell.shared


def same_outputs(one: Any, other: Any) -> bool:
    """Whether outputs are equal but for the ids of displays, which no notebook holds."""
    return bool(one == other or _without_displays(one) == _without_displays(other))


def _without_displays(outputs: Any) -> Any:
    if not isinstance(outputs, list):
        return outputs or []
    return [
        {**output, "metadata": {k: v for k, v in output["metadata"].items() if k != "did"}}
        if isinstance(output, dict) and "did" in (output.get("metadata") or {})
        else output
        for output in outputs
    ]


def _assign(message: Message, name: str, value: Any) -> None:
    """Assign an attribute; observers are told also where assigning tells nobody."""
    if name not in ("meta", "attachments"):
        setattr(message, name, value)
        return
    setattr(message, name, type(value)(value))  # a copy: what it is compared with stays
    if message.dlg is not None:
        message.dlg.tell(name, message)


def _marked(message: Message, cell: dict[str, Any]) -> None:
    """Give a message the metadata that its cell got: becoming a prompt leaves a mark there."""
    if message.meta != cell["metadata"]:
        message.meta = dict(cell["metadata"])


def _same_ends(old: Sequence[Message | None], new: Sequence[Message | None]) -> tuple[int, int]:
    """How many very same messages two lists share at their start, and then at their end."""
    most = min(len(old), len(new))
    start = next((i for i, differ in enumerate(map(is_not, old, new)) if differ), most)
    most -= start
    backwards = map(is_not, reversed(old), reversed(new))
    end = next((i for i, differ in enumerate(backwards) if differ), most)
    return start, min(end, most)
