"""A kernel of another language; a cell tells whether anything of ours has come."""

from __future__ import annotations

from typing import Any

from ipykernel.kernelapp import IPKernelApp
from ipykernel.kernelbase import Kernel


class OtherKernel(Kernel):
    """Answers each cell with what it has been sent."""

    implementation = "other"
    implementation_version = "1"
    banner = ""
    language_info = {"name": "other", "mimetype": "text/plain", "file_extension": ".txt"}

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.ours: list[str] = []

    def set_parent(self, ident: Any, parent: Any, channel: str = "shell") -> None:
        """Note each message."""
        super().set_parent(ident, parent, channel)
        kind = parent.get("header", {}).get("msg_type", "")
        # asking which comms there are is a question that every kernel understands
        if "dialog_ext" in repr(parent) and kind != "comm_info_request":
            self.ours.append(kind)

    async def do_execute(self, code: str, silent: bool, *rest: Any, **options: Any) -> Any:
        """Answer a cell."""
        text = f"of ours: {self.ours}"
        self.send_response(self.iopub_socket, "stream", {"name": "stdout", "text": text})
        count = self.execution_count
        return {"status": "ok", "execution_count": count, "payload": [], "user_expressions": {}}


if __name__ == "__main__":
    IPKernelApp.launch_instance(kernel_class=OtherKernel)
