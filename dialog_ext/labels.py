"""The words that head the blocks of a request, shared by who writes and who reads them."""

from __future__ import annotations

from typing import Final

NOTE: Final = "Note:"
CODE: Final = "Code:"
OUTPUT: Final = "Output:"
ERROR: Final = "Error:"
RAW: Final = "Raw text:"

INTERRUPTED: Final = "*[Response interrupted]*"
"""The last line of a reply that was cut off; left out of what the model sees."""
