"""Drive a real kernel as a front end does, and fold what it sends as a notebook would."""

from __future__ import annotations

import json
import os
import queue
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import nbformat
from jupyter_client.manager import KernelManager

TIMEOUT = 60


@dataclass
class Ran:
    """What one execute request brought."""

    status: str
    count: int | None
    outputs: list[dict[str, Any]] = field(default_factory=list)
    messages: list[dict[str, Any]] = field(default_factory=list)

    @property
    def replies(self) -> list[dict[str, Any]]:
        return [o for o in self.outputs if o.get("metadata", {}).get("is_ai_res")]

    @property
    def reply(self) -> str:
        assert len(self.replies) == 1, self.outputs
        return self.replies[0]["data"]["text/markdown"]

    @property
    def text(self) -> str:
        """All that streams and errors and results say, as plain text."""
        parts = []
        for output in self.outputs:
            parts.append(output.get("text", ""))
            parts.extend(output.get("traceback", []))
            parts.append(output.get("data", {}).get("text/plain", ""))
        return "\n".join(filter(None, parts))


class Kernel:
    """A running kernel and a client of it."""

    def __init__(self, manager: KernelManager) -> None:
        self.manager = manager
        self.client = manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=TIMEOUT)
        self.cells = 0

    def send(self, code: str, cell: str | None = None, **metadata: Any) -> str:
        """Send an execute request as JupyterLab does, with the cell's id in its metadata."""
        content = {
            "code": code,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": False,
            "stop_on_error": True,
        }
        if cell is not None:
            metadata["cellId"] = cell
        session = self.client.session
        message = session.msg("execute_request", content, metadata=metadata)
        # a page escapes lone surrogates in JSON, where Python's client would refuse them
        session.pack = lambda value: json.dumps(value, default=str).encode("ascii")
        self.client.shell_channel.send(message)
        return message["header"]["msg_id"]

    def run(self, code: str, cell: str | None = "auto", **metadata: Any) -> Ran:
        """Run a cell to its end; each has an id of its own unless told otherwise."""
        if cell == "auto":
            self.cells += 1
            cell = f"cell-{self.cells}"
        return self.collect(self.send(code, cell, **metadata))

    def collect(
        self, request: str, each: Callable[[dict[str, Any]], Any] = lambda message: None
    ) -> Ran:
        """Read until the request is done; ``each`` sees every iopub message of it."""
        messages: list[dict[str, Any]] = []
        end = time.monotonic() + TIMEOUT
        while True:
            message = self.client.get_iopub_msg(timeout=max(0.1, end - time.monotonic()))
            if message["parent_header"].get("msg_id") != request:
                continue
            messages.append(message)
            each(message)
            if message["content"].get("execution_state") == "idle":
                break
        reply = self.reply_to(request)
        content = reply["content"]
        return Ran(content["status"], content.get("execution_count"), fold(messages), messages)

    def reply_to(self, request: str) -> dict[str, Any]:
        end = time.monotonic() + TIMEOUT
        while True:
            reply = self.client.get_shell_msg(timeout=max(0.1, end - time.monotonic()))
            if reply["parent_header"].get("msg_id") == request:
                return reply

    def value(self, expression: str) -> Any:
        """Evaluate in the kernel, without a cell and without history."""
        request = self.client.execute(
            "", silent=True, store_history=False, user_expressions={"v": f"repr({expression})"}
        )
        reply = self.reply_to(request)
        result = reply["content"]["user_expressions"]["v"]
        assert result["status"] == "ok", result
        import ast

        return ast.literal_eval(ast.literal_eval(result["data"]["text/plain"]))

    def drain(self) -> None:
        """Drop what is still in the iopub queue."""
        while True:
            try:
                self.client.get_iopub_msg(timeout=0.05)
            except queue.Empty:
                return

    def stop(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)
        self.manager.cleanup_resources()


def fold(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Outputs as a front end has them after these messages."""
    outputs: list[dict[str, Any]] = []
    places: dict[str, list[int]] = {}
    clear_next = False
    for message in messages:
        kind, content = message["msg_type"], message["content"]
        display_id = (content.get("transient") or {}).get("display_id")
        if kind == "update_display_data":
            for place in places.get(display_id, ()):
                outputs[place].update(data=content["data"], metadata=content["metadata"])
        elif kind == "clear_output":
            clear_next = content["wait"]
            if not clear_next:
                outputs.clear()
        elif kind in ("stream", "display_data", "execute_result", "error"):
            if clear_next:
                outputs.clear()
                clear_next = False
            output = dict(nbformat.v4.output_from_msg(message))
            if kind == "stream" and outputs and outputs[-1].get("name") == output["name"]:
                outputs[-1]["text"] += output["text"]
                continue
            if display_id:
                places.setdefault(display_id, []).append(len(outputs))
            outputs.append(output)
    return outputs


@contextmanager
def kernel(*arguments: str, env: dict[str, str] | None = None) -> Iterator[Kernel]:
    """A fresh kernel for the length of a block."""
    manager = KernelManager(kernel_name="python3")
    # where a kernel sees this variable, it leaves file descriptors to pytest
    outside = {k: v for k, v in os.environ.items() if k != "PYTEST_CURRENT_TEST"}
    manager.start_kernel(extra_arguments=list(arguments), env={**outside, **(env or {})})
    running = Kernel(manager)
    try:
        yield running
    finally:
        running.stop()
