"""Files of messages: what is written, what is read back, and what a failure leaves."""

from __future__ import annotations

import enum
import json
import os
import stat
import sys
import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dialog_ext.history import LLMHistory

KINDS = ["json", "yaml"]


def dump(history: LLMHistory, kind: str, file: Any, **params: Any) -> None:
    getattr(history, f"dump_{kind}")(file, **params)


def load(kind: str, file: Any) -> LLMHistory:
    loaded = getattr(LLMHistory, f"load_{kind}")(file)
    assert type(loaded) is LLMHistory
    return loaded


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(tmp_path / "history.txt")


HISTORY = (
    LLMHistory()
    .with_system_prompt("Sei höflich 😀")
    .with_user_message(["你好，世界", "ещё"])
    .with_message("assistant", None, tool_calls=[{"id": "1", "function": {"name": "f"}}])
    .with_message("tool", "line\nline\n  end ", tool_call_id="1")
)


# written


def test_json_as_documented(file: str) -> None:
    LLMHistory([{"role": "user", "content": "hé 😀"}]).dump_json(file)
    text = Path(file).read_text(encoding="utf-8")
    assert text == '[\n  {\n    "content": "hé 😀",\n    "role": "user"\n  }\n]'


def test_yaml_as_documented(file: str) -> None:
    LLMHistory([{"role": "user", "content": "hé 😀", "parts": [{"a": 1}]}]).dump_yaml(file)
    text = Path(file).read_text(encoding="utf-8")
    assert text == "- content: hé 😀\n  parts:\n  - a: 1\n  role: user\n"


def test_json_defaults_are_overridden_one_by_one(file: str) -> None:
    history = LLMHistory([{"role": "user", "content": "é"}])
    history.dump_json(file, indent=None)
    assert Path(file).read_text(encoding="utf-8") == '[{"content": "é", "role": "user"}]'
    history.dump_json(file, indent=None, ensure_ascii=True, sort_keys=False)
    assert Path(file).read_text(encoding="utf-8") == '[{"role": "user", "content": "\\u00e9"}]'


def test_yaml_defaults_are_overridden_one_by_one(file: str) -> None:
    history = LLMHistory([{"role": "user", "content": "é"}])
    history.dump_yaml(file, default_flow_style=True)
    assert Path(file).read_text(encoding="utf-8") == "[{content: é, role: user}]\n"
    history.dump_yaml(file, sort_keys=False, allow_unicode=False)
    assert Path(file).read_text(encoding="utf-8") == '- role: user\n  content: "\\xE9"\n'
    history.dump_yaml(file, encoding="utf-8", explicit_start=True)
    assert Path(file).read_text(encoding="utf-8") == "---\n- content: é\n  role: user\n"


@pytest.mark.parametrize("kind", KINDS)
def test_missing_folders_are_made(kind: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    for file in (str(tmp_path / "a" / "b" / "h"), "c/d/h", "plain", Path("p")):
        dump(HISTORY, kind, file)
        assert load(kind, file) == HISTORY


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_file_is_left(kind: str, tmp_path: Path) -> None:
    for _ in range(2):
        dump(HISTORY, kind, str(tmp_path / "h"))
    assert [p.name for p in tmp_path.iterdir()] == ["h"]


def test_tuples_are_written_as_lists(file: str) -> None:
    history = LLMHistory([{"role": "user", "content": ("a", {"b": (1,)})}])
    for kind in KINDS:
        dump(history, kind, file)
        assert load(kind, file)[0]["content"] == ["a", {"b": [1]}]


def test_yaml_of_subclasses_of_basic_types(file: str) -> None:
    class Role(enum.StrEnum):
        USER = "user"

    class Level(enum.IntEnum):
        LOW = 1

    class Text(str):
        __slots__ = ()

    class Half(float):
        pass

    message = {"role": Role.USER, "content": Text("a"), "level": Level.LOW, "half": Half(0.5)}
    history = LLMHistory([OrderedDict(message)])
    for kind in KINDS:
        dump(history, kind, file)
        assert load(kind, file).to_json() == [
            {"role": "user", "content": "a", "level": 1, "half": 0.5}
        ]
        assert load(kind, file) == history


def test_yaml_repeats_what_is_shared(file: str) -> None:
    shared = ["a"]
    LLMHistory([{"role": "user", "content": shared, "again": shared}]).dump_yaml(file)
    assert "&id" not in Path(file).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["你" * 85, "a" * 255, "😀" * 63], ids=["3", "1", "4"])
def test_the_longest_names_that_a_file_may_have(name: str, tmp_path: Path) -> None:
    HISTORY.dump_json(str(tmp_path / name))
    assert LLMHistory.load_json(str(tmp_path / name)) == HISTORY


@pytest.mark.parametrize("kind", KINDS)
def test_keys_that_a_file_cannot_hold_are_named(kind: str, file: str) -> None:
    dump(HISTORY, kind, file)
    with pytest.raises(TypeError, match=r"tuple|keys must be"):
        dump(LLMHistory([{"role": "user", "content": {("a", 1): "b"}}]), kind, file)
    assert load(kind, file) == HISTORY


# a failure leaves what was there


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("content", [object(), threading.Lock(), {"a": [object()]}])
def test_what_cannot_be_written_leaves_the_file(
    kind: str, content: Any, file: str, tmp_path: Path
) -> None:
    dump(HISTORY, kind, file)
    with pytest.raises((TypeError, yaml.YAMLError)):
        dump(LLMHistory([{"role": "user", "content": content}]), kind, file)
    assert load(kind, file) == HISTORY
    assert [p.name for p in tmp_path.iterdir()] == ["history.txt"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.replace"])
def test_a_failing_write_leaves_the_file(
    kind: str, error: BaseException, step: str, file: str, tmp_path: Path, monkeypatch: Any
) -> None:
    dump(HISTORY, kind, file)

    def fail(*args: Any) -> None:
        raise error

    monkeypatch.setattr(step, fail)
    with pytest.raises(type(error)):
        dump(LLMHistory(), kind, file)
    monkeypatch.undo()
    assert load(kind, file) == HISTORY
    assert [p.name for p in tmp_path.iterdir()] == ["history.txt"]


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions and links")
def test_permissions_and_links_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("")
    real.chmod(0o640)
    link.symlink_to(real)
    HISTORY.dump_json(str(link))
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert LLMHistory.load_json(str(real)) == HISTORY


@pytest.mark.skipif(sys.platform == "win32", reason="umask is POSIX")
def test_a_new_file_has_the_usual_permissions(file: str) -> None:
    HISTORY.dump_json(file)
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(Path(file).stat().st_mode) == 0o666 & ~umask


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are POSIX")
def test_a_pipe_is_written_directly(tmp_path: Path) -> None:
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    LLMHistory().dump_json(str(pipe))
    reader.join(5)
    assert got == [b"[]"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_folder_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r".+"):
        HISTORY.dump_json(str(tmp_path))


# read


@pytest.mark.parametrize("kind", KINDS)
def test_missing_file(kind: str, tmp_path: Path) -> None:
    path = str(tmp_path / "none" / "h.json")
    with pytest.raises(FileNotFoundError) as got:
        load(kind, path)
    assert str(got.value) == f"File not found: {path}"


def test_broken_json(file: str) -> None:
    Path(file).write_text("[{")
    with pytest.raises(json.JSONDecodeError) as got:
        LLMHistory.load_json(file)
    assert type(got.value) is json.JSONDecodeError


def test_broken_yaml(file: str) -> None:
    Path(file).write_text("- [a: b")
    with pytest.raises(yaml.YAMLError):
        LLMHistory.load_yaml(file)


def test_unsafe_yaml_is_refused(file: str) -> None:
    Path(file).write_text("- !!python/tuple [a]")
    with pytest.raises(yaml.YAMLError):
        LLMHistory.load_yaml(file)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("data", [{}, {"role": "user"}, "text", 3, None])
def test_no_list(kind: str, data: Any, file: str) -> None:
    Path(file).write_text(json.dumps(data))
    text = f"^{kind.upper()} file must contain a list of messages$"
    with pytest.raises(ValueError, match=text):
        load(kind, file)


def test_empty_yaml(file: str) -> None:
    Path(file).write_text("")
    with pytest.raises(ValueError, match=r"^YAML file must contain a list of messages$"):
        LLMHistory.load_yaml(file)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("item", "text"),
    [
        ("x", "must be a dictionary"),
        (["role", "content"], "must be a dictionary"),
        ({}, "must have 'role' and 'content' fields"),
        ({"role": "user"}, "must have 'role' and 'content' fields"),
        ({"content": "x"}, "must have 'role' and 'content' fields"),
        ({"role": None, "content": "x"}, "must have a text as its role"),
        ({"role": 3, "content": "x"}, "must have a text as its role"),
    ],
)
def test_bad_item(kind: str, item: Any, text: str, file: str) -> None:
    good = {"role": "user", "content": "x"}
    for index in (0, 1):
        Path(file).write_text(json.dumps([good] * index + [item]))
        with pytest.raises(ValueError, match=f"^Message at index {index} {text}$"):
            load(kind, file)


@pytest.mark.parametrize("kind", KINDS)
def test_any_role_that_is_a_text_is_read(kind: str, file: str) -> None:
    history = LLMHistory([{"role": "developer", "content": None}])
    dump(history, kind, file)
    assert load(kind, file) == history


@pytest.mark.parametrize("kind", KINDS)
def test_a_byte_order_mark_is_no_hindrance(kind: str, file: str) -> None:
    Path(file).write_text('[{"role": "user", "content": "é"}]', encoding="utf-8-sig")
    assert load(kind, file)[0]["content"] == "é"


# round trips


@pytest.mark.parametrize("kind", KINDS)
def test_round_trip(kind: str, file: str) -> None:
    dump(HISTORY, kind, file)
    loaded = load(kind, file)
    assert loaded == HISTORY
    assert hash(loaded) == hash(HISTORY)
    dump(LLMHistory(), kind, file)
    assert load(kind, file) == LLMHistory()


@pytest.mark.parametrize("order", [("json", "yaml"), ("yaml", "json")])
def test_one_format_after_the_other(order: tuple[str, str], file: str) -> None:
    history = HISTORY
    for kind in order:
        dump(history, kind, file)
        history = load(kind, file)
    assert history == HISTORY


def test_half_a_surrogate_pair_survives(file: str) -> None:
    history = LLMHistory().with_user_message("a\ud83dz")
    for kind in KINDS:
        dump(history, kind, file)
        assert load(kind, file) == history


BREAKS = [
    "\x85",
    "a\u2028b",
    "\u2029",
    "\ufeffa",
    "a\rb",
    "\r\n",
    "\t",
    " a ",
    "\na\n",
    "x\x00\x07",
]
LOOKALIKES = [
    "null",
    "1e3",
    "",
    "~",
    "- a",
    "a: b",
    "#",
    "2001-01-01",
    "=",
    "<<",
    "yes",
    "word " * 60,
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", BREAKS + LOOKALIKES)
def test_texts_that_yaml_might_take_for_something_else(kind: str, text: str, file: str) -> None:
    history = LLMHistory([{"role": "user", "content": text, text: [text]}])
    dump(history, kind, file)
    assert load(kind, file) == history


texts = st.text(max_size=12) | st.text(
    " \n\r\t:-#'\"\\|>&*!%@`{}[],?0~\x85\u2028\ufeff", max_size=8
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
messages = st.fixed_dictionaries({"role": texts, "content": values}, optional={"name": texts})


@given(st.lists(messages, max_size=3))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_messages_survive_both_formats(file: str, given_list: list[dict[str, Any]]) -> None:
    history = LLMHistory(given_list)
    for kind in KINDS:
        dump(history, kind, file)
        assert load(kind, file) == history
