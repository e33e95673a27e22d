"""Fixtures of the whole suite."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kernels import Kernel, kernel


@pytest.fixture(scope="module")
def bare_kernel() -> Iterator[Kernel]:
    """A kernel of this module's own, without the extension."""
    with kernel() as running:
        yield running


@pytest.fixture(scope="module")
def loaded_kernel() -> Iterator[Kernel]:
    """A kernel of this module's own, with the extension loaded and a quick model."""
    with kernel("--DialogExt.words_per_second=100000") as running:
        assert running.run("%load_ext dialog_ext").status == "ok"
        yield running


@pytest.fixture
def fresh(loaded_kernel: Kernel) -> Kernel:
    """The module's kernel, with a new session and an empty namespace."""
    loaded_kernel.run("%reset -f")
    loaded_kernel.run("%reset -f in out")  # what IPython remembers, a new session takes in
    loaded_kernel.run("%reload_ext dialog_ext")
    loaded_kernel.drain()
    return loaded_kernel
