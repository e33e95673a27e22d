"""Real-time collaboration: the server holds the document, and all pages and the kernel share it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from conftest import Open
from frontend import Server, server
from test_sync import CELLS, dialog, python, sent


@pytest.fixture(scope="module")
def shared() -> Iterator[Server]:
    with server("lab", collaborative=True) as running:
        yield running


def test_one_page(shared: Server, open_page: Open) -> None:
    page = open_page(shared, CELLS).linked()
    page.write(0, "# Typed")
    page.run(2)
    assert sent(page)[0] == "Note:\n# Typed"
    python(page, "d.mk_message('# By Python', msg_type='note')")
    page.wait("t.cells().length === 4")
    page.page.reload()
    page.ready().linked()
    assert page.sources() == ["# Typed", CELLS[1].source, CELLS[2].source, "# By Python"]
    assert dialog(page)[-1] == "# By Python"


def test_two_pages_share_one_document(shared: Server, open_page: Open) -> None:
    one = open_page(shared, CELLS).linked()
    other = open_page(shared, name=one.name).linked()
    one.write(0, "# In one")
    other.wait("t.cells()[0].source === '# In one'")
    other.select(0)
    other.press("b", "Enter")
    other.type("'in the other'")
    other.run(3)
    assert sent(other)[:2] == ["Note:\n# In one", "Code:\n```python\n'in the other'\n```"]
    one.wait("t.cells().length === 4")
    one.run(3)
    assert sent(one)[:2] == sent(other)[:2]
    python(one, "m[0].content = '# By Python'\nd.mk_message('last')")
    for page in (one, other):
        page.wait("t.cells().length === 5 && t.cells()[0].source === '# By Python'")
    assert one.ids() == other.ids()
    assert len(set(one.ids())) == 5
    one.page.wait_for_timeout(300)
    assert one.sources() == other.sources() == dialog_sources(one)


def dialog_sources(page: object) -> list[str]:
    contents = dialog(page)  # type: ignore[arg-type]
    return [f"%%prompt\n{text}" if text == "what is it?" else text for text in contents]


def test_a_panel_closed_and_opened_again(shared: Server, open_page: Open) -> None:
    page = open_page(shared, CELLS).linked()
    page.write(0, "# Typed")
    page.js("t.panel().dispose()")
    page.command("docmanager:open", path=page.name, factory="Notebook")
    page.ready().linked()
    page.run(2)
    assert sent(page)[0] == "Note:\n# Typed"
    assert page.ids() == ["title", "code", "prompt"]
