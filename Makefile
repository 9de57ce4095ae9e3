# Every target explains itself: `make help`.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
PYTEST := $(BIN)/python -m pytest --numprocesses 3 --dist loadgroup

.DEFAULT_GOAL := help
.PHONY: help demo test check lint types contract bench torture clean

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

# an environment of a Python that is too old is made anew: pip would refuse it for ever
OLD := import sys; sys.exit(sys.version_info < (3, 11))

$(READY): pyproject.toml
	@$(PYTHON) -c "$(OLD)" || { echo "engram needs Python 3.11 or newer, and $(PYTHON) is" \
	  "$$($(PYTHON) --version 2>/dev/null || echo not there): make $(or $(MAKECMDGOALS),demo) PYTHON=python3.11" >&2; exit 1; }
	@if [ -x $(BIN)/python ] && ! $(BIN)/python -c "$(OLD)"; then rm -rf $(VENV); fi
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $(READY)

demo: $(READY)  ## capture, extract, search, recall and undo on the shipped conversations, without a key
	@bash tests/demo/run.sh $(BIN)

# Beside the tests, not before them; three workers on two processors, because many tests wait.
test: $(READY)  ## all tests, and lint, types and import contract beside them (what CI runs)
	@$(MAKE) --no-print-directory check >$(VENV)/check.log 2>&1 & check=$$!; \
	$(PYTEST); tests=$$?; \
	wait $$check; checked=$$?; \
	echo; cat $(VENV)/check.log; \
	exit $$((tests | checked))

check: lint types contract  ## everything but the tests

lint: $(READY)  ## ruff
	$(BIN)/ruff check engram tests
	$(BIN)/ruff format --check engram tests

types: $(READY)  ## mypy --strict on the package
	$(BIN)/mypy

contract: $(READY)  ## the import contract
	$(BIN)/lint-imports --no-logo

bench: $(READY)  ## the measurements behind tests/benchmarks/README.md
	$(BIN)/python -m tests.benchmarks

torture: $(READY)  ## all tests with ten times the effort, and the long runs
	TEST_EFFORT=10 $(PYTEST)
	TEST_EFFORT=10 $(BIN)/python -m pytest -s tests/torture/*.py

clean:  ## remove what these targets made
	rm -rf $(VENV) demo-vault demo-vault-model .demo-home .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache dist
