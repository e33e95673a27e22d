"""Arguments of the ``dialog`` command, and its exit codes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from .. import __version__
from ..errors import DialogError


def main(argv: Sequence[str] | None = None) -> int:
    """Run the ``dialog`` command.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; default: the process's own.

    Returns
    -------
    int
        0 if all went well, 1 for an error, 2 for a wrong command line, 130 after an
        interrupt.
    """
    options = _parser().parse_args(argv)
    try:
        return _run(options)
    except DialogError as error:
        print(f"dialog: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("dialog: interrupted.", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="dialog", description="Notebooks that talk with a model.")
    parser.add_argument("--version", action="version", version=f"dialog_ext {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run = commands.add_parser(
        "run",
        help="run a notebook, its prompts included",
        description="Run a notebook from top to bottom in a new kernel, prompts included, and "
        "write the result beside it. The notebook itself is not changed unless OUT names it.",
    )
    run.add_argument("file", type=Path, metavar="FILE.ipynb", help="the notebook to run")
    run.add_argument(
        "-o",
        "--out",
        type=Path,
        metavar="OUT",
        help="where to write the executed notebook; default: FILE.executed.ipynb beside FILE",
    )
    run.add_argument(
        "--model", metavar="NAME", help="the model of prompts that name none; default: fake"
    )
    return parser


def _run(options: argparse.Namespace) -> int:
    from .run import run_notebook

    return run_notebook(options.file, options.out, options.model)
