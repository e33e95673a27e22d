"""What it costs that kernel and open notebook are one document. Run: ``python benchmarks/sync.py``.

A notebook of 5,000 cells with outputs in real JupyterLab, in Chromium, with a real kernel.
Kernel time is that of the main thread, where what pages send is taken in.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

import nbformat
from frontend import NotebookPage, Server, chromium, server
from playwright.sync_api import Browser, sync_playwright

CELLS = 5_000
EDITS = 50
KEYS = 300
SETTLED = 8_000
"""Milliseconds after which JupyterLab has drawn what it draws of a long notebook."""
TIMED = """
import resource, time
from dialog_ext.kernel import pages
spent, drain = [], pages.Pages.drain
def timed(self):
    has_come = bool(self._inbox)
    begin, used = time.perf_counter(), time.thread_time()
    drain(self)
    if has_come: spent.append([time.perf_counter() - begin, time.thread_time() - used])
pages.Pages.drain = timed
def memory():
    with open("/proc/self/statm") as file: return int(file.read().split()[1]) * 4096
before = memory()
"""
ASK = """
import time
from dialog_ext.prompt.grammar import ParsedPrompt
S = __import__('dialog_ext').get_session()
def ask():
    S.dialog
    begin = time.perf_counter()
    request = S.preview(ParsedPrompt("why?"))
    return time.perf_counter() - begin
print(ask())
"""
LAG = """(async () => {
  const lags = [];  // of each key: milliseconds to the change of the page, and to its paint
  window.lagStart = 0;
  const onKey = () => { window.lagStart = performance.now(); };
  document.addEventListener('keydown', onKey, true);
  const observer = new MutationObserver(() => {
    if (!window.lagStart) return;
    const begin = window.lagStart;
    window.lagStart = 0;
    const changed = performance.now() - begin;
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => lags.push([changed, performance.now() - begin]);
      channel.port2.postMessage(0);
    });
  });
  observer.observe(t.notebook().activeCell.node, {
    subtree: true, childList: true, characterData: true
  });
  window.lagStop?.();
  window.lagStop = () => {
    observer.disconnect();
    document.removeEventListener('keydown', onKey, true);
  };
  window.lags = lags;
})()"""


def cells() -> list[Any]:
    """Code with outputs, and every fifth a note."""
    made = []
    for i in range(CELLS):
        if i % 5 == 0:
            made.append(
                nbformat.v4.new_markdown_cell(f"## Part {i}\n" + "some words of prose " * 20)
            )
            continue
        text = "".join(f"line {j} of the output of cell {i}\n" for j in range(12))
        output = nbformat.v4.new_output("stream", name="stdout", text=text)
        source = f"x{i} = compute({i})  # what it does\nprint(x{i})"
        made.append(nbformat.v4.new_code_cell(source, outputs=[output], execution_count=1))
    return made


def figure(name: str, value: str, limit: str = "") -> None:
    print(f"{name:<58}{value:>16}{limit:>16}")


def connect(page: NotebookPage) -> None:
    page.kernel(TIMED)
    page.kernel("%load_ext dialog_ext")
    page.wait_for_kernel(lambda: page.kernel("print(len(spent) > 1)").strip() == "True")
    page.page.wait_for_timeout(500)
    spent = json.loads(page.kernel("print(spent); spent.clear()"))
    wall, busy = (sum(each) * 1e3 for each in zip(*spent, strict=True))
    used = float(page.kernel("print(memory() - before)")) / 1e6
    figure("connecting: kernel time, processor", f"{busy:.0f} ms", "150 ms")
    figure("connecting: kernel time, from begin to end", f"{wall:.0f} ms")
    figure("connecting: bytes sent by the page", f"{page.bytes_sent / 1e6:.2f} MB")
    figure("memory of the kernel's copy (document and dialog)", f"{used:.0f} MB")


def edit(page: NotebookPage) -> None:
    page.edit(1)
    page.page.wait_for_timeout(1000)
    page.kernel("spent.clear()")
    frames: list[int] = []
    page.on_frame = frames.append
    sizes = page.js("t.watchUpdates()")
    for _ in range(EDITS):
        page.type("y")
        page.page.wait_for_timeout(260)
    page.on_frame = None
    spent = [wall for wall, _ in json.loads(page.kernel("print(spent)"))]
    sizes = page.js("t.updateSizes")
    figure("one edit: the update", f"{max(sizes)} bytes", "200 bytes")
    figure("one edit: the update in its Jupyter message, with headers", f"{max(frames)} bytes")
    figure("one edit: kernel time, median", f"{statistics.median(spent) * 1e3:.2f} ms", "2 ms")
    figure("one edit: kernel time, most", f"{max(spent[:EDITS]) * 1e3:.2f} ms")


def requests(page: NotebookPage) -> None:
    first = float(page.kernel(ASK))
    following = []
    for _ in range(9):
        page.js("t.model().sharedModel.cells.at(-1).setSource(`edit ${Math.random()}`)")
        following.append(float(page.kernel("print(ask())")))
    then = statistics.median(following)
    figure("the first request", f"{first * 1e3:.0f} ms")
    figure("the next one after an edit in the last cell", f"{then * 1e3:.1f} ms", "1/50")
    figure("  as a part of the first", f"1/{first / then:.0f}", "1/50")


def lag(page: NotebookPage) -> list[list[float]]:
    """Milliseconds from key to the page's change and to its paint, for each key."""
    page.edit(1)
    page.page.wait_for_timeout(1500)
    page.js(LAG)
    for i in range(KEYS):
        page.page.keyboard.press("abcdefgh "[i % 9])
        page.page.wait_for_timeout(30 + 7 * i % 17)  # at any moment of a frame
    lags: list[list[float]] = page.js("window.lags")
    assert len(lags) > 0.9 * KEYS, len(lags)
    return lags


def typing(browser: Browser, running: Server, made: list[Any]) -> None:
    found: dict[bool, list[list[float]]] = {False: [], True: []}
    for _ in range(3):
        for with_it in (False, True):
            running.disable("dialog_ext", not with_it)
            running.write("typing.ipynb", made)
            page = NotebookPage(browser, running, "typing.ipynb").ready()
            if with_it:
                page.kernel("%load_ext dialog_ext")
                page.linked()
            page.page.wait_for_timeout(SETTLED)
            found[with_it] += lag(page)
            page.close()
            running.end_kernels()
    for kind, what in enumerate(("change", "paint")):
        for name, with_it in (("without", False), ("with", True)):
            lags = [each[kind] for each in found[with_it]]
            high = statistics.quantiles(lags, n=20)[-1]
            figure(
                f"key to {what} {name} the extension: median, 95 %",
                f"{statistics.median(lags):.1f}, {high:.1f} ms",
            )


def main() -> None:
    """Print the table."""
    made = cells()
    bare = "c.HistoryManager.enabled = False"
    print(f"{CELLS:,} cells with outputs")
    figure("", "", "limit")
    with (
        sync_playwright() as playwright,
        server("lab", ipython=bare) as running,
        chromium(playwright) as browser,
    ):
        running.write("big.ipynb", made)
        begin = time.perf_counter()
        page = NotebookPage(browser, running, "big.ipynb").ready()
        figure("(the page: opened in)", f"{time.perf_counter() - begin:.1f} s")
        connect(page)
        edit(page)
        requests(page)
        page.close()
        running.end_kernels()
        typing(browser, running, made)


if __name__ == "__main__":
    main()
