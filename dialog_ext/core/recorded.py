"""What a thunk tells of its generation."""

from __future__ import annotations

from typing import Any

from .records import GenerateLog, GenerateType, GenerationMetadata, RawProviderResponse

__all__ = ["Recorded"]


class Recorded:
    """The records of a generation; each is made when it is first asked for."""

    _meta: dict[str, Any]

    # What most thunks never set stands on the class: a thunk costs only what it holds.
    thinking: str | None = None
    _generation: GenerationMetadata | None = None
    _raw: RawProviderResponse | None = None
    _generate_log: GenerateLog | None = None
    _generate_type: GenerateType = GenerateType.NONE
    _error: Exception | None = None
    _cancelled: bool = False

    @property
    def meta(self) -> dict[str, Any]:
        """What is known about the output; the thunk's own dict."""
        return self._meta

    @property
    def generation(self) -> GenerationMetadata:
        """How the output was made; the thunk's own record."""
        if self._generation is None:
            self._generation = GenerationMetadata()
        return self._generation

    @generation.setter
    def generation(self, record: GenerationMetadata) -> None:
        self._generation = record

    @property
    def raw(self) -> RawProviderResponse:
        """The provider's own answer; the thunk's own record."""
        if self._raw is None:
            self._raw = RawProviderResponse()
        return self._raw

    @raw.setter
    def raw(self, record: RawProviderResponse) -> None:
        self._raw = record

    @property
    def cancelled(self) -> bool:
        """True once `cancel_generation` cut the output short; never after a whole output."""
        return self._cancelled

    @property
    def error(self) -> Exception | None:
        """Why the backend's output is of no use though nothing was raised; None if it is.

        It is independent of `cancelled`, which a reader of the output decides.
        """
        return self._error

    @property
    def generate_log(self) -> GenerateLog | None:
        """The log of this generation; the very object, not a copy."""
        return self._generate_log
