"""Which outputs a page shows inside an ``Output`` widget, and so not in the cell."""

from __future__ import annotations

from typing import Any, Final

_MODEL: Final = "OutputModel"


class OutputWidgets:
    """Follow the ``Output`` widgets of a kernel by their comm messages.

    While a widget's ``msg_id`` names a request, a front end gives that request's outputs
    to the widget (``ipywidgets.Output``, "capturing output"); the newest widget wins.
    """

    def __init__(self) -> None:
        self._takes: dict[str, str] = {}

    def follow(self, jmsg: dict[str, Any]) -> None:
        """Take note of a ``comm_open``, ``comm_msg`` or ``comm_close``."""
        content = jmsg["content"]
        comm = content.get("comm_id", "")
        state = (content.get("data") or {}).get("state") or {}
        if jmsg["msg_type"] == "comm_close":
            self._takes.pop(comm, None)
        elif jmsg["msg_type"] == "comm_open":
            if state.get("_model_name") == _MODEL:
                self._takes[comm] = state.get("msg_id", "")
        elif comm in self._takes and "msg_id" in state:
            self._takes[comm] = state["msg_id"]

    def take(self, request: str) -> bool:
        """Whether a widget takes the outputs of this request now."""
        return bool(request) and request in self._takes.values()
