"""How quick ``%load_ext`` is, in fresh kernels. Run: ``python benchmarks/load.py``.

The limit to compare with is measured in the same kernel: the import of ``json.tool``
(a tiny module) and of ``ipywidgets``, which many notebooks load.
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from kernels import kernel

RUNS = 7
TIMED = """
import contextlib, io, sys, time
def timed(line, magic=None):
    before, start = len(sys.modules), time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        get_ipython().run_line_magic(magic, line) if magic else exec(line)
    return (time.perf_counter() - start) * 1e3, len(sys.modules) - before
"""
CASES = {
    "%load_ext dialog_ext": "timed('dialog_ext', 'load_ext')",
    "%reload_ext dialog_ext": "timed('dialog_ext', 'reload_ext')",
    "%unload_ext dialog_ext": "timed('dialog_ext', 'unload_ext')",
    "import json.tool": "timed('import json.tool')",
    "import ipywidgets": "timed('import ipywidgets')",
}


def main() -> None:
    """Print the table: milliseconds (median and range), modules loaded."""
    found: dict[str, list[tuple[float, int]]] = {name: [] for name in CASES}
    for _ in range(RUNS):
        with kernel() as running:
            running.run(TIMED)
            for name, code in CASES.items():
                found[name].append(running.value(code))
    print(f"{'in a fresh kernel':<26}{'median ms':>10}{'least':>8}{'most':>8}{'modules':>9}")
    for name, runs in found.items():
        times = [ms for ms, _ in runs]
        print(
            f"{name:<26}{statistics.median(times):>10.1f}{min(times):>8.1f}{max(times):>8.1f}"
            f"{runs[0][1]:>9}"
        )


if __name__ == "__main__":
    main()
