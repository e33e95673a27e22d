"""What an import costs, and that nothing rests on assertions."""

from __future__ import annotations

import subprocess
import sys

import pytest

BASE = "import typing, asyncio, json"


def run(code: str, *options: str) -> str:
    done = subprocess.run([sys.executable, *options, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_is_light_and_stdlib_only() -> None:
    loaded = run(
        f"{BASE}\nimport sys\nbefore = set(sys.modules)\nimport dialog_ext.dialog\n"
        "print(*sorted(set(sys.modules) - before))"
    ).split()
    assert len(loaded) <= 60
    others = {name.partition(".")[0] for name in loaded} - {"dialog_ext"}
    assert others <= set(sys.stdlib_module_names)
    parts = {".".join(name.split(".")[:2]) for name in loaded if name.startswith("dialog_ext.")}
    assert parts <= {"dialog_ext.dialog", "dialog_ext.errors"}


@pytest.mark.parametrize("option", [["-O"], ["-OO"]])
def test_without_assertions(option: list[str]) -> None:
    out = run(
        """
from dialog_ext.dialog import *
m = Dialog('d').mk_message('2+2')
for change in (
    lambda: m.dlg.mk_message('x', after='nope'),
    lambda: m.dlg.mk_message('x', idx=-2),
    lambda: Message('x', msg_type='nope'),
    lambda: Msgs([m, m], match=3),
    lambda: Message('x', msg_type='note', output='x').validate(),
):
    try:
        change()
    except (ValueError, IndexError):
        print('refused')
m.add_output(mk_jmsg('update_display_data', data={}))
m.add_output(mk_execresult({'text/plain': '4'}))
print(m.validate().output == code_output('4'))
""",
        *option,
    )
    assert out.split() == ["refused"] * 5 + ["True"]
