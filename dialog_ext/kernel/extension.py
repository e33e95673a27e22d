"""Load into IPython, and leave it as it was."""

from __future__ import annotations

from typing import Any, Final

from .. import __version__
from .magics import DialogMagics
from .session import Session

_MAGICS: Final = {"cell": ("prompt",), "line": ("prompt", "dialog")}


def load(shell: Any) -> Session:
    """Register the magics and begin a session; a session that is there is ended first.

    Parameters
    ----------
    shell : IPython.core.interactiveshell.InteractiveShell
        The shell to load into.

    Returns
    -------
    Session
        The new session.
    """
    unload(shell)
    session = Session(shell)
    manager = shell.magics_manager
    magics = DialogMagics(shell, session)
    magics.shadowed = {
        (kind, name): manager.magics[kind][name]
        for kind, names in _MAGICS.items()
        for name in names
        if name in manager.magics[kind]
    }
    shell.register_magics(magics)
    print(f"dialog_ext {__version__} · model: {session.model_name} · notebook: {session.source}")
    return session


def unload(shell: Any) -> None:
    """End the session and take the magics back; nothing if there is none."""
    manager = shell.magics_manager
    magics = manager.registry.pop(DialogMagics.__name__, None)
    if magics is None:
        return
    magics.session.close()
    for kind, names in _MAGICS.items():
        for name in names:
            manager.magics[kind].pop(name, None)
    for (kind, name), function in magics.shadowed.items():
        manager.magics[kind][name] = function


def current(shell: Any) -> Session | None:
    """The session of a shell, or None where the extension is not loaded."""
    magics = getattr(shell, "magics_manager", None) and shell.magics_manager.registry.get(
        DialogMagics.__name__
    )
    return magics.session if magics else None
