"""Components: subscripted, told apart by class, parsed with one kind of error."""

from __future__ import annotations

from typing import Any
from unittest.mock import MagicMock

import pytest

from dialog_ext.core import (
    CBlock,
    Component,
    ComponentParseError,
    ModelOutputThunk,
    TemplateRepresentation,
)


class FloatComp(Component[float]):
    def parts(self) -> list[Any]:
        return []

    def format_for_llm(self) -> str:
        return ""

    def _parse(self, computed: ModelOutputThunk[Any]) -> float:
        return float(computed.value or "")


class IntComp(FloatComp, Component[int]):  # type: ignore[misc]
    def _parse(self, computed: ModelOutputThunk[Any]) -> int:
        return int(super()._parse(computed))


def test_subscripted_twice_along_one_line() -> None:
    assert FloatComp().parse(ModelOutputThunk("1.5")) == 1.5
    assert IntComp().parse(ModelOutputThunk("1.5")) == 1
    assert isinstance(IntComp(), FloatComp)
    assert issubclass(IntComp, Component)
    assert FloatComp.__orig_bases__ == (Component[float],)  # type: ignore[attr-defined]


def kind(span: Any) -> str:
    match span:
        case Component():
            return "component"
        case CBlock():
            return "block"
        case ModelOutputThunk():
            return "thunk"
    return "nothing"


def test_match_and_isinstance() -> None:
    assert list(map(kind, [FloatComp(), CBlock("x"), ModelOutputThunk("x"), "x"])) == [
        "component",
        "block",
        "thunk",
        "nothing",
    ]


def test_only_subclasses_are_components() -> None:
    class Alike:
        parts = format_for_llm = parse = _parse = lambda self, *args: None

    for span in (Alike(), MagicMock(), MagicMock(spec=FloatComp).return_value):
        assert not isinstance(span, Component)
        assert kind(span) == "nothing"


def test_isinstance_runs_no_python_code() -> None:
    # A metaclass with a hook of its own is what makes isinstance slow.
    assert type(Component) is type


@pytest.mark.parametrize("method", ["parts", "format_for_llm"])
def test_undefined_methods(method: str) -> None:
    with pytest.raises(NotImplementedError, match=method):
        getattr(Component(), method)()


@pytest.mark.parametrize(
    "failure", [ValueError("odd"), KeyError("k"), AssertionError(), ComponentParseError("in")]
)
def test_parse_wraps_every_failure(failure: Exception) -> None:
    class Fails(Component[Any]):
        def _parse(self, computed: ModelOutputThunk[Any]) -> Any:
            raise failure

    with pytest.raises(ComponentParseError, match="Fails") as caught:
        Fails().parse(ModelOutputThunk("x"))
    assert caught.value.__cause__ is failure


def test_parse_without_a_hook() -> None:
    with pytest.raises(ComponentParseError) as caught:
        Component().parse(ModelOutputThunk("x"))
    assert isinstance(caught.value.__cause__, NotImplementedError)


def test_parse_lets_an_interrupt_through() -> None:
    class Stops(Component[Any]):
        def _parse(self, computed: ModelOutputThunk[Any]) -> Any:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Stops().parse(ModelOutputThunk("x"))


def test_representation_keeps_what_it_was_given() -> None:
    form = TemplateRepresentation("obj", {"a": CBlock("x")}, role="tool", provider_fields={"*": {}})
    assert (form.obj, form.role, form.provider_fields) == ("obj", "tool", {"*": {}})
    assert form.tools is form.images is form.audio is form.template is None
