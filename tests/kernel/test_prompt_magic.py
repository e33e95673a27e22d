"""``%%prompt`` in a real kernel: what is asked, what comes back, what is left alone."""

from __future__ import annotations

import json
import time
from itertools import pairwise

import nbformat
import pytest
from kernels import Kernel

pytestmark = pytest.mark.kernel

SESSION = "__import__('dialog_ext').get_session()"
ECHO = """
from dialog_ext.model import FakeLLMModel
echo = FakeLLMModel(stream_wps=1e6).response_always(
    lambda messages, **params: "got: " + str(messages[-1]["content"]))
%dialog model echo
"""


@pytest.fixture
def echo(fresh: Kernel) -> Kernel:
    """A kernel whose model answers with the prompt that it got."""
    assert fresh.run(ECHO).status == "ok"
    return fresh


def asked(kernel: Kernel) -> str:
    """The prompt as the model was last given it."""
    return kernel.value(f"{SESSION}.last_request.messages[-1]['content']")


@pytest.mark.parametrize(
    "text",
    [
        "explain print({'foo': 'bar'})",
        "what is {} and {",
        r"\frac{1}{2}",
        "{v:k for k,v in d.items()}",
        "why {{x}} in jinja",
        "explain {x.y}",
        "is it so?",
        "what is x??",
        "%time",
        "100 %",
        "!ls",
        "ls!",
        '"quoted" and \'quoted',
        "don't",
        "你好，世界",
        "🦊 emoji 👩‍🔬",
        ">>> x = 1",
        "In [1]: x",
        "  indented\n    more",
        "$HOME and $x",
        "`code` ```fence```",
        "two\n\nblank lines\n\n",
        "backslash \\",
        "tab\there",
        "-m is an option",
        "\x0b vertical and \u2028 line separators",
        "%%prompt again",
    ],
)
def test_the_body_is_the_prompt_as_typed(echo: Kernel, text: str) -> None:
    ran = echo.run(f"%%prompt\n{text}")
    assert ran.status == "ok", ran.text
    assert asked(echo) == text
    assert ran.reply == f"got: {text}"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("%%prompt explain {x}", "explain {x}"),
        ("%prompt what is x?", "what is x?"),
        ("%prompt explain $x, {y} and 'z", "explain $x, {y} and 'z"),
        ("# a note line above\n%%prompt\nask", "ask"),
        ("\n\n# one\n\n# two\n  %%prompt\nask", "ask"),
        ("%%prompt don't\nwith a body", "don't\nwith a body"),
        ("%%prompt -- -m is text", "-m is text"),
        ("x = 1\nif x:\n    %prompt is {x} one?", "is {x} one?"),
        ("%%time\n%%prompt\nnested", "nested"),
    ],
)
def test_other_places_of_the_prompt(echo: Kernel, source: str, expected: str) -> None:
    ran = echo.run(source)
    assert ran.status == "ok", ran.text
    assert asked(echo) == expected


def test_lone_surrogates_are_sent_as_replacement_characters(echo: Kernel) -> None:
    ran = echo.run("%%prompt\nodd \ud800 one")
    assert ran.status == "ok", ran.text
    assert asked(echo) == "odd \ufffd one"
    assert ran.reply == "got: odd \ufffd one"


def test_a_printed_lone_surrogate_harms_no_prompt(echo: Kernel) -> None:
    assert echo.run("print('odd', chr(0xD800))").text == "odd \ufffd\n"
    assert echo.run("chr(0xD800)").status == "ok"
    assert echo.run("print('still prints')").text == "still prints\n"
    assert echo.run("%%prompt\nwhat was that?").status == "ok"
    json.dumps(echo.value(f"{SESSION}.last_request.messages"), ensure_ascii=False).encode()


def test_a_prompt_of_a_megabyte(echo: Kernel) -> None:
    echo.run("brief = FakeLLMModel().response_always(lambda m, **p: str(len(m[-1]['content'])))")
    text = "all work and no play\n" * 50_000 + "end"
    ran = echo.run(f"%%prompt -m brief\n{text}")
    assert ran.status == "ok"
    assert ran.reply == str(len(text))
    assert asked(echo) == text


@pytest.mark.parametrize(
    "source", ["%%prompt", "%%prompt\n", "%%prompt\n \n\n", "%prompt", "%%prompt  "]
)
def test_an_empty_prompt_is_a_line_and_no_request(echo: Kernel, source: str) -> None:
    ran = echo.run(source)
    assert ran.status == "ok"
    assert [o["output_type"] for o in ran.outputs] == ["stream"]
    assert ran.text.strip() == "Nothing to ask: write the prompt below %%prompt, or on its line."
    assert echo.value(f"{SESSION}.last_request") is None


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("--modle x", "has no option --modle. Did you mean --model?"),
        ("--max-tokens many", "--max-tokens"),
        ("--max-tokens -3", "'-3' is not a whole number above 0"),
        ("--temperature warm", "'warm' is not a number of 0 or more"),
        ("--temperature nan", "'nan' is not a number of 0 or more"),
        ("--system 'no end", "has no end"),
        ("-m", "-m needs a value"),
        ("-o 1st", "cannot be the name of a variable"),
        ("-o __builtins__", "cannot be the name of a variable"),
        ("-o _", "cannot be the name of a variable"),
        ("--temp 1", "Did you mean --temperature?"),
        ('-m ""', "There is no model ''"),
        ("-m nobody", "There is no model 'nobody'"),
        ("-m ecko", "Did you mean echo?"),
    ],
)
def test_a_bad_option_is_one_clear_line(echo: Kernel, line: str, says: str) -> None:
    ran = echo.run(f"%%prompt {line}\nask")
    assert ran.status == "error"
    assert [o["output_type"] for o in ran.outputs] == ["error"]
    assert says in ran.outputs[0]["traceback"][0]
    assert len(ran.outputs[0]["traceback"]) <= 2
    assert echo.value(f"{SESSION}.last_request") is None


def test_options_reach_the_model(echo: Kernel) -> None:
    echo.run(
        "seen = {}\n"
        "def spy(messages, **params):\n"
        "    seen.update(params, system=messages[0]['content'], role=messages[0]['role'])\n"
        "    return 'seen'\n"
        "spying = FakeLLMModel(stream_wps=1e6).response_always(spy)"
    )
    ran = echo.run(
        "%%prompt -m spying --system \"Be 'brief'\" --max-tokens=50 --temperature 0.2 -o said\nask"
    )
    assert ran.status == "ok", ran.text
    assert echo.value("seen") == {
        "max_tokens": 50,
        "temperature": 0.2,
        "system": "Be 'brief'",
        "role": "system",
    }
    assert echo.value("said") == "seen"
    assert echo.run("%%prompt\nback").reply == "got: back"  # -m is for one prompt


def test_dry_run_shows_and_sends_nothing(echo: Kernel) -> None:
    echo.run(
        "calls = []\nspying = FakeLLMModel().response_always(lambda m, **p: calls.append(m) or 'x')"
    )
    echo.run("marker = 42")
    ran = echo.run("%%prompt -m spying --dry-run --max-tokens 9\nhow {much}?")
    assert ran.status == "ok"
    assert "marker = 42" in ran.text
    assert "how {much}?" in ran.text
    assert "max_tokens 9" in ran.text
    assert not ran.replies
    assert echo.value("calls") == []
    assert echo.value(f"{SESSION}.last_request") is None


def test_help_lists_each_option(echo: Kernel) -> None:
    ran = echo.run("%%prompt -h")
    assert ran.status == "ok"
    assert ran.text.strip().startswith("%%prompt [-m NAME]")
    for option in ("--model", "--system", "--max-tokens", "--temperature", "--out", "--dry-run"):
        assert option in ran.text


def test_the_saved_form_of_a_reply(echo: Kernel) -> None:
    above = echo.run("21 * 2", cell="above")
    assert above.status == "ok"
    ran = echo.run("%%prompt --max-tokens 7\nwhy?", cell="asks")
    (output,) = ran.outputs
    assert output["output_type"] == "display_data"
    assert output["data"] == {"text/markdown": "got: why?", "text/plain": "got: why?"}
    assert output["metadata"]["is_ai_res"] is True
    kept = output["metadata"]["dialog_ext"]
    assert kept["model"] == "FakeLLMModel"
    assert kept["params"] == {"max_tokens": 7}
    assert kept["state"] == "done"
    assert kept["finish_reason"] == "stop"
    assert kept["cells"][-1] == "above"
    assert "asks" not in kept["cells"]
    assert kept["tokens"]["input"] > 0 < kept["tokens"]["output"]
    assert kept["duration"] >= 0
    assert kept["started"].endswith("+00:00")
    assert kept["request"] == echo.value(f"{SESSION}.last_request.hash")
    cell = nbformat.v4.new_code_cell("%%prompt\nwhy?", outputs=ran.outputs)
    nbformat.validate(nbformat.v4.new_notebook(cells=[cell]))


def test_one_display_updated_in_place_and_complete_at_the_end(echo: Kernel) -> None:
    echo.run("slow = FakeLLMModel(stream_wps=40).response_always('word ' * 20)")
    ran = echo.run("%%prompt -m slow\ngo")
    shows = [m for m in ran.messages if m["msg_type"] in ("display_data", "update_display_data")]
    assert [m["msg_type"] for m in shows] == ["display_data"] + ["update_display_data"] * (
        len(shows) - 1
    )
    assert len({m["content"]["transient"]["display_id"] for m in shows}) == 1
    texts = [m["content"]["data"]["text/markdown"] for m in shows]
    assert texts[0].startswith("*Waiting for FakeLLMModel")
    assert "is_ai_res" not in shows[0]["content"]["metadata"]
    assert 4 <= len(texts) <= 25, "paced, neither silent nor for each of 40 pieces"
    for shorter, longer in pairwise(texts[1:]):
        assert longer.startswith(shorter)
    assert texts[-1] == "word " * 20
    states = [m["content"]["metadata"]["dialog_ext"]["state"] for m in shows]
    assert states == ["waiting"] + ["streaming"] * (len(shows) - 2) + ["done"]


def test_out_and_underscore_are_left_alone(echo: Kernel) -> None:
    ran = echo.run("6 * 7")
    echo.run("%%prompt\nask")
    assert echo.value("_") == 42
    assert echo.value(f"list(Out)[-1] == {ran.count}") is True


def test_an_empty_reply_is_said(echo: Kernel) -> None:
    echo.run("mute = FakeLLMModel(stream_wps=1e6).response_always(('thinking', ''))")
    ran = echo.run("%%prompt -m mute -o said\nask")
    assert ran.status == "ok"
    assert "The model gave an empty reply." in ran.text
    assert echo.value("said") == ""


def test_a_failing_model_is_two_lines_and_keeps_the_text(echo: Kernel) -> None:
    echo.run(
        "from dialog_ext.model import LLMModel, ResponseStream\n"
        "class Breaks(LLMModel):\n"
        "    def ask(self, messages, with_reasoning=False, **params): return ''\n"
        "    def ask_stream(self, messages, with_reasoning=False, **params):\n"
        "        def chunks():\n"
        "            yield ('', 'half a ')\n"
        "            raise OSError('the line is dead')\n"
        "        return ResponseStream(chunks(), with_reasoning)\n"
        "breaks = Breaks()"
    )
    ran = echo.run("%%prompt -m breaks\nask")
    assert ran.status == "error"
    assert "half a" in ran.reply
    error = ran.outputs[-1]
    assert error["ename"] == "ModelFailure"
    assert len(error["traceback"]) <= 2
    assert "OSError: the line is dead" in error["traceback"][0]
    assert echo.run("1 + 1").status == "ok"


FAILURES = {
    "no str": "yield 'half '; yield 5",
    "no str at first": "yield [1, 2]",
    "a group": "yield 'half '; raise ExceptionGroup('eg', [ValueError('x')])",
    "cancelled": "import asyncio; yield 'half '; raise asyncio.CancelledError",
    "exit": "yield 'half '; raise SystemExit(3)",
    "mute error": "yield 'half '; raise Mute",
}


@pytest.mark.parametrize("name", FAILURES)
def test_whatever_a_model_raises_is_a_line(echo: Kernel, name: str) -> None:
    echo.run(
        "from dialog_ext.model import LLMModel\n"
        "class Mute(Exception):\n"
        "    def __str__(self): raise RuntimeError('mute')\n"
        "class Odd(LLMModel):\n"
        "    @property\n"
        "    def name(self): raise RuntimeError('no name')\n"
        "    def ask(self, messages, with_reasoning=False, **params): return ''\n"
        "    def ask_stream(self, messages, with_reasoning=False, **params):\n"
        f"        {FAILURES[name]}\n"
        "odd = Odd()"
    )
    ran = echo.run("%%prompt -m odd\nask")
    assert ran.status == "error"
    assert ran.outputs[-1]["ename"] == "ModelFailure", ran.text
    assert len(ran.outputs) == 2
    assert len(ran.outputs[-1]["traceback"]) <= 2
    kept = ran.outputs[0]["metadata"]["dialog_ext"]
    assert (kept["state"], kept["model"]) == ("failed", "Odd")
    if name != "no str at first":
        assert ran.reply == "half\n\n*[Response interrupted]*"
    assert "failed in" in echo.run("%dialog").text


# interrupts


def interrupt_when(kernel: Kernel, request: str, text: str) -> object:
    """Interrupt the kernel once the reply shows ``text``; give what the cell brought."""
    done = []

    def watch(message: dict) -> None:
        shown = message["content"].get("data", {}).get("text/markdown", "")
        if text in shown and not done:
            done.append(True)
            kernel.manager.interrupt_kernel()

    return kernel.collect(request, watch)


@pytest.mark.parametrize("moment", ["Waiting", "word word"])
def test_an_interrupt_keeps_the_text_and_stops_the_queue(echo: Kernel, moment: str) -> None:
    echo.run(
        "import time\n"
        "def late(messages, **params):\n"
        "    time.sleep(30 if 'Waiting' in messages[-1]['content'] else 0)\n"
        "    return 'word ' * 600\n"
        "slow = FakeLLMModel(stream_wps=20).response_always(late)"
    )
    request = echo.send(f"%%prompt -m slow\n{moment}", cell="slow")
    queued = echo.send("never_run = True", cell="queued")
    ran = interrupt_when(echo, request, moment)
    assert ran.status == "error"
    assert ran.outputs[-1]["output_type"] == "error"
    assert len(ran.outputs[-1]["traceback"]) == 1
    text = ran.reply
    assert text.endswith("*[Response interrupted]*")
    assert text.splitlines()[-1] == "*[Response interrupted]*"
    if moment == "word word":
        assert text.startswith("word word")
    assert ran.replies[0]["metadata"]["dialog_ext"]["state"] == "interrupted"
    assert echo.reply_to(queued)["content"]["status"] == "aborted"
    assert echo.run("2 + 2").text == "4"
    assert echo.value("'never_run' in globals()") is False
    echo.run("%%prompt\nand now?")
    sent = json.dumps(echo.value(f"{SESSION}.last_request.messages"))
    assert "Response interrupted" not in sent
    assert ("word word" in sent) == (moment == "word word")


def test_interrupts_at_many_moments_leave_a_working_kernel(echo: Kernel) -> None:
    echo.run("slow = FakeLLMModel(stream_wps=60).response_always('word ' * 40)")
    echo.run("import threading; threads = threading.active_count()")
    for step in range(12):
        request = echo.send("%%prompt -m slow\ngo", cell=f"try-{step}")
        time.sleep(step * 0.025)
        echo.manager.interrupt_kernel()
        ran = echo.collect(request)
        if ran.status == "error" and ran.replies:
            assert ran.reply.endswith("*[Response interrupted]*") or ran.reply.endswith("word ")
        assert len(ran.outputs) <= 2
        assert echo.run("1 + 1").text == "2"
    assert echo.value("threading.active_count() - threads") <= 0


@pytest.mark.parametrize(
    ("scope", "seen"),
    [("above", "one two"), ("all", "one two"), ("none", ""), ("1", "two"), ("section", "one two")],
)
def test_an_option_chooses_the_cells(echo: Kernel, scope: str, seen: str) -> None:
    echo.run("'one'")
    echo.run("'two'")
    assert echo.run(f"%%prompt --context {scope}\nwhy?").status == "ok"
    sent = echo.value(f"str({SESSION}.last_request.messages[1:-1])")
    assert [word for word in ("one", "two") if f"'{word}'" in sent] == seen.split()


def test_a_scope_that_does_not_exist_is_told(echo: Kernel) -> None:
    ran = echo.run("%%prompt --context half\nwhy?")
    assert ran.status == "error"
    assert "not above, all, none, section or a number of cells" in ran.text
    assert len(ran.text.splitlines()) <= 2
