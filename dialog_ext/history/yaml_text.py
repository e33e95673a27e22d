"""Messages as YAML text that a safe loader reads back unchanged; imports PyYAML."""

from __future__ import annotations

import re
from typing import Any

import yaml

from dialog_ext.history.values import plain

__all__ = ["MessageDumper", "yaml_bytes"]

_NEEDS_QUOTES = re.compile("[\r\x85\u2028\u2029\ufeff]")
"""Characters that YAML takes for a line break or drops, unless they are escaped."""


class MessageDumper(yaml.SafeDumper):
    """The safe dumper, with every text in a form that is read back as it was."""


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = '"' if _NEEDS_QUOTES.search(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


MessageDumper.add_representer(str, _represent_text)


def yaml_bytes(messages: list[Any], params: dict[str, Any]) -> bytes:
    """Dump messages.

    Parameters
    ----------
    messages : list of dict
        The messages.
    params : dict
        For ``yaml.dump``, over the defaults.

    Returns
    -------
    bytes
        The text, in UTF-8 unless ``params`` have another encoding.

    Raises
    ------
    yaml.YAMLError, TypeError
        If a message holds what safe YAML cannot.
    """
    defaults = {
        "default_flow_style": False,
        "allow_unicode": True,
        "indent": 2,
        "sort_keys": True,
        "Dumper": MessageDumper,
    }
    dumped: str | bytes = yaml.dump(plain(messages), **{**defaults, **params})
    return dumped if isinstance(dumped, bytes) else dumped.encode("utf-8")
