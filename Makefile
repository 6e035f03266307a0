# The index of habits.  `make` alone lists them; each needs nothing but Python (3.11 or later, with venv) and make.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

# The first Python on the path that is new enough; name another with PYTHON=….
PYTHON ?= $(shell for python in python3.11 python3.12 python3.13 python3; do \
	$$python -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# What the build turns into Python, beside it.
PROTO := impl/matching/adapters/rpc/matching.proto

.PHONY: help check-spec conform test check mutants trees bench lock clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z.$$()A-Z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.venv: $(READY) ## set up everything in .venv, from requirements.lock

$(READY): requirements.lock pyproject.toml setup.py $(PROTO)
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or later with venv was found; install one, or say make PYTHON=/path/to/python3" >&2; exit 3; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install -qq --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q conformance impl
	@touch $@

conform: $(READY) ## the main job, 3 minutes: model-check, fuzz, judge the corpus, print the summary
	@$(BIN)/conform all

check-spec: $(READY) ## every model of spec/models.yaml under TLC, against its recorded verdict
	@$(BIN)/conform check-spec

test: $(READY) ## all tests: the suite's own, and the stateful ones of conformance/
	@CONFORM_PROFILE=$${CONFORM_PROFILE:-ci} $(BIN)/python -m pytest --numprocesses auto --no-loadscope-reorder

check: $(READY) ## lints, strict types, import directions
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache

mutants: $(READY) ## compute the matrix of the specification's mutants, hunt every planted fault of the service afresh
	@$(BIN)/conform check-spec --mutants
	@$(BIN)/python -m tests.mutants

trees: $(READY) ## ship the syntax trees of spec/ anew, so that judging by it needs no Java
	@$(BIN)/python -m tests.trees

bench: $(READY) ## measurements, as ratios side by side
	@$(BIN)/python -m bench

lock: $(READY) ## pin every dependency again, with hashes, in requirements.lock
	@CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/pip-compile --quiet --all-extras --generate-hashes --allow-unsafe \
		--strip-extras --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-emit-options \
		--output-file requirements.lock pyproject.toml

clean: ## remove what was built or cached; keeps .venv and what fuzzing found
	@rm -rf build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .benchmarks
	@find . -name __pycache__ -type d -not -path './$(VENV)/*' -prune -exec rm -rf {} +
