# make demo   run the example notebook, prompts and all
# make lab    open it in JupyterLab
# make test   every check and every test
# make clean  take away what these made

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
EXAMPLE := examples/first-dialog.ipynb
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo lab test lint clean

demo: $(VENV)/installed
	$(BIN)/dialog run $(EXAMPLE)
	@echo
	@echo "Open the executed notebook in JupyterLab with: make lab"

lab: $(VENV)/lab
	$(BIN)/jupyter lab $(firstword $(wildcard $(EXAMPLE:.ipynb=.executed.ipynb)) $(EXAMPLE))

test: lint
	$(BIN)/python -m pytest

lint: $(VENV)/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

# Debian's python3 comes without the venv module; root can have it from Debian.
$(BIN)/python:
	@$(PYTHON) -m venv $(VENV) >/dev/null || { rm -rf $(VENV); \
	  test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -y -qq python3-venv \
	  && $(PYTHON) -m venv $(VENV); } || { rm -rf $(VENV); \
	  echo "Python's venv module is missing: apt install python3-venv, then make again." >&2; exit 1; }

$(VENV)/installed: $(BIN)/python pyproject.toml
	$(BIN)/pip install -q --use-pep517 -e .
	@touch $@

$(VENV)/lab: $(VENV)/installed
	$(BIN)/pip install -q jupyterlab
	@touch $@

$(VENV)/test: $(BIN)/python pyproject.toml
	$(BIN)/pip install -q --use-pep517 -e '.[dev]'
	@touch $@ $(VENV)/installed
