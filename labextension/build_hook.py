"""Builds the lab extension while Python's build tools make a wheel or an sdist."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from hatch_jupyter_builder import npm_builder

ROOT: Final = Path(__file__).parents[1]
BUILT: Final = ROOT / "dialog_ext" / "labextension"
OLDEST_NODE: Final = (20, 19)


def build(target: str, version: str) -> None:
    """Build ``dialog_ext/labextension``; hatch-jupyter-builder calls this.

    An sdist holds the built files, so a wheel is made of it without Node. An editable
    install goes on without Node too: prompts work by the magic alone.

    Parameters
    ----------
    target : str
        What is being made, "wheel" or "sdist".
    version : str
        "standard" or "editable".
    """
    of_sdist = (ROOT / "PKG-INFO").is_file() and (BUILT / "package.json").is_file()
    if of_sdist or os.environ.get("HATCH_JUPYTER_BUILDER_SKIP_NPM") == "1":
        BUILT.mkdir(exist_ok=True)  # hatchling wants the folder, be it empty
        return
    if lack := _lack():
        print(lack, file=sys.stderr)
        if version != "editable":
            raise SystemExit(1)
        BUILT.mkdir(exist_ok=True)
        return
    npm_builder(target, version, path=str(ROOT / "labextension"), npm="npm", build_cmd="build:prod")


def _lack() -> str:
    """Tell what the build lacks, in a line or two; nothing if it lacks nothing."""
    node = shutil.which("node")
    found = "none"
    if node and shutil.which("npm"):
        asked = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
        found = asked.stdout.strip()
        numbers = found.removeprefix("v").split(".")[:2]
        if all(map(str.isdigit, numbers)) and tuple(map(int, numbers)) >= OLDEST_NODE:
            return ""
    oldest = ".".join(map(str, OLDEST_NODE))
    return (
        f"The lab extension is built by Node {oldest} or newer with npm; found: {found}.\n"
        "Install it from https://nodejs.org or your distribution, or install a wheel of dialog_ext."
    )
