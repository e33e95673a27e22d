"""Which items of a list may stay where they are when others move. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence


def kept_in_order(old: Sequence[int], new: Sequence[int]) -> set[int]:
    """The most items that both sequences hold in the same order.

    Parameters
    ----------
    old, new : sequence of int
        Each without repetition.

    Returns
    -------
    set of int
        A longest increasing subsequence of the items' places in ``old``, taken in the
        order of ``new`` (patience sorting, O(n log n)).
    """
    places = {item: place for place, item in enumerate(old)}
    tails: list[int] = []
    ends: list[int] = []
    before: dict[int, int | None] = {}
    for item in new:
        if (place := places.get(item)) is None:
            continue
        at = bisect_left(tails, place)
        before[item] = ends[at - 1] if at else None
        tails[at : at + 1] = [place]
        ends[at : at + 1] = [item]
    kept: set[int] = set()
    last: int | None = ends[-1] if ends else None
    while last is not None:
        kept.add(last)
        last = before[last]
    return kept
