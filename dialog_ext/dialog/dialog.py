"""A dialog: the messages of one notebook, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self

from .displays import Showing
from .folding import Trunc, update_outputs
from .jmsg import display_id_of
from .message import Message
from .msgs import LiveMsgs
from .outputs import owned
from .preview import as_markdown
from .validate import check_dialog

Observer = Callable[[str, "Message | None"], object]


class Dialog:
    """A named, ordered list of messages.

    It is equal to its name, as a str; two dialogs are equal if names, metadata and all that
    their messages hold are. ``len``, ``in`` (a message or an id) and iteration are those of
    its messages, but it is true also when it is empty.

    Parameters
    ----------
    name : str
        Its name, usually the stem of the file.
    messages : iterable of Message, optional
        Its first messages; they belong to it from now on.
    meta : dict, optional
        The notebook's metadata; copied one level deep.

    Attributes
    ----------
    msg_cls : type
        On the class: what :meth:`mk_message` makes. A subclass sets its own.
    on_change : list of callable
        Each is called with ``(kind, message)`` after a change: ``insert``, ``remove``,
        ``order`` (message None), ``begin`` and ``end`` of a :meth:`step` (message None), or
        the attribute that was assigned: ``content``,
        ``output`` (also by a kernel's message), ``msg_type``, ``id``, ``meta`` (by an
        attribute of ``meta_attrs``), ``attachments`` (by ``mk_attachment``). What is done
        to the dicts and lists inside a message is not seen. Empty, it costs nothing.

    Notes
    -----
    Finding a message by id, its neighbours and its place costs the same in dialogs of any
    size. Two messages of one id are two messages; ``validate`` complains of them.
    """

    msg_cls: type[Message] = Message

    def __init__(
        self,
        name: str,
        messages: Iterable[Message] | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.meta: dict[str, Any] = dict(meta) if meta else {}
        self.on_change: list[Observer] = []
        self.shown = Showing()
        self._messages = LiveMsgs(self)
        if messages is not None:
            self._messages.extend(messages)

    @property
    def messages(self) -> LiveMsgs:
        """The messages; assigning an iterable replaces what is in the list."""
        return self._messages

    @messages.setter
    def messages(self, messages: Iterable[Message]) -> None:
        if messages is not self._messages:
            self._messages[:] = messages

    # -- identity and display

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return self.name == other
        if not isinstance(other, Dialog):
            return NotImplemented
        return self is other or (
            len(self._messages) == len(other._messages) and self._parts() == other._parts()
        )

    def __hash__(self) -> int:
        return hash(self.name)

    def _parts(self) -> Any:
        messages = [
            (m.id, m.msg_type, m.content, m.output, m.meta, m.attachments) for m in self._messages
        ]
        return self.name, self.meta, messages

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        return len(self._messages)

    def __iter__(self) -> Iterator[Message]:
        return iter(self._messages)

    def __contains__(self, thing: object) -> bool:
        return thing in self._messages

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {len(self._messages)} messages)"

    def _repr_markdown_(self) -> str:
        rows = [f"- {as_markdown(row)}" for row in str(self._messages.show(rows=20)).splitlines()]
        return "\n".join([f"**{as_markdown(str(self.name))}**", *([""] if rows else []), *rows])

    def __getstate__(self) -> dict[str, Any]:
        private = ("on_change", "shown", "_messages")
        state = {k: v for k, v in self.__dict__.items() if k not in private}
        return {**state, "messages": list(self._messages)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        messages = state.pop("messages")
        Dialog.__init__(self, state["name"], messages, state["meta"])
        self.__dict__.update(state)

    def __copy__(self) -> Self:
        from copy import deepcopy

        return deepcopy(self)

    # -- finding

    def get(self, id_: Any) -> Message | None:
        """Find a message by its id.

        Parameters
        ----------
        id_ : str, int or Message
            The id, or a message that has it.

        Returns
        -------
        Message or None
            The first one of that id.
        """
        return self._messages.get(id_)

    def find_msg(self, content: str) -> Message | None:
        """Find a message by its whole content.

        Parameters
        ----------
        content : str
            The content.

        Returns
        -------
        Message or None
            The first one that has it.
        """
        return next((m for m in self._messages if m.content == content), None)

    # -- changing

    def mk_message(
        self,
        content: str,
        idx: int = -1,
        after: Message | str | None = None,
        before: Message | str | None = None,
        msg_type: str = "code",
        output: Any = "",
        **kwargs: Any,
    ) -> Message:
        """Make a message and put it into the dialog.

        Parameters
        ----------
        content : str
            Its text.
        idx : int, default -1
            Its position; -1 is the end.
        after, before : Message or str, optional
            A message of the dialog, or its id, that it is to stand next to.
        msg_type : {"code", "note", "prompt", "raw"}
            Its kind.
        output : list of dict or str, default ""
            Its outputs, as :class:`Message` takes them.
        **kwargs
            Further arguments of ``msg_cls``.

        Returns
        -------
        Message
            The new message; its id is new in the dialog unless it is given.

        Raises
        ------
        ValueError
            If ``after`` or ``before`` is not in the dialog, or two positions are given.
        IndexError
            If ``idx`` is less than -1 or beyond the end.
        """
        at = self._position(idx, after, before)
        message = self.msg_cls(content, dlg=self, output=output, msg_type=msg_type, **kwargs)
        if at is None:
            self._messages.append(message)
        else:
            self._messages.insert(at, message)
        return message

    def mk_messages(
        self,
        msgs: Message | Iterable[Message],
        after: Message | str | None = None,
        before: Message | str | None = None,
    ) -> list[Message]:
        """Put copies of messages into the dialog, one after the other.

        Parameters
        ----------
        msgs : iterable of Message
            What is copied: all but the id. Nothing mutable is shared with the copies.
        after, before : Message or str, optional
            A message of the dialog, or its id, that they are to stand next to; at the end
            without either.

        Returns
        -------
        list of Message
            The copies.

        Raises
        ------
        ValueError
            If ``after`` or ``before`` is not in the dialog, or both are given.
        """
        at = self._position(-1, after, before)
        originals = [msgs] if isinstance(msgs, Message) else list(msgs)
        taken: set[str] = set()
        copies: list[Message] = []
        for message in originals:
            copy = message._copied(self.msg_cls, dlg=self)
            while copy.id in taken:
                copy.id = None
            taken.add(copy.id)
            copies.append(copy)
        at = len(self._messages) if at is None else at
        with self.step():
            self._messages[at:at] = copies
        return copies

    def remove_msgs(self, msgs: Message | str | Iterable[Message | str]) -> list[Message]:
        """Take messages out of the dialog.

        Parameters
        ----------
        msgs : iterable of Message or str
            Messages, or their ids.

        Returns
        -------
        list of Message
            Those that were in the dialog, in the order of ``msgs``.
        """
        found: dict[int, Message] = {}
        for thing in [msgs] if isinstance(msgs, (Message, str)) else list(msgs):
            at = self._messages.place(thing)
            if at is not None:
                message = self._messages[at]
                found[id(message)] = message
        with self.step():
            self._messages.take_out(found.values())
        return list(found.values())

    @contextmanager
    def step(self) -> Iterator[Self]:
        """Make several changes that belong together.

        Observers are told of its begin and its end; an open notebook shows the changes all
        at once, and undoes them as one. Steps may stand inside one another.
        """
        observers = tuple(self.on_change)
        for observer in observers:
            observer("begin", None)
        try:
            yield self
        finally:
            for observer in observers:
                observer("end", None)

    def update_display(self, jmsg: Mapping[str, Any], trunc: Trunc | None = None) -> int:
        """Replace what a display shows, wherever in the dialog it stands.

        Parameters
        ----------
        jmsg : dict
            An iopub message ``update_display_data``.
        trunc : callable, optional
            Given each new output, returns what is kept.

        Returns
        -------
        int
            How many outputs showed it.

        Notes
        -----
        An output shows a display if its metadata name it (``did``), however it came into
        the message: added, assigned, read from a file or pasted. Outputs that were put into
        the list of a message by hand are found by that message's own ``add_output`` only.
        """
        did = display_id_of(jmsg)
        if did is None:
            return 0
        return sum(update_outputs(m, jmsg, did, trunc) for m in self.showing(did))

    def _position(self, idx: int, after: Any, before: Any) -> int | None:
        """Position that is meant; None for the end."""
        if (after is not None) + (before is not None) + (idx != -1) > 1:
            raise ValueError("give only one of idx, after and before")
        if after is not None:
            return self._place(after, "after") + 1
        if before is not None:
            return self._place(before, "before")
        if not -1 <= idx <= len(self._messages):
            size = len(self._messages)
            raise IndexError(f"idx {idx} is not in a dialog of {size} messages; -1 is the end")
        return None if idx == -1 else idx

    def _place(self, anchor: Any, which: str) -> int:
        at = self._messages.place(anchor)
        if at is None:
            mid = getattr(anchor, "id", anchor)
            raise ValueError(f"{which}={mid!r} is no message of dialog {self.name!r}")
        return at

    # -- checks and copies

    def validate(self) -> Self:
        """Check every message, that ids are unique, and the metadata.

        Returns
        -------
        Dialog
            This one.

        Raises
        ------
        ValueError
            It names the message and the problem; nothing is repaired.
        """
        check_dialog(self)
        return self

    def todict(self) -> dict[str, Any]:
        """The dialog as data that JSON can hold, and that shares nothing with it.

        Returns
        -------
        dict
            ``name``, ``meta`` and ``messages``, each message a dict.
        """
        messages = [message.todict() for message in self._messages]
        return {"name": self.name, "meta": owned(self.meta), "messages": messages}

    # -- what the other modules of the package need

    def tell(self, kind: str, message: Message | None) -> None:
        """Call the observers."""
        for observer in tuple(self.on_change):
            observer(kind, message)

    def joined(self, message: Message) -> None:
        """Note that a message has come into the list."""
        message.dlg = self
        if message.__dict__["output"]:
            self.shown.note(message, message._dids())
        if self.on_change:
            self.tell("insert", message)

    def left(self, message: Message) -> None:
        """Note that a message has gone out of the list."""
        if message._displays is not None:
            self.shown.forget(message, message._displays)
        if message.dlg is self:
            message.dlg = None
        if self.on_change:
            self.tell("remove", message)

    def showing(self, did: str) -> list[Message]:
        """The messages of this dialog that may show a display."""
        return [m for m in self.shown.of(did) if self._messages.holds(m)]


def get_msg(id_: Any, dlg: Dialog | None) -> Message | None:
    """Find a message of a dialog by its id.

    Parameters
    ----------
    id_ : str, int or Message
        The id, or a message that has it.
    dlg : Dialog or None
        The dialog.

    Returns
    -------
    Message or None
        None if no message has it, or without a dialog.
    """
    return dlg._messages.get(id_) if dlg is not None else None
