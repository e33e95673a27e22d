"""Loading, reloading, unloading; ``%dialog``; the session in Python."""

from __future__ import annotations

import subprocess
import sys

import pytest
from kernels import Kernel

pytestmark = pytest.mark.kernel

SESSION = "__import__('dialog_ext').get_session()"

STATE = """
def state(ip):
    kernel, manager = ip.kernel, ip.input_transformer_manager
    return {
        "cell magics": sorted(ip.magics_manager.magics["cell"]),
        "line magics": sorted(ip.magics_manager.magics["line"]),
        "registry": sorted(ip.magics_manager.registry),
        "events": {name: list(map(repr, found)) for name, found in ip.events.callbacks.items()},
        "cleanups": list(map(repr, manager.cleanup_transforms)),
        "tokens": list(map(repr, manager.token_transformers)),
        "lines": list(map(repr, manager.line_transforms)),
        "targets": sorted(kernel.comm_manager.targets),
        "control": sorted(kernel.control_handlers),
        "shell": sorted(kernel.shell_handlers),
        "streams": list(map(repr, (sys.stdout, sys.stderr, sys.displayhook, sys.excepthook))),
        "sending": (repr(kernel.iopub_thread.send_multipart), sorted(vars(kernel.iopub_thread))),
        "session": sorted(vars(kernel.session)),
        "publisher": (repr(ip.display_pub), sorted(vars(ip.display_pub))),
        "signal": repr(signal.getsignal(signal.SIGINT)),
        "namespace": sorted(k for k in ip.user_ns if not k.startswith("_")),
    }
import signal, sys
"""


def test_one_line_and_nothing_heavy(bare_kernel: Kernel) -> None:
    bare_kernel.run("import sys; before = set(sys.modules)")
    ran = bare_kernel.run("%load_ext dialog_ext")
    assert ran.status == "ok"
    assert ran.text.count("\n") == 1
    assert ran.text.startswith("dialog_ext 0.1.0 · model: fake · notebook: what ran in this kernel")
    loaded = set(bare_kernel.value("[m for m in sys.modules if m not in before]"))
    heads = {name.partition(".")[0] for name in loaded}
    heavy = {"PIL", "jieba", "yaml", "rich", "openai", "anthropic", "requests", "httpx", "ssl"}
    assert not heads & heavy


def test_unload_leaves_ipython_as_it_was(bare_kernel: Kernel) -> None:
    bare_kernel.run("%unload_ext dialog_ext")
    assert bare_kernel.run(STATE).status == "ok"
    bare_kernel.run("before = state(get_ipython()); during = after = None")
    before = bare_kernel.value("state(get_ipython())")
    bare_kernel.run("%load_ext dialog_ext")
    during = bare_kernel.value("state(get_ipython())")
    bare_kernel.run("%%prompt\nhello")
    bare_kernel.run("%reload_ext dialog_ext")
    again = bare_kernel.value("state(get_ipython())")
    assert {name: during[name] for name in ("cell magics", "line magics", "registry")} == {
        name: again[name] for name in ("cell magics", "line magics", "registry")
    }
    assert len(again["cleanups"]) == len(before["cleanups"]) + 1
    assert len(again["events"]["pre_run_cell"]) == len(before["events"]["pre_run_cell"]) + 1
    bare_kernel.run("%unload_ext dialog_ext")
    assert bare_kernel.value("state(get_ipython())") == before
    ran = bare_kernel.run("%%prompt\nhello")
    assert ran.status == "error"
    assert "not found" in ran.text
    ran = bare_kernel.run("__import__('dialog_ext').get_session()")
    assert "Run %load_ext dialog_ext first." in ran.text


def test_magics_that_were_there_come_back(bare_kernel: Kernel) -> None:
    bare_kernel.run("%unload_ext dialog_ext")
    bare_kernel.run(
        "from IPython.core.magic import register_line_magic\n"
        "@register_line_magic\ndef dialog(line): print('mine')"
    )
    bare_kernel.run("%load_ext dialog_ext")
    assert "model" in bare_kernel.run("%dialog").text
    bare_kernel.run("%unload_ext dialog_ext")
    assert bare_kernel.run("%dialog").text == "mine\n"
    bare_kernel.run("del get_ipython().magics_manager.magics['line']['dialog']")


def test_the_state_in_a_few_lines(fresh: Kernel) -> None:
    fresh.run("1 + 1")
    fresh.run("%%prompt\nhello")
    text = fresh.run("%dialog").text
    lines = dict(line.split(maxsplit=1) for line in text.replace("last turn", "turn").splitlines())
    assert lines["model"] == "fake"
    assert lines["notebook"] == "what ran in this kernel"
    assert "1 prompt" in lines["messages"]
    assert lines["tokens"].startswith("≈ ")
    assert lines["turn"].startswith("done in ")


def test_dialog_context_shows_what_would_be_sent_and_is_no_part_of_it(fresh: Kernel) -> None:
    fresh.run("secret_of_the_day = 7", cell="a")
    shown = fresh.run("%dialog context", cell="b")
    assert "secret_of_the_day = 7" in shown.text
    fresh.run("%%prompt\ngo", cell="c")
    contents = fresh.value(f"[m['content'] for m in {SESSION}.last_request.messages[:-1]]")
    for content in contents:
        assert content in shown.text
    assert "%dialog context" not in "\n".join(contents)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("%dialog contxt", "Did you mean %dialog context?"),
        ("%dialog model nobody", "There is no model 'nobody'"),
        ("%dialog speed fast", "'fast' is not a number of words a second."),
        ("%dialog speed 0", "'0' is not a number of words a second."),
    ],
)
def test_mistakes_are_answered_in_two_lines(fresh: Kernel, line: str, says: str) -> None:
    ran = fresh.run(line)
    assert ran.status == "error"
    assert says in ran.text
    assert len(ran.outputs[0]["traceback"]) <= 2


def test_switching_models_by_variable_and_back(fresh: Kernel) -> None:
    fresh.run(
        "from dialog_ext.model import FakeLLMModel\n"
        "mine = FakeLLMModel(stream_wps=1e6).response_always('I am yours')\nnot_one = 5"
    )
    assert "FakeLLMModel" in fresh.run("%dialog model mine").text
    assert fresh.run("%%prompt\nhello").reply == "I am yours"
    assert fresh.run("%dialog model not_one").status == "error"
    fresh.run("%dialog model fake")
    assert fresh.run("%%prompt\nhello").reply.startswith("Hello!")


def test_the_offline_model_at_another_speed(fresh: Kernel) -> None:
    assert "200 words a second" in fresh.run("%dialog speed 200").text
    assert fresh.value(f"{SESSION}.model.stream_wps") == 200
    assert fresh.value(f"{SESSION}.model.name") == "fake"
    assert fresh.run("%%prompt\nhello").reply.startswith("Hello!")


def test_the_session_in_python(fresh: Kernel) -> None:
    fresh.run("import dialog_ext\nsession = dialog_ext.get_session()", cell="s")
    fresh.run("print('for the model')", cell="a")
    ran = fresh.run("said = session.ask('what was the last output?')", cell="b")
    assert ran.outputs == []
    assert "for the model" in fresh.value("said")
    assert fresh.value("session.last_request.messages[-1]") == {
        "role": "user",
        "content": "what was the last output?",
    }
    assert fresh.value("session.last_request.cells") == ("s", "a")
    assert fresh.value("[m.msg_type for m in session.dialog.messages]")[-3:] == ["code"] * 3
    assert fresh.value("session.dialog.messages[-2].output[0]['text']") == "for the model\n"
    assert (
        fresh.value("type(session.context).__mro__[-2].__name__ and len(session.context.as_list())")
        == 3
    )
    fresh.run("session.ask('  ')", cell="c")
    assert "TypeError" in fresh.run("session.model = 5").text
    ran = fresh.run("session.model = 'nobody'", cell="d")
    assert "There is no model 'nobody'" in ran.text


def test_without_a_kernel_the_package_says_so() -> None:
    code = (
        "import dialog_ext\n"
        "try: dialog_ext.get_session()\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == (
        "NoSession dialog_ext is not loaded in this kernel.\nRun %load_ext dialog_ext first.\n"
    )


def test_in_terminal_ipython() -> None:
    code = (
        "%load_ext dialog_ext\n6 * 7\n%prompt what was the last output?\n"
        "1 / 0\n%prompt what was the last error?\n%dialog\n%unload_ext dialog_ext\n"
    )
    ran = subprocess.run(
        [sys.executable, "-m", "IPython", "--no-banner", "--simple-prompt", "--colors=nocolor",
         "--DialogExt.words_per_second=10000"],
        input=code, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert "The last output that I see:\n\n```\n42\n```" in ran.stdout
    assert "division by zero" in ran.stdout.rpartition("The last error that I see:")[2]
    assert "Traceback" not in ran.stderr


def test_prints_in_terminal_ipython() -> None:
    code = "%load_ext dialog_ext\nprint('for the model')\n%prompt what was the last output?\n"
    ran = subprocess.run(
        [sys.executable, "-m", "IPython", "--no-banner", "--simple-prompt", "--colors=nocolor",
         "--DialogExt.words_per_second=10000"],
        input=code, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert ran.stdout.count("The last output that I see:\n\n```\nfor the model") == 1
