"""FakeLLMModel: rules, answers, value semantics."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialog_ext.errors import DialogError
from dialog_ext.model import (
    FakeLLMModel,
    FakeResponseStream,
    LLMModel,
    NoResponseRuleError,
    ResponseStream,
)

FAST = FakeLLMModel(stream_wps=float("inf"))


def user(content: Any) -> list[dict[str, Any]]:
    return [{"role": "user", "content": content}]


class Plain(LLMModel):
    """The least that a model must define."""

    _params = property(lambda self: {})
    _logger_name = property(lambda self: "plain")

    def ask(self, messages: Any, with_reasoning: bool = False, **params: Any) -> str:
        return "plain"

    def ask_stream(
        self, messages: Any, with_reasoning: bool = False, **params: Any
    ) -> ResponseStream:
        return ResponseStream([("", "plain")], with_reasoning)


# rules


def test_rules_are_pairs_of_the_very_objects_given() -> None:
    def when(messages: Any, **params: Any) -> bool:
        return True

    def answer(messages: Any, **params: Any) -> str:
        return "x"

    pair = ["r", "c"]
    rules: list[Any] = [(when, answer), (when, "text"), (when, pair)]
    model = FakeLLMModel()
    for condition, response in rules:
        model = model.response_when(condition, response)
    assert model._rules == tuple(rules)
    assert all(
        kept[0] is given[0] and kept[1] is given[1]
        for kept, given in zip(model._rules, rules, strict=True)
    )
    made = FakeLLMModel(rules=rules)
    assert made._rules == tuple(rules)
    assert made == model
    assert isinstance(made._rules, tuple)
    assert made.rules_count == 3


def test_keyword_condition_answers_exactly_true_or_false() -> None:
    condition = FAST.response_when_keyword_in_last_message("a", "x")._rules[0][0]
    assert condition(user("cat"), temperature=1) is True
    assert condition(user("dog")) is False
    assert condition([]) is False


def test_always_is_true_for_no_messages() -> None:
    condition, response = FAST.response_always("x")._rules[0]
    assert condition([])
    assert response == "x"
    assert FAST.response_always("x").ask([]) == "x"


def test_sequence_rule_can_be_looked_at_without_moving() -> None:
    model = FAST.response_sequence(["a", "b"])
    condition, response = model._rules[0]
    assert condition([]) is True
    assert [response([]), response([])] == [("", "a"), ("", "a")]
    assert model.ask([]) == "a"


def test_first_rule_that_matches_wins() -> None:
    model = (
        FAST.response_when(lambda messages: len(messages) > 1, "long")
        .response_when_keyword_in_last_message("hi", "one")
        .response_when_keyword_in_last_message("hi", "two")
        .response_always("else")
    )
    assert model.ask(user("hi")) == "one"
    assert model.ask(user("hi") * 2) == "long"
    assert model.ask(user("no")) == "else"


def test_extra_arguments_reach_conditions_and_responses() -> None:
    model = FAST.response_when(
        lambda messages, **params: params["level"] == 3,
        lambda messages, **params: f"{len(messages)} {sorted(params)}",
    )
    asked = {"level": 3, "temperature": 0}
    assert model.ask(user("x"), **asked) == "1 ['level', 'temperature']"
    assert "".join(model.ask_stream(user("x"), **asked)) == "1 ['level', 'temperature']"
    with pytest.raises(LookupError):
        model.ask(user("x"), level=4)


def test_messages_may_have_any_parameter_name() -> None:
    model = FAST.response_when(lambda history: True, lambda chat, **_: chat[-1]["content"])
    assert model.ask(user("echo")) == "echo"


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ("c", ("", "c")),
        (("r", "c"), ("r", "c")),
        (["r", "c"], ("r", "c")),
        ((None, "c"), ("", "c")),
        (lambda messages: "c", ("", "c")),
        (lambda messages: ("r", "c"), ("r", "c")),
        (lambda messages: ["r", "c"], ("r", "c")),
    ],
)
def test_forms_of_a_response(response: Any, answer: tuple[str, str]) -> None:
    model = FAST.response_always(response)
    assert model.ask([], with_reasoning=True) == answer
    assert model.ask([]) == answer[1]
    stream = model.ask_stream([])
    assert "".join(stream) == answer[1]
    assert stream.reasoning_content == answer[0]


@pytest.mark.parametrize(
    ("response", "error"),
    [(("a", "b", "c"), ValueError), (["a"], ValueError), (3, TypeError), ((1, 2), TypeError)],
)
def test_bad_response_is_refused_when_it_is_given(response: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="response"):
        FAST.response_always(response)
    with pytest.raises(error, match="response"):
        FakeLLMModel(rules=[(lambda messages: True, response)])


@pytest.mark.parametrize("made", [None, ("a", "b", "c"), 3])
def test_bad_response_of_a_function_is_refused_when_asked(made: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="response"):
        FAST.response_always(lambda messages: made).ask([])


def test_condition_must_be_callable() -> None:
    with pytest.raises(TypeError, match="A condition is a callable, not str"):
        FAST.response_when("weather", "x")  # type: ignore[arg-type]  # the point of the test


def test_keyword_must_be_text() -> None:
    with pytest.raises(TypeError, match="A keyword is a str, not int: 3"):
        FAST.response_when_keyword_in_last_message(["a", 3], "x")  # type: ignore[list-item]  # so


def test_empty_sequence_and_one_text() -> None:
    with pytest.raises(ValueError, match=r"^Response sequence cannot be empty$"):
        FAST.response_sequence([])
    with pytest.raises(TypeError, match="put it in a list"):
        FAST.response_sequence("no")


# keywords


@pytest.mark.parametrize(
    ("messages", "matches"),
    [
        (user("what weather!"), True),
        (user("weath"), False),
        (user("") + user("weather"), True),
        (user("weather") + user(""), False),
        (user([{"type": "text", "text": "the weather"}]), True),
        (
            user([{"type": "image_url", "image_url": "x"}, {"type": "text", "text": "weather"}]),
            True,
        ),
        (user([{"type": "image_url", "image_url": "weather"}]), False),
        (user(["the weather"]), True),
        (user([{"type": "text", "text": None}, None, 3]), False),
        (user(None), False),
        ([{"role": "assistant", "tool_calls": [{"id": "weather"}]}], False),
        (user({"weather": 1}), False),
        (["weather"], False),
        ([], False),
    ],
)
def test_where_keywords_are_looked_for(messages: Any, matches: bool) -> None:
    model = FAST.response_when_keyword_in_last_message("weather", "yes").response_always("no")
    assert model.ask(messages) == ("yes" if matches else "no")


def test_any_of_several_keywords() -> None:
    model = FAST.response_when_keyword_in_last_message(["sun", "rain"], "yes").response_always("no")
    assert [model.ask(user(t)) for t in ("sunny", "rain", "snow")] == ["yes", "yes", "no"]


@given(st.lists(st.text("ab", max_size=3), max_size=3), st.lists(st.text("ab", max_size=4)))
def test_keywords_in_parts(keywords: list[str], parts: list[str]) -> None:
    condition = FAST.response_when_keyword_in_last_message(keywords, "x")._rules[0][0]
    expected = any(keyword in part for keyword in keywords for part in parts)
    assert condition(user([{"type": "text", "text": part} for part in parts])) is expected


# no rule matches


@pytest.mark.parametrize("ask", ["ask", "ask_stream"])
def test_no_rule(ask: str) -> None:
    with pytest.raises(AssertionError, match=r"^No response rule found for this message\.") as got:
        getattr(FAST, ask)(user("Where is\n it?"))
    error = got.value
    assert isinstance(error, LookupError)
    assert isinstance(error, DialogError)
    assert isinstance(error, NoResponseRuleError)
    assert "'Where is it?' (role 'user')" in str(error)
    assert len(str(error).splitlines()) == 2


@pytest.mark.parametrize(
    ("messages", "named"),
    [
        ([], "no messages at all"),
        (user("x" * 1000), "'" + "x" * 79 + "…'"),
        (user([{"type": "text", "text": "see"}, {"type": "text", "text": "this"}]), "'see this'"),
        ([{"content": None}], "without text (role None)"),
        ([3], "without text (role None)"),
    ],
)
def test_no_rule_names_the_last_message(messages: Any, named: str) -> None:
    with pytest.raises(NoResponseRuleError) as got:
        FAST.ask(messages)
    assert named in str(got.value)
    again = pickle.loads(pickle.dumps(got.value))
    assert str(again) == str(got.value)
    assert again.last_message == got.value.last_message


def test_no_rule_under_O() -> None:
    code = (
        "from dialog_ext.model import FakeLLMModel\n"
        "try:\n    FakeLLMModel().ask([])\n"
        "except AssertionError as error:\n    print(str(error).splitlines()[0])\n"
    )
    done = subprocess.run([sys.executable, "-O", "-c", code], capture_output=True, text=True)
    assert done.stdout == "No response rule found for this message.\n", done.stderr


# a value


def test_default_rate_and_repr() -> None:
    assert FakeLLMModel().stream_wps == 50
    assert repr(FakeLLMModel()) == "FakeLLMModel(stream_wps=50, rules_count=0)"
    two = FakeLLMModel(stream_wps=100).response_always("a").response_sequence(["b"])
    assert repr(two) == "FakeLLMModel(stream_wps=100, rules_count=2)"
    assert repr(FakeLLMModel(2.5)) == "FakeLLMModel(stream_wps=2.5, rules_count=0)"


@pytest.mark.parametrize("name", ["_stream_wps", "stream_wps", "_rules", "_frozen", "name", "new"])
def test_assignment_and_deletion_are_refused(name: str) -> None:
    model = FakeLLMModel()
    text = f"^Cannot modify attribute '{name}' of immutable FakeLLMModel$"
    with pytest.raises(AttributeError, match=text):
        setattr(model, name, 1)
    text = f"^Cannot delete attribute '{name}' of immutable FakeLLMModel$"
    with pytest.raises(AttributeError, match=text):
        delattr(model, name)
    assert model._frozen is True


def test_methods_leave_the_model_as_it_is() -> None:
    model = FakeLLMModel().response_always("a")
    before = hash(model)
    model.with_stream_wps(3)
    model.clear_rules()
    model.response_always("b")
    assert (model.stream_wps, model.rules_count, hash(model)) == (50, 1, before)
    assert model.clear_rules() == FakeLLMModel()


def test_equality() -> None:
    def when(messages: Any) -> bool:
        return True

    def make(answer: Any = "x", wps: float = 50) -> FakeLLMModel:
        model = FakeLLMModel(wps).response_when(when, answer).response_sequence(["s"])
        return model.response_when_keyword_in_last_message(["k", "l"], lambda_answer)

    def lambda_answer(messages: Any) -> str:
        return "y"

    assert make() == make()
    assert hash(make()) == hash(make())
    assert len({make(), make(), make(wps=50.0)}) == 1
    assert make() != make("z")
    assert make() != make(wps=51)
    assert make(["r", "c"]) == make(("r", "c"))
    assert hash(make(["r", "c"])) == hash(make(("r", "c")))
    assert FAST.response_sequence(["a"]) != FAST.response_sequence(["b"])
    assert FAST.response_always("a").response_always("b") != FAST.response_always(
        "b"
    ).response_always("a")
    for other in (None, 50, "x", Plain()):
        assert make() != other
        assert not make() == other  # noqa: SIM201 - both operators are tested


def test_a_bound_method_compares_by_value() -> None:
    class Topics:
        def match(self, messages: Any) -> bool:
            return True

    topics = Topics()
    one, other = (FAST.response_when(topics.match, "x") for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert one != FAST.response_when(Topics().match, "x")


def test_hashable_with_callables_that_have_no_hash() -> None:
    class Condition:
        def __call__(self, messages: Any) -> bool:
            return True

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Condition)

    one, other = (FAST.response_when(Condition(), ["r", "c"]) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)


def test_a_list_pair_is_no_longer_the_callers() -> None:
    pair = ["r", "c"]
    model = FAST.response_always(pair)
    before = hash(model)
    pair[1] = "changed"
    assert model.ask([], with_reasoning=True) == ("r", "c")
    assert hash(model) == before


@pytest.mark.parametrize("wps", [0, -1, -0.5, float("nan"), float("-inf"), 5e-324])
def test_rate_must_be_above_zero(wps: float) -> None:
    for make in (FakeLLMModel, FakeLLMModel().with_stream_wps):
        with pytest.raises(ValueError, match="stream_wps must be above 0"):
            make(wps)


@pytest.mark.parametrize("wps", ["50", None, 1j, []])
def test_rate_must_be_a_number(wps: Any) -> None:
    with pytest.raises(TypeError, match="stream_wps is a number"):
        FakeLLMModel(wps)


class Named(FakeLLMModel):
    """A subclass with an argument and attributes of its own."""

    def __init__(self, label: str) -> None:
        self.before = label
        super().__init__(stream_wps=9)
        self.after = label


def test_a_subclass_stays_what_it_is() -> None:
    model = Named("x")
    made = [
        model.with_stream_wps(3),
        model.response_always("a"),
        model.response_when(bool, "a"),
        model.response_when_keyword_in_last_message("k", "a"),
        model.response_sequence(["a"]),
        model.clear_rules(),
        copy.copy(model),
        copy.deepcopy(model),
        pickle.loads(pickle.dumps(model)),
    ]
    assert {type(one) for one in made} == {Named}
    assert {(one.before, one.after) for one in made} == {("x", "x")}
    assert repr(made[1]) == "Named(stream_wps=9, rules_count=1)"
    assert model != FakeLLMModel(9)
    with pytest.raises(AttributeError, match="of immutable Named"):
        made[0].after = "y"


def test_a_subclass_with_slots_keeps_them() -> None:
    class Slotted(FakeLLMModel):
        __slots__ = ("label",)

        def __init__(self) -> None:
            super().__init__()
            self.label = "s"

    assert Slotted().response_always("x").label == "s"


def test_name() -> None:
    class Given(Plain):
        name = "given"

    assert (Plain().name, Given().name, FakeLLMModel().name) == ("Plain", "given", "FakeLLMModel")
    assert Plain.name == "Plain"
    plain = Plain()
    plain.name = "mine"
    assert plain.name == "mine"
    assert FakeLLMModel() == FakeLLMModel()


def test_a_model_needs_ask_and_ask_stream_only() -> None:
    assert Plain().ask([]) == "plain"
    assert "".join(Plain().ask_stream([])) == "plain"
    with pytest.raises(TypeError, match="ask_stream"):
        type("Half", (LLMModel,), {"ask": Plain.ask})()


# streams


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    return slept


def test_stream_is_a_fake_response_stream() -> None:
    stream = FAST.response_always(("r", "c")).ask_stream([], with_reasoning=True)
    assert isinstance(stream, FakeResponseStream)
    assert "".join(stream).count("reasoning") == 1


@pytest.mark.parametrize("text", ["Hello world", "你好世界", "a\n\nb", " x ", "中文 and more", ""])
def test_waits_stand_between_words_only(text: str, waits: list[float]) -> None:
    stream = FakeLLMModel(stream_wps=8).response_always(text).ask_stream([])
    pieces, slept = [], []
    for piece in stream:
        pieces.append(piece)
        slept.append(len(waits))
    assert "".join(pieces) == text
    assert slept == list(range(len(pieces)))
    assert waits == [1 / 8] * max(len(pieces) - 1, 0)
    if len(text.split()) > 1:
        assert len(pieces) >= 2


def test_waits_run_through_reasoning_and_content(waits: list[float]) -> None:
    stream = FakeLLMModel(stream_wps=4).response_always(("a", "b")).ask_stream([], True)
    list(stream)
    assert waits == [0.25]


def test_chinese_is_cut_into_words() -> None:
    pieces = list(FAST.response_always("我来到北京清华大学").ask_stream([]))
    assert pieces == ["我", "来到", "北京", "清华大学"]


@pytest.mark.parametrize("wps", [Decimal(4), Fraction(4)])
def test_any_kind_of_number_as_rate(wps: Any, waits: list[float]) -> None:
    assert list(FakeLLMModel(wps).response_always("a b").ask_stream([])) == ["a", " ", "b"]
    assert waits == [0.25, 0.25]


@given(st.text() | st.text("ab 中文\r\n\u2028,.-\ud800", max_size=30))
def test_joined_pieces_are_the_text(text: str) -> None:
    assert "".join(FAST.response_always(text).ask_stream([])) == text
