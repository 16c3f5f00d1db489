# Two commands for a newcomer: `make demo` and `make test`. Both need nothing but Python 3.11 or newer and make.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
KHORA := $(BIN)/khora
DEMO_GAMES ?= 20000
CITIES ?= studies/published-cities
PRECISION ?= 1
PEER_SEEDS ?= 61 62
PEERS_AT ?= studies/peers
SIZES ?= 4,3,2
EXPLOIT ?= studies/published-exploit
STRONGEST ?= sage
PYTHONS ?= 3.12 3.13
TESTS ?= tests
MARKS ?= not long
QUICK ?= tests/common tests/rules tests/engine tests/simulation/test_open_study.py tests/simulation/test_tables.py \
	tests/cli/test_simulate_command.py tests/test_*.py

.PHONY: demo test test-all quick lint compiled unit coverage numbers cities peers exploit pythons bench ref-given compare-speed faults wheel lock clean help

help:
	@echo "make demo    install, compile, play a study of $(DEMO_GAMES) games and write a report"
	@echo "make test    install and pass all tests, ruff and mypy included"
	@echo "make test-all the same, and the checks that take long: other ways of making machine code"
	@echo "make quick   ruff, mypy and the tests that take little time, in a minute"
	@echo "make bench   the speed of the engine and of studies, in figures"
	@echo "make compare-speed REF=<commit>   the speed of this tree against another commit, and whether games are the same"
	@echo "make faults  plant about 100 faults, one at a time, and count those that the tests catch, about an hour;"
	@echo "             OPTIONS=\"--area pages --resume faults.log\" takes some of them, and continues a log"
	@echo "make numbers renew every figure that README, docs, notebooks and the sample report print, from real runs;"
	@echo "             ONLY=\"sample pages python notebooks\" takes some of these, ONLY=findings.md a page"
	@echo "make cities  measure the published verdict on the cities again, an hour or more; it goes on where it was stopped;"
	@echo "             PEERS=sage:learned=a.npz,adept:learned=b.npz names other players of the same kinds"
	@echo "make peers   train another sage and another adept for each of the seeds $(PEER_SEEDS); it continues"
	@echo "             after a stop, and prints the command that measures the cities with them"
	@echo "make exploit measure again what better-suited players still gain in each city against $(STRONGEST), some hours; it goes on"
	@echo "             where it was stopped; OPTIONS=\"--games 400\" takes other options of khora strategies exploit"
	@echo "make pythons the tests on other Pythons that are installed ($(PYTHONS)); TESTS=tests/rules takes some tests"
	@echo "make wheel   build a wheel that brings its machine code along, for this Python and Numba"
	@echo "make lock    pin the tested set of packages in constraints.txt"
	@echo "make clean   remove what these commands made"

$(VENV)/installed: pyproject.toml constraints.txt
	@echo "== Setting up $(VENV) with $$($(PYTHON) --version)"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	@touch $@

$(VENV)/installed-test: $(VENV)/installed
	@echo "== Installing the test tools"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[test]"
	@touch $@

demo: $(VENV)/installed
	@echo "== Playing $(DEMO_GAMES) games"
	$(KHORA) simulate --games $(DEMO_GAMES) --players 4 --strategies adept --cities all --seed 1 \
		--rounds --out studies/demo --resume
	@echo "== Writing the report"
	$(KHORA) report studies/demo --out reports/demo
	@echo "== To type khora by itself, as the tour in README.md does, put it on the path of this shell:"
	@echo 'export PATH="$$PWD/$(BIN):$$PATH"'

# Two at a time: compiling and waiting tests leave a core idle, which ruff, mypy and the uncompiled scenarios use.
test: $(VENV)/installed-test
	@$(MAKE) --no-print-directory -j 2 lint compiled coverage unit

test-all:
	@$(MAKE) --no-print-directory test MARKS=

quick: lint
	@echo "== The tests that take little time"
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not slow" $(QUICK)

lint: $(VENV)/installed-test
	@echo "== ruff and mypy"
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

coverage: $(VENV)/installed-test
	@echo "== The scenarios uncompiled, aside: the rules they cover"
	@NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest tests/engine -m scenario --cov=khora_sim/engine \
		--cov-config=tests/engine/coverage.ini --cov-fail-under=95 > $(VENV)/coverage.log 2>&1; \
		result=$$?; test $$result = 0 || cat $(VENV)/coverage.log; grep "test coverage" $(VENV)/coverage.log; exit $$result

compiled: $(VENV)/installed
	@echo "== Compiling once"
	$(BIN)/khora doctor

unit: $(VENV)/installed-test compiled
	@echo "== Tests"
	$(BIN)/python -m pytest -n 2 --dist loadfile --durations 15 --durations-min 20 -m "$(MARKS)" $(TESTS)

numbers: $(VENV)/installed-test
	@echo "== Every figure of README, docs, notebooks and the sample report again"
	$(BIN)/python -m tests.checks.numbers $(ONLY)
	@git status --short -- README.md docs notebooks reports

cities: $(VENV)/installed
	@echo "== Every city with every player of the ladder, to +- $(PRECISION) points"
	$(KHORA) cities --players $(SIZES) $(if $(PEERS),--peers $(PEERS)) --out $(CITIES) \
		$(if $(wildcard $(CITIES)/plan.json),--resume,--precision $(PRECISION))
	cp $(CITIES)/answer.json khora_sim/pages/data/cities.json
	cp $(CITIES)/figures/cities-4.png docs/city-ladder.png

# A sage that learned from nothing, and an adept that it taught from nothing.
PEER_FILES := $(foreach seed,$(PEER_SEEDS),sage:learned=$(PEERS_AT)/sage_$(seed).npz adept:learned=$(PEERS_AT)/adept_$(seed).npz)
empty :=
comma := ,

peers: $(foreach seed,$(PEER_SEEDS),$(PEERS_AT)/adept_$(seed).npz)
	@echo "== To measure the cities with them:"
	@echo "make cities PEERS=$(subst $(empty) $(empty),$(comma),$(strip $(PEER_FILES)))"

.SECONDARY: $(foreach seed,$(PEER_SEEDS),$(PEERS_AT)/sage_$(seed).npz)
$(PEERS_AT)/sage_%.npz: | $(VENV)/installed
	mkdir -p $(PEERS_AT)
	$(KHORA) learn --players 4 --seed $* --budget 70000games --out $@ $(if $(wildcard $(basename $@).learning),--resume)

$(PEERS_AT)/adept_%.npz: $(PEERS_AT)/sage_%.npz
	$(KHORA) learn --policy --teacher sage:learned=$< --players 4 --seed $* --budget 24000games --out $@ \
		$(if $(wildcard $(basename $@).learning),--resume)

exploit: $(VENV)/installed
	@echo "== What better-suited players gain in each city against a table of $(STRONGEST)"
	$(KHORA) strategies exploit $(STRONGEST) --out $(EXPLOIT) $(if $(wildcard $(EXPLOIT)/plan.json),--resume) $(OPTIONS)
	cp $(EXPLOIT)/answer.json khora_sim/pages/data/exploit.json

pythons:
	@for version in $(PYTHONS); do \
		found=$$(for one in python$$version $$HOME/.pyenv/versions/$$version.*/bin/python; do \
			$$one -c 'import sys; print(sys.executable)' 2>/dev/null; done | tail -1); \
		test -n "$$found" || { echo "== Python $$version is not installed: left out"; continue; }; \
		$(MAKE) --no-print-directory unit VENV=.venv-$$version PYTHON=$$found || exit 1; \
	done

bench: $(VENV)/installed
	$(KHORA) bench
	$(KHORA) bench --study

ref-given:
	@test -n "$(REF)" || { echo "error: no commit to compare with; type: make compare-speed REF=<commit>" >&2; exit 2; }

compare-speed: ref-given $(VENV)/installed
	$(BIN)/python -m tests.checks.compare_speed "$(REF)" $(OPTIONS)

faults: $(VENV)/installed-test
	@echo "== Planted faults: the tests should catch at least 9 in 10"
	$(BIN)/python -m tests.checks.faults $(OPTIONS)

wheel: $(VENV)/installed
	@echo "== Compiling everything for this Python, and building a wheel that brings it along"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check wheel
	rm -rf dist
	$(BIN)/python -m khora_sim.simulation.machine_code khora_sim/machine_code
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist . ; \
		built=$$?; rm -rf khora_sim/machine_code; exit $$built
	$(BIN)/python -m wheel tags --remove $$($(BIN)/python -m khora_sim.simulation.machine_code --tags) dist/*.whl
	@ls dist

lock: $(VENV)/installed-test
	$(BIN)/python -m pip freeze --exclude-editable > constraints.txt

clean:
	rm -rf .venv .venv-* build dist studies/demo reports/demo
