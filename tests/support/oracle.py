"""What nbclient and JupyterLab save for a series of iopub messages."""

from __future__ import annotations

import re
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionComplete


class _Silent:
    """A kernel's client that takes what an Output widget sends back, and does nothing."""

    def __getattr__(self, name: str) -> Any:
        return self

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self


def saved_by_nbclient(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The outputs of a cell for which these messages came, as nbclient saves them."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("")])
    client = NotebookClient(notebook, kernel_name="python3", record_timing=False)
    client.reset_execution_trackers()
    client.kc = _Silent()
    client.clear_before_next_output = False
    cell = notebook.cells[0]
    for message in messages:
        try:
            client.process_message(message, cell, 0)
        except CellExecutionComplete:
            continue
    return [plain(output) for output in cell.outputs]


def plain(value: Any) -> Any:
    """Notebook nodes as plain dicts."""
    if isinstance(value, dict):
        return {key: plain(held) for key, held in value.items()}
    return [plain(held) for held in value] if isinstance(value, list) else value


def as_lab(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Join neighbours of one stream, as JupyterLab does and nbclient does not.

    Lab also draws carriage returns and backspaces (``OutputAreaModel``'s
    ``processText``): the text of a line is overwritten from its start.
    """
    joined: list[dict[str, Any]] = []
    for output in outputs:
        last = joined[-1] if joined else {}
        if output["output_type"] == "stream" and last.get("name") == output["name"]:
            last["text"] += output["text"]
        else:
            joined.append(dict(output))
    for output in joined:
        if output["output_type"] == "stream":
            output["text"] = drawn(output["text"])
    return joined


def drawn(text: str) -> str:
    """A stream's text after its carriage returns, as Lab 4.6 keeps it."""
    shown, at = "", 0
    for part in re.split(r"([\n\b\r])", text):
        if part == "\b":
            if at > 0 and shown[at - 1] != "\n":
                shown = shown[: at - 1] + shown[at + 1 :]
                at -= 1
        elif part == "\r":
            at = shown.rfind("\n", 0, at) + 1
        elif part == "\n":
            shown += "\n"
            at = len(shown)
        else:
            shown = shown[:at] + part + shown[at + len(part) :]
            at += len(part)
    return shown


def without_display_ids(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Our outputs without the display id that we keep in their metadata."""
    cleaned = []
    for output in plain(outputs):
        metadata = {k: v for k, v in output.get("metadata", {}).items() if k != "did"}
        cleaned.append({**output, "metadata": metadata} if "metadata" in output else output)
    return cleaned
