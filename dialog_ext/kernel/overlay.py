"""Lay what was executed over what a file holds: one order of cells, the newest of each. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, MutableMapping, Sequence
from itertools import pairwise
from typing import Final

from ..dialog import Message, scode, sprompt

_RUNS: Final = frozenset((scode, sprompt))


def overlay(
    saved: Sequence[Message],
    ran: Sequence[Message],
    named: Collection[str] = (),
    gone: Collection[str] = (),
    met: MutableMapping[str, str] | None = None,
) -> list[Message]:
    """Give the notebook's messages as they are now, as far as file and kernel know.

    A cell that ran stands for the cell of the file with the same id; where either has no
    id of its own, with the same source; else for the one at the same position between
    two cells that are known. Cells that only ran (not saved yet) stand behind the cell
    that ran before them.

    Parameters
    ----------
    saved : sequence of Message
        The file's cells, in its order.
    ran : sequence of Message
        What was executed, in the order of the first runs, each cell once.
    named : collection of str
        Ids by which the front end and the file both name cells: a cell that has one is
        never taken for another.
    gone : collection of str
        Ids of cells that were deleted on the page since.
    met : MutableMapping, optional
        Ids in the file by ids of cells that were found to be the same, to hold on to when
        a cell's source changes; filled in here.

    Returns
    -------
    list of Message
        Messages of ``ran`` where a cell ran, of ``saved`` elsewhere.
    """
    saved = [message for message in saved if message.id not in gone]
    pairs = _by_id(saved, ran, met := {} if met is None else met)
    _by_source(saved, ran, named, pairs)
    _by_position(saved, ran, named, pairs)
    met.update((ran[k].id, saved[place].id) for k, place in pairs.items())
    return _merged(saved, ran, pairs)


def _by_id(
    saved: Sequence[Message], ran: Sequence[Message], met: Mapping[str, str]
) -> dict[int, int]:
    """Places in ``saved`` by places in ``ran``, where the ids are equal or known as the same."""
    places: dict[str, int] = {}
    for place, message in enumerate(saved):
        places.setdefault(message.id, place)
    ids = (met.get(message.id, message.id) for message in ran)
    return {k: places[cell] for k, cell in enumerate(ids) if cell in places}


def _free(saved: Sequence[Message], named: Collection[str], pairs: dict[int, int]) -> list[int]:
    taken = set(pairs.values())
    return [
        place
        for place, message in enumerate(saved)
        if place not in taken and message.msg_type in _RUNS and message.id not in named
    ]


def _by_source(
    saved: Sequence[Message],
    ran: Sequence[Message],
    named: Collection[str],
    pairs: dict[int, int],
) -> None:
    """Pair cells of equal source; of several, the next one below the cell that ran before."""
    by_source: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place in _free(saved, named, pairs):
        by_source[saved[place].msg_type, saved[place].content].append(place)
    last = -1
    for k, message in enumerate(ran):
        if k not in pairs and message.id not in named:
            places = by_source.get((message.msg_type, message.content))
            if places:
                place = next((p for p in places if p > last), places[0])
                places.remove(place)
                pairs[k] = place
        last = pairs.get(k, last)


def _by_position(
    saved: Sequence[Message],
    ran: Sequence[Message],
    named: Collection[str],
    pairs: dict[int, int],
) -> None:
    """Pair cells of changed source between two known ones, where their numbers are equal."""
    free = _free(saved, named, pairs)
    anchors = [(-1, -1), *sorted(pairs.items()), (len(ran), len(saved))]
    for (k, place), (next_k, next_place) in pairwise(anchors):
        unknown = [n for n in range(k + 1, next_k) if ran[n].id not in named]
        between = [p for p in free if place < p < next_place]
        if unknown and len(unknown) == len(between):
            pairs.update(zip(unknown, between, strict=True))


def _merged(
    saved: Sequence[Message], ran: Sequence[Message], pairs: dict[int, int]
) -> list[Message]:
    """The file's order, each cell that only ran behind the one that ran before it."""
    behind: dict[int, list[Message]] = defaultdict(list)
    last = -1
    for k, message in enumerate(ran):
        if k in pairs:
            last = pairs[k]
        else:
            behind[last].append(message)
    newest = {place: ran[k] for k, place in pairs.items()}
    merged = list(behind[-1])
    for place, message in enumerate(saved):
        merged += [newest.get(place, message), *behind[place]]
    return merged
