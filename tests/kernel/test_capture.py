"""Every output that a kernel sends for a cell is in the cell's message, as Jupyter saves it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from kernels import Kernel, Ran
from oracle import as_lab, saved_by_nbclient, without_display_ids

pytestmark = pytest.mark.kernel

SESSION = "__import__('dialog_ext').get_session()"


def kept(kernel: Kernel, cell: str) -> list[dict[str, Any]]:
    """The outputs of a cell's message, in the kernel."""
    return without_display_ids(kernel.value(f"list({SESSION}.dialog.get({cell!r}).output)"))


def until(there: Callable[[], bool], seconds: float = 10) -> None:
    end = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.05)


CASES = {
    "prints": "print('a'); print('b', end=''); import sys; print('e', file=sys.stderr); print('c')",
    "many prints": "for i in range(100_000): print(i)",
    "result": "{'a': 1}",
    "display": "from IPython.display import *\ndisplay(HTML('<b>x</b>'), Markdown('*y*'), 3)",
    "error": "def f(): 1 / 0\nf()",
    "syntax error": "1 +",
    "output and error": "print('before')\nraise ValueError('x')",
    "thread": (
        "import threading\nt = threading.Thread(target=lambda: print('in a thread'))\n"
        "t.start(); t.join(); print('after')"
    ),
    "logging": ("import logging\nlogging.basicConfig(force=True)\nlogging.warning('careful')"),
    "warnings": "import warnings\nwarnings.warn('old', stacklevel=1)",
    "os.system": "import os\nos.system('echo from a shell')",
    "subprocess": "import subprocess\nsubprocess.run(['echo', 'from a child'])",
    "shell escape": "!echo from the bang",
    "file descriptor": "import os\nos.write(1, b'from C\\n');",
    "figure": (
        "%matplotlib inline\nimport matplotlib.pyplot as plt\n_ = plt.plot([1, 2, 3])\nplt.show()"
    ),
    "clear": "print('gone'); clear_output(); print('stays')",
    "clear and wait": (
        "print('gone'); clear_output(wait=True); print('stays'); clear_output(wait=True)"
    ),
    "update in place": (
        "h = display('one', display_id=True)\nprint('between')\nh.update('two'); h.update({'a': 3})"
    ),
    "carriage returns": "for i in range(5): print(f'{i * 25} %', end='\\r')\nprint('done ')",
    "tqdm": (
        "from tqdm import tqdm\nfor i in tqdm(range(50), mininterval=0, ncols=60): print(end='')"
    ),
    "rich": (
        "from rich.console import Console\nfrom rich.progress import track\n"
        "for i in track(range(3)): pass\nConsole(force_jupyter=True).print('[red]rich[/]')"
    ),
    "rich traceback": (
        "from rich.console import Console\ntry: 1 / 0\n"
        "except ZeroDivisionError: Console(force_jupyter=True).print_exception()"
    ),
    "capture": "%%capture out\nprint('hidden')",
    "nested": "get_ipython().run_cell('print(1)\\n2 + 2'); print('outer')",
    "quiet result": "2 + 2;",
    "Output widget": (
        "import ipywidgets\nout = ipywidgets.Output()\nprint('above')\n"
        "with out:\n    print('inside')\nprint('below')"
    ),
    "big": "print('x' * 1_000_000)",
}


@pytest.mark.parametrize("name", CASES)
def test_outputs_are_what_jupyter_saves(fresh: Kernel, name: str) -> None:
    fresh.run("from IPython.display import *")
    ran = fresh.run(CASES[name], cell="c")
    found = kept(fresh, "c")
    assert found == as_lab(saved_by_nbclient(ran.messages))
    if name not in ("capture", "quiet result"):
        assert found


def test_the_cases_show_what_they_are_meant_to(fresh: Kernel) -> None:
    """The oracle sees the same messages; here is what must be among them at all."""
    fresh.run("from IPython.display import *")
    expected = {
        "thread": "in a thread",
        "os.system": "from a shell",
        "subprocess": "from a child",
        "shell escape": "from the bang",
        "file descriptor": "from C",
        "rich": "rich",
        "tqdm": "50/50",
        "rich traceback": "ZeroDivisionError",
        "clear and wait": "stays",
        "update in place": "{'a': 3}",
        "Output widget": "below",
        "figure": "image/png",
    }
    for name, text in expected.items():
        fresh.run(CASES[name], cell="c")
        until(lambda text=text: text in str(kept(fresh, "c")))
        assert "inside" not in str(kept(fresh, "c"))
        assert "gone" not in str(kept(fresh, "c"))


def test_a_later_print_of_a_thread_goes_where_the_page_shows_it(fresh: Kernel) -> None:
    """To the cell that started it with ipykernel 6; ipykernel 7 gives it to the newest one."""
    first = fresh.send(
        "import threading, time\n"
        "def late():\n    time.sleep(0.5); print('late news')\n"
        "threading.Thread(target=late).start()",
        cell="starts",
    )
    fresh.collect(first)
    second = fresh.send("print('meanwhile')", cell="other")
    fresh.collect(second)
    message = {"content": {}}
    while "late news" not in message["content"].get("text", ""):
        message = fresh.client.get_iopub_msg(timeout=10)
    cells = {first: "starts", second: "other"}
    shown = cells.pop(message["parent_header"]["msg_id"])
    (elsewhere,) = cells.values()
    until(lambda: "late news" in str(kept(fresh, shown)))
    assert "late news" not in str(kept(fresh, elsewhere))


def test_a_task_that_goes_on_after_its_cell(fresh: Kernel) -> None:
    fresh.run(
        "import asyncio\n"
        "async def late():\n    await asyncio.sleep(0.3); print('from the task')\n"
        "task = asyncio.ensure_future(late())",
        cell="starts",
    )
    until(lambda: "from the task" in str(kept(fresh, "starts")))


def test_an_update_from_a_later_cell(fresh: Kernel) -> None:
    fresh.run("h = display('first', display_id='shared')", cell="a")
    fresh.run("display('again', display_id='shared')\nprint('own')", cell="b")
    fresh.run("h.update('last')", cell="c")
    assert kept(fresh, "a")[0]["data"] == {"text/plain": "'last'"}
    assert kept(fresh, "b")[0]["data"] == {"text/plain": "'last'"}
    assert kept(fresh, "c") == []


def test_a_cell_interrupted_half_way(fresh: Kernel) -> None:
    request = fresh.send(
        "import time\nprint('begun', flush=True)\ntime.sleep(30)\nprint('no')", "c"
    )
    done: list[bool] = []

    def watch(message: dict[str, Any]) -> None:
        if message["msg_type"] == "stream" and not done:
            done.append(True)
            fresh.manager.interrupt_kernel()

    ran: Ran = fresh.collect(request, watch)
    assert ran.status == "error"
    assert kept(fresh, "c") == as_lab(saved_by_nbclient(ran.messages))
    assert [o["output_type"] for o in kept(fresh, "c")] == ["stream", "error"]


def test_outputs_are_there_while_the_cell_runs(fresh: Kernel) -> None:
    fresh.run("import dialog_ext\nsession = dialog_ext.get_session()")
    ran = fresh.run("print('so far')\nseen = str(session.dialog.messages[-1].output)", cell="c")
    assert ran.status == "ok"
    assert "so far" in fresh.value("seen")


def test_a_cell_that_runs_again_starts_empty(fresh: Kernel) -> None:
    fresh.run("print('one')", cell="c")
    fresh.run("print('two')", cell="c")
    assert kept(fresh, "c") == [{"output_type": "stream", "name": "stdout", "text": "two\n"}]


def test_the_copy_is_bounded_and_the_page_is_not(fresh: Kernel) -> None:
    ran = fresh.run("for i in range(120): print(f'{i:06}' + 'x' * 99_993)", cell="c")
    sent = sum(len(m["content"]["text"]) for m in ran.messages if m["msg_type"] == "stream")
    assert sent == 12_000_000
    outputs = kept(fresh, "c")
    texts = [o.get("text") or o["data"]["text/plain"] for o in outputs]
    assert sum(map(len, texts)) < 2_200_000 + 1_000_000
    assert texts[0].startswith("000000x")
    assert texts[-1].rstrip("x\n").endswith("000119")
    mark = next(t for t in texts if "characters left out" in t)
    missing = int(mark.split()[1].replace(",", ""))
    kept_text = sum(len(t) for t in texts if t is not mark)
    assert missing + kept_text == 12_000_000
