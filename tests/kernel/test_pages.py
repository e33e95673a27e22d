"""What the kernel makes of what pages say, with a page that does as it is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from kernels import Kernel
from pages import SimulatedPage, cell

from dialog_ext.notebook.ydoc import new_ycell

pytestmark = pytest.mark.kernel

SESSION = "__import__('dialog_ext').get_session()"
CELLS = (
    cell("# Title", "title", "markdown"),
    cell("print('hello')", "code"),
    cell("%%prompt\nwhy?", "prompt"),
)


@pytest.fixture
def page_of(fresh: Kernel) -> Iterator[Callable[..., SimulatedPage]]:
    pages: list[SimulatedPage] = []

    def make(*cells: Any, **options: Any) -> SimulatedPage:
        pages.append(SimulatedPage(fresh, *(cells or CELLS), **options))
        return pages[-1]

    yield make
    for page in pages:
        page.close()


@pytest.fixture
def page(page_of: Callable[..., SimulatedPage]) -> SimulatedPage:
    return page_of().meet()


def sent(kernel: Kernel) -> list[str]:
    return [m["content"] for m in kernel.value(f"{SESSION}.last_request.messages")[1:]]


def test_a_prompt_sees_what_was_typed_and_not_run(page: SimulatedPage) -> None:
    page.type(0, "# Typed, and not the ")
    page.type(1, "x = 1; ")
    assert page.run(2).status == "ok"
    assert sent(page.kernel) == [
        "Note:\n# Typed, and not the # Title",
        "Code:\n```python\nx = 1; print('hello')\n```",
        "why?",
    ]


def test_outputs_are_there_before_the_page_has_written_them(page: SimulatedPage) -> None:
    one = page.start(1)
    two = page.start(2)
    page.kernel.collect(one)
    page.kernel.collect(two)
    assert sent(page.kernel)[1].endswith("Output:\n```\nhello\n```")


def test_the_page_has_the_last_word_on_outputs(page: SimulatedPage) -> None:
    page.run(1)
    page.edit(lambda cells: cells[1]["outputs"].clear())
    page.run(2)
    assert "hello\n```" not in sent(page.kernel)[1]


def test_a_cell_that_ran_before_its_page_knew_it_keeps_its_newest_outputs(
    page: SimulatedPage,
) -> None:
    page.edit(lambda cells: cells.insert(1, new_ycell(cell("print('first')", "new"))))
    # the run of a new cell may be quicker than the news of it
    first = page.kernel.send("print('first')", "new", dialog_ext={"nb": "nb", "seq": 0})
    page.kernel.collect(first)
    page.edit(lambda cells: cells[1]["source"].insert(0, "$ "))
    assert page.kernel.collect(page.start(1)).status == "error"
    page.flush(idle=[first])
    page.run(3)
    assert "SyntaxError" in sent(page.kernel)[1]
    assert "first\n```" not in sent(page.kernel)[1].split("Error:")[1]


def test_edits_that_do_not_come_are_told_in_one_line(page: SimulatedPage) -> None:
    page.type(0, "lost ")
    page.is_mute = True
    ran = page.kernel.collect(page.start(2))
    assert ran.status == "ok"
    assert "The page's last edits did not come within a second" in ran.text
    assert sent(page.kernel)[0] == "Note:\n# Title"


def test_a_page_that_answers_no_pull_is_not_waited_for_twice(page: SimulatedPage) -> None:
    page.run(1)
    page.type(0, "typed ")
    request = page.start(2)  # its update goes out, and then nothing more
    page.is_mute = True
    assert "did not come" not in page.kernel.collect(request).text
    assert sent(page.kernel)[0] == "Note:\ntyped # Title"


def test_a_request_that_is_quicker_than_the_greeting(
    page_of: Callable[..., SimulatedPage],
) -> None:
    page = page_of()
    page.type(0, "typed ")
    page.run(2)
    assert sent(page.kernel)[0] == "Note:\ntyped # Title"
    assert page.received[0]["op"] == "call"


def test_meeting_again_sends_only_what_is_lacking(page: SimulatedPage) -> None:
    page.edit(lambda cells: cells[0]["source"].insert(0, "text " * 10_000))
    page.run(2)
    page.received.clear()
    page.meet()
    assert page.received[0]["bytes"] < 200
    page.run(2)
    assert sent(page.kernel)[0].count("text") == 10_000


def test_an_update_comes_in_parts(page: SimulatedPage) -> None:
    page.type(0, "long " * 1000)
    update, page.sent = page.doc.get_update(page.sent), page.doc.get_state()
    page.tell("update", [update[:100]], seq=page.seq, more=True)
    page.tell("update", [update[100:200], update[200:300]], seq=page.seq, more=True)
    page.seq += 1
    page.tell("update", [update[300:]], seq=page.seq)
    page.run(2)
    assert sent(page.kernel)[0].count("long") == 1000


def test_parts_that_were_cut_off_are_dropped(page: SimulatedPage) -> None:
    page.type(0, "long " * 1000)
    page.tell("update", [page.doc.get_update(page.sent)[:100]], seq=page.seq, more=True)
    page.meet()
    page.run(2)
    assert sent(page.kernel)[0].count("long") == 1000


def test_edits_in_python_go_to_the_page(page: SimulatedPage) -> None:
    made = "d.mk_message('new', msg_type='note'); d.messages[0].content = 'other'"
    page.edit(lambda cells: cells[1]["source"].insert(0, f"d = {SESSION}.dialog; {made}; "))
    page.run(1)
    page.until(lambda: page.sources[0] == "other" and page.sources[-1] == "new")
    assert len(page.sources) == 4
    assert max(each["bytes"] for each in page.received if each["op"] == "update") < 200


def test_two_pages_that_share_a_document(page_of: Callable[..., SimulatedPage]) -> None:
    one = page_of(nb="one").meet()
    other = page_of(nb="other", state=one.doc.get_update()).meet()
    one.edit(lambda cells: cells[1]["source"].insert(0, f"{SESSION}.dialog.mk_message('new'); "))
    one.run(1)
    one.until(lambda: len(one.sources) == 4)
    other.until(lambda: len(other.sources) == 4)
    assert one.kernel.value(f"len({SESSION}.dialog.messages)") == 4


def test_two_pages_of_one_file(page_of: Callable[..., SimulatedPage]) -> None:
    one, other = page_of(nb="one").meet(), page_of(nb="other").meet()
    one.type(0, "one ")
    other.type(0, "other ")
    one.run(2)
    assert sent(one.kernel)[0] == "Note:\none # Title"
    other.run(2)
    assert sent(one.kernel)[0] == "Note:\nother # Title"


def test_a_page_that_is_loaded_again_keeps_the_messages(
    page_of: Callable[..., SimulatedPage], fresh: Kernel
) -> None:
    page_of(nb="before").meet().run(2)
    fresh.run(f"kept = list({SESSION}._live._pages.dialogs)[0].messages[:]")
    page_of(nb="after").meet().run(2)
    assert fresh.value(f"[a is b for a, b in zip(kept, {SESSION}.dialog.messages)]") == [True] * 3


def test_pages_that_come_and_go_are_forgotten(page_of: Callable[..., SimulatedPage]) -> None:
    for number in range(6):
        page = page_of(nb=f"nb{number}").meet()
    page.run(2)
    assert page.kernel.value(f"len({SESSION}._live._pages._pages)") == 3
    page.tell("bye")
    page.kernel.run("1", cell="elsewhere", dialog_ext={"nb": page.nb, "seq": 0})
    assert "open on a page" not in page.kernel.value(f"{SESSION}.source")


def test_a_shared_document_goes_on_when_its_page_is_closed(
    page_of: Callable[..., SimulatedPage], fresh: Kernel
) -> None:
    one = page_of(cell("text " * 10_000, "long", "markdown"), *CELLS, nb="one").meet()
    one.tell("bye")
    other = page_of(nb="other", state=one.doc.get_update()).meet()
    assert other.received[0]["bytes"] < 200
    assert other.sizes[0] < 200
    other.type(0, "typed ")
    other.run(3)
    assert sent(fresh)[0].startswith("Note:\ntyped text")


def test_the_context_is_kept_in_step(page: SimulatedPage, fresh: Kernel) -> None:
    page.run(1)
    page.run(2)
    fresh.run(f"before = {SESSION}.context", cell="x", dialog_ext={"nb": "nb", "seq": page.seq})
    page.type(1, "'edited'; ")
    page.flush()
    fresh.run(f"after = {SESSION}.context", cell="x", dialog_ext={"nb": "nb", "seq": page.seq})
    title = "previous_node." * 3
    assert fresh.value(f"after.{title[:-1]} is before.{title[:-1]}")
    assert not fresh.value("after.previous_node is before.previous_node")
    assert fresh.value("after.previous_node.previous_node.node_data.content").startswith(
        "Code:\n```python\n'edited'; "
    )


@pytest.mark.parametrize(
    ("content", "buffers"),
    [
        ({"op": "update", "seq": 9}, [b"\x07garbage"]),
        ({"op": "update", "seq": "nine"}, []),
        ({"op": "update"}, []),
        ({"op": "hello"}, [b"\xff\xff\xff"]),
        ({"op": "hello", "path": 7}, []),
        ({"op": "nonsense"}, []),
        ({"op": "drain"}, []),
        ({"nb": 5, "op": "hello"}, []),
        ({"op": "pong", "nonce": None}, []),
        ({"op": ["hello"]}, []),
    ],
)
def test_nonsense_does_no_harm(
    page: SimulatedPage, content: dict[str, Any], buffers: list[bytes]
) -> None:
    page.tell(buffers=buffers, **{"op": "nonsense", **content})
    ran = page.kernel.run(f"len({SESSION}.dialog.messages); print('fine')")
    assert ran.text == "fine\n"
    page.meet()
    page.type(0, "typed ")
    assert page.run(2).status == "ok"
    assert sent(page.kernel)[0] == "Note:\ntyped # Title"


def test_a_client_that_tells_no_page_sees_what_ran(page: SimulatedPage) -> None:
    page.kernel.run("print('elsewhere')", cell="e")
    page.kernel.run("%%prompt\nwhat?", cell="p")
    assert sent(page.kernel) == [
        "Code:\n```python\nprint('elsewhere')\n```\n\nOutput:\n```\nelsewhere\n```",
        "what?",
    ]


def test_unloading_gives_the_kernel_back(fresh: Kernel, page: SimulatedPage) -> None:
    handlers = "get_ipython().kernel.control_handlers"
    assert fresh.value(f"'dialog_ext_sync' in {handlers}")
    fresh.run("%unload_ext dialog_ext")
    assert not fresh.value(f"'dialog_ext_sync' in {handlers}")
    assert fresh.run("%load_ext dialog_ext").status == "ok"
    assert fresh.value(f"'dialog_ext_sync' in {handlers}")
