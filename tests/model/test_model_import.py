"""What an import costs, and that the dictionary comes once, silently, with the first stream."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

BASE = "import typing, asyncio, json"


def run(code: str, *options: str, **env: str) -> str:
    done = subprocess.run(
        [sys.executable, *options, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **env},
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("part", ["dialog_ext.model", "dialog_ext.model.fake"])
def test_import_is_light(part: str) -> None:
    counts = run(
        f"{BASE}\nimport sys\nbefore = len(sys.modules)\nimport {part}\n"
        "print(len(sys.modules) - before)\n"
        "print(*{'PIL', 'yaml', 'jieba', 'logging', 'dialog_ext.history'} & set(sys.modules))"
    ).splitlines()
    assert int(counts[0]) <= 60
    assert "jieba" not in counts[1]
    assert "PIL" not in counts[1]
    assert "yaml" not in counts[1]


def test_first_stream_is_silent(tmp_path: Path) -> None:
    code = """
import logging, sys
lines = []
class Keep(logging.Handler):
    def emit(self, record):
        lines.append(record.getMessage())
logging.basicConfig(level=0, handlers=[Keep()])
from dialog_ext.model import FakeLLMModel
model = FakeLLMModel(float("inf")).response_always("你好 world")
print(model.ask([]), "jieba" in sys.modules)
stream = model.ask_stream([])
print("jieba" in sys.modules)
print("".join(stream), "jieba" in sys.modules, lines)
"""
    # A fresh cache of compiled modules: jieba is compiled, which warns, in this run.
    (tmp_path / "tmp").mkdir()
    out = run(
        code, "-W", "error", PYTHONPYCACHEPREFIX=str(tmp_path / "pyc"), TMPDIR=str(tmp_path / "tmp")
    )
    assert out == "你好 world False\nFalse\n你好 world True []\n"
    assert list((tmp_path / "tmp").iterdir()) == []


def test_dictionary_is_loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import jieba

    from dialog_ext.model import FakeLLMModel
    from dialog_ext.model.fake import words

    loads: list[Any] = []
    monkeypatch.setattr(
        jieba.Tokenizer, "gen_pfdict", lambda self, f: (f.close(), loads.append(self), ({}, 1))[-1]
    )
    words._load.cache_clear()
    try:
        model = FakeLLMModel(float("inf")).response_always("a b")
        start = threading.Barrier(4)

        def read() -> None:
            start.wait()
            list(model.ask_stream([]))

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        words._load.cache_clear()
    assert len(loads) == 1
