"""The examples of the pages run: blocks that are fenced as ``python run``."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(r"^```python run\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
EXAMPLES = {
    f"{page.name}-{number}": block
    for page in PAGES
    for number, block in enumerate(BLOCK.findall(page.read_text("utf-8")), 1)
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_run(name: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", EXAMPLES[name]],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text("utf-8")):
        assert (page.parent / target).exists(), target
