"""Turn any Jupyter notebook into a conversation with a language model.

``%load_ext dialog_ext`` in a notebook, then a cell that starts with ``%%prompt``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .kernel.session import Session

__all__ = ["get_session", "load_ipython_extension", "unload_ipython_extension"]
__version__ = "0.1.0"


def get_session() -> Session:
    """Give the session of the running kernel.

    Returns
    -------
    Session
        With ``dialog``, ``context``, ``model``, ``ask(text)`` and ``last_request``.

    Raises
    ------
    dialog_ext.errors.NoSession
        If ``%load_ext dialog_ext`` has not run here.
    """
    import sys

    from .errors import NoSession

    # Where IPython was never imported there is no shell, and no need to import it.
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is not None:
        from .kernel.extension import current

        if session := current(shell):
            return session
    raise NoSession


def load_ipython_extension(shell: Any) -> None:
    """Begin a session; IPython calls this for ``%load_ext dialog_ext``."""
    from .kernel.extension import load

    load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """End the session; IPython calls this for ``%unload_ext dialog_ext``."""
    from .kernel.extension import unload

    unload(shell)


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    """Tell ``jupyter-builder develop`` where the built lab extension lies."""
    return [{"src": "labextension", "dest": "dialog_ext"}]
