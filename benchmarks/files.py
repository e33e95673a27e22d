"""Read and write a notebook of 10,000 cells, beside ``json``: ``python benchmarks/files.py``.

The file is what Jupyter would write; ``json.load`` and ``json.dump`` of the same file, with
the same indentation, are the measure: together at most twice as long.
"""

from __future__ import annotations

import gc
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dialog_ext.notebook import read_ipynb, write_ipynb

CELLS = 10_000
RUNS = 5
LIMIT = 2.0


def notebook(cells: int) -> dict[str, Any]:
    """A notebook with prints, results, pictures, notes and prompts."""
    made: list[dict[str, Any]] = []
    for i in range(cells):
        cell: dict[str, Any] = {"id": f"cell-{i}", "metadata": {"tags": [f"t{i % 7}"]}}
        if i % 4 == 0:
            made.append(
                cell | {"cell_type": "markdown", "source": [f"## Part {i}\n", "Some text – é.\n"]}
            )
            continue
        reply = i % 8 == 1
        shown = {"text/markdown": [f"Reply {i}\n", "with **text**\n"]}
        printed = {"output_type": "stream", "name": "stdout", "text": [f"{n}\n" for n in range(9)]}
        plot = {"image/png": "iVBORw0KGgo" * 60, "text/plain": ["<Figure size 640x480>"]}
        outputs: list[dict[str, Any]] = [
            printed,
            {"output_type": "display_data", "metadata": {"is_ai_res": True}, "data": shown}
            if reply
            else {"output_type": "display_data", "metadata": {}, "data": plot},
        ]
        source = [f"x{i} = {i}\n", f"for n in range({i}):\n", "    print(n)"]
        if reply:
            cell["metadata"]["solveit_ai"] = True
            source = ["%%prompt -m fake\n", f"What is {i}?"]
        made.append(
            cell | {"cell_type": "code", "execution_count": i, "outputs": outputs, "source": source}
        )
    return {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def best(run: Callable[..., Any], given: Callable[[], Any] | None = None) -> float:
    """Shortest time of several runs, in milliseconds; what they are given is not timed.

    Nothing else of that size is in memory: whatever is, the garbage collector looks at
    during the run, whoever made it.
    """
    given_once = [given()] if given else []
    times = []
    for _ in range(RUNS):
        gc.collect()
        start = time.perf_counter()
        run(*given_once)
        times.append((time.perf_counter() - start) * 1e3)
    return min(times)


def main() -> int:
    """Print the table; 1 if the limit is missed."""
    with tempfile.TemporaryDirectory() as folder:
        file, other = Path(folder, "big.ipynb"), Path(folder, "out.ipynb")
        made = json.dumps(notebook(CELLS), indent=1, ensure_ascii=False, sort_keys=True)
        file.write_text(made + "\n", encoding="utf-8")

        def load() -> Any:
            with file.open(encoding="utf-8") as stream:
                return json.load(stream)

        def dump(data: Any) -> None:
            with other.open("w", encoding="utf-8") as stream:
                json.dump(data, stream, indent=1, ensure_ascii=False)

        def edited() -> Any:
            dialog = read_ipynb(file)
            for message in dialog:
                message.content += " "
            return dialog

        def write(dialog: Any) -> None:
            write_ipynb(dialog, other)

        rows = {
            "json.load": best(load),
            "json.dump": best(dump, load),
            "read_ipynb": best(lambda: read_ipynb(file)),
            "write_ipynb, unchanged": best(write, lambda: read_ipynb(file)),
            "write_ipynb, each cell edited": best(write, edited),
        }
        size = file.stat().st_size / 1e6
    print(f"{CELLS:,} cells, {size:.1f} MB{'ms':>31}")
    for name, took in rows.items():
        print(f"{name:<34}{took:>14.0f}")
    theirs = rows["json.load"] + rows["json.dump"]
    ours = rows["read_ipynb"] + rows["write_ipynb, unchanged"]
    print(f"{'read + write / load + dump':<34}{ours / theirs:>14.2f}  (limit {LIMIT:g})")
    return int(ours > LIMIT * theirs)


if __name__ == "__main__":
    sys.exit(main())
