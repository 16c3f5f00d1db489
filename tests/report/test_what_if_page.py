"""The page of a what-if: its sentences, its files, and how it opens on a phone."""

import json
from pathlib import Path

import polars as pl
import pytest

import khora_sim
from khora_sim.questions.what_if_answer import WhatIf
from khora_sim.report.luck import luck_of_rules
from khora_sim.report.what_if_page import page_of
from khora_sim.rules import load_rules, set_rules
from tests.report.browser import look

CHANGE = "cards.lighthouse.cost=3"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("what-if") / "answer"


@pytest.fixture(scope="module")
def answer(folder: Path) -> WhatIf:
    return khora_sim.what_if(
        set=CHANGE, strategies="steward", beside="random", games=280, seed=5, workers=1, out=folder
    )


def test_the_page_holds_its_five_parts_in_order(answer: WhatIf, folder: Path):
    page = page_of(answer, folder)
    assert [section.id for section in page.sections] == ["change", "thing", "fairness", "cities", "skill"]
    assert "The players did not adapt." in page.sections[-1].notes[0]
    assert page.headline.startswith("With steward in every seat, ")
    assert page.sections[-1].lead.startswith("With random in every seat, ")


def test_the_folder_holds_the_answer_its_tables_and_the_change(answer: WhatIf, folder: Path):
    assert json.loads((folder / "answer.json").read_text()) == json.loads(json.dumps(answer.data()))
    assert load_rules(folder / "variant.toml").hash == set_rules([CHANGE]).hash
    kept = pl.read_parquet(folder / "tables" / "cities.parquet")
    assert kept.equals(answer.variants[0].main.tables.city_wins)


def test_a_changed_game_is_replayed_with_the_changed_rules(answer: WhatIf, folder: Path):
    commands = pl.read_parquet(folder / "tables" / "changed-games.parquet")["command"]
    game = answer.variants[0].main.changed_games[0]
    before, after = commands[0].split(" ; ")
    assert f"--seed {game.seed}" in before
    assert after == f"{before} --rules {folder / 'variant.toml'}"


def test_the_same_luck_is_told_as_far_as_it_goes():
    base = load_rules()
    (same,) = luck_of_rules(base, set_rules([CHANGE]))
    assert same.endswith("cities, seats, dice, hands, order of the deck, events and first player.")
    gone = luck_of_rules(base, set_rules(['remove.events=["drought"]', 'remove.cities=["athens"]']))
    assert gone[0] == "Game by game the same in both: dice, hands, order of the deck and first player."
    assert [line.split()[1] for line in gone[1:]] == ["cities", "events"]
    shorter = luck_of_rules(base, set_rules(["rounds=8"]))
    assert shorter[1].startswith("The events are the same up to the last round but one of the shorter")


@pytest.mark.slow
def test_it_opens_on_a_phone_without_errors(answer: WhatIf, folder: Path, tmp_path: Path):
    found = look(folder / "index.html", tmp_path)
    assert (found["problems"], found["asked"], found["wide"]) == ([], [], [])
    assert found["width"] <= found["screen"]
    (figure,) = found["figures"]
    assert figure["outside"] == []
    assert all(table["rows"] for table in found["tables"])
