"""FakeResponseSequence: a value, and the place that one model reaches in it."""

from __future__ import annotations

import copy
import pickle
import threading
import time
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialog_ext.model import FakeLLMModel, FakeResponseSequence
from dialog_ext.model.fake.sequence import SequenceCursor


def test_contents_are_a_tuple_of_what_was_given() -> None:
    responses: list[Any] = ["a", ("r", "b"), ["r", "c"]]
    sequence = FakeResponseSequence(responses)
    assert sequence._response_contents == tuple(responses)
    assert isinstance(sequence._response_contents, tuple)
    assert sequence._index == sequence.current_index == 0


def test_answers_by_form() -> None:
    sequence = FakeResponseSequence(["a", ("r", "b"), ["s", "c"], (None, "d")])
    answers = []
    while sequence.has_more_responses:
        answers.append(sequence.response([]))
        sequence = sequence.advance()
    assert answers == [("", "a"), ("r", "b"), ("s", "c"), ("", "d")]
    assert sequence.rule_check([]) is False


def test_index_up_to_the_number_of_responses() -> None:
    assert FakeResponseSequence(["a"], 1).has_more_responses is False
    assert FakeResponseSequence(["a"], index=0).rule_check([], any_param=1) is True
    empty = FakeResponseSequence([])
    assert (empty.total_responses, empty.current_index, empty.has_more_responses) == (0, 0, False)


@pytest.mark.parametrize("index", [-1, 2])
def test_index_out_of_range(index: int) -> None:
    with pytest.raises(ValueError, match=f"index must be from 0 to 1, not {index}"):
        FakeResponseSequence(["a"], index)


def test_index_must_be_an_integer() -> None:
    with pytest.raises(TypeError):
        FakeResponseSequence(["a"], 0.5)  # type: ignore[arg-type]  # the point of the test


@pytest.mark.parametrize("ask", [lambda s: s.response([]), lambda s: s.advance()])
def test_exhausted(ask: Any) -> None:
    text = r"^No more responses available\. Current index: 3, Total: 3$"
    with pytest.raises(IndexError, match=text):
        ask(FakeResponseSequence(["a", "b", "c"], 3))


def test_repr_shows_a_list_and_the_index() -> None:
    sequence = FakeResponseSequence(("a", ("r", "b")), 1)  # type: ignore[arg-type]  # any sequence
    assert repr(sequence) == "FakeResponseSequence(responses=['a', ('r', 'b')], index=1)"


def test_equality_and_hash() -> None:
    one, same = FakeResponseSequence(["a", "b"]), FakeResponseSequence(["a", "b"])
    assert one == same
    assert hash(one) == hash(same)
    assert len({one, same}) == 1
    assert one != one.advance()
    assert hash(one) != hash(one.advance())
    assert one == one.advance().reset()
    assert one != FakeResponseSequence(["a", "c"])
    for other in (None, 0, "a", ["a", "b"]):
        assert one != other
        assert not one == other  # noqa: SIM201 - both operators are tested


def test_list_pairs_are_hashable_and_no_longer_the_callers() -> None:
    pair = ["r", "a"]
    given_list: list[Any] = [pair]
    sequence = FakeResponseSequence(given_list)
    before = hash(sequence)
    pair[1] = "changed"
    given_list.append("more")
    assert sequence.response([]) == ("r", "a")
    assert sequence.total_responses == 1
    assert hash(sequence) == before
    sequence._response_contents[0].append("x")
    assert sequence._response_contents == (["r", "a"],)
    assert sequence == FakeResponseSequence([("r", "a")])


def test_never_changes() -> None:
    sequence = FakeResponseSequence(["a"])
    for name in ("_index", "new"):
        with pytest.raises(AttributeError, match=f"Cannot modify attribute '{name}'"):
            setattr(sequence, name, 1)
    with pytest.raises(AttributeError, match="Cannot delete attribute '_index'"):
        del sequence._index
    sequence.advance()
    sequence.reset()
    assert sequence.current_index == 0


@pytest.mark.parametrize(
    ("responses", "error"),
    [("no", TypeError), ([1], TypeError), ([("a", "b", "c")], ValueError), ([(1, "b")], TypeError)],
)
def test_bad_responses_are_refused_when_given(responses: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        FakeResponseSequence(responses)


def test_copies_are_equal() -> None:
    sequence = FakeResponseSequence(["a", ["r", "b"]], 1)
    for made in (
        copy.copy(sequence),
        copy.deepcopy(sequence),
        pickle.loads(pickle.dumps(sequence)),
    ):
        assert made == sequence
        assert made._response_contents == sequence._response_contents


answers = st.text(max_size=2) | st.tuples(st.text(max_size=2), st.text(max_size=2))


@given(st.lists(answers | answers.map(lambda a: list(a) if isinstance(a, tuple) else a)))
def test_a_walk_gives_every_answer_once(responses: list[Any]) -> None:
    sequence, got = FakeResponseSequence(responses), []
    while sequence.has_more_responses:
        assert sequence.current_index == len(got)
        got.append(sequence.response([]))
        sequence = sequence.advance()
    assert got == [("", r) if isinstance(r, str) else tuple(r) for r in responses]
    if responses:
        model = FakeLLMModel().response_sequence(responses)
        assert [model.ask([], with_reasoning=True) for _ in responses] == got


def test_two_models_made_apart_have_sequences_apart() -> None:
    one, other = (FakeLLMModel().response_sequence(["a", "b"]) for _ in range(2))
    assert one == other
    assert [one.ask([]), other.ask([]), one.ask([]), other.ask([])] == ["a", "a", "b", "b"]


def test_one_base_gives_models_apart() -> None:
    base = FakeLLMModel().response_sequence(["a", "b"])
    slow, more = base.with_stream_wps(7), base.response_always("else")
    assert [base.ask([]), slow.ask([]), more.ask([])] == ["a", "a", "a"]
    assert [base.ask([]), slow.ask([]), more.ask([]), more.ask([])] == ["b", "b", "b", "else"]


def test_derived_and_copied_models_start_at_the_beginning() -> None:
    base = FakeLLMModel().response_sequence(["a", "b"])
    assert base.ask([]) == "a"
    made = [
        base.with_stream_wps(7),
        base.response_always("x"),
        copy.copy(base),
        copy.deepcopy(base),
        pickle.loads(pickle.dumps(base)),
        FakeLLMModel(rules=list(base._rules)),
    ]
    assert [model.ask([]) for model in made] == ["a"] * len(made)
    assert base.ask([]) == "b"


def test_exhausted_sequence_lets_later_rules_answer() -> None:
    model = FakeLLMModel().response_sequence(["a"]).response_always("later")
    assert [model.ask([]), model.ask([]), model.ask([])] == ["a", "later", "later"]


def test_sequence_moves_on_when_the_stream_is_asked_for() -> None:
    model = FakeLLMModel(float("inf")).response_sequence(["a", "b"])
    first, second = model.ask_stream([]), model.ask_stream([])
    assert ["".join(second), "".join(first)] == ["b", "a"]


def test_asking_changes_neither_hash_nor_equality() -> None:
    model = FakeLLMModel().response_sequence(["a", "b"])
    twin = FakeLLMModel().response_sequence(["a", "b"])
    before, held = hash(model), {model: "kept"}
    model.ask([])
    list(model.with_stream_wps(1e9).ask_stream([]))
    assert hash(model) == before
    assert model == twin
    assert held[model] == held[twin] == "kept"
    assert repr(model) == repr(twin)


def test_threads_get_each_answer_once() -> None:
    model = FakeLLMModel().response_sequence([str(i) for i in range(2000)])
    got: list[list[Any]] = [[] for _ in range(8)]
    start = threading.Barrier(8)

    def ask(mine: list[Any]) -> None:
        start.wait()
        try:
            while True:
                mine.append(model.ask([]))
        except LookupError:
            pass

    threads = [threading.Thread(target=ask, args=(mine,)) for mine in got]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Counter(a for mine in got for a in mine) == Counter(str(i) for i in range(2000))
    assert all(list(map(int, mine)) == sorted(map(int, mine)) for mine in got)


def test_an_answer_is_given_once_also_when_a_step_is_slow() -> None:
    class Slow(FakeResponseSequence):
        def advance(self) -> FakeResponseSequence:
            time.sleep(0.002)
            return super().advance()

    cursor = SequenceCursor(Slow([str(i) for i in range(12)]))
    got: list[Any] = []
    start = threading.Barrier(4)

    def take() -> None:
        start.wait()
        while (answer := cursor.take([])) is not None:
            got.append(answer[1])

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got, key=int) == [str(i) for i in range(12)]


def test_a_rule_with_a_sequences_own_methods_stays_where_it_is() -> None:
    sequence = FakeResponseSequence(["a", "b"])
    model = FakeLLMModel().response_when(sequence.rule_check, sequence.response)
    assert [model.ask([]), model.ask([])] == ["a", "a"]
