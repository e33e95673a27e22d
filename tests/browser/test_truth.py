"""What a prompt sends is what stands on the page, whatever was done there before.

``DIALOG_EXT_SEQUENCES`` says how many sequences, ``DIALOG_EXT_SEED`` which is the first;
``make soak`` runs 1,000.
"""

from __future__ import annotations

import difflib
import json
import os
from typing import Any

import nbformat
import pytest
from frontend import KERNEL, NotebookPage, Server
from person import Person

from dialog_ext.notebook import reads_ipynb
from dialog_ext.prompt.context import NOT_RUN
from dialog_ext.prompt.grammar import ParsedPrompt
from dialog_ext.prompt.request import build_request
from dialog_ext.prompt.scope import messages_above

SEQUENCES = int(os.environ.get("DIALOG_EXT_SEQUENCES", "30"))
SEED = int(os.environ.get("DIALOG_EXT_SEED", "0"))
SESSION = "__import__('dialog_ext').get_session()"
SENT = f"print(__import__('json').dumps({SESSION}.last_request.messages))"
RENEWED = 60
"""Sequences after which a page is loaded anew: it grows with what was undone and deleted."""
CELLS = [
    nbformat.v4.new_markdown_cell("# A notebook", id="title"),
    nbformat.v4.new_code_cell("x = 1\nprint('x is', x)", id="code"),
    nbformat.v4.new_code_cell("%%prompt\nwhat is x?", id="prompt"),
    nbformat.v4.new_raw_cell("raw", id="raw"),
    nbformat.v4.new_code_cell("x + 1", id="more"),
]


@pytest.fixture(scope="module")
def pages() -> dict[str, NotebookPage]:
    """One page of each front end, which the sequences share."""
    return {}


@pytest.mark.parametrize("seed", range(SEED, SEED + SEQUENCES))
def test_a_prompt_sends_what_the_page_shows(
    seed: int, request: pytest.FixtureRequest, browser: Any, pages: dict[str, NotebookPage]
) -> None:
    kind = ("lab", "notebook7")[seed % 2]
    if seed % RENEWED < 2 and kind in pages:
        pages.pop(kind).close()
    if kind not in pages:
        running: Server = request.getfixturevalue(kind)
        running.write("truth.ipynb", CELLS)
        pages[kind] = NotebookPage(browser, running, "truth.ipynb").ready()
    page = pages[kind]
    page.reset(CELLS)
    person = Person(page, seed)
    print(f"seed {seed} on {kind}")  # shown where the test fails
    for _ in range(person.chance.randrange(4, 16)):
        person.act()
    gate = page.server.folder / f"gate-{seed}"
    page.kernel(f"{SESSION}.last_request = None")
    if waits := person.chance.random() < 0.3:
        page.settle()
        person.hold(str(gate))
    cell, text = person.ask()
    for _ in range(person.chance.randrange(4) if waits else 0):
        person.edit()
    gate.touch()
    page.settle()
    if page.kernel(f"print({SESSION}.last_request is None)").strip() == "True":
        # an error in a cell that ran before it takes back what waits in the queue
        page.start(page.ids().index(cell))
        page.settle()
    sent = json.loads(page.kernel(SENT))
    shown = expected(page, cell, text, NOT_RUN in sent[0]["content"])
    assert sent == shown, "\n".join([*person.log, *differences(shown, sent)])
    assert not page.errors


def expected(page: NotebookPage, cell: str, text: str, is_noted: bool) -> list[dict[str, Any]]:
    """The messages for the prompt in a cell, from what the page would save."""
    saved = {"cells": page.cells(), "metadata": KERNEL, "nbformat": 4, "nbformat_minor": 5}
    messages = reads_ipynb(json.dumps(saved)).messages
    prompt = next(message for message in messages if message.id == cell)
    above = messages_above(messages, prompt)
    return build_request(ParsedPrompt(text), above, NOT_RUN if is_noted else "").messages


def differences(one: Any, other: Any) -> list[str]:
    lines = [json.dumps(each, indent=1, ensure_ascii=False).splitlines() for each in (one, other)]
    return list(difflib.unified_diff(*lines, "on the page", "sent", lineterm=""))
