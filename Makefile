# make demo   run the example notebook, prompts and all
# make lab    open it in JupyterLab
# make test   every check and every test
# make soak   1,000 random sequences of edits in real front ends; SEED=N begins elsewhere
# make clean  take away what these made

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
EXAMPLE := examples/first-dialog.ipynb
LAB := labextension
BUILT := dialog_ext/labextension
LINK := $(VENV)/share/jupyter/labextensions/dialog_ext
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# npm's scripts call jupyter-builder, which is in the virtual environment.
export PATH := $(CURDIR)/$(BIN):$(PATH)
# The lab extension has rules of its own below, so pip need not build it. Nor may pip write
# through the link to it that they make.
PIP_EDITABLE = rm -rf $(LINK) && HATCH_JUPYTER_BUILDER_SKIP_NPM=1 $(BIN)/pip install -q --use-pep517 -e

.PHONY: demo lab test soak lint lint-lab clean
.NOTPARALLEL:

demo: $(VENV)/installed
	$(BIN)/dialog run $(EXAMPLE)
	@echo
	@echo "Open the executed notebook in JupyterLab with: make lab"

# Without Node, JupyterLab opens without our extension: prompts work by the magic alone.
lab: $(VENV)/lab
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory $(VENV)/linked; \
	  else echo "npm is missing: JupyterLab opens without dialog_ext's extension." >&2; fi
	$(BIN)/jupyter lab $(firstword $(wildcard $(EXAMPLE:.ipynb=.executed.ipynb)) $(EXAMPLE))

test: lint lint-lab $(VENV)/linked
	@.ci/need chromium
	$(BIN)/python -m pytest

soak: $(VENV)/test $(VENV)/linked
	@.ci/need chromium
	DIALOG_EXT_SEQUENCES=1000 DIALOG_EXT_SEED=$(or $(SEED),0) $(BIN)/python -m pytest -q tests/browser/test_truth.py

lint-lab: $(LAB)/node_modules/.package-lock.json
	cd $(LAB) && npm run --silent lint && npm run --silent test

lint: $(VENV)/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

clean:
	rm -rf $(VENV) $(LAB)/node_modules $(LAB)/lib $(BUILT) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

# Debian's python3 comes without the venv module; root can have it from Debian.
$(BIN)/python:
	@$(PYTHON) -m venv $(VENV) >/dev/null || { rm -rf $(VENV); \
	  test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -y -qq python3-venv \
	  && $(PYTHON) -m venv $(VENV); } || { rm -rf $(VENV); \
	  echo "Python's venv module is missing: apt install python3-venv, then make again." >&2; exit 1; }

$(VENV)/installed: $(BIN)/python pyproject.toml
	$(PIP_EDITABLE) .
	@touch $@

$(VENV)/lab: $(VENV)/installed
	$(BIN)/pip install -q 'jupyterlab>=4.4'
	@touch $@

$(VENV)/test: $(BIN)/python pyproject.toml
	$(PIP_EDITABLE) '.[dev]'
	@touch $@ $(VENV)/installed

# npm writes this file at the end of an install.
$(LAB)/node_modules/.package-lock.json: $(LAB)/package-lock.json $(LAB)/.npmrc | $(BIN)/python
	@.ci/need node
	cd $(LAB) && npm ci --silent --no-audit --no-fund
	@touch $@

$(BUILT)/package.json: $(LAB)/node_modules/.package-lock.json $(LAB)/package.json $(LAB)/tsconfig.json \
  $(shell find $(LAB)/src $(LAB)/schema $(LAB)/style -type f) | $(VENV)/builder
	cd $(LAB) && npm run --silent build
	@touch $@

$(VENV)/builder: $(VENV)/installed
	$(BIN)/pip install -q 'jupyter-builder>=1.3'
	@touch $@

# The virtual environment's JupyterLab finds the folder itself, so it sees each new build.
$(VENV)/linked: $(BUILT)/package.json $(VENV)/installed
	$(BIN)/jupyter-builder develop --overwrite .
	@touch $@
