"""The parts import one another only as the design says, and nothing rests on ``assert``."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "dialog_ext"
PARTS = ("core", "dialog", "history", "model")
LIGHT = [*PACKAGE.glob("*.py"), *(f for part in PARTS for f in (PACKAGE / part).rglob("*.py"))]
LINT = "import sys; from importlinter.cli import lint_imports_command; lint_imports_command()"


def lint(folder: Path) -> tuple[int, str]:
    """Check the contracts of pyproject.toml on the package in a folder."""
    ran = subprocess.run(
        [sys.executable, "-c", LINT, "--no-cache", "--config", str(ROOT / "pyproject.toml")],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
    )
    return ran.returncode, ran.stdout + ran.stderr


def test_the_contracts_hold() -> None:
    code, told = lint(ROOT)
    assert code == 0, told
    assert re.search(r"Contracts: [1-9]\d* kept, 0 broken\.", told), told


@pytest.mark.parametrize(
    ("module", "line", "broken"),
    [
        ("core/blocks.py", "import dialog_ext.history", "core, dialog and history stand alone"),
        ("dialog/ids.py", "import dialog_ext.core", "core, dialog and history stand alone"),
        ("history/values.py", "import dialog_ext.core", "core, dialog and history stand alone"),
        ("history/values.py", "import dialog_ext.turn", "Each part imports only from the parts"),
        ("model/base.py", "import IPython", "know nothing of Jupyter"),
    ],
)
def test_an_import_across_is_found(module: str, line: str, broken: str, tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "dialog_ext", ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "dialog_ext" / module).open("a") as out:
        out.write(f"\n{line}\n")
    code, told = lint(tmp_path)
    assert code == 1, told
    assert any(broken in row and "BROKEN" in row for row in told.splitlines()), told


def test_the_data_model_does_not_rest_on_assert() -> None:
    found = [
        f"{file}:{node.lineno}"
        for file in LIGHT
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Assert)
    ]
    assert len(LIGHT) > 40
    assert not found
