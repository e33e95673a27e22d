"""The outputs of a message: kept, added to as code runs, dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from .displays import Displays, display_id
from .fields import OutputProp
from .folding import Trunc, fold
from .kinds import sprompt
from .outputs import reply_of

if TYPE_CHECKING:
    from .dialog import Dialog
    from .message import Message
    from .stream import StreamJoin


class OutputCarrier:
    """What a message does with its outputs.

    Attributes
    ----------
    output : list of dict or str
        The outputs; streams are joined when it is read.
    """

    if TYPE_CHECKING:
        id: str
        content: str
        msg_type: str
        output: Any
        dlg: Dialog | None
    else:
        output = OutputProp(doc="The outputs: a list, or '' for notes and raws.")

    # most messages never need these: on the class they cost nothing to make
    _ai_rend: Any = None
    _stream: StreamJoin | None = None
    _displays: Displays | None = None
    _clear_next: bool = False
    _aside: tuple[str, Any] | None = None

    @property
    def ai_res(self) -> str:
        """A prompt's reply; empty for other kinds and without one."""
        return reply_of(self.output) if self.msg_type == sprompt else ""

    @property
    def has_error(self) -> bool:
        """Whether an error is among the outputs."""
        outputs = self.output
        return isinstance(outputs, list) and any(
            isinstance(o, dict) and o.get("output_type") == "error" for o in outputs
        )

    def add_output(
        self,
        jmsg: Mapping[str, Any],
        trunc: Trunc | None = None,
        on_input: Callable[[Mapping[str, Any]], Any] | None = None,
    ) -> Any:
        r"""Take in an iopub message of a kernel.

        Pieces of one stream that follow one another are one output, joined when ``output``
        is read; ``\r`` and ``\b`` rewrite the line as on a page. A result is left out if
        the code ends in a semicolon. An update replaces data and metadata of every output
        of that display, here and in all messages of the same dialog. What makes no output,
        updates of displays that nobody shows and unknown types are ignored.

        Parameters
        ----------
        jmsg : dict
            The message; it is not changed, and nothing of it is shared.
        trunc : callable, optional
            Given each new output (of a stream: each piece), returns what is kept.
        on_input : callable, optional
            Given an ``input_request``.

        Returns
        -------
        object
            What ``on_input`` returned, else None.

        Raises
        ------
        ValueError
            If a note or raw is to get an output.
        """
        return fold(cast("Message", self), jmsg, trunc, on_input)

    def clear_output(self, wait: bool = False) -> None:
        """Drop the outputs.

        Parameters
        ----------
        wait : bool, default False
            Whether to do so only when the next output comes.
        """
        if wait:
            self._clear_next = True
        else:
            self.output = None

    def clear_out_cache(self) -> None:
        """Drop what was computed from the output; called when it changes."""
        self._ai_rend = None

    # -- what the other modules of the package need

    def _changed(self, kind: str) -> None:
        """Tell the dialog's observers."""
        dlg = self.dlg
        if dlg is not None and dlg.on_change:
            dlg.tell(kind, cast("Message", self))

    def _output_changed(self) -> None:
        self.clear_out_cache()
        self._changed("output")

    def _raw_output(self) -> list[Any]:
        """The outputs without joining the stream at their end; a list in any case."""
        outputs = self.__dict__["output"]
        if not isinstance(outputs, list):
            outputs = self.__dict__["output"] = []
        return outputs

    def _set_output(self, outputs: Any) -> None:
        """Store outputs, and forget what was known of those before."""
        message = cast("Message", self)
        if self._displays is not None:
            for home in message._homes:
                home.dlg.shown.forget(message, self._displays)
            self._displays = None
        self._grows(None)
        self._aside = None
        self._clear_next = False
        self.__dict__["output"] = outputs
        if outputs and message._homes:
            dids = self._dids()
            for home in message._homes:
                home.dlg.shown.note(message, dids)

    def _grows(self, stream: StreamJoin | None) -> None:
        """Let another stream be the one that takes further pieces."""
        if self._stream is not stream:
            if self._stream is not None:
                self._stream.flush()
            self._stream = stream

    def _showed(self, did: str) -> None:
        """Note that the last output shows a display."""
        if self._displays is None:
            self._displays = Displays()
        self._displays.catch_up(self._raw_output(), appended=True)
        message = cast("Message", self)
        for home in message._homes:
            home.dlg.shown.note(message, (did,))

    def _shows(self, did: str) -> list[Message]:
        """The messages that may show a display: this one, and others of its dialogs."""
        message = cast("Message", self)
        shows = {id(message): message}
        for home in message._homes:
            shows.update((id(other), other) for other in home.dlg.showing(did))
        return list(shows.values())

    def _dids(self) -> Iterable[str]:
        """Ids of the displays that the outputs show."""
        outputs = self.__dict__["output"]
        if not isinstance(outputs, list):
            return ()
        if self._displays is None:
            if all(display_id(output) is None for output in outputs):
                return ()
            self._displays = Displays()
        self._displays.catch_up(outputs)
        return self._displays

    def _places(self, did: str) -> list[int]:
        """Positions of the outputs that show a display."""
        outputs = self.__dict__["output"]
        if not isinstance(outputs, list):
            return []
        if self._displays is None:
            self._displays = Displays()
        return self._displays.places(outputs, did)
