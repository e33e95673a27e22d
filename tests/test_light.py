"""``import dialog_ext`` is light; so is the session before anything is asked."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {"IPython", "PIL", "ipykernel", "jieba", "nbformat", "numpy", "pydantic", "rich", "yaml"}
COUNT = (
    "import typing, asyncio, json, sys; before = set(sys.modules); import {module}; "
    "print(json.dumps(sorted(set(sys.modules) - before)))"
)


def loaded(module: str) -> list[str]:
    ran = subprocess.run(
        [sys.executable, "-c", COUNT.format(module=module)],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(ran.stdout)


@pytest.mark.parametrize(
    ("module", "limit"),
    [
        ("dialog_ext", 2),
        ("dialog_ext.core", 60),
        ("dialog_ext.dialog", 60),
        ("dialog_ext.history", 60),
        ("dialog_ext.model", 60),
        ("dialog_ext.model.fake", 60),
        ("dialog_ext.history.history", 60),
    ],
)
def test_modules_that_an_import_loads(module: str, limit: int) -> None:
    found = loaded(module)
    assert len(found) <= limit
    assert not HEAVY & {name.partition(".")[0] for name in found}


@pytest.mark.parametrize("module", ["dialog_ext.turn", "dialog_ext.kernel.session"])
def test_what_a_session_needs_loads_nothing_heavy(module: str) -> None:
    heads = {name.partition(".")[0] for name in loaded(module)}
    assert not heads & {"PIL", "jieba", "yaml", "rich", "numpy", "pydantic", "nbformat"}
