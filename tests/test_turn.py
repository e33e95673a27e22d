"""One turn with a dialog, a model and a list for the display: no IPython."""

from __future__ import annotations

import signal
from itertools import count, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialog_ext.dialog import Dialog, prompt_output, scode, snote, sprompt
from dialog_ext.errors import ModelFailure, UnknownModel
from dialog_ext.interrupts import HeldInterrupts
from dialog_ext.model import FakeLLMModel, LLMModel, ResponseStream
from dialog_ext.prompt.grammar import ParsedPrompt
from dialog_ext.prompt.reply import Reply, reply_text
from dialog_ext.turn import paced, run_turn

MARK = "*[Response interrupted]*"


class Scripted(LLMModel):
    """A model that streams the given pieces; an exception among them is raised."""

    def __init__(self, *pieces: str | BaseException) -> None:
        self.pieces = pieces
        self.asked: list[Any] = []
        self.closed = 0

    def ask(self, messages: Any, with_reasoning: bool = False, **params: Any) -> str:
        raise NotImplementedError

    def ask_stream(
        self, messages: Any, with_reasoning: bool = False, **params: Any
    ) -> ResponseStream:
        self.asked.append((messages, params))

        def chunks() -> Any:
            try:
                for piece in self.pieces:
                    if isinstance(piece, BaseException):
                        raise piece
                    yield "", piece
            finally:
                self.closed += 1

        return ResponseStream(chunks(), with_reasoning)


def dialog() -> Dialog:
    dialog = Dialog("d")
    dialog.mk_message("# Title", msg_type=snote)
    dialog.mk_message("x = 1", msg_type=scode)
    dialog.mk_message("why?", msg_type=sprompt, output=prompt_output("because"))
    return dialog


def test_a_turn_needs_only_a_dialog_a_model_and_a_list() -> None:
    model, shown = Scripted("one ", "two"), []
    told: list[Any] = []
    turn = run_turn(
        ParsedPrompt("go", max_tokens=5), dialog().messages, model, shown, on_request=told.append
    )
    assert turn.reply.text == "one two"
    assert turn.reply is shown[-1]
    assert (shown[0].state, shown[-1].state) == ("waiting", "done")
    assert told == [turn.request]
    ((messages, params),) = model.asked
    assert params == {"max_tokens": 5}
    assert messages == turn.request.messages
    assert [(m["role"], m["content"]) for m in messages[1:]] == [
        ("user", "Note:\n# Title"),
        ("user", "Code:\n```python\nx = 1\n```"),
        ("user", "why?"),
        ("assistant", "because"),
        ("user", "go"),
    ]
    assert (
        turn.request.cells == tuple(m.id for m in dialog().messages) or len(turn.request.cells) == 3
    )
    assert model.closed == 1


def test_only_what_stands_above_is_sent() -> None:
    there = dialog()
    turn = run_turn(ParsedPrompt("go"), there.messages, Scripted("x"), [], at=there.messages[1])
    assert [m["content"] for m in turn.request.messages[1:]] == ["Note:\n# Title", "go"]


def test_skipped_cells_and_prompts_without_reply_are_not_sent() -> None:
    there = dialog()
    there.messages[0].skipped = True
    there.mk_message("unanswered", msg_type=sprompt)
    there.mk_message("%dialog model x\n%load_ext dialog_ext", msg_type=scode)
    there.mk_message("  \n", msg_type=scode)
    turn = run_turn(ParsedPrompt("go"), there.messages, Scripted("x"), [])
    assert [m["content"] for m in turn.request.messages[1:]] == [
        "Code:\n```python\nx = 1\n```", "why?", "because", "go",
    ]  # fmt: skip


def test_the_same_dialog_gives_the_same_hash_and_an_edit_another() -> None:
    def asked(there: Dialog, **settings: Any) -> str:
        prompt = ParsedPrompt("go", **settings)
        return run_turn(prompt, there.messages, Scripted("x"), []).request.hash

    edited = dialog()
    edited.messages[1].content = "x = 2"
    hashes = {asked(dialog()), asked(dialog()), asked(edited), asked(dialog(), temperature=0.5)}
    assert len(hashes) == 3


@pytest.mark.parametrize(
    ("error", "raised", "state"),
    [
        (OSError("down"), ModelFailure, "failed"),
        (KeyboardInterrupt(), KeyboardInterrupt, "interrupted"),
        (UnknownModel("x"), UnknownModel, "failed"),
    ],
)
def test_the_text_survives(error: BaseException, raised: type, state: str) -> None:
    model, shown = Scripted("half a ", "word", error), []
    with pytest.raises(raised):
        run_turn(ParsedPrompt("go"), [], model, shown)
    assert shown[-1].text == "half a word"
    assert shown[-1].state == state
    assert shown[-1].shown == f"half a word\n\n{MARK}"
    assert shown[-1].metadata["is_ai_res"] is True
    assert model.closed == 1


def test_a_failure_before_the_first_word_leaves_no_reply() -> None:
    shown: list[Reply] = []
    with pytest.raises(ModelFailure) as caught:
        run_turn(ParsedPrompt("go"), [], Scripted(ValueError("no\nway")), shown)
    assert "ValueError: no way" in str(caught.value)
    assert len(str(caught.value).splitlines()) == 2
    assert isinstance(caught.value.__cause__, ValueError)
    assert shown[-1].shown == ""
    assert "is_ai_res" not in shown[-1].metadata


@given(st.lists(st.text(max_size=5)))
def test_paced_texts_grow_and_the_first_piece_comes_at_once(pieces: list[str]) -> None:
    ticks = count(step=0.03)
    texts = list(paced(pieces, lambda: next(ticks)))
    whole = "".join(pieces)
    assert all(longer.startswith(shorter) for shorter, longer in pairwise(texts))
    assert whole.startswith(texts[-1] if texts else "")
    assert bool(texts) == bool(whole)


def test_the_pace_slows_down_as_the_text_grows() -> None:
    clock = count(step=0.01)
    texts = list(paced(["x" * 100] * 800, lambda: next(clock)))
    steps = [len(longer) - len(shorter) for shorter, longer in pairwise(texts)]
    assert steps[0] < steps[-1]
    assert len(texts) < 60


def interrupted_while_saving(done: list[str]) -> None:
    with HeldInterrupts() as interrupts:
        signal.raise_signal(signal.SIGINT)
        done.append("saved")
        with interrupts.allowed():
            done.append("not reached")


def interrupted_at_work_and_while_saving(done: list[str]) -> None:
    with HeldInterrupts() as interrupts:
        try:
            with interrupts.allowed():
                signal.raise_signal(signal.SIGINT)
                done.append("not reached")
        finally:
            signal.raise_signal(signal.SIGINT)
            done.append("saved")


def interrupted_to_the_end(done: list[str]) -> None:
    with HeldInterrupts():
        signal.raise_signal(signal.SIGINT)
        done.append("saved")


@pytest.mark.parametrize(
    "work", [interrupted_while_saving, interrupted_at_work_and_while_saving, interrupted_to_the_end]
)
def test_interrupts_stop_the_work_but_not_the_saving(work: Any) -> None:
    done: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        work(done)
    assert done == ["saved"]


def hanging() -> None:
    with HeldInterrupts():
        for _ in range(10):
            signal.raise_signal(signal.SIGINT)
        raise AssertionError("not reached")


def test_many_interrupts_break_through_a_saving_that_hangs() -> None:
    with pytest.raises(KeyboardInterrupt):
        hanging()


def test_the_signal_handler_comes_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    with HeldInterrupts():
        assert signal.getsignal(signal.SIGINT) != before
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize(
    ("kept", "told"),
    [
        (f"text\n\n{MARK}", "text"),
        (MARK, ""),
        ("text", "text"),
        (f"about {MARK}", f"about {MARK}"),
        (f"{MARK}\nmore", f"{MARK}\nmore"),
    ],
)
def test_the_mark_is_not_told_to_the_model(kept: str, told: str) -> None:
    assert reply_text(kept) == told


def test_a_generator_of_str_will_do_for_a_stream() -> None:
    class Plain(Scripted):
        def ask_stream(self, messages: Any, with_reasoning: bool = False, **params: Any) -> Any:
            yield from ("one ", "two")
            raise OSError("down")

    shown: list[Reply] = []
    with pytest.raises(ModelFailure):
        run_turn(ParsedPrompt("go"), [], Plain(), shown)
    assert shown[-1].text == "one two"


def test_what_gives_the_pieces_is_closed() -> None:
    class Pieces:
        closed = 0

        def __iter__(self) -> Any:
            return iter(["one"])

        def close(self) -> None:
            self.closed += 1

    class Plain(Scripted):
        def ask_stream(self, messages: Any, with_reasoning: bool = False, **params: Any) -> Any:
            return pieces

    pieces = Pieces()
    assert run_turn(ParsedPrompt("go"), [], Plain(), []).reply.text == "one"
    assert pieces.closed == 1


def test_a_model_that_swallows_an_interrupt_is_stopped_all_the_same() -> None:
    class Swallows(Scripted):
        def ask_stream(self, messages: Any, with_reasoning: bool = False, **params: Any) -> Any:
            yield "begin "
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                yield "swallowed "
            yield "end"

    shown: list[Reply] = []
    turns: list[Any] = []
    ticks = count()
    with pytest.raises(KeyboardInterrupt):
        run_turn(
            ParsedPrompt("go"), [], Swallows(), shown, on_turn=turns.append,
            clock=lambda: next(ticks),
        )  # fmt: skip
    assert shown[-1].state == "interrupted"
    assert shown[-1].shown.endswith(MARK)
    assert "end" not in shown[-1].text
    assert [turn.reply for turn in turns] == [shown[-1]]


def test_a_fake_model_streams_through_a_turn() -> None:
    model = FakeLLMModel(stream_wps=1e6).response_always(("thinking", "你好，世界 and more"))
    turn = run_turn(ParsedPrompt("go"), [], model, [])
    assert turn.reply.text == "你好，世界 and more"
    assert turn.reply.reasoning == "thinking"
    assert turn.reply.metadata["dialog_ext"]["reasoning"] == "thinking"
    assert turn.reply.provenance["finish_reason"] == "stop"
