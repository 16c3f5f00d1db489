"""Questions with small numbers of games, at least two for each analysis.

Every analysis is called in one function below. When an option gets another name, change that function and
leave the table of cases and the stored answers alone. `KHORA_GOLDEN_WORKERS=2` plays with two workers; the
answers stay the same.
"""

import os
import shutil
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import polars as pl

import khora_sim

Data = dict[str, Any]

HERE = Path(__file__).parent
WORKERS = int(os.environ.get("KHORA_GOLDEN_WORKERS", "1"))

VARIANT = "argos.toml"
NUMBERS = "numbers.toml"
GLORY = "cities.argos.developments.3.effects.1.gain.glory"
OLYMPIA = "cities.olympia.developments.2.cost"


def judged(asked: Data) -> Data:
    return asked | {"seed": 3_000_000_000 + asked["seed"]} if "seed" in asked else asked


def what_if(*variants: str, **asked: Any) -> Data:
    names = {"against": "changed_strategies", "beside": "also_with"}
    given = {names.get(name, name): value for name, value in asked.items()}
    if "also_with" in given:
        given["also_with"] = given["also_with"] or "none"
    return khora_sim.what_if(*variants, **given, workers=WORKERS).data()


def sweep(**asked: Any) -> Data:
    return khora_sim.sweep(**asked, workers=WORKERS).data()


def power(kind: str, **asked: Any) -> Data:
    return khora_sim.power(kind, **asked, workers=WORKERS).data()


def balance(beside: str | None, **asked: Any) -> Data:
    return khora_sim.balance(also_with=beside or "none", **asked, workers=WORKERS).data()


def gate(written: Data, compared: Data | None = None) -> Data:
    """Write a baseline; then compare the game with it, unless `compared` is None."""
    found = khora_sim.gate("baseline.json", write=True, **written, workers=WORKERS)
    if compared is not None:
        found = khora_sim.gate("baseline.json", **compared, workers=WORKERS)
    return found.data()


def cities(*strategies: str, **asked: Any) -> Data:
    return khora_sim.cities(*strategies, **asked, workers=WORKERS).data()


def exploit(strategy: str, **asked: Any) -> Data:
    return khora_sim.exploit(strategy, **asked, workers=WORKERS).data()


def ladder(*strategies: str, **asked: Any) -> Data:
    return khora_sim.ladder(*strategies, **asked, workers=WORKERS).data()


def habits(strategy: str, **asked: Any) -> Data:
    return khora_sim.habits(strategy, **asked, workers=WORKERS).data()


def grade(strategy: str, **made: Any) -> Data:
    """Grade on a small panel, which is made first: the answer has a row for every decision."""
    khora_sim.panel(out="panel.npz", **made, workers=WORKERS)
    return khora_sim.grade(strategy, panel="panel.npz").data()


def show_decision(strategy: str, number: int) -> Data:
    return khora_sim.grade(strategy, decision=number).data()


def simulate(**asked: Any) -> Data:
    """Win shares as `khora data show` gives them, and the sum of every column of numbers in each table."""
    study = khora_sim.simulate(out="study", **asked, workers=WORKERS)
    return {
        "win_shares": {by: study.win_shares(by).to_dicts() for by in ("strategy", "city", "seat")},
        "sums": {table: _sums(study.table(table).collect()) for table in study.tables},
    }


def _sums(table: pl.DataFrame) -> dict[str, float]:
    """Sums by column, in exact whole numbers where the column has these."""
    numbers = table.select(pl.selectors.numeric() | pl.selectors.boolean()).to_dict(as_series=False)
    return {name: sum(one for one in values if one is not None) for name, values in numbers.items()}


def compare(first: Data, second: Data) -> Data:
    """Headline and detail as `khora report --compare --json` prints them, and the tables behind them."""
    khora_sim.simulate(out="first", **first, workers=WORKERS)
    khora_sim.simulate(out="second", **second, workers=WORKERS)
    found = khora_sim.compare("first", "second")
    names = ("city_wins", "city_scores", "strategy_wins", "strategy_scores", "endings", "points")
    return {
        "headline": found.headline,
        "detail": found.detail,
        "sure": found.sure,
        "differences": found.differences,
        "paired": found.paired,
        "games": found.games,
        "tables": {name: getattr(found.tables, name).to_dicts() for name in names},
    }


ANALYSES = (
    *(what_if, sweep, power, balance, gate, cities, exploit, ladder, habits, grade, show_decision),
    *(simulate, compare),
)


class Case(NamedTuple):
    """One question: the analysis and its arguments."""

    analysis: Callable[..., Data]
    given: tuple[Any, ...]
    asked: Data

    def answer(self) -> Data:
        """Answer it in a temporary folder with copies of the two TOML files."""
        with TemporaryDirectory() as folder, chdir(folder):
            for file in (VARIANT, NUMBERS):
                shutil.copy(HERE / file, file)
            return self.analysis(*self.given, **self.asked)


def case(analysis: Callable[..., Data], *given: Any, **asked: Any) -> Case:
    return Case(analysis, given, asked)


TOUR = {"strategies": "steward", "cities": "all", "games": 140}

CASES = {
    "what-if-set": case(
        what_if, set="cards.lighthouse.cost=2", strategies="steward", beside=None, games=280, seed=11
    ),
    "what-if-file": case(what_if, VARIANT, strategies="merchant", beside="steward", players=3, games=210),
    "what-if-against": case(what_if, strategies="merchant", against="steward", games=140),
    "what-if-option-against": case(
        what_if, strategies="merchant,steward", against="merchant", reroll=True, players=2, games=84
    ),
    "what-if-precision": case(what_if, VARIANT, strategies="merchant", beside=None, precision=4),
    "what-if-adapt": case(
        what_if, VARIANT, strategies="steward", beside=None, players=2, games=84, adapt="2000games"
    ),
    "sweep-one": case(sweep, vary=f"{GLORY}=0..2", strategies="steward", games=280),
    "sweep-two": case(
        sweep,
        vary=[f"{GLORY}=0..2", f"{OLYMPIA}=0..2"],
        target="argos=25",
        strategies="merchant",
        games=280,
        seed=3,
    ),
    "sweep-stages": case(
        sweep,
        vary=[f"{GLORY}=0..5", f"{OLYMPIA}=0..5"],
        target=["argos=25", "olympia=30"],
        strategies="merchant",
        players=3,
        games=140,
    ),
    "sweep-precision": case(
        sweep, vary="cards.lighthouse.cost=0..2", strategies="merchant", rules=VARIANT, precision=4
    ),
    "power-cards": case(power, "cards", strategies="merchant", games=4200),
    "power-developments": case(power, "developments", strategies="steward", rules=VARIANT, games=1400),
    "power-events": case(power, "events", strategies="merchant,steward", players=3, games=140, seed=5),
    "power-tracks": case(power, "tracks", strategies="merchant", precision=8),
    "balance-two": case(
        balance,
        vary=[f"{OLYMPIA}=0..2", f"{GLORY}=0..2"],
        target="25+-15",
        changes=2,
        strategies="steward",
        beside="merchant",
        games=280,
    ),
    "balance-file": case(
        balance,
        numbers=NUMBERS,
        target=["25+-3", "olympia=30+-5"],
        changes=1,
        strategies="merchant",
        beside=None,
        rules=VARIANT,
        games=140,
        seed=2,
    ),
    "gate-written": case(gate, {"strategies": "merchant", "players": 2, "games": 210}),
    "gate-unchanged": case(gate, {"strategies": "merchant", "games": 280}, {}),
    "gate-other-seed": case(
        gate, {"strategies": "merchant", "players": 3, "games": 210}, {"seed": 9, "city_share": "20..45"}
    ),
    "gate-variant": case(gate, {"strategies": "steward", "games": 700}, {"rules": VARIANT, "change": 1}),
    "gate-cards": case(
        gate,
        {"strategies": "merchant", "games": 140, "cards": True},
        {"rules": VARIANT, "seat_share": "15..35"},
    ),
    "cities-two": case(cities, "random", "merchant", games=700),
    "cities-peers": case(
        cities, "merchant", "steward", peers="expert", players=[3, 2], games=42, rules=VARIANT, seed=4
    ),
    "exploit-untrained": case(exploit, "merchant", city="sparta", players=2, games=16, budget="none"),
    "exploit-trained": case(
        exploit,
        "steward",
        city="argos",
        players=2,
        games=16,
        budget="2000games",
        force="development=2",
        also="merchant",
        seed=1,
    ),
    "ladder-four-players": case(ladder, "random", "merchant", "steward", games=100),
    "ladder-search": case(ladder, "merchant", "steward", "sage", players=2, games=12, seed=6),
    "habits-merchant": case(habits, "merchant", games=140),
    "habits-steward": case(habits, "steward", games=105, players=3, seed=8),
    "grade-merchant": case(grade, "merchant", decisions=40, worlds=2),
    "grade-steward": case(grade, "steward", decisions=40, worlds=2, seed=1),
    "decision-merchant": case(show_decision, "merchant", 1),
    "decision-steward": case(show_decision, "steward", 400),
    "simulate-tour": case(simulate, **TOUR, rounds=True),
    "simulate-mixed": case(
        simulate, strategies="merchant,steward,random", players=[2, 3], games=120, rules=VARIANT, seed=7
    ),
    "compare-paired": case(compare, TOUR, {**TOUR, "rules": VARIANT}),
    "compare-unpaired": case(compare, TOUR, {**TOUR, "strategies": "merchant", "seed": 7}),
}
