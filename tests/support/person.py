"""Somebody at a notebook page who does one thing after another, as chance has it.

All goes through keyboard and mouse. A seed gives the same things again.
"""

from __future__ import annotations

import random
from typing import Final

from frontend import NotebookPage

WORDS: Final = (
    "alpha",
    "beta ",
    "gamma\n",
    "\ndelta",
    "# Title\n",
    "été ",
    "🦊",
    "a = 1\n",
    "print('p')\n",
    "$x$ ",
    "{y} ",
    "`z`",
)
CODES: Final = (
    "print('one')",
    "1 + 1",
    "1 / 0",
    "for i in range(3):\n    print(i)",
    "import sys; print('err', file=sys.stderr)",
    "'text'",
    "from IPython.display import Markdown; Markdown('**m**')",
    "import time; time.sleep(0.3); print('slept')",
    "print('a'); display('b'); 'c'",
)


class Person:
    """Does things on a page.

    Parameters
    ----------
    page : NotebookPage
        The page.
    seed : int
        What decides on them.
    """

    def __init__(self, page: NotebookPage, seed: int) -> None:
        self.page = page
        self.chance = random.Random(seed)
        self.log: list[str] = []

    def act(self) -> None:
        """Do one thing."""
        names, weights = zip(*ACTIONS.items(), strict=True)
        name = self.chance.choices(names, weights)[0]
        self.log.append(name)
        getattr(self, f"_{name}")()

    def ask(self) -> tuple[str, str]:
        """Write a prompt at some place and run it; the id of its cell, and what it asks."""
        self._somewhere()
        self.page.press("p")
        text = f"why {self.chance.randrange(1000)}?"
        self.page.type(text)
        index = self.page.active
        cell = self.page.ids()[index]
        self.log.append(f"ask in cell {index}")
        self.page.press(self.chance.choice(["Control+Enter", "Shift+Enter"]))
        return cell, text

    def hold(self, gate: str) -> None:
        """Run a cell that lasts until a file of this name is there."""
        self._somewhere()
        self.page.press("b", "Enter")
        wait = f"while not os.path.exists({gate!r}):\n    time.sleep(0.02)"
        self.page.type(f"import os, time\n{wait}\nprint('held')")
        self.page.press("Control+Enter")

    def edit(self) -> None:
        """Do one thing that runs nothing and takes no cell away."""
        name = self.chance.choice(["type", "key", "rewrite", "add", "move", "drag", "clear"])
        self.log.append(f"{name} while the prompt waits")
        getattr(self, f"_{name}")()

    # -- where

    def _somewhere(self) -> int:
        """Go to some cell, by mouse or keys; its index."""
        count = self.page.count
        if not count:
            self.page.press("Escape", "b")
            count = 1
        index = self.chance.randrange(count)
        self.log.append(f"  at {index} of {count}")
        self.page.press("Escape")
        if self.chance.random() < 0.3:
            self.page.click(index)
        else:
            steps = index - self.page.active
            self.page.press(*["ArrowDown" if steps > 0 else "ArrowUp"] * abs(steps))
        return index

    def _inside(self) -> None:
        """Put the cursor somewhere in some cell."""
        self._somewhere()
        keys = ["Enter", self.chance.choice(["Control+Home", "Control+End"])]
        keys += [self.chance.choice(["ArrowLeft", "ArrowRight"])] * self.chance.randrange(6)
        self.page.press(*keys)

    # -- what

    def _type(self) -> None:
        self._inside()
        self.page.type(self.chance.choice(WORDS))

    def _key(self) -> None:
        self._inside()
        self.page.press(*self.chance.choices(["Backspace", "Delete", "Enter", "x", "y"], k=3))

    def _rewrite(self) -> None:
        self._somewhere()
        self.page.press("Enter", "Control+a", "Delete")
        self.page.type(self.chance.choice(CODES))

    def _add(self) -> None:
        self._somewhere()
        self.page.press(self.chance.choice("ab"))
        if self.chance.random() < 0.7:
            self.page.press("Enter")
            self.page.type(self.chance.choice(CODES + WORDS))

    def _move(self) -> None:
        self._somewhere()
        way = self.chance.choice(["Up", "Down"])
        self.page.press(*[f"Control+Shift+Arrow{way}"] * self.chance.randrange(1, 4))

    def _drag(self) -> None:
        self._somewhere()
        self.page.drag(self.page.active, self.chance.randrange(self.page.count))

    def _delete(self) -> None:
        self._somewhere()
        self.page.press("d", "d")

    def _retype(self) -> None:
        self._somewhere()
        self.page.press(self.chance.choice(["m", "y", "r", "Shift+P", "1", "2"]))

    def _paste(self) -> None:
        self._somewhere()
        self.page.press(self.chance.choice("cx"))
        self._somewhere()
        self.page.press(self.chance.choice(["v", "Shift+V"]))

    def _merge(self) -> None:
        self._somewhere()
        self.page.press(self.chance.choice(["Shift+ArrowDown", "Shift+ArrowUp"]), "Shift+M")

    def _split(self) -> None:
        self._inside()
        self.page.press("Control+Shift+Minus")

    def _undo(self) -> None:
        self._somewhere()
        self.page.press(*["z"] * self.chance.randrange(1, 3))

    def _redo(self) -> None:
        self._somewhere()
        self.page.press("Shift+Z")

    def _undo_typing(self) -> None:
        self._inside()
        self.page.press(*["Control+z"] * self.chance.randrange(1, 4))

    def _run(self) -> None:
        self._somewhere()
        self.page.press(self.chance.choice(["Control+Enter", "Shift+Enter", "Alt+Enter"]))

    def _run_slowly(self) -> None:
        """Start a cell that takes a while, so that the next things are done meanwhile."""
        self._somewhere()
        self.page.press("b", "Enter")
        self.page.type("import time; time.sleep(0.5); print('late')")
        self.page.press("Control+Enter")

    def _clear(self) -> None:
        self._somewhere()
        self.page.command("notebook:clear-cell-output")

    def _skip(self) -> None:
        """Change the dialog from Python."""
        index = self.chance.randrange(max(1, self.page.count))
        word = self.chance.choice(WORDS)
        self.page.kernel(
            "_d = __import__('dialog_ext').get_session().dialog\n"
            f"if len(_d.messages) > {index}: _d.messages[{index}].content += {word!r}"
        )

    def _insert_by_python(self) -> None:
        word = self.chance.choice(WORDS)
        self.page.kernel(
            "_d = __import__('dialog_ext').get_session().dialog\n"
            f"_d.mk_message({word!r}, msg_type='note')"
        )


ACTIONS: Final = {
    "type": 8,
    "key": 3,
    "rewrite": 4,
    "add": 6,
    "move": 4,
    "drag": 1,
    "delete": 3,
    "retype": 4,
    "paste": 3,
    "merge": 2,
    "split": 2,
    "undo": 3,
    "redo": 1,
    "undo_typing": 2,
    "run": 6,
    "run_slowly": 2,
    "clear": 1,
    "skip": 1,
    "insert_by_python": 1,
}
"""What is done, and how often."""
