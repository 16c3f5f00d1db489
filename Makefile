# Two commands for a newcomer: `make demo` and `make test`. Both need nothing but Python 3.11 or newer and make.

PYTHON ?= python3
BIN := .venv/bin
KHORA := $(BIN)/khora
DEMO_GAMES ?= 20000

.PHONY: demo test lint unit coverage bench sample lock clean help

help:
	@echo "make demo    install, compile, play a study of $(DEMO_GAMES) games and write a report"
	@echo "make test    install and pass all tests, ruff and mypy included"
	@echo "make bench   the speed of the engine and of studies, in figures"
	@echo "make sample  make the sample report anew"
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

test: .venv/installed-test lint unit coverage

lint: .venv/installed-test
	@echo "== ruff and mypy"
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

unit: .venv/installed-test
	@echo "== Tests"
	$(BIN)/python -m pytest -n 2 --dist loadfile

bench: .venv/installed
	$(KHORA) bench
	$(KHORA) bench --study

clean:
	rm -rf .venv build dist studies/demo reports/demo
