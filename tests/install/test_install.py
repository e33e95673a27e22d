"""The package as users get it: a plain install, and what Binder makes of it."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = [pytest.mark.install, pytest.mark.timeout(900)]

ROOT = Path(__file__).parents[2]


def run(*command: object, cwd: Path, **settings: object) -> str:
    ran = subprocess.run(
        list(map(str, command)), cwd=cwd, capture_output=True, text=True, check=False, **settings
    )
    assert ran.returncode == 0, f"{command}\n{ran.stdout}\n{ran.stderr}"
    return ran.stdout


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that a clone would have, and nothing else."""
    folder = tmp_path_factory.mktemp("clone") / "dialog_ext"
    listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=ROOT)
    for name in filter(lambda name: (ROOT / name).is_file(), listed.splitlines()):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def binder(clone: Path) -> Path:
    """A fresh environment with what binder/requirements.txt asks for."""
    venv = clone.parent / "venv"
    run(sys.executable, "-m", "venv", venv, cwd=clone)
    run(venv / "bin/pip", "install", "-q", "-r", "binder/requirements.txt", cwd=clone)
    return venv


def test_the_example_runs_by_the_console_script(clone: Path, binder: Path) -> None:
    told = run(binder / "bin/dialog", "run", "examples/first-dialog.ipynb", cwd=clone)
    assert "Hello! I am the offline model" in told
    assert (clone / "examples/first-dialog.executed.ipynb").is_file()


def test_the_package_is_whole(clone: Path, binder: Path) -> None:
    shown = run(binder / "bin/pip", "show", "-f", "dialog_ext", cwd=clone)
    assert "Version: 0.1.0" in shown
    asked = "import importlib.metadata as m; print(m.metadata('dialog_ext')['License-Expression'])"
    assert run(binder / "bin/python", "-c", asked, cwd=clone) == "BSD-3-Clause\n"
    assert "dialog_ext/py.typed" in shown
    assert "tests/" not in shown


def test_the_lab_extension_is_there_and_enabled(clone: Path, binder: Path) -> None:
    listed = subprocess.run(
        [binder / "bin/jupyter", "labextension", "list"],
        capture_output=True,
        text=True,
        check=True,
        cwd=clone,
    )
    (line,) = [each for each in listed.stderr.splitlines() if " dialog_ext " in each]
    assert "v0.1.0" in line
    assert "enabled" in line
    assert "OK" in line
    assert "(python, dialog_ext)" in line


def test_the_lab_extension_is_in_the_package_once(clone: Path, binder: Path) -> None:
    shown = run(binder / "bin/pip", "show", "-f", "dialog_ext", cwd=clone)
    entries = [line for line in shown.splitlines() if "remoteEntry." in line]
    assert len(entries) == 1
    assert "share/jupyter/labextensions/dialog_ext/static/" in entries[0]


@pytest.fixture
def served(clone: Path, binder: Path) -> Iterator[str]:
    """A JupyterLab as Binder starts it, after postBuild."""
    home = clone.parent / "home"
    home.mkdir()
    env = {k: v for k, v in os.environ.items() if not k.startswith("JUPYTER")}
    env |= {"HOME": str(home), "PATH": f"{binder / 'bin'}:{env['PATH']}"}
    run("bash", "binder/postBuild", cwd=clone, env=env)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [binder / "bin/jupyter", "lab", "--no-browser", "--allow-root",
               f"--ServerApp.port={port}", "--IdentityProvider.token="]  # fmt: skip
    log = (clone.parent / "lab.log").open("w")
    process = subprocess.Popen(
        list(map(str, command)), cwd=clone, env=env, stdout=log, stderr=subprocess.STDOUT
    )
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{url}/api/status", timeout=2).close()
                break
            except (urllib.error.URLError, OSError):
                assert process.poll() is None, (clone.parent / "lab.log").read_text()
                time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.wait(20)
        log.close()


def test_binder_opens_lab_on_the_example(served: str) -> None:
    with urllib.request.urlopen(served, timeout=20) as page:
        assert page.url.endswith("/lab/tree/examples/first-dialog.ipynb")
        assert b"jupyter-config-data" in page.read()
    with urllib.request.urlopen(
        f"{served}/api/contents/examples/first-dialog.ipynb", timeout=20
    ) as answer:
        assert json.load(answer)["type"] == "notebook"
