"""Outputs as a notebook keeps them: lists of dicts with an ``output_type``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from .kinds import scode, sprompt


def owned(value: Any) -> Any:
    """Copy data to any depth, so that nothing mutable is shared.

    Parameters
    ----------
    value : object
        Data of JSON's kinds is copied here, anything else by ``copy.deepcopy``.

    Returns
    -------
    object
        An equal value.
    """
    kind = type(value)
    if kind is str or kind is int or value is None or kind is bool or kind is float:
        return value
    if kind is dict:
        return {key: owned(item) for key, item in value.items()}
    if kind is list:
        return [owned(item) for item in value]
    from copy import deepcopy

    return deepcopy(value)


def joined(text: Any) -> str:
    """Text of a notebook's field, which is a str or a list of lines."""
    if type(text) is str:
        return text
    return "".join(map(str, text)) if isinstance(text, (list, tuple)) else str(text or "")


def mk_output(typ: str, d: Any, meta: Any = None, **kw: Any) -> dict[str, Any]:
    """Build one output.

    Parameters
    ----------
    typ : str
        Its ``output_type``.
    d : dict
        Its MIME bundle.
    meta : dict, optional
        Its metadata.
    **kw
        Further fields.

    Returns
    -------
    dict
        The output.
    """
    return {"output_type": typ, "metadata": meta or {}, "data": d, **kw}


def mk_displayobj(d: Any, meta: Any = None) -> dict[str, Any]:
    """Build the output of a display.

    Parameters
    ----------
    d : dict
        The MIME bundle.
    meta : dict, optional
        The metadata.

    Returns
    -------
    dict
        One ``display_data``.
    """
    return mk_output("display_data", d, meta)


def displayobj(
    data: str = "", subtype: str = "plain", mimetype: str = "text", meta: Any = None
) -> dict[str, Any]:
    """Build the output of a display that has one form.

    Parameters
    ----------
    data : str
        What is shown.
    subtype, mimetype : str
        The two halves of its MIME type, the second one first.
    meta : dict, optional
        The metadata.

    Returns
    -------
    dict
        One ``display_data``.
    """
    return mk_displayobj({f"{mimetype}/{subtype}": data}, meta)


def mk_code_output(d: Any) -> list[dict[str, Any]]:
    """Build the outputs of a cell whose result is a MIME bundle.

    Parameters
    ----------
    d : dict
        The MIME bundle.

    Returns
    -------
    list of dict
        One ``execute_result``, with execution count 1.
    """
    return [mk_output("execute_result", d, execution_count=1)]


def code_output(
    result: str = "", subtype: str = "plain", mimetype: str = "text"
) -> list[dict[str, Any]]:
    """Build the outputs of a cell whose result has one form.

    Parameters
    ----------
    result : str
        The result.
    subtype, mimetype : str
        The two halves of its MIME type, the second one first.

    Returns
    -------
    list of dict
        One ``execute_result``, with execution count 1.
    """
    return mk_code_output({f"{mimetype}/{subtype}": result})


def prompt_output(txt: str = "") -> list[dict[str, Any]]:
    """Build the outputs of a prompt from its reply.

    Parameters
    ----------
    txt : str
        The reply, in markdown.

    Returns
    -------
    list of dict
        One ``display_data`` that is marked as a reply; none if there is no text.
    """
    return [mk_displayobj({"text/markdown": txt}, {"is_ai_res": True})] if txt else []


def reply_of(outputs: Any) -> str:
    """Find the reply among outputs; empty where there is none."""
    if not isinstance(outputs, list):
        return ""
    for output in outputs:
        if isinstance(output, dict) and (output.get("metadata") or {}).get("is_ai_res"):
            return joined((output.get("data") or {}).get("text/markdown"))
    return ""


def get_output_mds(output: Iterable[Mapping[str, Any]] | None) -> list[str]:
    """Collect the markdown that outputs show.

    Parameters
    ----------
    output : list of dict or None
        Outputs of a code message.

    Returns
    -------
    list of str
        One for each display and result that has markdown, in order.
    """
    if not isinstance(output, (list, tuple)):
        return []
    shown = (o for o in output if o.get("output_type") in ("display_data", "execute_result"))
    bundles = (o.get("data") or {} for o in shown)
    return [joined(data["text/markdown"]) for data in bundles if "text/markdown" in data]


def normal_output(msg_type: str, output: Any) -> Any:
    """Bring what is given as a message's output into the form that its kind has.

    Parameters
    ----------
    msg_type : str
        The kind of message.
    output : list of dict, dict, str or None
        What was given.

    Returns
    -------
    object
        For code and prompts a new list: a str is the reply of a prompt; for code it is the
        JSON of an output or of a list of them, or else the text of a result. For notes and
        raws the value itself, with ``''`` for nothing. What fits nowhere is left alone;
        ``validate`` tells of it.
    """
    if msg_type not in (scode, sprompt):
        return "" if output is None or output == [] or output == () else output
    if not output and (output is None or isinstance(output, (str, list, tuple))):
        return []
    if isinstance(output, str):
        return prompt_output(output) if msg_type == sprompt else _code_output_of(output)
    if isinstance(output, dict):
        return [output]
    return list(output) if isinstance(output, (list, tuple)) else output


def _code_output_of(text: str) -> list[Any]:
    if text.lstrip()[:1] in ("[", "{"):
        try:
            data = json.loads(text)
        except ValueError:
            return code_output(text)
        outputs = data if isinstance(data, list) else [data]
        if all(isinstance(output, dict) and "output_type" in output for output in outputs):
            return outputs
    return code_output(text)
