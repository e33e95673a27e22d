"""What a prompt takes from the user's variables, and what it gives them."""

from __future__ import annotations

import difflib
import keyword
from collections.abc import Mapping
from typing import Any, Final

from ..errors import PromptUsageError, UnknownModel
from ..model import LLMModel
from ..model.registry import load_model, model_names

_IPYTHONS: Final = frozenset(("In", "Out", "exit", "get_ipython", "quit"))


def find_model(name: str, namespace: Mapping[str, Any]) -> LLMModel:
    """Give the model of a name.

    Parameters
    ----------
    name : str
        A variable that holds an ``LLMModel``, or a name that the registry knows.
    namespace : Mapping
        The user's variables.

    Returns
    -------
    LLMModel
        The variable's model where there is one, else the registry's.

    Raises
    ------
    UnknownModel
        With the names that it may have meant.
    """
    value = namespace.get(name)
    if isinstance(value, LLMModel):
        return value
    if name in model_names():
        return load_model(name)
    variables = sorted(
        key for key, held in namespace.items() if isinstance(held, LLMModel) and key[0] != "_"
    )
    known = [*model_names(), *variables]
    raise UnknownModel(name, difflib.get_close_matches(name, known, n=2), known)


def check_variable(name: str) -> None:
    """Refuse what cannot be a variable's name, before anything is sent for it."""
    taken = not name.strip("_") or (name[:2] == name[-2:] == "__") or name in _IPYTHONS
    if taken or not name.isidentifier() or keyword.iskeyword(name):
        raise PromptUsageError(
            f"--out {name}: this cannot be the name of a variable.", "For example: --out answer"
        )
