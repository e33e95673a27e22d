"""The model that answers where none was set: offline, by rules, the same every time."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

from .. import labels
from ..tokens import message_tokens
from .fake import FakeLLMModel

Messages = Sequence[Mapping[str, Any]]

_OUTPUT = re.compile(
    rf"^(?P<label>{labels.OUTPUT}|{labels.ERROR})\n(?P<fence>`{{3,}})\n(?P<text>.*?)\n(?P=fence)$",
    re.DOTALL | re.MULTILINE,
)
_CODE = re.compile(
    rf"^{labels.CODE}\n(?P<fence>`{{3,}})python\n(?P<text>.*?)\n(?P=fence)$",
    re.DOTALL | re.MULTILINE,
)
_QUOTED_CODE = re.compile(r"```(?:python)?\n(?P<block>.*?)```|`(?P<span>[^`]+)`", re.DOTALL)
_ASKS_TO_EXPLAIN = re.compile(r"\bexplain\b:?\s*(?P<code>.*)", re.DOTALL | re.IGNORECASE)

_KINDS: Final = {labels.NOTE: "note", labels.CODE: "code cell", labels.RAW: "raw cell"}

REAL_MODELS: Final = """\
I am only the offline model: I follow a few rules, so that everything here can be tried and \
tested without a network. A model of your own is any object with `ask` and `ask_stream`:

```python
from dialog_ext.model import LLMModel   # derive from it
my_model = MyModel()
```

Then `%dialog model my_model` makes it the one that answers, and `%%prompt -m my_model` asks it \
once. `%dialog model fake` comes back to me."""


class DefaultModel(FakeLLMModel):
    """The fake model under the name by which ``%dialog model`` knows it."""

    name = "fake"


def default_model() -> FakeLLMModel:
    """Make the model that a new session starts with.

    Returns
    -------
    FakeLLMModel
        It greets, says what it was given, explains code by its structure, repeats the
        last output, and says how to set a real model.
    """
    model = DefaultModel()
    for pattern, answer in _RULES:
        model = model.response_when(_Asks(pattern), answer)
    return model.response_always(_about_the_request)


@dataclass(frozen=True, slots=True)
class _Asks:
    """A rule's condition: the last message matches; equal for equal patterns."""

    pattern: str

    def __call__(self, messages: Messages, **params: Any) -> bool:
        found = messages and re.search(self.pattern, text_of(messages[-1]), re.IGNORECASE)
        return bool(found)


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a wire message, its pictures left out."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content if isinstance(part, Mapping))


def _greeting(messages: Messages, **params: Any) -> str:
    return f"Hello! I am the offline model of dialog_ext.\n\n{_given(messages)}"


def _greeting_in_chinese(messages: Messages, **params: Any) -> str:
    return f"你好，世界！我是 dialog_ext 的离线模型，不需要网络就能回答。\n\n{_given(messages)}"


def _last_output(messages: Messages, **params: Any) -> str:
    found = _last_found(_OUTPUT, messages)
    if not found:
        return "I see no output yet: run a code cell above this prompt, then ask again."
    kind = "error" if found["label"] == labels.ERROR else "output"
    return f"The last {kind} that I see:\n\n{found['fence']}\n{found['text']}\n{found['fence']}"


def _explanation(messages: Messages, **params: Any) -> str:
    asked = _ASKS_TO_EXPLAIN.search(text_of(messages[-1]))
    quoted = _QUOTED_CODE.search(asked["code"]) if asked else None
    own = (quoted["block"] or quoted["span"]) if quoted else (asked["code"] if asked else "")
    above = _last_found(_CODE, messages[:-1])
    for code in filter(None, (own.strip(), above["text"] if above else "")):
        if lines := _described(code):
            return "Read by its structure alone, this code:\n\n" + "\n".join(
                f"- {line}" for line in lines
            )
    return "I can explain Python code by its structure, but I find none here.\n\n" + _given(
        messages
    )


def _described(code: str) -> list[str]:
    """What a piece of Python does, a line a statement; nothing if it is no Python."""
    try:
        statements = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    if all(isinstance(s, ast.Expr) and isinstance(s.value, ast.Name) for s in statements):
        return []  # a lone word is a word, not code
    return [_statement(statement) for statement in statements[:12]]


def _statement(node: ast.stmt) -> str:
    match node:
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return "imports " + ", ".join(f"`{name.name}`" for name in names)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return f"defines the function `{name}({', '.join(a.arg for a in node.args.args)})`"
        case ast.ClassDef(name=name):
            return f"defines the class `{name}`"
        case ast.Assign(targets=targets):
            return f"sets `{_short(targets[0])}` to `{_short(node.value)}`"
        case ast.For(target=target, iter=source):
            return f"goes through `{_short(source)}`, each time as `{_short(target)}`"
        case ast.Expr(value=ast.Call(func=function)):
            return f"calls `{_short(function)}`"
        case ast.Expr(value=value):
            return f"evaluates `{_short(value)}`"
        case _:
            return f"runs `{_short(node)}`"


def _short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split()).replace("`", "'")
    return text if len(text) <= 60 else f"{text[:59]}…"


def _about_models(messages: Messages, **params: Any) -> str:
    return REAL_MODELS


def _about_the_request(messages: Messages, **params: Any) -> str:
    return (
        f"I am the offline model, so I cannot really answer that.\n\n{_given(messages)}\n\n"
        "Ask me to `explain` code, what the `last output` was, or how to set a `real model`."
    )


def _given(messages: Messages) -> str:
    """Say what the request held: messages by kind, size, the last output."""
    kinds = Counter(map(_kind, messages[:-1]))
    del kinds["system"]
    counted = ", ".join(_counted(kind, number) for kind, number in sorted(kinds.items()))
    tokens = sum(map(message_tokens, messages))
    lines = [
        f"With your prompt I was given {counted or 'no other cell'}: ≈ {tokens} tokens in all."
    ]
    if found := _last_found(_OUTPUT, messages):
        last = found["text"].strip().splitlines() or [""]
        kind = "error" if found["label"] == labels.ERROR else "output"
        lines.append(
            f"The last {kind} that I see ends with `{last[-1][:80].replace('`', chr(39))}`."
        )
    return " ".join(lines)


def _counted(kind: str, number: int) -> str:
    plural = "replies" if kind == "reply" else f"{kind}s"
    return f"{number} {kind if number == 1 else plural}"


def _kind(message: Mapping[str, Any]) -> str:
    role = str(message.get("role"))
    if role != "user":
        return "reply" if role == "assistant" else role
    head = text_of(message).partition("\n")[0]
    return _KINDS.get(head, "prompt")


def _last_found(pattern: re.Pattern[str], messages: Messages) -> re.Match[str] | None:
    texts = (text_of(m) for m in reversed(messages[:]) if m.get("role") == "user")
    found = chain.from_iterable(reversed(list(pattern.finditer(text))) for text in texts)
    return next(found, None)


_RULES: Final[tuple[tuple[str, Callable[..., str]], ...]] = (
    (r"\bexplain\b", _explanation),
    (r"\blast (?:output|result|error)\b", _last_output),
    (r"\breal model\b|\bset a model\b|\banother model\b", _about_models),
    (r"你好", _greeting_in_chinese),
    (r"\A\W*(?:hello|hi|hey)\b|\bwhat do you see\b", _greeting),
)
