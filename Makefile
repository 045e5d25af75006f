# The targets that README.md names. All of them work on a fresh machine with make and Python 3.11 or later.

.DEFAULT_GOAL := help
.PHONY: help run demo test check bench bench-provider bench-harvest bench-queue bench-soak bench-public bench-load bench-upload bench-set-search bench-shared-cache bench-pycsw bench-year drill-alarms drill-containers migrate lock audit sbom release clean
SHELL := /bin/sh
# One recipe at a time: two would create the same virtual environment.
.NOTPARALLEL:

VENV := .venv
BIN := $(VENV)/bin
# Installs requirements, and shows which one pip works on: a line that changes on a terminal, else one for each twenty.
define INSTALL
echo "Installing into $(VENV), once:"; \
{ $(BIN)/python -m pip install --disable-pip-version-check --no-input --progress-bar off --require-hashes $(1) 2>&1; \
	echo "pip ended with $$?"; } | awk -v on_terminal="$$(test -t 1 && echo 1)" -v of="$$(cat $(filter-out -r,$(1)) | grep -c ==)" ' \
	function show(line) { if (on_terminal) printf "\r\033[K  %s", line; else if (n % 20 == 0 || !of) print "  " line; fflush() } \
	/^(Collecting|Requirement already satisfied:|Ignoring) / { n++; show(n " of " of " packages: " $$2) } \
	/^Installing collected packages/ { of = 0; show("unpacking " n " packages ...") } \
	/^(ERROR|WARNING: Retrying|  ERROR)/ { print "\n" $$0 } \
	/Failed building wheel/ { print "  There is no compiled package for this Python: install gcc and libc6-dev (Debian), or name another: make PYTHON=python3.12" } \
	/^pip ended with / { status = $$4; if (on_terminal) print "" } \
	END { exit status }'
endef
RUN_READY := $(VENV)/.installed-to-run
DEV_READY := $(VENV)/.installed-to-develop

# The first interpreter that is new enough; `make PYTHON=/path/to/python3 run` names another.
PYTHON ?= $(shell for python in python3.11 python3.12 python3.13 python3; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)

# The processes of `make test`: one more than there are cores, as tests of whole nodes wait now and then; 0 runs the tests in one.
TEST_WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

# `make check` reads the settings of a published node, and neither starts nor writes anything.
CHECK_ENV := DEBUG=False GISC_BASE_URL=https://gisc.example.org ALLOWED_HOSTS=gisc.example.org \
	SECRET_KEY="$$($(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(64))')"

help:
	@echo 'make run      start the node and print its addresses; SAMPLES=1 loads sample records, PORT=... sets the port'
	@echo 'make demo     start three nodes that harvest one another; CHECK=1 compares their catalogues and ends;'
	@echo '              TROUBLES=1 starts one node instead, whose links show what can be wrong'
	@echo 'make test     run all tests; TEST_WORKERS=... sets the number of processes, by default one more than there are cores'
	@echo 'make check    check style, types, weaknesses in the code, import contracts, migrations and deployment settings'
	@echo 'make bench    measure the catalogue; BENCH_N=100000 sets the number of records, BENCH_PROCESSES=... of processes'
	@echo 'make bench-provider  measure the speed of /oai; BENCH_N=... sets the number of records, BENCH_SMALL=1 makes small ones'
	@echo 'make bench-harvest   measure a harvest, beside Sickle; BENCH_N=... sets the number of records'
	@echo 'make bench-queue    measure how long 200 links take that are due at once, with slow providers among them'
	@echo 'make bench-soak     watch what grows in a node that harvests at the smallest intervals; BENCH_MINUTES=...'
	@echo 'make bench-public    measure the public search, and /oai beside a crowd; BENCH_N=... sets the number of records'
	@echo 'make bench-load      have many harvesters read all records while links harvest and people use the pages; BENCH_N=...,'
	@echo '              by default 100000, BENCH_HARVESTERS=..., by default 32, BENCH_SMALL=1'
	@echo 'make bench-upload    measure an upload beside ingest; BENCH_N=... sets the number of records, BENCH_SMALL=1 makes small ones'
	@echo 'make bench-shared-cache  measure pages of a list from the cache of nginx, which must be installed; BENCH_N=..., BENCH_SMALL=1'
	@echo 'make bench-set-search  measure ingest beside a set that is defined by a search; BENCH_N=..., BENCH_SMALL=1'
	@echo 'make bench-pycsw     measure searches beside pycsw; PYCSW=PYTHON that has it'
	@echo 'make bench-year      measure the pages on links and runs; BENCH_RUNS=... sets the number of runs, BENCH_LINKS=..., BENCH_N=...'
	@echo 'make drill-alarms  break each part of a node, and see that Prometheus and the node sound the right alarm; as root, two hours'
	@echo 'make drill-containers  run two deployments of docker-compose.yml by podman, break and mend them; as root, a quarter of an hour'
	@echo 'make migrate  migrate the database to this version'
	@echo 'make audit    ask for known weaknesses of the locked requirements; makes a sentence of it where that cannot be asked'
	@echo 'make sbom     write the bill of materials (CycloneDX) into dist/'
	@echo 'make lock     write the locked requirements again'
	@echo 'make release  check that this commit can be released, and build its wheel in dist/ and its image'
	@echo 'make clean    remove the virtual environment and caches, but no data'

run: $(RUN_READY)
	@exec $(BIN)/python manage.py node

demo: $(RUN_READY)
	@exec $(BIN)/python manage.py demo $(if $(filter 1,$(CHECK)),--check) $(if $(filter 1,$(TROUBLES)),--troubles)

# In a temporary folder: a catalogue in use is never changed.
bench: $(RUN_READY)
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT INT TERM && \
	DATABASE_URL= GISC_DATA_DIR="$$folder" GISC_JOURNAL_DIR="$$folder/journal" $(BIN)/python manage.py bench \
		$(or $(BENCH_N),10000) $(if $(BENCH_PROCESSES),--processes $(BENCH_PROCESSES))

# The same for /oai, beside a program that does the least.
bench-provider: $(RUN_READY)
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT INT TERM && \
	DATABASE_URL= GISC_DATA_DIR="$$folder" GISC_JOURNAL_DIR="$$folder/journal" $(BIN)/python manage.py bench \
		$(or $(BENCH_N),10000) --provider $(if $(filter 1,$(BENCH_SMALL)),--small)

# The same for a harvest of all records, beside Sickle, which is installed for development only.
bench-harvest: $(DEV_READY)
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT INT TERM && \
	DATABASE_URL= GISC_DATA_DIR="$$folder" GISC_JOURNAL_DIR="$$folder/journal" $(BIN)/python manage.py bench \
		$(or $(BENCH_N),10000) --harvest

# How long many links that are due at once take, with slow providers among them.
bench-queue: $(RUN_READY)
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT INT TERM && \
	DATABASE_URL= REDIS_URL= GISC_DATA_DIR="$$folder" GISC_JOURNAL_DIR="$$folder/journal" $(BIN)/python manage.py bench --queue

# What grows in a node that harvests at the smallest intervals.
bench-soak: $(RUN_READY)
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT INT TERM && \
	DATABASE_URL= REDIS_URL= GISC_DATA_DIR="$$folder" GISC_JOURNAL_DIR="$$folder/journal" $(BIN)/python manage.py bench \
		--soak $(or $(BENCH_MINUTES),30)

# The same for the public pages, and for /oai beside a crowd that asks for them.
bench-public: $(RUN_READY)
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT INT TERM && \
	DATABASE_URL= GISC_DATA_DIR="$$folder" GISC_JOURNAL_DIR="$$folder/journal" $(BIN)/python manage.py bench \
		$(or $(BENCH_N),10000) --public $(if $(filter 1,$(BENCH_SMALL)),--small)

# Harvesters that read a whole catalogue, links that harvest and people, all at the same time.
bench-load: $(RUN_READY)
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT INT TERM && \
	DATABASE_URL= REDIS_URL= GISC_DATA_DIR="$$folder" GISC_JOURNAL_DIR="$$folder/journal" $(BIN)/python manage.py bench \
		$(or $(BENCH_N),100000) --load --harvesters $(or $(BENCH_HARVESTERS),32) $(if $(filter 1,$(BENCH_SMALL)),--small)

# An upload beside ingest of the same records.
bench-upload: $(RUN_READY)
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT INT TERM && \
	DATABASE_URL= GISC_DATA_DIR="$$folder" GISC_JOURNAL_DIR="$$folder/journal" $(BIN)/python manage.py bench \
		$(or $(BENCH_N),10000) --upload $(if $(filter 1,$(BENCH_SMALL)),--small)

# Pages of a list from the cache of nginx, beside nginx that keeps none.
bench-shared-cache: $(RUN_READY)
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT INT TERM && \
	DATABASE_URL= GISC_DATA_DIR="$$folder" GISC_JOURNAL_DIR="$$folder/journal" $(BIN)/python manage.py bench \
		$(or $(BENCH_N),5000) --shared-cache $(if $(filter 1,$(BENCH_SMALL)),--small)

# Ingest beside a set that is defined by a search.
bench-set-search: $(RUN_READY)
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT INT TERM && \
	DATABASE_URL= GISC_DATA_DIR="$$folder" GISC_JOURNAL_DIR="$$folder/journal" $(BIN)/python manage.py bench \
		$(or $(BENCH_N),20000) --set-search $(if $(filter 1,$(BENCH_SMALL)),--small)

# Searches beside pycsw: PYCSW is a Python that has it, such as that of a venv with `pip install pycsw==2.6.2 'setuptools<81'`.
bench-pycsw: $(RUN_READY)
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT INT TERM && \
	DATABASE_URL= GISC_DATA_DIR="$$folder" GISC_JOURNAL_DIR="$$folder/journal" $(BIN)/python manage.py bench \
		$(or $(BENCH_N),20000) --pycsw $(PYCSW) $(if $(filter 1,$(BENCH_SMALL)),--small)

# The same for the pages on links and runs of a node that has run for long.
bench-year: $(RUN_READY)
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT INT TERM && \
	DATABASE_URL= GISC_DATA_DIR="$$folder" GISC_JOURNAL_DIR="$$folder/journal" $(BIN)/python manage.py bench \
		$(or $(BENCH_N),0) --year --small $(if $(BENCH_RUNS),--runs $(BENCH_RUNS)) $(if $(BENCH_LINKS),--links $(BENCH_LINKS))

# Needs prometheus and Alertmanager (Debian's prometheus-alertmanager), and says so.
drill-alarms: $(DEV_READY)
	@exec $(BIN)/python -m tests.loop.drill_alarms

# The whole life of the containers. Where the host has no podman or what it needs (`tests/containers/stand_ins.py`), it says so and ends.
drill-containers: $(DEV_READY)
	@exec $(BIN)/python -m tests.containers.drill

migrate: $(RUN_READY)
	@exec $(BIN)/python manage.py migrate

# Worker processes, each with its own servers; one that has run its tests takes some from the others. The tests start hundreds
# of processes: each compiles all modules anew where Python may not write what it has compiled.
test: $(DEV_READY)
	@unset PYTHONDONTWRITEBYTECODE && $(BIN)/python -m pytest -n $(TEST_WORKERS) --maxprocesses 8 --dist worksteal

check: $(DEV_READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pylint --score=no gisc catalogue oaiprovider harvester
	$(BIN)/bandit --quiet --configfile pyproject.toml --recursive gisc catalogue oaiprovider harvester manage.py
	@export $(CHECK_ENV) && set -ex && \
	$(BIN)/mypy . && \
	$(BIN)/lint-imports && \
	$(BIN)/python manage.py makemigrations --check --dry-run && \
	$(BIN)/python manage.py check --deploy --fail-level WARNING

audit: $(DEV_READY)
	@exec $(BIN)/python -m tests.project.audit

sbom: $(DEV_READY)
	@mkdir -p dist && $(BIN)/python -m tests.project.sbom > dist/.sbom && mv dist/.sbom dist/gisc-catalogue-node.cdx.json && \
	echo 'dist/gisc-catalogue-node.cdx.json'

lock:
	$(PYTHON) -m venv $(VENV)-lock
	$(VENV)-lock/bin/python -m pip install --quiet --disable-pip-version-check uv
	for part in '' -csw -dev; do \
		UV_CUSTOM_COMPILE_COMMAND='make lock' $(VENV)-lock/bin/uv pip compile --quiet --universal --python-version 3.11 \
			--generate-hashes --no-emit-index-url --no-emit-find-links \
			requirements$$part.in --output-file requirements$$part.txt || exit 1; \
	done
	rm -rf $(VENV)-lock

# CONTRIBUTING.md says what a commit needs for it.
release: $(RUN_READY)
	@$(BIN)/python .ci/release.py

clean:
	rm -rf $(VENV) $(VENV)-lock .pytest_cache .hypothesis .interop .mypy_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
ifeq ($(strip $(PYTHON)),)
	@echo 'No Python 3.11 or later was found; install one, or name it: make PYTHON=/path/to/python3 run' >&2; exit 1
else
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo '$(PYTHON) is not Python 3.11 or later; install one, or name it: make PYTHON=/path/to/python3 run' >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
endif

# A stamp file is newer than the locked requirements that were installed, so nothing is installed twice.
$(RUN_READY): requirements.txt | $(BIN)/python
	@$(call INSTALL,-r requirements.txt)
	@touch $@

$(DEV_READY): requirements.txt requirements-dev.txt | $(BIN)/python
	@$(call INSTALL,-r requirements.txt -r requirements-dev.txt)
	@touch $(RUN_READY) $@
