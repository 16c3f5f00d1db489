from pathlib import Path

import polars as pl
import pytest

from khora_sim.report.comparison import compare
from khora_sim.report.differences import differences
from khora_sim.report.load import load
from khora_sim.report.pair import Pair
from khora_sim.report.write import write_comparison
from tests.report.synthetic import CITY_TERMS, make_study

STRONGER_ATHENS = (*CITY_TERMS[:6], 0.4)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """The same luck twice; in the second study Athens is stronger."""
    at = tmp_path_factory.mktemp("studies")
    first = make_study(at / "before", games=2000, rounds=False)
    second = make_study(at / "after", games=2000, rounds=False, city_terms=STRONGER_ATHENS)
    return Pair(load(first), load(second))


@pytest.fixture(scope="module")
def apart(pair: Pair, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """The same change, met with other luck."""
    at = tmp_path_factory.mktemp("studies") / "other"
    return Pair(
        pair.first, load(make_study(at, games=2000, rounds=False, seed=7, city_terms=STRONGER_ATHENS))
    )


def test_studies_of_one_seed_and_plan_are_paired(pair: Pair, apart: Pair) -> None:
    assert pair.is_paired
    assert not apart.is_paired


def test_a_longer_study_of_the_same_luck_is_paired_over_what_both_have(pair: Pair, tmp_path: Path) -> None:
    shorter = make_study(tmp_path / "short", games=1000, rounds=False, city_terms=STRONGER_ATHENS)
    both = Pair(pair.first, load(shorter))
    assert both.is_paired
    assert both.compared("city", "score")["n"].sum() == 4 * 1000


def test_paired_differences_are_those_of_a_join(pair: Pair) -> None:
    keys = ["game", "seat", "city"]
    one, two = (m.study.players.select(*keys, "score").collect() for m in pair.both)
    joined = one.join(two, on=keys, suffix="_two", validate="1:1")
    direct = joined.group_by(pl.col("city").cast(pl.String)).agg(
        (pl.col("score_two") - pl.col("score")).mean()
    )
    found = pair.compared("city", "score")
    expected = dict(direct.iter_rows())
    assert dict(found.select("city", "value").iter_rows()) == pytest.approx(expected)


def test_pairing_narrows_the_interval(pair: Pair, apart: Pair) -> None:
    paired, unpaired = (
        one.compared("city", "score").filter(city="athens").row(0, named=True) for one in (pair, apart)
    )
    assert paired["low"] < 8 * 1.2 < paired["high"] + 0.3  # eight points for each unit of strength
    assert (unpaired["high"] - unpaired["low"]) > 2 * (paired["high"] - paired["low"])
    assert paired["pairing_gain"] > 4


def test_the_planted_change_is_the_headline(pair: Pair) -> None:
    found = compare(*pair.both)
    assert found.headline.startswith("From A to B, Athens gains most and ")
    assert found.sure[0].startswith("2,000 games are compared one by one")
    assert "Pairing is worth" in found.sure[1]


def test_other_luck_is_compared_as_wholes_and_the_page_says_so(apart: Pair) -> None:
    found = compare(*apart.both)
    assert found.headline.startswith("From A to B, Athens gains most")
    assert found.sure[0].startswith("The studies met different luck")
    assert "Seed: 1 in A, 7 in B." in found.differences


def test_a_study_against_itself_shows_nothing(pair: Pair) -> None:
    found = compare(pair.first, pair.first)
    assert found.headline == "No city's win share changes by an amount that can be seen."
    assert found.differences == ["Nothing: the same plan, rules and strategies."]


def test_tables_of_other_sizes_are_compared_against_the_fair_share(pair: Pair, tmp_path: Path) -> None:
    two = load(make_study(tmp_path / "two", games=1000, players=(2,), rounds=False))
    found = compare(pair.first, two)
    assert "wins against the fair share" in found.detail
    assert found.sections[2].lead == "The studies have no size of table in common."


def test_replaced_strategies_are_paired_place_by_place(pair: Pair, tmp_path: Path) -> None:
    other = make_study(
        tmp_path / "other", games=2000, rounds=False, strategies=("strong", "weak", "stranger")
    )
    both = Pair(pair.first, load(other))
    assert both.is_paired
    names = compare(*both.both).sections[1].tables[0].columns[0].cells
    assert names == ["middling → weak", "strong", "weak → stranger"]


def test_studies_without_a_common_strategy_say_so(pair: Pair, tmp_path: Path) -> None:
    other = load(make_study(tmp_path / "other", games=400, rounds=False, seed=5, strategies=("a", "b")))
    assert "no strategy in common" in compare(pair.first, other).sections[1].lead


def test_changed_rules_are_told_one_by_one(pair: Pair) -> None:
    from khora_sim.rules import load_rules, read_rules

    first = pair.first.manifest
    changed = read_rules(load_rules().to_toml().replace("rounds = 9", "rounds = 8", 1))
    rules = {"name": "short", "hash": changed.hash, "version": "1", "toml": changed.to_toml()}
    told = differences(first, first | {"rules": rules})
    assert told == ["Rules: base in A, short in B.", "rounds: 9 -> 8"]


@pytest.mark.usefixtures("undrawn")
def test_the_page_of_a_comparison_holds_its_figures_and_command(pair: Pair, tmp_path: Path) -> None:
    first, second = pair.first.folder, pair.second.folder
    text = write_comparison(first, second, tmp_path / "report").read_text(encoding="utf-8")
    for kind in ("compare-cities", "compare-scores", "compare-points"):
        assert f'id="figure-{kind}"' in text
    assert f"khora report --compare {first} {second} --out {tmp_path / 'report'}" in text
