"""Random series of iopub messages: our folding against what nbclient and Lab save."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracle import as_lab, drawn, saved_by_nbclient, without_display_ids

from dialog_ext.dialog import Message

names = st.sampled_from(["stdout", "stderr"])
texts = st.text(alphabet="ab\n\r\b ", min_size=1, max_size=6)
display_ids = st.none() | st.sampled_from(["d1", "d2"])
bundles = st.dictionaries(
    st.sampled_from(["text/plain", "text/html", "image/png"]),
    st.text("xyz", max_size=3),
    max_size=2,
)


def message(kind: str, **content: Any) -> dict[str, Any]:
    header = {"msg_type": kind, "msg_id": "m"}
    return {
        "msg_type": kind,
        "header": header,
        "parent_header": {"msg_id": "p"},
        "metadata": {},
        "content": content,
    }


def display(kind: str) -> Any:
    def built(data: Any, metadata: Any, display_id: str | None) -> dict[str, Any]:
        content: dict[str, Any] = {"data": data, "metadata": metadata}
        if kind == "execute_result":
            content["execution_count"] = 3
        content["transient"] = {} if display_id is None else {"display_id": display_id}
        return message(kind, **content)

    metadata = st.dictionaries(st.sampled_from(["a", "b"]), st.booleans(), max_size=1)
    shown = st.sampled_from(["d1", "d2"]) if kind == "update_display_data" else display_ids
    return st.builds(built, bundles, metadata, shown)


messages = st.lists(
    st.one_of(
        st.builds(lambda name, text: message("stream", name=name, text=text), names, texts),
        display("display_data"),
        display("execute_result"),
        display("update_display_data"),
        st.builds(lambda wait: message("clear_output", wait=wait), st.booleans()),
        st.just(message("error", ename="E", evalue="v", traceback=["t1", "t2"])),
        st.just(message("execute_input", code="x", execution_count=3)),
        st.just(message("status", execution_state="busy")),
        st.just(message("comm_msg", comm_id="unknown", data={})),
    ),
    max_size=12,
)


@settings(max_examples=10_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(messages)
@pytest.mark.timeout(600)
def test_folding_is_what_jupyter_saves(series: list[dict[str, Any]]) -> None:
    ours = Message("x")
    for jmsg in series:
        ours.add_output(jmsg)
    assert without_display_ids(list(ours.output)) == as_lab(saved_by_nbclient(series))


def test_the_oracle_draws_carriage_returns_as_lab_does() -> None:
    assert drawn("10 %\r20 %\r") == "20 %"
    assert drawn("long\rab") == "abng"
    assert drawn("a\nb\rc\n") == "a\nc\n"
