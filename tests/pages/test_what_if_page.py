"""The page of a what-if: its sentences, its files, and how it opens on a phone."""

import json
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

import khora_sim
from khora_sim.analyses.what_if import COMMAND, WhatIfOptions
from khora_sim.analyses.what_if.measure import WhatIf
from khora_sim.analyses.what_if.page import needed
from khora_sim.pages.comparison import streams
from khora_sim.rules import load_rules, set_rules
from tests.pages.browser import look

CHANGE = "cards.lighthouse.cost=3"
ASKED = {"set": CHANGE, "strategies": "steward", "also_with": "random", "games": 280, "seed": 5}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("what-if") / "answer"


@pytest.fixture(scope="module")
def answer(folder: Path) -> WhatIf:
    return khora_sim.what_if(**ASKED, workers=1, out=folder)


def test_the_page_holds_its_parts_in_order(answer: WhatIf, folder: Path):
    page = COMMAND.page(answer, WhatIfOptions.of({**ASKED, "out": folder}))
    *first, skill, luck = page.sections
    assert [section.id for section in first] == ["change", "thing", "fairness", "cities"]
    assert (skill.title, luck.title) == ("With players of another skill", "What luck is the same")
    assert "The players did not adapt." in skill.notes[0]
    assert page.headline.startswith("With steward in every seat, ")
    assert skill.lead.startswith("With random in every seat, ")
    stronger = [line for line in page.limits if line.endswith(" may not hold in stronger hands.")]
    assert [line.split()[:2] for line in stronger] == [["With", "steward"], ["With", "random"]]
    printed = COMMAND.brief(answer)
    assert all(f"  {line}" in printed for line in stronger)


def test_the_folder_holds_the_answer_its_tables_and_the_change(answer: WhatIf, folder: Path):
    assert json.loads((folder / "answer.json").read_text()) == json.loads(json.dumps(answer.data()))
    assert load_rules(folder / "variant.toml").hash == set_rules([CHANGE]).hash
    kept = pl.read_parquet(folder / "tables" / "cities.parquet")
    assert kept.equals(answer.variants[0].main.tables.city_wins)


def test_a_changed_game_is_distinguished_from_where_it_parts_and_replayed_with_the_changed_rules(
    answer: WhatIf, folder: Path
):
    game = answer.variants[0].main.changed_games[0]
    rows = pl.read_parquet(folder / "tables" / "changed-game-1.parquet").rows()
    assert game.divergence is not None
    assert [row[1:] for row in rows[:3]] == [(line, "the same") for line in game.divergence.shared]
    assert rows[3][0] == "They part"
    name, before, after = rows[-1]
    assert (name, f"--seed {game.seed}" in before) == ("Replay", True)
    assert after == f"{before} --rules {folder / 'variant.toml'}"


def same(*assignments: str) -> dict[str, str]:
    found = streams(load_rules().model, set_rules(assignments).model)
    return dict(zip(found["stream"], found["same"], strict=True))


def test_the_same_luck_is_reported_stream_by_stream():
    usual = same(CHANGE)
    assert usual == {
        "cities": "yes",
        "seats": "yes",
        "dice": "yes",
        "hands": "yes",
        "order of the deck": "yes",
        "events": "yes",
        "first player": "yes",
        "cards drawn later": "in part",
        "players' own draws": "in part",
    }
    gone = same('remove.events=["drought"]', 'remove.cities=["athens"]')
    assert gone == {**usual, "cities": "in part", "seats": "in part", "events": "in part"}
    assert same("rounds=8") == {**usual, "events": "in part"}
    assert same("options.shared_dice=true") == {**usual, "dice": "in part"}
    assert same("options.reroll=true") == {**usual, "rerolls": "no"}
    fewer = same('remove.cards=["bank"]')
    assert fewer == {**usual, "order of the deck": "in part", "hands": "in part"}


@pytest.mark.slow
def test_it_opens_on_a_phone_without_errors(answer: WhatIf, folder: Path, tmp_path: Path):
    found = look(folder / "index.html", tmp_path)
    assert (found["problems"], found["asked"], found["wide"]) == ([], [], [])
    assert found["width"] <= found["screen"]
    (figure,) = found["figures"]
    assert figure["outside"] == []
    assert all(table["rows"] for table in found["tables"])


def test_half_the_margin_takes_four_times_the_games():
    table = pl.DataFrame({"low": [-0.006, 0.0], "high": [0.006, 0.004]})
    verdict = SimpleNamespace(games=5000, tables=SimpleNamespace(city_wins=table))
    (line,) = needed(verdict, wanted=0.3)  # type: ignore[arg-type]
    assert "would take some 20,000 games of each side" in line
