# Every target explains itself: `make help`.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help demo test check lint types contract bench torture clean

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $(READY)

demo: $(READY)  ## capture, extract, search, recall and undo on the shipped conversations, without a key
	@bash tests/demo/run.sh $(BIN)

test: $(READY) check  ## lint, types, import contract and all tests (what CI runs)
	$(BIN)/python -m pytest

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

torture: $(READY)  ## long crash and concurrency runs
	TEST_SECONDS=60 $(BIN)/python -m pytest -s tests/torture/*.py tests/crash/test_many_writers.py

clean:  ## remove what these targets made
	rm -rf $(VENV) demo-vault demo-vault-model .demo-home .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache dist
