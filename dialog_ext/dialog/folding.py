"""One iopub message at a time into the outputs of a message."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from .displays import named
from .jmsg import display_id_of, kind_of, output_from_msg
from .kinds import holds_outputs, scode
from .outputs import owned
from .stream import StreamJoin

if TYPE_CHECKING:
    from .message import Message

Trunc = Callable[[dict[str, Any]], dict[str, Any]]

_APPENDED: Final = frozenset(("stream", "display_data", "execute_result", "error"))


def ends_in_semicolon(source: str) -> bool:
    """Whether the last token of Python code is a semicolon.

    Parameters
    ----------
    source : str
        Code; comments and line ends after the last token do not count.

    Returns
    -------
    bool
        False also for what Python's tokenizer refuses.

    Notes
    -----
    The rule by which IPython leaves a result out
    (``DisplayHook.semicolon_at_end_of_expression``).
    """
    if ";" not in source:
        return False
    import io
    import tokenize

    ignored = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER)
    last = ""
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type not in ignored:
                last = token.string if token.type == tokenize.OP else ""
    except (tokenize.TokenError, SyntaxError):
        return False
    return last == ";"


def fold(
    message: Message,
    jmsg: Mapping[str, Any],
    trunc: Trunc | None = None,
    on_input: Callable[[Mapping[str, Any]], Any] | None = None,
) -> Any:
    """Do to a message's outputs what an iopub message asks for.

    See Also
    --------
    Message.add_output : says what each type does.
    """
    kind = kind_of(jmsg)
    if kind == "input_request":
        return on_input(jmsg) if on_input else None
    if kind == "clear_output":
        message.clear_output(bool((jmsg.get("content") or {}).get("wait")))
    elif kind == "update_display_data":
        _update(message, jmsg, trunc)
    elif kind in _APPENDED:
        if not holds_outputs(message.msg_type):
            raise ValueError(
                f"message {message.id} is a {message.msg_type}, which carries no outputs; "
                "set its msg_type to code first"
            )
        quiet = kind == "execute_result" and message.msg_type == scode
        if not (quiet and ends_in_semicolon(message.content)):
            output = output_from_msg(jmsg)
            did = None if kind == "stream" else display_id_of(jmsg)
            if did is not None:
                _update(message, jmsg, trunc)  # a display shown again is one for the whole page
            _append(message, trunc(output) if trunc else output, did)
    return None


def _append(message: Message, output: dict[str, Any], did: str | None) -> None:
    """Add an output; the text of a stream goes to the output before if that is the same."""
    if message._clear_next:
        message.clear_output()
    outputs: list[Any] = message._raw_output()
    if did is not None:
        outputs.append(named(output, did))
        message._showed(did)
    elif output.get("output_type") != "stream":
        outputs.append(output)
    else:
        _append_stream(message, outputs, output)
    message._output_changed()


def _append_stream(message: Message, outputs: list[Any], output: dict[str, Any]) -> None:
    join = message._stream
    last = outputs[-1] if outputs else None
    if join is None or join.output is not last or join.edited:
        join = None
        if isinstance(last, dict) and last.get("output_type") == "stream":
            # a copy: the dict may be somebody else's
            join = StreamJoin(dict(last))
    if join is not None and join.takes(output):
        outputs[-1] = join.output
        join.add(output["text"])
    else:
        join = StreamJoin(dict(output))
        outputs.append(join.output)
    message._grows(join)


def _update(message: Message, jmsg: Mapping[str, Any], trunc: Trunc | None) -> None:
    """Do the update here and in the messages of the same dialog that show the display."""
    did = display_id_of(jmsg)
    if did is not None:
        for shown in message._shows(did):
            update_outputs(shown, jmsg, did, trunc)


def update_outputs(
    message: Message, jmsg: Mapping[str, Any], did: str, trunc: Trunc | None = None
) -> int:
    """Replace data and metadata of a message's outputs that show a display.

    Parameters
    ----------
    message : Message
        The message.
    jmsg : dict
        An ``update_display_data``.
    did : str
        Its display id.
    trunc : callable, optional
        Given each new output, returns what is kept.

    Returns
    -------
    int
        How many outputs showed it.
    """
    content = jmsg.get("content") or {}
    places = message._places(did)
    for at in places:
        outputs = message._raw_output()
        data, metadata = owned(content.get("data")) or {}, owned(content.get("metadata")) or {}
        output = {**outputs[at], "data": data, "metadata": metadata}
        outputs[at] = named(trunc(output) if trunc else output, did)
    if places:
        message._output_changed()
    return len(places)
