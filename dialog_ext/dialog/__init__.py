"""The notebook as a conversation: dialogs, messages, their outputs and attachments."""

from __future__ import annotations

from .attachments import Attachment, tiny_png
from .dialog import Dialog, get_msg
from .export import dlg2py, strip_export
from .fields import DepProp
from .ids import add_id_hash, rtoken_hex, ruuid4
from .jmsg import mk_dispdata, mk_error, mk_execresult, mk_jmsg, mk_stream, output_from_msg
from .kinds import scode, smsg_types, snote, sprompt, sraw
from .message import UNSET, Message
from .msgs import Msgs
from .outputs import (
    code_output,
    displayobj,
    get_output_mds,
    mk_code_output,
    mk_displayobj,
    mk_output,
    prompt_output,
)
from .sections import header_info, section_msgs

__all__ = [
    "UNSET",
    "Attachment",
    "DepProp",
    "Dialog",
    "Message",
    "Msgs",
    "add_id_hash",
    "code_output",
    "displayobj",
    "dlg2py",
    "get_msg",
    "get_output_mds",
    "header_info",
    "mk_code_output",
    "mk_dispdata",
    "mk_displayobj",
    "mk_error",
    "mk_execresult",
    "mk_jmsg",
    "mk_output",
    "mk_stream",
    "output_from_msg",
    "prompt_output",
    "rtoken_hex",
    "ruuid4",
    "scode",
    "section_msgs",
    "smsg_types",
    "snote",
    "sprompt",
    "sraw",
    "strip_export",
    "tiny_png",
]
