"""Cut a text into words, as the fake model streams them."""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final

__all__ = ["words"]

_LOADING: Final = threading.Lock()
"""Held while the dictionary is loaded, so that streams that begin together load one."""

_STRETCH: Final = re.compile(
    r"[\s\S]{0,511}(?:\r\n|\r(?!\n)|[^\r\u4E00-\u9FD5a-zA-Z0-9+#&._%-]|\Z)|[\s\S]{1,512}"
)
"""Up to 512 characters that end where jieba ends a block, or 512 of a block with no end.

jieba cuts its blocks (runs of the characters named here) one apart from the other, so
cutting at their ends changes no word.
"""


def words(text: str) -> Iterator[str]:
    """Cut a text into words, white space and punctuation marks.

    Parameters
    ----------
    text : str
        Any text.

    Yields
    ------
    str
        The pieces; joined they are the text exactly.

    Notes
    -----
    The first call loads jieba's dictionary (once for the process, about a second).

    The text is cut a stretch at a time, so the first word of a long text comes as soon as
    that of a short one. jieba alone looks at a whole run of letters or ideographs before
    it gives a word, in time that may grow with the square of the run; a run of more than
    512 characters is therefore parted every 512, even inside a word.
    """
    with _LOADING:
        cut = _load()
    for stretch in _STRETCH.finditer(text):
        yield from cut(stretch[0])


@cache
def _load() -> Callable[[str], Iterator[str]]:
    """Load jieba with its own dictionary, without a word on any stream or log.

    The dictionary is read straight from the package. ``Tokenizer.initialize`` would
    write log lines, and keep a cache in the shared temporary folder that whoever wrote
    it first controls; reading the cache takes as long as reading the dictionary.
    """
    with warnings.catch_warnings():
        # jieba's source has escapes that warn when it is compiled, and what it imports
        # may be deprecated; with -W error each would be fatal.
        warnings.simplefilter("ignore")
        import jieba

        tokenizer: Any = jieba.Tokenizer()
        tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
        tokenizer.initialized = True
    cut: Callable[[str], Iterator[str]] = tokenizer.cut
    return cut
