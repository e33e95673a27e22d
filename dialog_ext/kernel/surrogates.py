"""Let lone surrogates harm nothing: a kernel would never answer a cell that holds one.

A page may hold half of a surrogate pair, and ``print`` may write one. UTF-8 cannot carry
it, so a kernel fails to publish the cell's input and leaves the request unanswered, or
loses the output. With the extension loaded each becomes U+FFFD on its way.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..prompt.render import sendable

_REQUEST = "execute_request"


@contextmanager
def replaced(kernel: Any) -> Iterator[None]:
    """Replace lone surrogates in what a kernel is sent to run and in what it sends.

    Parameters
    ----------
    kernel : ipykernel.kernelbase.Kernel
        The kernel; its handler and its packer come back when the context ends.
    """
    handlers, session = kernel.shell_handlers, kernel.session
    execute, pack = handlers[_REQUEST], session.pack

    def clean_execute(stream: Any, ident: Any, parent: Any) -> Any:
        content = parent.get("content", {})
        if isinstance(content.get("code"), str):
            content["code"] = sendable(content["code"])
        return execute(stream, ident, parent)

    def clean_pack(value: Any) -> Any:
        try:
            return pack(value)
        except UnicodeEncodeError:
            return pack(_cleaned(value))

    handlers[_REQUEST] = clean_execute
    session.pack = clean_pack
    try:
        yield
    finally:
        if handlers[_REQUEST] is clean_execute:
            handlers[_REQUEST] = execute
        if session.pack is clean_pack:
            session.pack = pack


def _cleaned(value: Any) -> Any:
    """The same JSON value without lone surrogates."""
    match value:
        case str():
            return sendable(value)
        case dict():
            return {_cleaned(key): _cleaned(held) for key, held in value.items()}
        case list() | tuple():
            return [_cleaned(held) for held in value]
        case _:
            return value
