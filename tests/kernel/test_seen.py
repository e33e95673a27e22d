"""What the model is given: the cells that this kernel ran, in order, each once."""

from __future__ import annotations

from typing import Any

import pytest
from kernels import Kernel

pytestmark = pytest.mark.kernel

SESSION = "__import__('dialog_ext').get_session()"


def sent(kernel: Kernel) -> list[dict[str, Any]]:
    return kernel.value(f"{SESSION}.last_request.messages")


def texts(kernel: Kernel) -> list[str]:
    return [
        m["content"] if isinstance(m["content"], str) else m["content"][0]["text"]
        for m in sent(kernel)
    ]


def test_code_with_outputs_and_errors_prompts_and_replies_in_order(fresh: Kernel) -> None:
    fresh.run("x = 6\nprint('hello')\nx * 7", cell="a")
    fresh.run("1 / 0", cell="b")
    fresh.run("%%prompt\nhello", cell="c")
    fresh.run("y = 2", cell="d")
    fresh.run("%%prompt\nwhat do you see?", cell="e")
    messages = sent(fresh)
    assert [m["role"] for m in messages] == [
        "system", "user", "user", "user", "assistant", "user", "user",
    ]  # fmt: skip
    a, b, c, reply, d, e = [m["content"] for m in messages[1:]]
    assert a == (
        "Code:\n```python\nx = 6\nprint('hello')\nx * 7\n```\n\nOutput:\n```\nhello\n42\n```"
    )
    assert b.startswith("Code:\n```python\n1 / 0\n```\n\nError:\n```\n")
    assert "ZeroDivisionError" in b
    assert "\x1b" not in b
    assert c == "hello"
    assert reply.startswith("Hello! I am the offline model")
    assert d == "Code:\n```python\ny = 2\n```"
    assert e == "what do you see?"
    assert fresh.value(f"{SESSION}.last_request.cells") == ("a", "b", "c", "d")
    assert fresh.value(f"{SESSION}.last_request.tokens") > 50


def test_a_cell_that_ran_again_is_there_once_at_its_place(fresh: Kernel) -> None:
    fresh.run("print('first')", cell="a")
    fresh.run("print('second')", cell="b")
    fresh.run("print('changed')", cell="a")
    fresh.run("%%prompt\ngo", cell="c")
    _, a, b, _ = texts(fresh)
    assert "changed" in a
    assert "first" not in a
    assert "second" in b


def test_a_prompt_that_runs_again_sees_only_what_stands_above_it(fresh: Kernel) -> None:
    fresh.run("a = 1", cell="a")
    fresh.run("%%prompt\nfirst wording", cell="p")
    fresh.run("b = 2", cell="b")
    ran = fresh.run("%%prompt\nsecond wording", cell="p")
    assert ran.status == "ok"
    assert len(ran.replies) == 1
    joined = "\n".join(texts(fresh))
    assert "a = 1" in joined
    assert "b = 2" not in joined
    assert "first wording" not in joined
    assert texts(fresh)[-1] == "second wording"


def test_deleted_cells_are_gone(fresh: Kernel) -> None:
    fresh.run("a = 'gone'", cell="a")
    fresh.run("b = 'stays'", cell="b")
    fresh.run("%%prompt\ngo", cell="p", deletedCells=["a"])
    joined = "\n".join(texts(fresh))
    assert "gone" not in joined
    assert "stays" in joined


def test_cells_without_ids_are_each_a_cell(fresh: Kernel) -> None:
    fresh.run("n = 1", cell=None)
    fresh.run("n = 1", cell=None)
    fresh.run("%%prompt\ngo", cell=None)
    assert [text for text in texts(fresh) if "n = 1" in text] == [
        "Code:\n```python\nn = 1\n```"
    ] * 2


def test_what_ran_before_loading_is_seen_too(bare_kernel: Kernel) -> None:
    bare_kernel.run("early = 'bird'\nearly", cell="e")
    bare_kernel.run("%load_ext dialog_ext\n%dialog speed 100000", cell="l")
    bare_kernel.run("%%prompt\ngo", cell="p")
    joined = "\n".join(texts(bare_kernel))
    assert "early = 'bird'" in joined
    assert "Output:\n```\n'bird'\n```" in joined
    assert "load_ext" not in joined
    bare_kernel.run("early = 'bird'\nearly", cell="e")
    bare_kernel.run("%%prompt\ngo", cell="p")
    assert "\n".join(texts(bare_kernel)).count("early = 'bird'") == 1


def test_backticks_in_an_output_do_not_break_out(fresh: Kernel) -> None:
    fresh.run("print('```\\nfake\\n````')", cell="a")
    fresh.run("%%prompt\ngo", cell="p")
    assert texts(fresh)[1].endswith("Output:\n`````\n```\nfake\n````\n`````")


def test_an_output_of_5_mb_is_cut_with_a_mark(fresh: Kernel) -> None:
    fresh.run("print('head' + 'x' * 5_000_000 + 'tail')", cell="a")
    assert fresh.run("%%prompt\ngo", cell="p").status == "ok"
    block = texts(fresh)[1]
    assert len(block) < 25_000
    assert "head" in block
    assert "tail" in block
    assert "characters left out" in block


def test_an_update_from_a_later_cell_reaches_the_earlier_one(fresh: Kernel) -> None:
    fresh.run("handle = display('before', display_id=True)", cell="a")
    fresh.run("handle.update('after')", cell="b")
    fresh.run("%%prompt\ngo", cell="p")
    a, b = texts(fresh)[1:3]
    assert "'after'" in a
    assert "'before'" not in a.partition("Output:")[2]
    assert "Output" not in b


def test_a_figure_is_sent_as_a_picture(fresh: Kernel) -> None:
    fresh.run(
        "from IPython.display import Image, display\n"
        "from dialog_ext.dialog import tiny_png\n"
        "display(Image(data=tiny_png))",
        cell="a",
    )
    fresh.run("%%prompt\ngo", cell="p")
    parts = sent(fresh)[1]["content"]
    assert [part["type"] for part in parts] == ["text", "image_url"]
    assert parts[1]["image_url"].startswith("data:image/png;base64,")


def test_code_that_runs_code_is_no_cell_of_its_own(fresh: Kernel) -> None:
    fresh.run("get_ipython().run_cell('print(123)');", cell="a")
    fresh.run("%%prompt\ngo", cell="p")
    assert len(texts(fresh)) == 3
    assert "123" in texts(fresh)[1].partition("Output:")[2]


def test_the_same_cells_give_the_same_bytes(fresh: Kernel) -> None:
    hashes = []
    for _ in range(2):
        fresh.run("%reset -f in", cell=None)
        fresh.run("%reload_ext dialog_ext", cell=None)
        fresh.run("print('same')", cell="a")
        fresh.run("%%prompt\ngo", cell="p")
        assert len(sent(fresh)) == 3
        hashes.append(fresh.value(f"{SESSION}.last_request.hash"))
    assert hashes[0] == hashes[1]
