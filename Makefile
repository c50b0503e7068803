# Every target works on a fresh machine with python3, pip and make; `make help` lists them.
PY := .venv/bin/python
UV := .tools/bin/uv
MEMBERS := $(sort $(dir $(wildcard libs/*/pyproject.toml services/*/pyproject.toml examples/lab/pyproject.toml)))
STAMP := .venv/.ready

.PHONY: help up demo test lint schemas bench clean lock
help:    ## list the targets
	@awk -F':.*## ' '/^[a-z]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

up: $(STAMP)    ## start TARSy with its own Kafka and PostgreSQL, and stay in the foreground
	@$(PY) -m tarsy_cli up

demo: $(STAMP)    ## send the crash-loop alert to a running TARSy and watch the investigation
	@$(PY) -m tarsy_cli demo

test: $(STAMP)    ## run every test, on a real Kafka and a real PostgreSQL
	@$(PY) -m pytest $(ARGS)

lint: $(STAMP)    ## format, lint, types, import rules, generated schemas
	@$(PY) -m ruff format --check .
	@$(PY) -m ruff check .
	@.venv/bin/lint-imports --verbose --no-cache > .venv/imports.log 2>&1 || { cat .venv/imports.log; exit 1; }
	@for member in $(MEMBERS); do $(PY) -m mypy --no-error-summary $$member || exit 1; done
	@$(PY) -m tarsy_cli schemas --check

schemas: $(STAMP)    ## write the JSON Schema of every message into schemas/
	@$(PY) -m tarsy_cli schemas

bench: $(STAMP)    ## run the benchmarks and print their figures
	@$(PY) benchmarks/run.py

clean:    ## remove what the targets made here: tools, environment, data of `make up`
	rm -rf .tools .venv .tarsy .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

lock: $(UV)    ## choose the newest allowed versions and pin them in requirements.lock
	$(UV) lock --upgrade
	$(UV) export -q --all-packages --all-groups --no-emit-workspace --no-header --format requirements-txt -o requirements.lock

$(UV):
	@echo "setting up: uv into .tools/"
	@python3 -m pip install --quiet --disable-pip-version-check --no-warn-script-location --root-user-action ignore --target .tools uv==0.13.9

$(STAMP): $(UV) requirements.lock .python-version $(addsuffix pyproject.toml,$(MEMBERS))
	@echo "setting up: Python environment into .venv/"
	@$(UV) venv --quiet --allow-existing .venv
	@$(UV) pip sync --quiet --require-hashes requirements.lock
	@$(UV) pip install --quiet --no-deps --no-build-isolation $(addprefix -e ,$(MEMBERS))
	@touch $@
