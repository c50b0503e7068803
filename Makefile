# Every target works on a fresh machine with python3, pip and make; `make help` lists them.
PY := .venv/bin/python
SETUP := python3 tools/setup.py
MEMBERS := $(sort $(dir $(wildcard apps/*/pyproject.toml examples/lab/pyproject.toml libs/*/pyproject.toml services/*/pyproject.toml tools/docgen/pyproject.toml)))
# The first imports most of the others: what mypy has learnt of them is there for the rest, which go two at once.
TYPES := $(addprefix types/,$(MEMBERS) examples/consumers/python tests-support tests-e2e tests-ground tests-lint helm benchmarks)
# Containers often say that compiled modules are not to be kept: then every process compiles 1,400 of them again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup install up demo docs test test-all programs sweep views rounds timing chaos soak ground lint page schemas screenshots bench clean lock $(TYPES)
help:    ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup:    ## make the Python environment (every target does so first)
	@$(SETUP)

install: setup    ## put `tarsy` on your PATH: a link in ~/.local/bin (BIN=FOLDER: in another)
	@python3 tools/install.py "$(BIN)"

up: setup    ## start TARSy with its own Kafka and PostgreSQL, and stay in the foreground
	@exec $(PY) -m tarsy_cli up $(ARGS)

demo: setup    ## send the crash-loop alert to the TARSy of `make up`, watch the investigation, and ask a question
	@$(PY) -m tarsy_cli demo $(ARGS)

test: setup    ## run the first tier: each part, and one thread through all services, on a real Kafka and PostgreSQL (ARGS="-n 0 FILE": one file)
	@$(PY) -m pytest -n 7 --dist loadfile --no-loadscope-reorder --first-tier $(ARGS)

test-all: setup    ## run every test: also kills, upgrades, three brokers, whole systems, other people's servers, the page in Chromium
	@$(PY) -m pytest -n 6 --dist loadfile --no-loadscope-reorder $(ARGS)

programs:    ## install what tests need besides: Chromium, npm, nginx ... (apt-get, as root or with sudo), and build helm
	@python3 tools/programs.py

sweep: setup    ## play every death at every event, and kill real processes (kill -9) there: 240 runs, most of an hour
	@TARSY_SWEEP=all $(PY) -m pytest tests-e2e/test_sweep_in_process.py tests-e2e/test_sweep_of_a_chat.py tests-e2e/chains/test_killed.py $(ARGS)

views: setup    ## look at every view of the page at each width, in both schemes: accessible, and no text torn or cut; five minutes
	@TARSY_VIEWS=all $(PY) -m pytest -n 0 tests-e2e/test_page_views.py $(ARGS)

rounds: setup    ## roll the last release to today's code, and three brokers, ROUNDS times (3) with as much more load
	@TARSY_ROUNDS=$(or $(ROUNDS),3) $(PY) -m pytest -n 0 tests-e2e/test_rolling_upgrade.py tests-e2e/test_three_brokers.py $(ARGS)

timing: setup    ## repeat each test that could depend on the machine's speed, ROUNDS times (50)
	@$(PY) -m pytest -n 6 --dist loadfile --no-loadscope-reorder -m timing --count $(or $(ROUNDS),50) $(ARGS) \
		$$(git grep -l pytest.mark.timing -- '*/test_*.py')

chaos: setup    ## kill every service of a TARSy that runs with --processes, in turn, and judge what was lost (ARGS="--seed 7")
	@PYTHONPATH=tests-support $(PY) -m tarsy_chaos $(ARGS)

soak: setup    ## run a TARSy of its own while everything around it fails, and judge what was lost (ARGS="--minutes 30 --seed 7")
	@PYTHONPATH=tests-support $(PY) -m tarsy_soak $(ARGS)

# The first run builds Kubernetes, etcd, CoreDNS, Traefik, KEDA, Compose and images, and keeps them in ~/.cache/tarsy/ground:
# 40 minutes on two cores. With CI=true nothing of Go is built, and all is skipped until it is there.
ground: setup    ## test on a Docker engine and a Kubernetes node of our own; needs Linux, root and `make programs`, else skips with the reason
	@$(PY) -m pytest -n 2 --dist loadfile tests-ground $(ARGS)

lint: setup    ## format, lint, types, import rules, words and claims of the docs, generated schemas and their compatibility
	@$(PY) -m ruff format --check --quiet .
	@$(PY) -m ruff check --quiet .
	@.venv/bin/lint-imports --no-cache
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target $(TYPES)
	@$(PY) -m pytest -q -p no:cacheprovider tests-lint
	@$(PY) -m tarsy_docgen --check

$(TYPES): types/%:
	@echo "types: $*"
	@$(PY) -m mypy --no-error-summary $*

$(wordlist 2,99,$(TYPES)): | $(firstword $(TYPES))

page:    ## check the page: types, lint and format; needs npm (ARGS=--write: mend the format)
	@cd tools/page && npm ci --silent --ignore-scripts --no-audit --no-fund && node types.mjs && npx tsc -p .
	@tools/page/node_modules/.bin/biome check $(ARGS) --config-path=tools/page services/websocket-gateway/src/tarsy_websocket_gateway/page

schemas: setup    ## write what is generated: schemas/, pages of docs/reference/
	@$(PY) -m tarsy_docgen

screenshots: setup    ## take the pictures of docs/pictures of a TARSy that runs (ARGS=FOLDER: every view in both schemes, there); needs chromium, prometheus, prometheus-alertmanager
	@PYTHONPATH=tests-support $(PY) -m tarsy_testing.browser.screenshots $(ARGS)

docs:    ## build the documentation site into .site/: open .site/index.html, it works offline
	@$(SETUP) uv
	@.tools/bin/uv venv --quiet --allow-existing .tools/docs
	@.tools/bin/uv pip sync --quiet --require-hashes --python .tools/docs/bin/python deploy/docs.lock
	@NO_MKDOCS_2_WARNING=1 .tools/docs/bin/mkdocs build --strict --quiet

bench: setup    ## run the benchmarks and print their figures
	@$(PY) benchmarks/run.py

clean:    ## remove what the targets made here: tools, environment, data of `make up`
	rm -rf .site .tools .venv .tarsy .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

lock:    ## choose the newest allowed versions and pin them in requirements.lock and deploy/docs.lock
	@python3 tools/setup.py uv
	.tools/bin/uv lock --upgrade
	.tools/bin/uv export -q --all-packages --group dev --no-emit-workspace --no-header --format requirements-txt -o requirements.lock
	.tools/bin/uv pip compile -q --upgrade --group docs --python-version 3.13 --universal --generate-hashes --no-header -o deploy/docs.lock
