"""Messages of a kernel's iopub channel: to outputs, and made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .outputs import joined, owned


def kind_of(jmsg: Mapping[str, Any]) -> str:
    """The type of an iopub message."""
    kind = jmsg.get("msg_type") or (jmsg.get("header") or {}).get("msg_type")
    return str(kind or "")


def display_id_of(jmsg: Mapping[str, Any]) -> str | None:
    """The display id of an iopub message; None where it has none."""
    transient = (jmsg.get("content") or {}).get("transient") or {}
    return transient.get("display_id") or None


def output_from_msg(jmsg: Mapping[str, Any]) -> dict[str, Any]:
    """Turn a kernel's iopub message into the output that a notebook keeps.

    Parameters
    ----------
    jmsg : dict
        A message of type ``stream``, ``display_data``, ``execute_result`` or ``error``.

    Returns
    -------
    dict
        The output; nothing mutable is shared with the message.

    Raises
    ------
    ValueError
        For a message of any other type.

    See Also
    --------
    Message.add_output : takes messages of every type.
    """
    kind = kind_of(jmsg)
    content = jmsg.get("content") or {}
    if kind == "stream":
        name, text = content.get("name") or "stdout", joined(content.get("text"))
        return {"output_type": kind, "name": name, "text": text}
    if kind in ("display_data", "execute_result"):
        output = {
            "output_type": kind,
            "metadata": owned(content.get("metadata")) or {},
            "data": owned(content.get("data")) or {},
        }
        if kind == "execute_result":
            output["execution_count"] = content.get("execution_count")
        return output
    if kind == "error":
        return {
            "output_type": kind,
            "ename": content.get("ename") or "",
            "evalue": content.get("evalue") or "",
            "traceback": owned(content.get("traceback")) or [],
        }
    raise ValueError(f"Unrecognized output msg type: {kind!r}")


def mk_jmsg(typ: str, metadata: Any = None, **kwargs: Any) -> dict[str, Any]:
    """Build an iopub message.

    Parameters
    ----------
    typ : str
        Its type.
    metadata : dict, optional
        The metadata in its content.
    **kwargs
        The rest of its content.

    Returns
    -------
    dict
        With ``msg_type``, ``header`` and ``content``.
    """
    kwargs["metadata"] = metadata or {}
    return {"msg_type": typ, "header": {"msg_type": typ}, "content": kwargs}


def mk_stream(text: str, name: str = "stdout") -> dict[str, Any]:
    """Build the iopub message of printed text.

    Parameters
    ----------
    text : str
        What was printed.
    name : str, default "stdout"
        The stream: stdout or stderr.

    Returns
    -------
    dict
        The message.
    """
    return mk_jmsg("stream", name=name, text=text)


def mk_execresult(data: Any, metadata: Any = None, execution_count: int = 1) -> dict[str, Any]:
    """Build the iopub message of a cell's result.

    Parameters
    ----------
    data : dict
        Its MIME bundle.
    metadata : dict, optional
        Its metadata.
    execution_count : int, default 1
        The number of the run.

    Returns
    -------
    dict
        The message.
    """
    return mk_jmsg("execute_result", metadata, data=data, execution_count=execution_count)


def mk_dispdata(data: Any, metadata: Any = None, display_id: Any = None) -> dict[str, Any]:
    """Build the iopub message of a display.

    Parameters
    ----------
    data : dict
        Its MIME bundle.
    metadata : dict, optional
        Its metadata.
    display_id : str, optional
        The name by which it can be updated.

    Returns
    -------
    dict
        The message.
    """
    transient = {} if display_id is None else {"display_id": display_id}
    return mk_jmsg("display_data", metadata, data=data, transient=transient)


def mk_error(ename: str = "Exception", evalue: str = "", traceback: Any = None) -> dict[str, Any]:
    """Build the iopub message of an error.

    Parameters
    ----------
    ename, evalue : str
        The error's class and text.
    traceback : list of str, optional
        The lines of its traceback.

    Returns
    -------
    dict
        The message.
    """
    return mk_jmsg("error", ename=ename, evalue=evalue, traceback=traceback or [])
