"""A message: one cell of a notebook, seen as a turn of a conversation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

from .attachments import Attachment
from .carrier import OutputCarrier
from .export import is_exported, with_export
from .fields import DepProp, IdProp, MetaAttr, MsgTypeProp
from .ids import new_id
from .kinds import known, scode, snote, sprompt
from .merge import merged_content
from .outputs import normal_output, owned
from .placed import Placed
from .preview import as_markdown, cut, escaped, size, start_of
from .sections import header_info
from .validate import check_message

if TYPE_CHECKING:
    from .dialog import Dialog
    from .msgs import LiveMsgs


class Unset:
    """The kind of :data:`UNSET`."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset()
"""A value for :meth:`Message.update` that leaves an attribute as it is."""


class Message(Placed, OutputCarrier):
    """One cell: a note, code with its outputs, a prompt with its reply, or raw text.

    A message is equal to every message of the same id, and to the id as a str or an int.

    Parameters
    ----------
    content : str, default ""
        The text: markdown, code, or what a prompt asks.
    dlg : Dialog, optional
        The dialog it belongs to; this alone does not put it into the dialog's list.
    output : list of dict or str, default ""
        The outputs of code and prompts. A str is the reply of a prompt; for code it is the
        JSON of outputs or else the text of a result. Notes and raws have ``''``.
    id : str, optional
        Its id, coerced to str; four random bytes in hex if None.
    msg_type : {"code", "note", "prompt", "raw"}
        Its kind.
    attachments : list of Attachment, optional
        What travels with it.
    meta : dict, optional
        The rest of the cell's metadata; copied one level deep.
    **xtras
        Further attributes.

    Attributes
    ----------
    meta_attrs : dict
        On the class: attributes that stand in ``meta``, each with its key. A subclass names
        its own; those of its bases stay.
    skipped, pinned : bool
        ``meta['skipped']`` and ``meta['pinned']``; False where there is no such key.
    dlg : Dialog or None
        The dialog. It is held strongly, so that the message of a dialog that nobody else
        holds still has its neighbours; the cycle is the garbage collector's to take. The
        reference holds it weakly. Set and cleared as the message enters and leaves a list;
        setting it moves nothing.

    Raises
    ------
    ValueError
        For an unknown ``msg_type``, here and when it is assigned.

    Notes
    -----
    Assigning another ``msg_type`` resets the output to ``[]`` or ``''``. The outputs are
    set aside, and stand there again when the type is set back before others came.

    The hash is that of the id when it was first asked for, and stays, so that a set does
    not lose a message whose id is changed; it is found there by itself, not by either id.
    An int is compared as the id that it would become, but its hash is another.

    Copies (``copy``, ``pickle``) belong to no dialog and keep the id.
    """

    meta_attrs: ClassVar[dict[str, str]] = {"skipped": "skipped", "pinned": "pinned"}

    if TYPE_CHECKING:
        content: str
        msg_type: str
        id: str
    else:
        content = DepProp("clear_inp_cache", doc="The text.")
        msg_type = MsgTypeProp("clear_inp_cache", "clear_out_cache", doc="The kind.")
        id = IdProp(doc="The id, a str.")
    skipped = MetaAttr("skipped", False)
    pinned = MetaAttr("pinned", False)

    dlg: Dialog | None
    meta: dict[str, Any]
    attachments: list[Attachment]

    _homes: tuple[LiveMsgs, ...] = ()
    _hash: int | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name, key in cls.__dict__.get("meta_attrs", {}).items():
            if name not in cls.__dict__:
                setattr(cls, name, MetaAttr(key))
        inherited = (vars(base).get("meta_attrs", {}) for base in reversed(cls.__mro__))
        cls.meta_attrs = {name: key for attrs in inherited for name, key in attrs.items()}

    def __init__(
        self,
        content: str = "",
        dlg: Dialog | None = None,
        output: Any = "",
        id: Any = None,  # noqa: A002 - the public name
        msg_type: str = scode,
        attachments: Iterable[Attachment] | None = None,
        meta: Mapping[str, Any] | None = None,
        **xtras: Any,
    ) -> None:
        own = self.__dict__
        own["content"] = content
        own["msg_type"] = known(msg_type)
        own["output"] = normal_output(msg_type, output)
        if id is None:
            own["id"] = new_id(dlg.messages.ids if dlg is not None else ())
        else:
            own["id"] = str(id)
        own["dlg"] = dlg
        own["meta"] = dict(meta) if meta else {}
        own["attachments"] = list(attachments) if attachments else []
        for name, value in xtras.items():
            setattr(self, name, value)

    # -- identity and display

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Message):
            return self.id == other.id
        if isinstance(other, str):
            return self.id == other
        if isinstance(other, int) and not isinstance(other, bool):
            return self.id == str(other)
        return NotImplemented

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self.id)
        return self._hash

    def __getstate__(self) -> dict[str, Any]:
        private = ("_homes", "_stream", "_displays", "_clear_next", "_aside", "_hash", "_ai_rend")
        state = {k: v for k, v in self.__dict__.items() if k not in private}
        return {**state, "dlg": None, "output": self.output}

    def __copy__(self) -> Self:
        copied: Self = self._copied(id=self.id)
        return copied

    def __repr__(self) -> str:
        kind = f"id={self.id!r}, msg_type={self.msg_type!r}"
        return f"{type(self).__name__}({self.summ!r}, {kind}, meta={start_of(self.meta, 80)})"

    def _repr_markdown_(self) -> str:
        flags = {"id": self.id, "meta": start_of(self.meta, 80), "msg_type": self.msg_type}
        lines = [f"- {name}: {as_markdown(value)}" for name, value in flags.items()]
        return "\n".join([as_markdown(self.summ), "", *lines])

    @property
    def summ(self) -> str:
        """The start of the content, and of the output where there is any."""
        shown = (self.ai_res if self.msg_type == sprompt else "") or self.output
        content = cut(self.content, 96)
        return f"{content} ⇒ {start_of(shown, 60)}" if shown else content

    def preview(self, maxlen: int = 120) -> str:
        r"""Sum the message up in one line.

        Parameters
        ----------
        maxlen : int, default 120
            The most characters that the line may have.

        Returns
        -------
        str
            Id, kind and content, control characters escaped (a line end is ``\n``), then
            the number of characters of the reply or the outputs; cut at its end.
        """
        hint = ""
        if self.msg_type == sprompt and (reply := self.ai_res):
            hint = f" ⇒ reply({len(reply)})"
        elif self.output:
            hint = f" ⇒ out({size(self.output)})"
        # what lies beyond maxlen is cut anyway, and need not be escaped
        content = self.content[: maxlen + 1]
        return cut(escaped(f"{self.id}:{self.msg_type}: {content}{hint}"), maxlen)

    # -- content and output

    @property
    def exported(self) -> bool:
        """Whether the content carries nbdev's ``#| export``; assigning edits the content."""
        return is_exported(self.content)

    @exported.setter
    def exported(self, value: bool) -> None:
        self.content = with_export(self.content, bool(value))

    def header_level(self) -> int:
        """Level of the heading that a note begins with; 0 without one and for other kinds."""
        return header_info(self.content)[0] if self.msg_type == snote else 0

    def merge_content(self, mtype: str) -> str:
        """Give what this message adds to a message that it is merged into.

        Parameters
        ----------
        mtype : str
            The kind of the message that is merged into.

        Returns
        -------
        str
            Its content, in a form that the other kind understands.
        """
        return merged_content(self, mtype)

    def update(self, **kwargs: Any) -> None:
        """Assign several attributes.

        Parameters
        ----------
        **kwargs
            New values; what is ``UNSET`` stays (ours, or another library's whose class is
            called ``Unset``). ``msg_type`` is assigned first, since it resets the output.
        """
        given = {k: v for k, v in kwargs.items() if type(v).__name__ != Unset.__name__}
        with self.dlg.step() if self.dlg is not None else nullcontext():
            for name in sorted(given, key=lambda name: name != "msg_type"):
                setattr(self, name, given[name])

    def clear_inp_cache(self) -> None:
        """Drop what was computed from the content; called when it changes."""
        self._ai_rend = None

    def mk_attachment(self, data: bytes, content_type: str, id: str = "") -> Attachment:  # noqa: A002
        """Add an attachment.

        Parameters
        ----------
        data : bytes
            Its content.
        content_type : str
            Its MIME type.
        id : str, default ""
            Its name; drawn, and other than those there, if empty.

        Returns
        -------
        Attachment
            The new attachment.
        """
        made = Attachment(data, content_type, id)
        taken = {attachment.id for attachment in self.attachments}
        while not id and made.id in taken:
            made = Attachment(data, content_type)
        self.attachments.append(made)
        self._changed("attachments")
        return made

    # -- checks and copies

    def validate(self) -> Self:
        """Check what would break saving or rendering.

        Returns
        -------
        Message
            This one.

        Raises
        ------
        ValueError
            It names the message and the problem; nothing is repaired.
        """
        check_message(self)
        return self

    def todict(self) -> dict[str, Any]:
        """The message as data that JSON can hold, and that shares nothing with it."""
        return {
            "id": self.id,
            "msg_type": self.msg_type,
            "content": self.content,
            "output": owned(self.output),
            "attachments": [attachment.todict() for attachment in self.attachments],
            "meta": owned(self.meta),
        }

    def _copied(self, cls: type[Any] | None = None, **given: Any) -> Any:
        """A message of the class with what this one has, but for its id and dialog."""
        fields = {
            "content": self.content,
            "output": owned(self.output),
            "msg_type": self.msg_type,
            "attachments": [attachment.copy() for attachment in self.attachments],
            "meta": owned(self.meta),
        }
        known = {*fields, "id", "dlg"}
        extra = {k: owned(v) for k, v in vars(self).items() if k[0] != "_" and k not in known}
        return (cls or type(self))(**{**fields, **extra, **given})
