"""Measure small cases: time, peak memory, and how both grow."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Case:
    """One figure: ``run(setup(n))`` is measured, ``setup`` is not.

    ``n`` is the full size; the growth is the time at ``n`` over the time at
    ``n / 10``: about 10 means linear. Limits of None are not stated anywhere.
    """

    name: str
    n: int
    setup: Callable[[int], Any]
    run: Callable[[Any], Any]
    limit_ms: float | None = None
    limit_mb: float | None = None
    repeats: int = 5


def best_ms(case: Case, n: int) -> float:
    """Least time of the case's repeats at size ``n``, in milliseconds."""
    best = float("inf")
    for _ in range(case.repeats):
        thing = case.setup(n)
        gc.collect()
        start = time.perf_counter()
        result = case.run(thing)
        best = min(best, time.perf_counter() - start)
        del result, thing
    return best * 1e3


def peak_mb(case: Case) -> float:
    """Peak of the memory that the case allocates at full size, in MB (1e6 bytes)."""
    thing = case.setup(case.n)
    gc.collect()
    tracemalloc.start()
    result = case.run(thing)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    del result, thing
    return peak / 1e6


def machine_ms() -> float:
    """Time of a fixed pure-Python loop, in milliseconds, to set the figures beside."""

    def loop() -> int:
        total = 0
        for i in range(1_000_000):
            total += i & 7
        return total

    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        loop()
        best = min(best, time.perf_counter() - start)
    return best * 1e3
