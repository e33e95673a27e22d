"""Names of models, and how each is made; nothing is imported before it is asked for."""

from __future__ import annotations

from .base import LLMModel

DEFAULT_MODEL = "fake"


def model_names() -> tuple[str, ...]:
    """Every name that :func:`load_model` knows."""
    return (DEFAULT_MODEL,)


def load_model(name: str) -> LLMModel:
    """Make the model of a name.

    Parameters
    ----------
    name : str
        One of :func:`model_names`.

    Returns
    -------
    LLMModel
        A model ready to be asked.

    Raises
    ------
    KeyError
        For any other name.
    """
    if name != DEFAULT_MODEL:
        raise KeyError(name)
    from .default import default_model

    return default_model()
