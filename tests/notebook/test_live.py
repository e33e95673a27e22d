"""A dialog and a notebook's document stay in step, whichever of them changes."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from pycrdt import Array, Doc, Map, Text

from dialog_ext.dialog import Dialog, Message, mk_stream
from dialog_ext.notebook.cells import fields_of
from dialog_ext.notebook.live import LiveDialog
from dialog_ext.notebook.ydoc import new_ycell, read_cells

TEXTS = st.text(st.sampled_from("ab\n é😀%#"), max_size=8)
STREAM = {"output_type": "stream", "name": "stdout", "text": "héllo\n"}
RESULT = {
    "output_type": "execute_result",
    "data": {"text/plain": "7"},
    "metadata": {},
    "execution_count": 7,
}


def cell(source: str, cell_id: str, cell_type: str = "code", **more: Any) -> dict[str, Any]:
    made: dict[str, Any] = {"cell_type": cell_type, "id": cell_id, "metadata": {}, "source": source}
    if cell_type == "code":
        made |= {"outputs": [], "execution_count": None}
    return made | more


def typed(text: Text, more: str) -> None:
    text += more


class Page:
    """What JupyterLab does with a notebook's document, and a kernel's view of it."""

    def __init__(self, *cells: dict[str, Any]) -> None:
        self.doc: Doc[Any] = Doc()
        self.cells: Array[Any] = self.doc.get("cells", type=Array)
        self.doc.get("meta", type=Map)["metadata"] = Map({})
        self.cells.extend([new_ycell(each) for each in cells])
        self.kernel: Doc[Any] = Doc(allow_multithreading=True)
        self.kernel.apply_update(self.doc.get_update())
        self.sent: list[bytes] = []
        self.dialog = Dialog("talk")
        self.live = LiveDialog(self.dialog, self.receive)
        self.live.attach(self.kernel)

    def receive(self, update: bytes) -> None:
        self.sent.append(update)
        self.doc.apply_update(update)

    def tell(self) -> None:
        self.live.apply(self.doc.get_update(self.kernel.get_state()))

    def move(self, at: int, to: int) -> None:
        with self.doc.transaction():
            moved = read_cells(self.cells)[at]
            del self.cells[at]
            self.cells.insert(to, new_ycell(moved))
        self.tell()

    def check(self) -> None:
        there = read_cells(self.cells)
        assert there == read_cells(self.kernel.get("cells", type=Array))
        assert [m.id for m in self.dialog.messages] == [c["id"] for c in there]
        for message, each in zip(self.dialog.messages, there, strict=True):
            fields = fields_of(each)
            assert (message.msg_type, message.content) == fields[:2]
            assert (message.output, message.meta) == fields[2:4]


@pytest.fixture
def page() -> Page:
    return Page(
        cell("# Title", "n", "markdown"),
        cell("x = 1", "c", outputs=[STREAM]),
        cell("%%prompt\nwhy?", "p"),
    )


def test_first_sight(page: Page) -> None:
    page.check()
    assert [m.msg_type for m in page.dialog] == ["note", "code", "prompt"]
    assert page.dialog.messages[2].content == "why?"
    assert page.sent == []


def test_typing_edits_the_message(page: Page) -> None:
    before = list(page.dialog.messages)
    page.cells[1]["source"].insert(5, "0 # é")
    page.tell()
    assert before[1].content == "x = 10 # é"
    typed(page.cells[2]["source"], "\nhow?")
    page.tell()
    assert before[2].content == "why?\nhow?"
    assert all(a is b for a, b in zip(before, page.dialog.messages, strict=True))
    page.check()


def test_becoming_a_prompt_and_back(page: Page) -> None:
    message = page.dialog.messages[1]
    page.cells[1]["source"].insert(0, "%%prompt\n")
    page.tell()
    assert (message.msg_type, message.content) == ("prompt", "x = 1")
    del page.cells[1]["source"][0:9]
    page.tell()
    assert (message.msg_type, message.content) == ("code", "x = 1")
    page.check()


def test_moving_and_changing_the_type_keep_the_message(page: Page) -> None:
    note, code, prompt = page.dialog.messages
    page.move(0, 2)
    assert [m is n for m, n in zip(page.dialog.messages, (code, prompt, note), strict=True)]
    with page.doc.transaction():  # as Lab changes a type
        del page.cells[0]
        page.cells.insert(0, new_ycell(cell("x = 1", "c", "markdown")))
    page.tell()
    assert page.dialog.messages[0] is code
    assert (code.msg_type, code.output) == ("note", "")
    page.check()


def test_outputs_written_and_cleared(page: Page) -> None:
    message = page.dialog.messages[1]
    page.cells[1]["outputs"].append(Map({**RESULT}))
    page.cells[1]["execution_count"] = 7.0
    page.cells[1]["outputs"][0]["text"].insert(0, "> ")
    page.tell()
    assert message.output == [{**STREAM, "text": "> héllo\n"}, RESULT]
    assert isinstance(message.output[1]["execution_count"], int)
    page.cells[1]["outputs"].clear()
    page.tell()
    assert message.output == []
    page.check()


def test_python_edits_appear_on_the_page_one_update_each(page: Page) -> None:
    note, code, prompt = page.dialog.messages
    code.content = "y = 2"
    note.skipped = True
    made = page.dialog.mk_message("made", after=note, msg_type="note")
    page.dialog.remove_msgs([prompt])
    code.update(content="z", output=[mk_stream("out")])
    page.dialog.mk_messages([note, code])
    page.dialog.messages.move_after(code, [note, made])
    page.dialog.messages[0:2] = [note, code]
    code.msg_type = "prompt"
    page.dialog.messages.reverse()
    assert len(page.sent) == 10
    page.check()
    assert read_cells(page.cells)[0]["source"] == "z"
    assert read_cells(page.cells)[3]["metadata"] == {"solveit_ai": True}
    assert page.dialog.get("n").skipped
    page.sent.clear()
    with page.dialog.step():
        for message in page.dialog:
            message.content += "!"
    assert len(page.sent) == 1
    page.check()


def test_an_edit_is_small_whatever_the_notebook_holds(page: Page) -> None:
    page.dialog.mk_messages([Message(f"x = {i}", output=[mk_stream("o" * 99)]) for i in range(500)])
    page.sent.clear()
    page.dialog.messages[250].content += "0"
    page.dialog.messages[250].pinned = True
    assert max(map(len, page.sent)) < 100
    page.dialog.messages.move_after(page.dialog.messages[9], [page.dialog.messages[0]])
    assert len(page.sent[-1]) < 400
    page.check()


def test_outputs_of_a_running_cell_are_left_to_the_kernel(page: Page) -> None:
    message = page.dialog.messages[1]
    page.live.hold(message)
    with page.live.muted():
        message.output = []
        message.add_output(mk_stream("1\n"))
        message.add_output(mk_stream("2\n"))
    page.cells[1]["outputs"].clear()
    page.cells[1]["outputs"].append(Map({**STREAM, "text": Text("1\n")}))
    typed(page.cells[1]["source"], "1")
    page.tell()
    assert (message.output[0]["text"], message.content) == ("1\n2\n", "x = 11")
    message.skipped = True
    assert read_cells(page.cells)[1]["outputs"] == [{**STREAM, "text": "1\n"}]
    typed(page.cells[1]["outputs"][0]["text"], "2\n")
    page.tell()
    page.live.release(message)
    page.check()
    page.cells[1]["outputs"].clear()
    page.tell()
    assert message.output == []


def test_another_document_of_the_same_notebook_keeps_the_messages(page: Page) -> None:
    before = {m.id: m for m in page.dialog.messages}
    title = cell("# Title", "n", "markdown")
    other = Page(cell("%%prompt\nwhy not?", "p"), cell("new", "x"), title)
    page.live.attach(other.kernel)
    assert [m.id for m in page.dialog.messages] == ["p", "x", "n"]
    assert page.dialog.messages[0] is before["p"]
    assert page.dialog.messages[2] is before["n"]
    assert before["p"].content == "why not?"
    typed(page.cells[0]["source"], "late")  # the first document's page is not heard any more
    page.kernel.apply_update(page.doc.get_update())
    assert before["n"].content == "# Title"


def test_attachments_of_a_prompt_stand_in_the_notebooks_metadata(page: Page) -> None:
    prompt = page.dialog.messages[2]
    prompt.mk_attachment(b"\x89PNG", "image/png", "a")
    metadata = page.doc.get("meta", type=Map)["metadata"]
    assert metadata.to_py() == {"attachments": {"p": {"a": {"image/png": "iVBORw=="}}}}
    metadata["attachments"] = {}
    metadata["author"] = "me"
    page.tell()
    assert prompt.attachments == []
    assert page.dialog.meta == {"author": "me"}


class Both(RuleBasedStateMachine):
    """Random edits on either side."""

    def __init__(self) -> None:
        super().__init__()
        self.page = Page(cell("a", "1"), cell("b", "2", "markdown"), cell("%%prompt\nc", "3"))
        self.made = 3
        self.seen: dict[str, Message] = {m.id: m for m in self.page.dialog}

    def new(self, source: str, kind: str) -> dict[str, Any]:
        self.made += 1
        return cell(source, str(self.made), kind)

    @property
    def size(self) -> int:
        return len(self.page.cells)

    def any(self, data: st.DataObject) -> int:
        return data.draw(st.integers(0, self.size - 1))

    @rule(data=st.data(), text=TEXTS, kind=st.sampled_from(["code", "markdown", "raw"]))
    def page_inserts(self, data: st.DataObject, text: str, kind: str) -> None:
        at = data.draw(st.integers(0, self.size))
        self.page.cells.insert(at, new_ycell(self.new(text, kind)))
        self.page.tell()

    @precondition(lambda self: self.size)
    @rule(data=st.data(), text=TEXTS)
    def page_types(self, data: st.DataObject, text: str) -> None:
        source = self.page.cells[self.any(data)]["source"]
        at = data.draw(st.integers(0, len(str(source))))
        source.insert(len(str(source)[:at].encode()), text)
        self.page.tell()

    @precondition(lambda self: self.size)
    @rule(data=st.data())
    def page_moves(self, data: st.DataObject) -> None:
        self.page.move(self.any(data), self.any(data))

    @precondition(lambda self: self.size)
    @rule(data=st.data())
    def page_deletes(self, data: st.DataObject) -> None:
        del self.page.cells[self.any(data)]
        self.page.tell()

    @precondition(lambda self: self.size)
    @rule(data=st.data(), more=st.booleans())
    def page_runs(self, data: st.DataObject, more: bool) -> None:
        target = self.page.cells[self.any(data)]
        if target["cell_type"] == "code":
            target["outputs"].clear()
            if more:
                target["outputs"].extend([Map({**STREAM, "text": Text("o")}), Map({**RESULT})])
            self.page.tell()

    @rule(data=st.data(), text=TEXTS, kind=st.sampled_from(["code", "note", "prompt", "raw"]))
    def python_makes(self, data: st.DataObject, text: str, kind: str) -> None:
        self.made += 1
        at = data.draw(st.integers(0, self.size))
        self.page.dialog.mk_message(f"x{text}", idx=at, msg_type=kind, id=str(self.made))

    @precondition(lambda self: self.size)
    @rule(data=st.data(), text=TEXTS)
    def python_types(self, data: st.DataObject, text: str) -> None:
        self.page.dialog.messages[self.any(data)].content = f"x{text}"

    @precondition(lambda self: self.size)
    @rule(data=st.data(), count=st.integers(1, 3))
    def python_removes(self, data: st.DataObject, count: int) -> None:
        at = self.any(data)
        self.page.dialog.remove_msgs(self.page.dialog.messages[at : at + count])

    @precondition(lambda self: self.size)
    @rule(data=st.data())
    def python_moves(self, data: st.DataObject) -> None:
        messages = list(self.page.dialog.messages)
        chosen = data.draw(st.lists(st.sampled_from(messages), max_size=3))
        self.page.dialog.messages.move_after(messages[self.any(data)], chosen)

    @rule(data=st.data())
    def python_shuffles(self, data: st.DataObject) -> None:
        self.page.dialog.messages = data.draw(st.permutations(list(self.page.dialog.messages)))

    @invariant()
    def equal(self) -> None:
        self.page.check()
        there = {m.id: m for m in self.page.dialog}
        assert all(self.seen.get(mid, m) is m for mid, m in there.items())
        self.seen = there


Both.TestCase.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)
TestBoth = Both.TestCase
