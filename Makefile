# One environment, made once: the targets install what they need and say what is missing.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PATHS := src tests scripts benchmarks

.PHONY: install demo lint check test test-outside bench format clean

install: $(STAMP)

$(STAMP): pyproject.toml scripts/make_venv.sh
	@PYTHON=$(PYTHON) scripts/make_venv.sh $(VENV)
	@touch $(STAMP)

demo: $(STAMP)
	@$(BIN)/handrail demo

lint: $(STAMP)
	$(BIN)/ruff check $(PATHS)
	$(BIN)/ruff format --check $(PATHS)
	$(BIN)/python scripts/check_sizes.py
	$(BIN)/lint-imports --no-logo
	$(BIN)/mypy

check: lint
	$(BIN)/pytest -q -m unit

test: lint
	$(BIN)/pytest

test-outside: $(STAMP)
	$(BIN)/python scripts/test_outside.py

bench: $(STAMP)
	$(BIN)/python -m benchmarks

format: $(STAMP)
	$(BIN)/ruff check --fix $(PATHS)
	$(BIN)/ruff format $(PATHS)

clean:
	rm -rf $(VENV) .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis dist build
