"""Fixtures: one Chromium and one server of each kind for all tests here, and open notebooks.

These tests come last: while Playwright's event loop runs, no other can.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from frontend import NotebookPage, Server, chromium, server
from playwright.sync_api import Browser, sync_playwright

Open = Callable[..., NotebookPage]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
    items.sort(key=lambda item: here in item.path.parents)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright, chromium(playwright) as running:
        yield running


@pytest.fixture(scope="session")
def lab() -> Iterator[Server]:
    with server("lab") as running:
        yield running


@pytest.fixture(scope="session")
def notebook7() -> Iterator[Server]:
    with server("notebook") as running:
        yield running


@pytest.fixture(params=["lab", "notebook7"])
def front(request: pytest.FixtureRequest) -> Server:
    """JupyterLab, then Notebook 7."""
    running: Server = request.getfixturevalue(request.param)
    return running


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Opens notebooks: ``open_page(server, cells)``; closed at the end, without any error.

    ``name`` opens a notebook that is there instead; ``ready=False`` does not wait.
    """
    pages: list[NotebookPage] = []

    def open_notebook(
        running: Server,
        cells: Sequence[Any] | None = None,
        name: str = "",
        ready: bool = True,
        **metadata: Any,
    ) -> NotebookPage:
        name = name or f"n{os.urandom(4).hex()}.ipynb"
        if cells is not None:
            running.write(name, cells, **metadata)
        page = NotebookPage(browser, running, name)
        pages.append(page)
        return page.ready() if ready else page

    yield open_notebook
    errors = [error for page in pages for error in page.errors]
    for page in pages:
        page.close()
        page.server.end_kernels()
    assert not errors
