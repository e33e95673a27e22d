"""Write the notebooks of this folder anew: ``python tests/notebooks/make.py``.

Each file is small and has the one peculiarity that its name says, as found in the files that
notebook tools write. What is not JSON as Python writes it is put into the text by hand.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJg"
    "gg=="
)
SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>'
SEPARATOR = "##### 🤖Reply🤖<!-- SOLVEIT_SEPARATOR_7f3a9b2c -->"
PYTHON = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
BOM = b"\xef\xbb\xbf"


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def note(text: str, **more: Any) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": lines(text), **more}


def code(text: str, *outputs: Any, **more: Any) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": 1 if outputs else None,
        "metadata": {},
        "outputs": list(outputs),
        "source": lines(text),
        **more,
    }


def raw(text: str, **more: Any) -> dict[str, Any]:
    return {"cell_type": "raw", "metadata": {}, "source": lines(text), **more}


def stream(text: Any, name: str = "stdout") -> dict[str, Any]:
    return {"name": name, "output_type": "stream", "text": text}


def result(**data: Any) -> dict[str, Any]:
    bundle = {mime.replace("__", "/").replace("_", "."): value for mime, value in data.items()}
    return {"data": bundle, "execution_count": 1, "metadata": {}, "output_type": "execute_result"}


def display(data: dict[str, Any], metadata: Any = None, **more: Any) -> dict[str, Any]:
    return {"data": data, "metadata": metadata or {}, "output_type": "display_data", **more}


def reply(text: str) -> dict[str, Any]:
    shown = {"text/markdown": lines(text), "text/plain": lines(text)}
    return display(shown, {"is_ai_res": True})


def book(*cells: dict[str, Any], minor: Any = 5, meta: Any = PYTHON, **more: Any) -> dict[str, Any]:
    if minor == 5:
        cells = tuple({"id": f"cell-{i}", **cell} for i, cell in enumerate(cells))
    return {"cells": list(cells), "metadata": meta, "nbformat": 4, "nbformat_minor": minor, **more}


def text_of(notebook: Any, end: str = "\n", **style: Any) -> str:
    """As Jupyter writes it, but for the style that is given."""
    return json.dumps(notebook, **{"indent": 1, "ensure_ascii": False, **style}) + end


def jupyter(*cells: dict[str, Any], **more: Any) -> str:
    return text_of(book(*cells, **more), sort_keys=True)


FEW = (note("# Title"), code("1+1", result(text__plain=["2"])), raw("as it is"))
ACCENTS = (note("# Étude – 😀"), code("print('日本')", stream(["日本\n"])))


def styles() -> dict[str, str | bytes]:
    """One notebook, written in many ways."""
    few, accents = book(*FEW), book(*ACCENTS)
    plain = text_of(few)
    return {
        "style-jupyterlab": jupyter(*FEW),
        "style-no-newline-at-end": text_of(few, end=""),
        "style-two-newlines-at-end": text_of(few, end="\n\n"),
        "style-crlf": plain.replace("\n", "\r\n"),
        "style-cr-only": plain.replace("\n", "\r"),
        "style-mixed-line-ends": plain.replace("],\n", "],\r\n"),
        "style-bom": BOM + plain.encode(),
        "style-bom-and-crlf": BOM + plain.replace("\n", "\r\n").encode(),
        "style-indent-2": text_of(few, indent=2),
        "style-indent-4": text_of(few, indent=4),
        "style-indent-tab": text_of(few, indent="\t"),
        "style-indent-0": text_of(few, indent=0),
        "style-one-line": text_of(few, indent=None),
        "style-one-line-compact": text_of(few, "", indent=None, separators=(",", ":")),
        "style-space-after-commas": text_of(few, separators=(", ", ": ")),
        "style-space-before-colons": text_of(few, separators=(",", " : ")),
        "style-commas-first": plain.replace(",\n", "\n ,"),
        "style-by-hand": "\n\n" + plain.replace('"metadata": {}', '"metadata" :\t{ }') + " \n\t",
        "style-keys-unsorted": text_of(
            {key: few[key] for key in ("nbformat", "nbformat_minor", "cells", "metadata")}
        ),
        "style-format-in-front": text_of({"nbformat": 4, "nbformat_minor": 5, **few}, indent=2),
        "style-non-ascii-escaped": text_of(accents, ensure_ascii=True),
        "style-non-ascii-as-it-is": text_of(accents),
        "style-upper-case-escapes": text_of(accents, ensure_ascii=True)
        .replace("\\u00c9", "\\u00C9")
        .replace("\\ud83d\\ude00", "\\uD83D\\uDE00"),
        "style-slashes-escaped": text_of(book(note("a/b </script>"))).replace("/", "\\/"),
        "style-sources-as-strings": text_of(
            book(*({**cell, "source": "".join(cell["source"])} for cell in FEW))
        ),
        "style-sources-of-both-kinds": text_of(
            book(note("a\nb"), note("", source="c\nd"), note("", source=["e", "f\n", ""]))
        ),
    }


def contents() -> dict[str, str | bytes]:
    """What JSON and text can hold."""
    meta = '"metadata": {}'
    numbers = '{"a": 1e5, "b": 1.0, "c": 1.10, "d": -0.0, "e": 123456789012345678901234567890}'
    odd = '{"a": NaN, "b": [Infinity, -Infinity]}'
    twice = '{"tags": ["a"], "tags": ["b"]}'
    one = text_of(book(note("x")))
    return {
        "json-numbers-as-written": one.replace(meta, f'"metadata": {numbers}'),
        "json-nan-and-infinity": one.replace(meta, f'"metadata": {odd}'),
        "json-keys-twice": one.replace(meta, f'"metadata": {twice}'),
        "json-empty-keys": jupyter(note("x", metadata={"": {"": []}})),
        "json-deep": jupyter(note("x", metadata={"a": json.loads("[" * 60 + "]" * 60)})),
        "text-lone-surrogate": text_of(book(note("a")), ensure_ascii=True).replace(
            '"a"', '"a\\ud83d"'
        ),
        "text-unicode-line-ends": jupyter(code("a = '\u2028'\n\x0cb = '\x85'\n")),
        "text-crlf-in-source": jupyter(code("", source=["a = 1\r\n", "b = 2\r\n"])),
        "text-control-characters": jupyter(note("a\x00b\x1bc\x7f")),
        "text-empty-sources": jupyter(
            note(""), code("", source=""), code("", source=[""]), raw("", source=[])
        ),
        "cells-none": jupyter(),
        "cells-none-one-line": text_of(book(), indent=None),
        "keys-unknown": jupyter(
            code("1", {**stream("1\n"), "vendor": 1}, vendor={"a": [1]}), vendor={"x": None}
        ),
        "keys-missing": text_of(
            {
                "cells": [
                    {"cell_type": "code", "source": "1"},
                    {"cell_type": "markdown", "source": "x", "metadata": None},
                ],
                "nbformat": 4,
            }
        ),
        "cell-type-unknown": jupyter(note("x", cell_type="sql", connection="db")),
    }


def formats() -> dict[str, str | bytes]:
    """The formats 4.0 to 4.6, and ids."""
    made: dict[str, str | bytes] = {f"format-4.{n}": jupyter(*FEW, minor=n) for n in range(5)}
    ids: list[Any] = ["a", "a", None, "", 5]
    cells = [{**note(str(i)), **({} if i == 2 else {"id": v})} for i, v in enumerate(ids)]
    return made | {
        "format-4.6-unknown": jupyter(note("x", id="a", new="?"), minor=6),
        "format-4.4-with-ids": jupyter(note("x", id="a"), minor=4),
        "ids-missing-in-4.5": text_of({**book(*FEW, minor=4), "nbformat_minor": 5}),
        "ids-twice-empty-and-numbers": text_of({**book(), "cells": cells}),
        "ids-of-two-cells-swapped": jupyter(note("x", id="cell-1"), note("y", id="cell-0")),
    }


def outputs() -> dict[str, str | bytes]:
    """What Jupyter saves of a run."""
    error = {
        "ename": "ZeroDivisionError",
        "evalue": "division by zero",
        "output_type": "error",
        "traceback": ["\x1b[0;31mZeroDivisionError\x1b[0m", "division by zero"],
    }
    figure = {"data": [{"y": [1.0, 2.50], "type": "bar"}], "layout": {}}
    view = {"model_id": "abc", "version_major": 2, "version_minor": 0}
    state = {"abc": {"model_name": "IntSliderModel", "state": {"value": 7}}}
    widgets = {"application/vnd.jupyter.widget-state+json": {"state": state, "version_major": 2}}
    return {
        "output-error-with-ansi": jupyter(code("1/0", error)),
        "output-streams": jupyter(code("x", stream(["a\r", "b\n"]), stream("!\n", "stderr"))),
        "output-picture": jupyter(
            code("plot()", display({"image/png": PNG + "\n", "text/plain": ["<Figure>"]}))
        ),
        "output-picture-in-lines": jupyter(
            code("plot()", display({"image/png": [PNG[:76] + "\n", PNG[76:]]}))
        ),
        "output-html-and-latex": jupyter(
            code("df", result(text__html=["<b>\n", "x</b>"], text__latex="$x$", text__plain="x"))
        ),
        "output-plotly": jupyter(code("f", display({"application/vnd.plotly.v1+json": figure}))),
        "output-widget": jupyter(
            code("w", display({"application/vnd.jupyter.widget-view+json": view})),
            meta={**PYTHON, "widgets": widgets},
        ),
        "output-display-id": jupyter(
            code("h", display({"text/plain": "x"}, {"did": "d1"}, transient={"display_id": "d1"}))
        ),
    }


def tools() -> dict[str, str | bytes]:
    """The metadata of tools."""
    grade = {"grade": True, "grade_id": "q1", "locked": False, "points": 2, "schema_version": 3}
    times = {"iopub.execute_input": "2026-01-01T00:00:00Z", "shell.execute_reply": "2026-01-01"}
    databricks = {"application/vnd.databricks.v1+cell": {"showTitle": False, "nuid": "1-2"}}
    slide = {"slideshow": {"slide_type": "slide"}, "tags": ["hide-input"], "jupyter": {}}
    text_repr = {"extension": ".py", "format_name": "percent", "format_version": "1.3"}
    papermill = {"duration": 0.5, "exception": None, "status": "completed", "tags": []}
    drawn = {"a b.svg": {"image/svg+xml": SVG}, "p.png": {"image/png": PNG}}
    return {
        "tool-colab": text_of(
            book(
                code("1", result(text__plain="1"), metadata={"id": "Qx1", "outputId": "f0"}),
                note("x", metadata={"id": "Zy2", "cellView": "form"}),
                minor=0,
                meta={"colab": {"provenance": [], "toc_visible": True}, "accelerator": "GPU"},
            ),
            end="",
            indent=2,
        ),
        "tool-vscode": text_of(
            book(code("x", metadata={"vscode": {"languageId": "r"}}), note("y"), minor=2)
        ),
        "tool-kaggle": text_of(
            book(
                code("1", metadata={"_kg_hide-input": True, "trusted": True, "_uuid": "8f2"}),
                minor=4,
                meta={"kaggle": {"accelerator": "none", "isGpuEnabled": False}},
            ),
            "",
            indent=None,
            separators=(",", ":"),
        ),
        "tool-databricks": text_of(book(code("1", metadata=databricks), minor=0), "", indent=None),
        "tool-papermill": jupyter(code("x=1", metadata={"papermill": papermill, "tags": ["p"]})),
        "tool-jupytext": jupyter(note("x"), meta={"jupytext": {"text_representation": text_repr}}),
        "tool-nbgrader": jupyter(code("### BEGIN SOLUTION", metadata={"nbgrader": grade})),
        "tool-execution-times": jupyter(code("1", metadata={"execution": times})),
        "tool-slides-and-tags": jupyter(note("# S", metadata=slide)),
        "tool-quarto": jupyter(
            raw("---\ntitle: x\n---", metadata={"raw_mimetype": "text/x-quarto"}), note("y")
        ),
        "tool-nbdev": jupyter(code("#| default_exp core"), code("#| export\ndef f(): ...")),
        "tool-another-language": jupyter(
            code("print('x')"), meta={"kernelspec": {"name": "ir", "language": "R"}}
        ),
        "tool-attachments": jupyter(note("![](attachment:p.png)", attachments=drawn)),
    }


def prompts() -> dict[str, str | bytes]:
    """The forms in which files hold prompts."""
    marked = {"metadata": {"solveit_ai": True}}
    half = reply("Half an\n\n*[Response interrupted]*")
    filed = {"cell-0": {"a.png": {"image/png": PNG}}, "gone": {"b.png": {"image/png": PNG}}}
    return {
        "prompt": jupyter(code("%%prompt\nWhy?", reply("Because.\n\nSo."), **marked)),
        "prompt-without-mark": jupyter(code("%%prompt\nWhy?", reply("Because."))),
        "prompt-with-options": jupyter(
            code("# ask\n\n%%prompt -m fake --system 'Be brief'\nWhy?", **marked)
        ),
        "prompt-on-magic-line": jupyter(code("%%prompt -m fake Why?\nAnd how?", **marked)),
        "prompt-bad-option": jupyter(code("%%prompt --nope\nWhy?", **marked)),
        "prompt-empty": jupyter(code("%%prompt", **marked)),
        "prompt-interrupted": jupyter(code("%%prompt\nWhy?", half, **marked)),
        "prompt-skipped-and-pinned": jupyter(
            code("%%prompt\na", metadata={"solveit_ai": True, "skipped": True}),
            note("b", metadata={"pinned": True}),
        ),
        "prompt-attachments": jupyter(
            code("%%prompt\n![](attachment:a.png)", **marked), meta={"attachments": filed}
        ),
        "prompt-older": jupyter(note(f"Why?\n\n{SEPARATOR}\n\nBecause.", **marked)),
        "prompt-older-without-reply": jupyter(note("Why?", **marked)),
        "prompt-older-with-attachment": jupyter(
            note(
                f"![](attachment:a.png)\n\n{SEPARATOR}\n\nRed.",
                attachments={"a.png": {"image/png": PNG}},
                **marked,
            )
        ),
        "prompt-not-at-all": jupyter(
            note("%%prompt\nx"),
            code("x = 1\n%%prompt\ny"),
            code("1", **marked),
            note(f"x\n\n{SEPARATOR}\n\ny"),
            note("z", metadata={"solveit_ai": False}),
        ),
    }


def broken() -> dict[str, str | bytes]:
    """What is no notebook."""
    whole = text_of(book(*FEW))
    cut = whole.index("as it is")
    third = {"cells": [note("x"), note("y"), {"cell_type": "code", "metadata": {}}]}
    sheets = {"worksheets": [{"cells": []}], "metadata": {}, "nbformat": 3, "nbformat_minor": 0}
    return {
        "empty": "",
        "blank": " \n\n",
        "cut-off": whole[:cut],
        "comma-too-many": whole.replace('"1+1"', '"1+1",'),
        "git-conflict": whole.replace('   "metadata"', '<<<<<<< HEAD\n   "metadata"', 1),
        "more-behind": whole + "{}",
        "not-utf-8": whole.replace("Title", "Titel").encode().replace(b"Titel", b"\xe9tude"),
        "utf-16": whole.encode("utf-16"),
        "line-end-in-string": whole.replace("as it is", "as\nit is"),
        "format-3": text_of(sheets),
        "format-5": text_of({**book(), "nbformat": 5}),
        "format-missing": text_of({"cells": [], "metadata": {}}),
        "cells-missing": text_of({"metadata": {}, "nbformat": 4, "nbformat_minor": 5}),
        "cells-no-list": text_of({**book(), "cells": {}}),
        "a-list": "[1, 2]\n",
        "source-missing": text_of({**book(), **third}),
        "source-no-text": text_of(book(note("x", source=[1]))),
        "cell-no-object": text_of({**book(), "cells": [1]}),
        "cell-type-missing": text_of(book({"source": "x"})),
        "metadata-no-object": text_of(book(note("x", metadata=[]))),
        "outputs-no-list": text_of(book(code("x", outputs={}))),
        "output-no-object": text_of(book(code("x", outputs=["x"]))),
        "html": "<!DOCTYPE html>\n<p>404</p>\n",
        "number-too-long": whole.replace('"nbformat": 4', '"x": ' + "9" * 5000),
    }


def all_files() -> dict[Path, bytes]:
    """Every file of this folder, and what it holds."""
    good = styles() | contents() | formats() | outputs() | tools() | prompts()
    named = [(HERE / f"{name}.ipynb", data) for name, data in good.items()]
    named += [(HERE / "broken" / f"{name}.ipynb", data) for name, data in broken().items()]
    return {path: data.encode() if isinstance(data, str) else data for path, data in named}


if __name__ == "__main__":
    for path, data in all_files().items():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
