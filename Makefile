# Everything here needs python3 (3.11 or newer), make and a package index; nothing is installed outside this directory.
# `make help` lists the targets.

SHELL := /bin/sh
.DEFAULT_GOAL := help

# The first Python that is new enough. Override with `make PYTHON=/path/to/python test`.
NEW_ENOUGH := import sys; raise SystemExit(sys.version_info < (3, 11))
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c '$(NEW_ENOUGH)' >/dev/null 2>&1 && { echo $$p; break; }; done)

VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: help demo test test-all test-torch bench lint types evaluate screenshots check-screenshots build clean

help:  ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/.ready: pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "elastic-inspect needs Python 3.11 or newer; none was found on PATH" >&2; exit 1; }
	@echo "setting up $(VENV) with $(PYTHON)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python $(PIP_INSTALL) --editable '.[dev]'
	@touch $@

.demo-venv/.ready: pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "elastic-inspect needs Python 3.11 or newer; none was found on PATH" >&2; exit 1; }
	@echo "setting up .demo-venv with $(PYTHON)" >&2
	@$(PYTHON) -m venv .demo-venv
	@.demo-venv/bin/python $(PIP_INSTALL) --editable .
	@touch $@

demo: .demo-venv/.ready  ## open the recorded two-node example (its text report when there is no terminal)
	@.demo-venv/bin/elastic-inspect --demo

test: $(VENV)/.ready  ## run the tests
	@$(BIN)/python -m pytest --numprocesses auto -m "not torch"

test-all: $(VENV)/.ready  ## run the tests on every Python from 3.11 up that this machine has
	@$(BIN)/python tests/every_python.py

test-torch: $(VENV)/.ready .venv-torch/.ready  ## compare with the real torch 2.13 side by side
	@.venv-torch/bin/python -m pytest -m torch tests/torch

.venv-torch/.ready: pyproject.toml constraints.txt
	@echo "setting up .venv-torch with torch 2.13.0"
	@$(PYTHON) -m venv .venv-torch
	@.venv-torch/bin/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	@.venv-torch/bin/python $(PIP_INSTALL) --editable '.[dev]'
	@touch $@

bench: $(VENV)/.ready  ## measure how fast big logs and trees are read
	@$(BIN)/python -m tests.benchmarks

lint: $(VENV)/.ready  ## check style, docstrings, layers and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/mypy

types: $(VENV)/.ready  ## check types alone
	@$(BIN)/mypy

evaluate: $(VENV)/.ready  ## judge the labelled jobs of tests/data and print the table
	@$(BIN)/python -m tests.evaluation

screenshots: $(VENV)/.ready  ## draw screenshots/ again from tests/data
	@$(BIN)/python tests/make_screenshots.py

check-screenshots: $(VENV)/.ready  ## fail when screenshots/ is stale
	@$(BIN)/python tests/make_screenshots.py --check

build: $(VENV)/.ready  ## build the wheel and the source archive into dist/
	@$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

clean:  ## remove everything that was set up or built here
	rm -rf $(VENV) .venv-torch .venv-py* .demo-venv dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
