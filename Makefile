# mmsim: `make demo` and `make test` set everything up by themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
LOCKED ?= yes # no: install the newest versions that pyproject.toml allows
COVERED := $(CURDIR)/out/coverage/data
NOT_MEASURED := -k 'not full_disk_stops and not cluster_with_tls' # coverage writes and prints in their processes
MEASURED := COVERAGE_FILE=$(COVERED) $(BIN)/python -m coverage run
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
unexport PYTHONDONTWRITEBYTECODE # else every process compiles all modules again
.PHONY: help setup lock demo wheel installs test lint verify bench coverage faults golden docs site findings performance sample clean

help: ## show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 13

setup: $(READY) ## create .venv and install mmsim with its development tools

$(READY): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; v = sys.version_info; v >= (3, 11) or sys.exit("mmsim needs Python 3.11 or newer; this is %d.%d: make PYTHON=python3.12 ..." % v[:2])'
	$(PYTHON) -m venv $(VENV)
ifeq ($(strip $(LOCKED)),no)
	$(PIP) --editable '.[dev]'
else
	@$(PIP) --require-hashes --requirement requirements.lock || \
		{ echo 'the versions in requirements.lock cannot be installed here; to install the newest ones: make setup LOCKED=no'; exit 1; }
	$(PIP) --no-deps --no-build-isolation --editable .
endif
	@touch $@

lock: ## lock the newest versions of all dependencies with their hashes; needs uv
	uv pip compile --quiet --upgrade --universal --python-version 3.11 --extra dev --generate-hashes --no-annotate \
		--no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock' pyproject.toml --output-file requirements.lock

demo: $(READY) ## play one game, then 180,000 at three levels: is Loyal or No Corruption fairer? ends with the answer and a report
	@rm -rf mmsim-demo
	@$(BIN)/mmsim demo

wheel: $(READY) ## build a wheel, with compiled code for this platform, and a source archive into dist
	@rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist

installs: wheel ## install and use that in empty folders on every Python found here, or on those of PYTHONS
	$(BIN)/python -m build_tools.installs $(PYTHONS)

test: $(READY) ## the fast tests
	@$(BIN)/python -m mmsim.compiled # both games in parallel; prints how long it takes
	$(BIN)/python -m pytest -n auto --dist worksteal

lint: $(READY) ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

verify: $(READY) ## slow statistical checks; about 80 minutes of CPU, so 40 on two idle cores
	$(BIN)/python -m pytest -n auto --maxschedchunk 1 -m slow --durations=15 # one test at a time: the longest come first

bench: $(READY) ## how fast the core is compared with the reference engine; fails below half of a committed ratio
	$(BIN)/mmsim bench
	$(BIN)/python -m benchmarks.check_ratio

coverage: $(READY) ## how many lines of rules, engine, batch, analysis and report the tests reach; fails below 90 % of one of them
	@rm -rf out/coverage && mkdir -p out/coverage
	MMSIM_JIT=0 $(MEASURED) -m tests.core_as_python # the compiler is off: coverage cannot see compiled code
	MMSIM_JIT=0 $(MEASURED) -m pytest -n auto tests/metro/rules tests/metromania/rules
	$(MEASURED) -m pytest -n auto --dist worksteal tests/batch tests/analysis tests/report $(NOT_MEASURED) # nothing is compiled there
	@COVERAGE_FILE=$(COVERED) $(BIN)/python -m coverage combine --quiet
	@COVERAGE_FILE=$(COVERED) $(BIN)/python -m build_tools.coverage_by_room

faults: $(READY) ## kills, full disks, flipped bits, forged folders, misbehaving bots: five minutes of faults; SECONDS=3600 for more
	$(BIN)/python -m tests.faults --seconds $(or $(SECONDS),300) $(if $(PAGE),--page)

golden: $(READY) ## regenerate the golden games of both games
	$(BIN)/python -m tests.golden.metromania.regenerate
	$(BIN)/python -m tests.golden.metro.regenerate

docs: $(READY) ## regenerate the generated pages of docs/reference
	$(BIN)/python -m build_tools.pages

site: $(READY) ## build the docs site into out/site; open out/site/index.html
	@rm -rf out/site out/doctrees
	$(BIN)/python -m sphinx --builder html --fail-on-warning --keep-going --nitpicky --quiet --doctree-dir out/doctrees docs out/site

findings: $(READY) ## play the ready experiments and write docs/findings.md and its pages of figures; takes an hour or two
	$(BIN)/python -m benchmarks.findings

performance: $(READY) ## run the commands of docs/explanation/performance.md and write their figures into it; takes minutes
	$(BIN)/python -m benchmarks.performance_page

sample: $(READY) ## regenerate reports/sample
	@rm -rf out/sample reports/sample
	$(BIN)/mmsim run municipality-4p --levels casual..expert --games 2000 --out out/sample
	$(BIN)/mmsim report out/sample --out reports/sample

clean: ## remove what the other targets created
	rm -rf $(VENV) .coverage mmsim-demo out dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
