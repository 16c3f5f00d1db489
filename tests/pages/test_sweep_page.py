"""The pages of a sweep and of a search for balance: parts, files, and how they open on a phone."""

import json
from pathlib import Path

import polars as pl
import pytest

import khora_sim
from khora_sim.analyses.sweep import COMMAND, Sweep, SweepOptions
from khora_sim.rules import load_rules, set_rules
from tests.pages.browser import look

POINTS = "cities.argos.developments.1.effects.1.gain.vp"
FEW = {"strategies": "random", "games": 280, "workers": 1}


def swept(out: Path, *vary: str, **more) -> Sweep:
    return khora_sim.sweep(vary=vary, out=out, **FEW, **more)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sweep") / "answer"


@pytest.fixture(scope="module")
def answer(folder: Path) -> Sweep:
    return swept(folder, f"{POINTS}=0,4,8", target="argos=60")


def test_the_page_of_one_number_has_curves_a_ranking_and_every_city(answer: Sweep):
    page = COMMAND.page(answer, SweepOptions(vary=(f"{POINTS}=0,4,8",)))
    assert [section.id for section in page.sections] == ["response", "ranking", "cities"]
    assert [figure.kind for figure in page.sections[0].figures] == ["sweep-cities", "sweep-distance"]
    assert page.headline.startswith(f"With random in every seat, {POINTS}=4 comes nearest to Argos at 60 %")
    assert page.limits[0].endswith(" may not hold in stronger hands.")
    assert COMMAND.brief(answer)[-1] == page.limits[0]


def test_the_folder_holds_the_answer_its_tables_and_the_best_variant(answer: Sweep, folder: Path):
    assert json.loads((folder / "answer.json").read_text()) == json.loads(json.dumps(answer.data()))
    assert pl.read_parquet(folder / "tables" / "variants.parquet").equals(answer.variants)
    assert pl.read_parquet(folder / "tables" / "cities.parquet").equals(answer.cities)
    assert load_rules(folder / "best.toml").hash == set_rules([f"{POINTS}=4"]).hash
    made_by = f"khora sweep --vary {POINTS}=0,4,8 --target argos=60 --strategies random --games 280"
    assert f"{made_by} --out {folder}" in (folder / "summary.md").read_text()


def test_a_run_that_is_replaced_leaves_no_best_variant_of_the_one_before(tmp_path: Path):
    swept(tmp_path, f"{POINTS}=0,8", target="argos=60")
    assert (tmp_path / "best.toml").exists()
    swept(tmp_path, f"{POINTS}=0,8", target="argos=30", replace=True)
    assert not (tmp_path / "best.toml").exists()


def test_two_numbers_are_a_heat_map_and_three_a_ranking(tmp_path: Path):
    two = swept(tmp_path / "two", f"{POINTS}=0,8", "cards.bank.cost=0..1")
    assert (tmp_path / "two" / "figures" / "sweep-heat.svg").exists()
    assert [len(two.variants), len(two.numbers)] == [4, 2]
    swept(tmp_path / "three", f"{POINTS}=0,8", "cards.bank.cost=0..1", "start.vp=0")
    assert (tmp_path / "three" / "figures" / "sweep-ranking.svg").exists()


@pytest.mark.slow
def test_the_pages_open_on_a_phone_without_errors(answer: Sweep, folder: Path, tmp_path: Path):
    balanced = tmp_path / "balance"
    khora_sim.balance(
        vary=[f"{POINTS}=0,8", "cards.bank.cost=0,1"], changes=1, also_with="none", out=balanced, **FEW
    )
    for page in (folder, balanced):
        (tmp_path / f"look-{page.name}").mkdir()
        found = look(page / "index.html", tmp_path / f"look-{page.name}")
        assert (found["problems"], found["asked"], found["wide"]) == ([], [], [])
        assert found["width"] <= found["screen"]
        assert [figure["outside"] for figure in found["figures"]] == [[], []]
        assert all(table["rows"] for table in found["tables"])
