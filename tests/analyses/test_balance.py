"""One planted unfair number is repaired by changing exactly that number back."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from khora_sim.analyses.balance import COMMAND, BalanceOptions, usual_numbers
from khora_sim.analyses.balance.search import Balance, Change, Searching
from khora_sim.analyses.variants import Target, WantedShare
from khora_sim.common.progress import Progress
from khora_sim.errors import UserError
from khora_sim.rules import load_rules, set_rules

PLANTED = "cities.argos.developments.1.effects.1.gain.vp"
OTHERS = (
    "cities.sparta.developments.1.effects.1.number=1..2",
    "cities.athens.developments.1.effects.1.gain.philosophy=2..4",
    "cities.argos.developments.4.cost=1..3",
)
FEW: dict[str, Any] = {
    "strategies": ("random",),
    "also_with": "none",
    "games": 700,
    "changes": 2,
    "workers": 1,
}
BACK = 30.0  # per cent, what Argos wins with random players in the base game


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("planted") / "planted.toml"
    gain = "effects = [{ on = 'at-once', gain = { troops = 2, vp = 12 } }]"
    file.write_text(f"name = 'planted'\n[cities.argos.developments.1]\n{gain}\n")
    return str(file)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("repaired")


@pytest.fixture(scope="module")
def repaired(planted: str, out: Path) -> Balance:
    vary, target = (f"{PLANTED}=0..15:3", *OTHERS), f"argos={BACK:g}+-6"
    return COMMAND.ask({**FEW, "vary": vary, "rules": planted, "target": target, "out": out}, Progress())


def test_a_planted_number_is_changed_back_and_nothing_else(repaired: Balance):
    assert len(repaired.proposals) == 2  # one change reaches the target, so no second one is looked for
    (change,) = repaired.best.changes
    assert (change.path, change.before, change.after) == (PLANTED, 12, 0)
    assert repaired.best.reached
    assert repaired.best.rules.hash == load_rules().hash


def test_a_proposal_is_confirmed_on_luck_that_had_no_part_in_finding_it(repaired: Balance):
    assert repaired.judging_seed == 3_000_000_000
    assert all(2_000_000_000 <= stage.seed < 3_000_000_000 for stage in repaired.stages)
    found = repaired.best.main
    assert found.games == 700
    assert found.distance_change.high < -0.4
    assert repaired.base.main.distance.value > 0.5
    assert repaired.base.main.spread.value > 0.6  # of all cities, though only one has a target


def test_a_search_that_is_resumed_takes_its_options_from_the_folder(out: Path, repaired: Balance):
    files = sorted((out / "parts").iterdir())
    for file in files[::3]:
        file.unlink()
    again = COMMAND.ask({"out": out, "resume": True, "workers": 2}, Progress())
    assert json.dumps(again.data()) == json.dumps(repaired.data())
    assert sorted((out / "parts").iterdir()) == files


def test_more_changes_are_tried_until_no_more_are_allowed(planted: str):
    vary = (f"{PLANTED}=3..12:3", *OTHERS)
    found = COMMAND.ask(
        {**FEW, "vary": vary, "rules": planted, "also_with": "idle", "games": 280}, Progress()
    )
    assert [len(one.changes) for one in found.proposals] == [0, 1, 2]
    assert all(found.proposals[size].changes[0].path.startswith("cities.") for size in (1, 2))
    assert PLANTED in {change.path for change in found.proposals[2].changes}
    assert [one.strategies for one in found.base.confirmed] == [("random",), ("idle",)]


def test_a_set_is_promising_by_what_all_its_changes_move():
    first, second, third = (Change(f"cards.{card}.cost", 4, 5) for card in ("bank", "archives", "gradualism"))
    target = Target({"argos": WantedShare(0.25), "athens": WantedShare(0.25)}, fair=True)
    searching = Searching(None, None, target, 0, 0)  # type: ignore[arg-type]
    moved = np.array([-0.1, 0.0])
    candidates = searching._candidates(
        {(first,): moved}, {second: moved, third: 2 * moved}, np.array([0.45, 0.25])
    )
    assert candidates == [tuple(sorted((first, second))), tuple(sorted((first, third)))]


def test_the_usual_numbers_are_costs_and_amounts_of_developments_and_are_playable():
    rules = load_rules()
    numbers = {number.path: number for number in usual_numbers(rules)}
    assert numbers["cities.argos.developments.4.cost"].values == (0, 1, 2, 3, 4)
    assert numbers["cities.argos.developments.2.effects.1.choices.3.vp"].values == (2, 3, 4, 5, 6)
    assert "cities.argos.developments.1.cost" not in numbers
    assert all(number.base in number.values for number in numbers.values())
    argos = [one for one in numbers.values() if one.city == "argos"]
    assert all(set_rules([one.typed(one.values[-1])]).hash != rules.hash for one in argos)


def test_numbers_are_read_from_a_file(tmp_path: Path):
    file = tmp_path / "numbers.toml"
    file.write_text('[vary]\n"cards.lighthouse.cost" = "0..2"\n"rounds" = [8, 9]\n')
    found = BalanceOptions.of({**FEW, "numbers": file}).subject
    assert [(one.path, one.values) for one in found.numbers] == [
        ("cards.lighthouse.cost", (0, 1, 2)),
        ("rounds", (8, 9)),
    ]
    assert found.target.cities["argos"].within == 0.02


def test_a_search_is_not_resumed_with_other_numbers_in_its_file(tmp_path: Path):
    file, out = tmp_path / "numbers.toml", tmp_path / "out"
    file.write_text('[vary]\n"cities.argos.developments.4.cost" = "2..3"\n')
    asked = {**FEW, "games": 280, "changes": 1, "numbers": str(file), "out": out}
    found = COMMAND.ask(asked, Progress())
    assert len(found.effects) == 1
    file.write_text('[vary]\n"cities.argos.developments.4.cost" = "1..3"\n')
    with pytest.raises(UserError, match="was begun with another version of the numbers"):
        COMMAND.ask({"out": out, "resume": True}, Progress())


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"changes": 0}, "--changes 0: expected 1 to 8"),
        ({"vary": ("rounds=8",), "numbers": "some.toml"}, "--vary and --numbers: give one of them"),
        ({"vary": ("rounds=9",)}, "every number keeps its value"),
        ({"vary": ("cards.lighthose.cost=0..2",)}, 'no card is called "lighthose"; did you mean lighthouse?'),
        ({"numbers": "none.toml"}, "none.toml: no such file; expected the path of a TOML file"),
        ({"target": ("argo=25",)}, 'no city is called "argo"; did you mean argos?'),
        ({"beside": None}, "--beside: is now --also-with"),
    ],
)
def test_what_cannot_be_searched_is_refused_before_a_game_is_played(changes: dict, problem: str):
    with pytest.raises(UserError) as told:
        BalanceOptions.of(FEW | changes)
    assert problem in str(told.value)
    assert "\n" not in str(told.value)
