"""What an import of dialog_ext.core costs, and what it leaves alone."""

from __future__ import annotations

import subprocess
import sys


def run(code: str, *options: str) -> str:
    done = subprocess.run([sys.executable, *options, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.strip()


def test_import_is_light() -> None:
    count, heavy = run(
        "import typing, asyncio, json, sys\nbefore = set(sys.modules)\nimport dialog_ext.core\n"
        "new = set(sys.modules) - before\nprint(len(new))\n"
        "print(*new & {'PIL', 'pydantic', 'urllib.request', 'http.client', 'email', "
        "'typing_extensions', 'dialog_ext.dialog', 'dialog_ext.history'})",
        "-W",
        "error",
    ).partition("\n")[::2]
    assert int(count) <= 60
    assert heavy == ""


def test_checks_do_not_rest_on_assert() -> None:
    code = """
import asyncio
from dialog_ext.core import *
assert False
def refused(kind, call, *args):
    try:
        call(*args)
    except kind:
        return True
    return False
context = ChatContext()
thunk = ModelOutputThunk("x")
thunk.value = None
class Pictures(Component):
    images = ("not a block",)
print(
    refused(AssertionError, context.add, None),
    refused(AssertionError, ChatContext.from_previous, "no context", CBlock("x")),
    refused(TypeError, get_images_from_component, Pictures()),
    refused(RuntimeError, asyncio.run, thunk.avalue()),
    refused(TypeError, CBlock, 42),
    refused(ValueError, ImageBlock, "AAAA"),
    refused(ValueError, context.as_list, -1),
)
"""
    assert run(code, "-O") == "True True True True True True True"
