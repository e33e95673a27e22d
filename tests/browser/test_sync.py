"""The open notebook and the kernel's dialog, one document: in Lab and Notebook 7, for real."""

from __future__ import annotations

import json
import time
from pathlib import Path

import nbformat
from conftest import Open
from frontend import LOADED, NotebookPage, Server

SESSION = "__import__('dialog_ext').get_session()"
OTHER_KERNEL = Path(__file__).parents[1] / "support" / "other_kernel.py"
CELLS = [
    nbformat.v4.new_markdown_cell("# Title", id="title"),
    nbformat.v4.new_code_cell("print('hello')", id="code"),
    nbformat.v4.new_code_cell("%%prompt\nwhat is it?", id="prompt"),
]


def sent(page: NotebookPage) -> list[str]:
    """What the last request said, but for the system prompt."""
    text = page.kernel(f"print(__import__('json').dumps({SESSION}.last_request.messages))")
    return [message["content"] for message in json.loads(text)[1:]]


def dialog(page: NotebookPage) -> list[str]:
    """The contents of the kernel's messages."""
    code = f"print(__import__('json').dumps([m.content for m in {SESSION}.dialog.messages]))"
    return json.loads(page.kernel(code))


def python(page: NotebookPage, code: str) -> None:
    """Do something with the dialog ``d`` and its messages ``m``."""
    said = page.kernel(f"d = {SESSION}.dialog; m = d.messages\n{code}")
    assert not said, said


def test_a_prompt_sees_what_was_only_typed(front: Server, open_page: Open) -> None:
    page = open_page(front, CELLS).linked()
    page.write(0, "# Typed, not saved")
    page.run(2)
    assert sent(page) == [
        "Note:\n# Typed, not saved",
        "Code:\n```python\nprint('hello')\n```",
        "what is it?",
    ]
    assert "open on a page" in page.kernel(f"print({SESSION}.source)")


def test_python_edits_appear_at_once_and_are_undone_one_by_one(
    front: Server, open_page: Open
) -> None:
    page = open_page(front, CELLS).linked()
    before = page.cells()
    edits = {
        "d.mk_message('# New', msg_type='note')": lambda c: c[-1]["source"] == "# New",
        "m[0].content = '# Other'": lambda c: c[0]["source"] == "# Other",
        "m[1].skipped = True": lambda c: c[1]["metadata"]["skipped"],
        "d.messages = [m[1], m[0], *m[2:]]": lambda c: c[0]["id"] == "code",
        "d.remove_msgs([m[0]])": lambda c: c[0]["id"] == "title",
        "m[0].update(content='by update', pinned=True)": lambda c: c[0]["source"] == "by update",
        "m[0].msg_type = 'code'": lambda c: c[0]["cell_type"] == "code",
    }
    states = [before]
    for code, is_seen in edits.items():
        python(page, code)
        deadline = time.monotonic() + 10
        while not is_seen(page.cells()):
            assert time.monotonic() < deadline, code
        states.append(page.cells())
    for state in reversed(states[:-1]):
        page.select(0)
        page.press("z")
        assert page.cells() == state
    page.linked()
    assert dialog(page) == ["# Title", "print('hello')", "what is it?"]


def test_messages_keep_their_identity(lab: Server, open_page: Open) -> None:
    page = open_page(lab, CELLS).linked()
    page.kernel(f"kept = list({SESSION}.dialog.messages)")
    page.write(0, "# Typed")
    page.select(0)
    page.press("Control+Shift+ArrowDown")  # move
    page.select(1)
    page.press("b")  # insert
    page.select(0)
    page.press("m")  # another type
    page.run(3)
    assert page.ids()[:2] == ["code", "title"]
    code = f"print([kept.index(x) if x in kept else '-' for x in {SESSION}.dialog.messages])"
    assert page.kernel(code).strip() == "[1, 0, '-', 2]"
    assert dialog(page) == ["print('hello')", "# Typed", "", "what is it?"]


def test_the_extension_loaded_late(front: Server, open_page: Open) -> None:
    front.configure("c.DialogExt.words_per_second = 100000\nc.HistoryManager.enabled = False")
    try:
        page = open_page(front, [*CELLS, "%load_ext dialog_ext"])
        page.run(1)
        page.write(0, "# Typed before it was loaded")
        page.run(3)
        page.run(2)
    finally:
        front.configure(LOADED)
    assert sent(page)[0] == "Note:\n# Typed before it was loaded"
    assert "hello" in sent(page)[1]


def test_run_all_from_the_cell_that_loads(lab: Server, open_page: Open) -> None:
    lab.configure("c.DialogExt.words_per_second = 100000\nc.HistoryManager.enabled = False")
    try:
        page = open_page(lab, ["%load_ext dialog_ext", *CELLS])
        page.write(1, "# Typed")
        page.command("notebook:run-all-cells")
        page.finished(3)
    finally:
        lab.configure(LOADED)
    assert sent(page)[0] == "Note:\n# Typed"


def test_unloaded_and_loaded_again(lab: Server, open_page: Open) -> None:
    page = open_page(lab, [*CELLS, "%unload_ext dialog_ext", "%load_ext dialog_ext"]).linked()
    page.run(3)
    page.write(0, "# Typed while unloaded")
    page.run(4)
    page.linked().run(2)
    assert sent(page)[0] == "Note:\n# Typed while unloaded"


def test_a_reload(front: Server, open_page: Open) -> None:
    page = open_page(front, CELLS).linked()
    page.run(2)
    page.command("docmanager:save")
    page.page.reload()
    page.ready().linked()
    assert page.ids() == ["title", "code", "prompt"]
    page.write(0, "# After the reload")
    page.run(2)
    assert sent(page)[0] == "Note:\n# After the reload"
    assert len(page.cells()) == 3


def test_a_lost_connection(lab: Server, open_page: Open) -> None:
    large = nbformat.v4.new_markdown_cell("text " * 20_000, id="large")
    page = open_page(lab, [*CELLS, large]).linked()
    assert (before := page.bytes_sent) > 100_000
    page.js("t.connection()._ws.close()")
    page.write(0, "# Typed without a connection")
    page.wait("t.connection().connectionStatus === 'connected'")
    page.linked().run(2)
    assert sent(page)[0] == "Note:\n# Typed without a connection"
    assert page.bytes_sent - before < 10_000
    python(page, "m[0].content = '# From Python'")
    page.wait("t.cells()[0].source === '# From Python'")


def test_a_restart(front: Server, open_page: Open) -> None:
    page = open_page(front, CELLS).linked()
    page.write(0, "# Before")
    page.js("t.connection().restart()")
    page.ready().linked()
    page.write(0, "# After")
    page.run(2)
    assert sent(page)[0] == "Note:\n# After"
    assert len(page.cells()) == 3


def test_a_kernel_that_died(lab: Server, open_page: Open) -> None:
    page = open_page(lab, [*CELLS, "import os; os._exit(1)"]).linked()
    page.start(3)
    dismiss(page)
    page.ready().linked()
    page.write(0, "# After")
    page.run(2)
    assert sent(page)[0] == "Note:\n# After"


def dismiss(page: NotebookPage) -> None:
    """Close the dialog that tells of the restart."""
    button = page.page.locator(".jp-Dialog .jp-mod-accept")
    button.wait_for()
    button.click()


def test_another_kernel(lab: Server, open_page: Open) -> None:
    page = open_page(lab, CELLS).linked()
    page.write(0, "# Typed")
    page.js("t.panel().context.sessionContext.changeKernel({ name: 'python3' })")
    page.ready().linked().run(2)
    assert sent(page)[0] == "Note:\n# Typed"


def test_a_renamed_file(lab: Server, open_page: Open) -> None:
    page = open_page(lab, CELLS).linked()
    page.js("t.panel().context.rename('renamed.ipynb')")
    page.write(0, "# Typed")
    page.run(2)
    assert sent(page)[0] == "Note:\n# Typed"
    assert "renamed.ipynb" in page.kernel(f"print({SESSION}.source)")


def test_a_panel_closed_and_opened_again(lab: Server, open_page: Open) -> None:
    page = open_page(lab, CELLS).linked()
    page.write(0, "# Saved")
    page.run(2)
    page.command("docmanager:save")
    page.kernel(f"kept = list({SESSION}.dialog.messages)")
    page.js("t.panel().dispose()")
    page.command("docmanager:open", path=page.name)
    page.ready().linked()
    page.write(0, "# Opened again")
    page.run(2)
    assert sent(page)[0] == "Note:\n# Opened again"
    code = f"print([x in kept for x in {SESSION}.dialog.messages])"
    assert page.kernel(code).strip() == "[True, True, True]"


def test_two_notebooks_on_one_kernel(lab: Server, open_page: Open) -> None:
    one = open_page(lab, CELLS).linked()
    other = open_page(lab, [nbformat.v4.new_markdown_cell("# Other"), *CELLS[1:]])
    other.js(
        "t.panel().context.sessionContext.changeKernel({ id: a })", one.js("t.connection().id")
    )
    other.ready().linked()
    one.write(0, "# In one")
    other.write(0, "# In the other")
    one.run(2)
    assert sent(one)[0] == "Note:\n# In one"
    other.run(2)
    assert sent(other)[0] == "Note:\n# In the other"
    one.run(2)
    assert sent(one)[0] == "Note:\n# In one"
    python(other, "m[0].content = '# By Python'")
    other.wait("t.cells()[0].source === '# By Python'")
    assert one.sources()[0] == "# In one"
    assert [len(one.cells()), len(other.cells())] == [3, 3]


def test_two_tabs_of_one_notebook(lab: Server, open_page: Open) -> None:
    one = open_page(lab, CELLS).linked()
    other = open_page(lab, name=one.name).linked()
    one.write(0, "# In one")
    other.write(0, "# In the other")
    one.run(2)
    assert sent(one)[0] == "Note:\n# In one"
    other.run(2)
    assert sent(other)[0] == "Note:\n# In the other"
    python(one, "d.mk_message('# By Python', msg_type='note')")
    one.wait("t.cells().length === 4")
    assert len(other.cells()) == 3
    one.linked()


def test_edits_are_seen_that_were_made_in_the_queue(front: Server, open_page: Open) -> None:
    page = open_page(front, [*CELLS, "import time; time.sleep(1.5); print('slept')"]).linked()
    page.start(3)
    page.start(2)
    assert page.cells()[2]["execution_count"] is None
    page.write(0, "# Typed while it waited")
    page.settle()
    assert sent(page)[0] == "Note:\n# Typed while it waited"


def test_a_page_opened_while_the_kernel_is_busy(lab: Server, open_page: Open) -> None:
    one = open_page(lab, [*CELLS, "import time; time.sleep(6)"]).linked()
    one.command("docmanager:save")
    one.start(3)
    other = open_page(lab, name=one.name, ready=False)
    other.wait("t.panel()?.context?.isReady && !!t.connection()")
    other.write(0, "# Typed while it was busy")
    other.start(2)
    one.settle()
    other.wait("t.cells()[2].outputs.length > 0")
    other.settle()
    assert sent(other)[0] == "Note:\n# Typed while it was busy"
    assert "did not come" not in other.text(2)


def test_the_kernel_is_shown_as_busy_while_one_types(front: Server, open_page: Open) -> None:
    page = open_page(front, [*CELLS, "import time; time.sleep(1.5)"]).linked()
    page.js("t.watchStatus()")
    page.start(3)
    page.wait("t.connection().status === 'busy'")
    page.edit(0)
    for letter in "typed, letter by letter":
        page.type(letter)
    assert page.status == "busy"
    page.settle()
    assert page.js("t.statuses") in (["busy", "idle"], ["busy", "idle", "idle"])
    page.edit(0)
    page.js("t.watchStatus()")
    page.type("more")
    page.page.wait_for_timeout(300)
    assert page.js("t.statuses") == []


def test_a_prompt_goes_on_without_edits_that_do_not_come(lab: Server, open_page: Open) -> None:
    page = open_page(lab, CELLS).linked()
    page.js("t.dropUpdates()")
    page.write(0, "# Never arrives")
    page.run(2)
    assert sent(page)[0] == "Note:\n# Title"
    assert "did not come within a second" in page.text(2)


def test_a_running_cell_keeps_the_outputs_of_the_page(lab: Server, open_page: Open) -> None:
    make = f"d = {SESSION}.dialog\nprint(len(d.messages))\nd.mk_message('x')"
    code = f"print('before')\n{make}\nprint('after')"
    page = open_page(lab, [code]).linked()
    assert page.run(0) == "before\n1\nafter\n"
    assert page.sources() == [code, "x"]
    page.linked()
    told = page.kernel(f"print({SESSION}.dialog.messages[0].output)")
    assert [told.count(word) for word in ("before", "after")] == [1, 1]


def test_nothing_makes_a_notebook_dirty_but_its_user(front: Server, open_page: Open) -> None:
    page = open_page(front, CELLS).linked()
    page.command("docmanager:save")
    assert not page.is_dirty
    page.page.reload()
    page.ready().linked()
    page.kernel(f"{SESSION}.dialog; {SESSION}.context")
    page.page.wait_for_timeout(300)
    assert not page.is_dirty
    page.write(0, "# Typed")
    page.linked()
    assert page.is_dirty


def test_other_kernels_are_left_alone(lab: Server, open_page: Open) -> None:
    lab.add_kernel("other", OTHER_KERNEL)
    spec = {"name": "other", "display_name": "Other", "language": "other"}
    page = open_page(lab, [CELLS[0], "hello"], kernelspec=spec)
    page.write(0, "# Typed")
    assert page.run(1) == "of ours: []"
    page.page.wait_for_timeout(200)
    assert page.run(1) == "of ours: []"


def test_a_notebook_without_a_kernel_is_left_alone(front: Server, open_page: Open) -> None:
    page = open_page(front, CELLS).linked()
    page.js("t.panel().context.sessionContext.shutdown()")
    page.wait("!t.connection()")
    before = page.bytes_sent
    page.write(0, "# Typed")
    page.page.wait_for_timeout(200)
    assert page.bytes_sent == before
    assert page.sources()[0] == "# Typed"
