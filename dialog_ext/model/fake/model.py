"""A model that answers from rules: offline, at once or at a pace, the same every time."""

from __future__ import annotations

import copy
import math
from abc import ABCMeta
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, Self

from dialog_ext.model.base import LLMModel
from dialog_ext.model.fake.answer import Answer, FakeResponseTyping, FixedResponse, as_answer
from dialog_ext.model.fake.conditions import KeywordInLastMessage, always
from dialog_ext.model.fake.errors import NoResponseRuleError
from dialog_ext.model.fake.rules import Rule
from dialog_ext.model.fake.sequence import FakeResponseSequence, SequenceNext, SequenceOpen
from dialog_ext.model.fake.stream import FakeResponseStream, paced
from dialog_ext.model.stream import ResponseStream

__all__ = ["FakeLLMModel"]


class _FrozenWhenMade(ABCMeta):
    """Freeze an instance when its whole ``__init__`` is done, a subclass's own part included."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        made = super().__call__(*args, **kwargs)
        object.__setattr__(made, "_frozen", True)
        return made


class FakeLLMModel(LLMModel, metaclass=_FrozenWhenMade):
    """A model that answers by the first of its rules that matches; a value that never changes.

    Every method that adds or changes something gives a new model of the same class, with
    the attributes that a subclass has set.

    Parameters
    ----------
    stream_wps : float, default 50
        Words per second of a stream, above 0; ``math.inf`` streams without waiting.
    rules : list of (callable, response), optional
        The rules; made by the ``response_*`` methods, not meant for callers.

    Raises
    ------
    TypeError
        If the rate is no number, or a rule holds no callable or no response.
    ValueError
        If the rate is not above 0, or a rule or a response pair has not two items.

    Notes
    -----
    A sequence's place is not part of the model's value: asking changes neither its hash
    nor what it equals. The place belongs to one model object. A model derived or copied
    from it has the same rules and starts its sequences at their beginning. Each answer
    of a sequence is given once, also when threads ask together.

    Attributes are open until ``__init__`` is done, so a subclass may set its own there.

    Examples
    --------
    >>> model = FakeLLMModel(stream_wps=20).response_always(("easy", "It is 4."))
    >>> model.ask([{"role": "user", "content": "2 + 2?"}], with_reasoning=True)
    ('easy', 'It is 4.')
    """

    _frozen = False
    _stream_wps: float
    _rules: tuple[tuple[Callable[..., Any], Any], ...]
    _steps: tuple[Rule, ...]

    def __init__(
        self,
        stream_wps: float = 50,
        rules: Sequence[tuple[Callable[..., Any], FakeResponseTyping]] | None = None,
    ) -> None:
        self._stream_wps = _checked_rate(stream_wps)
        self._rules = tuple((when, response) for when, response in rules or ())
        self._steps = tuple(Rule(when, response) for when, response in self._rules)

    @property
    def stream_wps(self) -> float:
        """Words per second of a stream (float), as given."""
        return self._stream_wps

    @property
    def rules_count(self) -> int:
        """How many rules there are (int)."""
        return len(self._rules)

    def with_stream_wps(self, stream_wps: float) -> Self:
        """Give the model at another pace.

        Parameters
        ----------
        stream_wps : float
            Words per second, above 0.

        Returns
        -------
        FakeLLMModel
            A new model; sequences start at their beginning.

        Raises
        ------
        TypeError, ValueError
            If the rate is no number, or not above 0.
        """
        return self._with(_stream_wps=_checked_rate(stream_wps))

    def response_always(self, response: FakeResponseTyping) -> Self:
        """Add a rule that matches any messages, also none.

        Parameters
        ----------
        response : str, (str, str) or callable
            Content, (reasoning, content), or a function of (messages, **params) that
            gives either.

        Returns
        -------
        FakeLLMModel
            A new model.

        Raises
        ------
        TypeError, ValueError
            If the response is of none of these forms.
        """
        return self._with_rule(always, response)

    def response_when(self, fn_when: Callable[..., bool], response: FakeResponseTyping) -> Self:
        """Add a rule with a condition of its own.

        Parameters
        ----------
        fn_when : callable
            Takes the messages, by position, and all extra arguments of ``ask`` by
            keyword; the rule matches where it answers true.
        response : str, (str, str) or callable
            Content, (reasoning, content), or a function of (messages, **params) that
            gives either.

        Returns
        -------
        FakeLLMModel
            A new model.

        Raises
        ------
        TypeError, ValueError
            If the condition cannot be called, or the response is of none of these forms.
        """
        return self._with_rule(fn_when, response)

    def response_when_keyword_in_last_message(
        self, keywords: str | list[str], response: FakeResponseTyping
    ) -> Self:
        """Add a rule that matches where a keyword stands in the last message.

        Parameters
        ----------
        keywords : str or list of str
            One of them is enough. The texts inside a list of content parts count; a
            message without text is no match.
        response : str, (str, str) or callable
            Content, (reasoning, content), or a function of (messages, **params) that
            gives either.

        Returns
        -------
        FakeLLMModel
            A new model.

        Raises
        ------
        TypeError, ValueError
            If a keyword is no str, or the response is of none of these forms.
        """
        return self._with_rule(KeywordInLastMessage(keywords), response)

    def response_sequence(self, responses: Sequence[FixedResponse]) -> Self:
        """Add a rule that gives one answer after the other, and then matches no more.

        Parameters
        ----------
        responses : list of (str or (str, str))
            The answers, in order.

        Returns
        -------
        FakeLLMModel
            A new model.

        Raises
        ------
        ValueError
            If there are no answers.
        TypeError
            If it is one text instead of a list, or an answer is of another form.
        """
        sequence = FakeResponseSequence(responses)
        if not sequence.has_more_responses:
            raise ValueError("Response sequence cannot be empty")
        return self._with_rule(SequenceOpen(sequence), SequenceNext(sequence))

    def clear_rules(self) -> Self:
        """Give the model without any rule.

        Returns
        -------
        FakeLLMModel
            A new model at the same pace.
        """
        return self._with(_rules=(), _steps=())

    def ask(
        self, messages: Sequence[dict[str, Any]], with_reasoning: bool = False, **params: Any
    ) -> str | tuple[str | None, str]:
        """Answer by the first rule that matches.

        Parameters
        ----------
        messages : sequence of dict
            The conversation, oldest first.
        with_reasoning : bool, default False
            Whether to return the reasoning too.
        **params : Any
            Given on to conditions and response functions.

        Returns
        -------
        str or tuple of (str, str)
            The content, or (reasoning, content); the reasoning is ``''`` where there is
            none.

        Raises
        ------
        NoResponseRuleError
            If no rule matches; an ``AssertionError`` and a ``LookupError``.
        """
        reasoning, content = self._answer(messages, params)
        return (reasoning, content) if with_reasoning else content

    def ask_stream(
        self, messages: Sequence[dict[str, Any]], with_reasoning: bool = False, **params: Any
    ) -> ResponseStream:
        """Answer by the first rule that matches, word by word.

        The rule is found, and a sequence moves on, when this is called; the words come
        at the model's pace while the stream is read, with no wait before the first and
        none after the last.

        Parameters
        ----------
        messages : sequence of dict
            The conversation, oldest first.
        with_reasoning : bool, default False
            Whether the reasoning is among the pieces.
        **params : Any
            Given on to conditions and response functions.

        Returns
        -------
        FakeResponseStream
            To iterate over once.

        Raises
        ------
        NoResponseRuleError
            If no rule matches; an ``AssertionError`` and a ``LookupError``.
        """
        reasoning, content = self._answer(messages, params)
        return FakeResponseStream(
            paced(reasoning, content, self._stream_wps), with_reasoning=with_reasoning
        )

    def _answer(self, messages: Sequence[dict[str, Any]], params: dict[str, Any]) -> Answer:
        for step in self._steps:
            answer = step.answer(messages, params)
            if answer is not None:
                return as_answer(answer)
        raise NoResponseRuleError.about(messages)

    def _with_rule(self, when: Callable[..., Any], response: Any) -> Self:
        made = copy.copy(self)
        vars(made).update(
            _rules=(*self._rules, (when, response)), _steps=(*made._steps, Rule(when, response))
        )
        return made

    def _with(self, **changed: Any) -> Self:
        made = copy.copy(self)
        vars(made).update(changed)
        return made

    def __getstate__(self) -> object:
        return object.__getstate__(self)

    def __setstate__(self, state: Any) -> None:
        attributes, slots = state if isinstance(state, tuple) else (state, {})
        vars(self).update(attributes)
        for name, value in slots.items():
            object.__setattr__(self, name, value)
        # A sequence's place belongs to one model: a copy starts at the beginning.
        vars(self)["_steps"] = tuple(step.fresh() for step in self._steps)

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse any change once the model is made.

        Parameters
        ----------
        name : str
            The attribute, known or new.
        value : Any
            Not looked at.

        Raises
        ------
        AttributeError
            Always, after ``__init__``.
        """
        if self._frozen:
            raise AttributeError(
                f"Cannot modify attribute {name!r} of immutable {type(self).__name__}"
            )
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> NoReturn:
        """Refuse to delete anything.

        Parameters
        ----------
        name : str
            The attribute.

        Raises
        ------
        AttributeError
            Always.
        """
        raise AttributeError(f"Cannot delete attribute {name!r} of immutable {type(self).__name__}")

    def __eq__(self, other: object) -> bool:
        """Tell whether the other is of the same class, with the same rate and rules in order."""
        if not isinstance(other, FakeLLMModel):
            return NotImplemented
        return (
            type(self) is type(other)
            and self._stream_wps == other._stream_wps
            and self._steps == other._steps
        )

    def __hash__(self) -> int:
        """Hash class, rate and rules; asking does not change it."""
        return hash((type(self), self._stream_wps, self._steps))

    def __repr__(self) -> str:
        """Show the rate and the number of rules.

        Returns
        -------
        str
            For example ``FakeLLMModel(stream_wps=50, rules_count=2)``.
        """
        name, wps = type(self).__name__, self._stream_wps
        return f"{name}(stream_wps={wps!r}, rules_count={self.rules_count})"


def _checked_rate(stream_wps: Any) -> float:
    if isinstance(stream_wps, str) or not hasattr(stream_wps, "__float__"):
        raise TypeError(f"stream_wps is a number, not {type(stream_wps).__name__}.")
    if not stream_wps > 0 or not math.isfinite(1 / float(stream_wps)):
        raise ValueError(f"stream_wps must be above 0, not {stream_wps!r}.")
    rate: float = stream_wps
    return rate
