"""What capturing outputs costs a running cell. Run: ``python benchmarks/capture.py``.

Each figure is measured in the same run in fresh kernels with and without the extension, in
turn; the time is the client's, from sending the cell to the kernel being idle again.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from kernels import Kernel, kernel

ROUNDS = 9
CELLS = {
    "100,000 printed lines": ("for i in range(100_000): print('line', i)", 1),
    "3,000 displays": ("for i in range(3_000): display(i)", 3_000),
    "1,000 flushed prints": ("for i in range(1_000): print(i, flush=True)", 1_000),
    "12 MB printed": ("for i in range(120): print('x' * 99_999)", 120),
}
LIMIT = 5.0
MEMORY = "__import__('resource').getrusage(__import__('resource').RUSAGE_SELF).ru_maxrss"


def timed(running: Kernel, code: str) -> float:
    start = time.perf_counter()
    ran = running.run(code)
    assert ran.status == "ok", ran.text
    return time.perf_counter() - start


def main() -> int:
    """Print the table; exit with 1 if 100,000 lines take over 5 % longer."""
    found: dict[tuple[str, bool], list[float]] = {(n, w): [] for n in CELLS for w in (False, True)}
    memory: dict[bool, int] = {}
    for _ in range(ROUNDS):
        for loaded in (False, True):
            with kernel() as running:
                if loaded:
                    running.run("%load_ext dialog_ext")
                running.run("from IPython.display import display\nprint('warm')")
                for name, (code, _count) in CELLS.items():
                    found[name, loaded].append(timed(running, code))
                memory[loaded] = running.value(MEMORY)
    print(f"{'cell':<24}{'without s':>11}{'with s':>9}{'more':>8}{'per message':>14}")
    failed = False
    for name, (_code, count) in CELLS.items():
        without, with_it = (statistics.median(found[name, loaded]) for loaded in (False, True))
        more = (with_it / without - 1) * 100
        each = f"{(with_it - without) / count * 1e6:+.0f} us" if count > 1 else "-"
        print(f"{name:<24}{without:>11.3f}{with_it:>9.3f}{more:>+7.1f}%{each:>14}")
        failed |= name.startswith("100,000") and more > LIMIT
    print(f"largest memory: {memory[False] / 1e3:.0f} MB without, {memory[True] / 1e3:.0f} MB with")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
