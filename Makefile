# Two commands for a newcomer: `make demo` and `make test`. Both need nothing but Python 3.11 or newer and make.

PYTHON ?= python3
BIN := .venv/bin
KHORA := $(BIN)/khora
DEMO_GAMES ?= 20000

.PHONY: demo test lint unit coverage bench ref-given compare-speed sample docs wheel lock clean help

help:
	@echo "make demo    install, compile, play a study of $(DEMO_GAMES) games and write a report"
	@echo "make test    install and pass all tests, ruff and mypy included"
	@echo "make bench   the speed of the engine and of studies, in figures"
	@echo "make compare-speed REF=<commit>   the speed of this tree against another commit, and whether games are the same"
	@echo "make sample  make the sample report anew"
	@echo "make docs    run the commands and notebooks of the documentation anew, and put in what they print"
	@echo "make wheel   build a wheel that brings its machine code along, for this Python and Numba"
	@echo "make lock    pin the tested set of packages in constraints.txt"
	@echo "make clean   remove what these commands made"

.venv/installed: pyproject.toml constraints.txt
	@echo "== Setting up .venv with $$($(PYTHON) --version)"
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	@touch $@

.venv/installed-test: .venv/installed
	@echo "== Installing the test tools"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[test]"
	@touch $@

demo: .venv/installed
	@echo "== Playing $(DEMO_GAMES) games"
	$(KHORA) simulate --games $(DEMO_GAMES) --players 4 --strategies steward --cities all --seed 1 \
		--rounds --out studies/demo --resume
	@echo "== Writing the report"
	$(KHORA) report studies/demo --out reports/demo
	@echo "== To type khora by itself, as the tour in README.md does, put it on the path of this shell:"
	@echo 'export PATH="$$PWD/$(BIN):$$PATH"'

test: .venv/installed-test lint unit coverage

lint: .venv/installed-test
	@echo "== ruff and mypy"
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

coverage: .venv/installed-test
	@echo "== The scenarios uncompiled: the rules they cover"
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest tests/engine -m scenario -n 2 --cov=khora_sim/engine \
		--cov-config=tests/engine/coverage.ini --cov-fail-under=95

unit: .venv/installed-test
	@echo "== Compiling once"
	$(BIN)/khora doctor
	@echo "== Tests"
	$(BIN)/python -m pytest -n 2 --dist loadfile

sample: .venv/installed
	rm -rf studies/sample reports/sample
	$(KHORA) simulate --games 20000 --players 4 --cities all --seed 1 --rounds --out studies/sample \
		--strategies steward,merchant,conqueror,politician,developer,patron,treasurer,philosopher,explorer
	$(KHORA) report studies/sample --out reports/sample

docs: .venv/installed-test sample
	$(BIN)/python -m tests.checks.refresh_docs

bench: .venv/installed
	$(KHORA) bench
	$(KHORA) bench --study

ref-given:
	@test -n "$(REF)" || { echo "error: no commit to compare with; type: make compare-speed REF=<commit>" >&2; exit 2; }

compare-speed: ref-given .venv/installed
	$(BIN)/python -m tests.checks.compare_speed "$(REF)" $(OPTIONS)

wheel: .venv/installed
	@echo "== Compiling everything for this Python, and building a wheel that brings it along"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check wheel
	rm -rf dist
	$(BIN)/python -m khora_sim.lab.machine_code khora_sim/machine_code
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist . ; \
		built=$$?; rm -rf khora_sim/machine_code; exit $$built
	$(BIN)/python -m wheel tags --remove $$($(BIN)/python -m khora_sim.lab.machine_code --tags) dist/*.whl
	@ls dist

lock: .venv/installed-test
	$(BIN)/python -m pip freeze --exclude-editable > constraints.txt

clean:
	rm -rf .venv build dist studies/demo reports/demo
