# Two commands do all the set-up: `make demo` and `make test`. PYTHON=... names another interpreter (3.11 or later).

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: help demo test soak check schema release-schema cases minors mutants sample clients bench clean

help:
	@echo 'make demo    set up, and draw the session that ships with the repository'
	@echo 'make test    set up, and run the tests'
	@echo 'make check   style, types, whether the schema is the exported one, and whether it breaks what was released'
	@echo 'make soak    the property tests at length'
	@echo 'make bench   speed and memory as ratios, side by side in one run (MB=200)'
	@echo 'make clients  what the tests of the TypeScript client need (npm)'
	@echo 'make schema  export the schema and the Pydantic models; make sample: write the sample ledger again'
	@echo 'make release-schema  copy every document to schema/released'
	@echo 'make cases   seal and list the published cases again'
	@echo 'make mutants  every wrong fold, and what catches it (node; minutes)'
	@echo 'make minors  whether other Python versions export the same schema'

demo: $(VENV)/.cli
	$(BIN)/rounds show accounting/sample --run 019a1f7c

test: $(VENV)/.test
	$(BIN)/python -m pytest -m 'not soak' -n auto --dist worksteal

soak: $(VENV)/.test
	HYPOTHESIS_PROFILE=soak $(BIN)/python -m pytest

check: $(VENV)/.check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/rounds schema --check
	$(BIN)/rounds codegen pydantic --out wire/pydantic --check

bench: $(VENV)/.test
	$(BIN)/python -m bench.run $(MB)
	$(BIN)/python -m bench.append
	$(BIN)/python -m bench.follow
	$(BIN)/python -m bench.index $(MB)
	$(BIN)/python -m bench.conform

schema: $(VENV)/.codegen
	$(BIN)/rounds schema --out schema
	$(BIN)/rounds codegen pydantic --out wire/pydantic

release-schema: $(VENV)/.cli
	$(BIN)/rounds schema --check
	rm -f schema/released/*.schema.json
	$(BIN)/rounds schema --out schema/released

cases: $(VENV)/.cli
	$(BIN)/python -m accounting.conformance.refresh

mutants: $(VENV)/.test
	$(BIN)/python -m tests.accounting.conformance.mutants

minors: $(VENV)/.cli
	.ci/minors

sample: $(VENV)/.test
	$(BIN)/python -m tests.build_sample

clients:
	cd tests/clients/typescript && npm ci --no-audit --no-fund

clean:
	rm -rf $(VENV) tests/clients/typescript/node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis

# One stamp for each set of packages; a change in pyproject.toml sets up again.
$(VENV)/.%: pyproject.toml
	@test -n '$(PYTHON)' || { echo 'rounds needs Python 3.11 or later; name one with PYTHON=...' >&2; exit 2; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$*]'
	@touch $@
