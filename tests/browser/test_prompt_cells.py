"""Prompt cells on the page: one sees what they are, and makes them by a key."""

from __future__ import annotations

import nbformat
from conftest import Open
from frontend import NotebookPage, Server

CELLS = [
    nbformat.v4.new_markdown_cell("# Title"),
    nbformat.v4.new_code_cell("%%prompt\n## What\nis *this*?"),
    nbformat.v4.new_code_cell("x = 1"),
]


def marked(page: NotebookPage) -> list[bool]:
    """Which cells have the mark of a prompt."""
    script = "t.notebook().widgets.map(w => w.hasClass('dialog-ext-Prompt'))"
    return page.js(script)


def mime_type(page: NotebookPage, index: int) -> str:
    return page.js("t.notebook().widgets[a].model.mimeType", index)


def test_prompts_are_marked_and_highlighted(front: Server, open_page: Open) -> None:
    page = open_page(front, CELLS).linked()
    assert marked(page) == [False, True, False]
    assert mime_type(page, 1) == "text/x-ipythongfm"
    assert "python" in mime_type(page, 2)
    heading = page.cell(1).locator(".cm-line", has_text="## What").locator("span").first
    weight = heading.evaluate("node => getComputedStyle(node).fontWeight")
    assert int(weight) >= 600  # as in a Markdown cell


def test_a_mark_comes_and_goes_while_one_types(front: Server, open_page: Open) -> None:
    page = open_page(front, CELLS)
    page.edit(2)
    page.press("Control+Home")
    for letter in "%%prompt\n":
        page.type(letter)
    assert marked(page) == [False, True, True]
    page.press("Backspace", "s")
    assert marked(page) == [False, True, False]
    assert "python" in mime_type(page, 2)


def test_a_key_inserts_a_prompt_below(front: Server, open_page: Open) -> None:
    page = open_page(front, CELLS).linked()
    page.select(0)
    page.press("p")
    page.page.wait_for_timeout(100)
    page.type("hello")
    assert page.sources()[1] == "%%prompt\nhello"
    assert marked(page) == [False, True, True, False]
    page.press("Control+Enter")
    page.finished(1)
    assert "Hello! I am the offline model" in page.text(1)


def test_a_key_turns_cells_into_prompts_and_back(front: Server, open_page: Open) -> None:
    page = open_page(front, CELLS)
    ids = page.ids()
    page.select(0)
    page.press("Shift+P")
    assert page.sources()[0] == "%%prompt\n# Title"
    assert page.cells()[0]["cell_type"] == "code"
    page.press("Shift+P")
    assert page.sources()[0] == "# Title"
    page.press("z", "z")
    assert page.cells()[0]["cell_type"] == "markdown"
    page.select(1)
    page.press("Shift+P")
    assert page.sources()[1] == "## What\nis *this*?"
    page.press("ArrowDown", "Shift+P")
    assert marked(page) == [False, False, True]
    assert page.ids() == ids


def test_the_commands_are_in_palette_and_menu(lab: Server, open_page: Open) -> None:
    page = open_page(lab, CELLS)
    page.page.get_by_role("menuitem", name="Edit").click()
    assert page.page.get_by_text("Insert Prompt Below").first.is_visible()
    page.press("Escape", "Escape")
    page.select(0)
    page.press("Control+Shift+c")
    page.type("Turn Cell into")
    page.page.locator(".lm-CommandPalette-item", has_text="Turn Cell into Prompt").click()
    assert marked(page)[0]
