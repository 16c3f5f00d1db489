import re
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from khora_sim.pages.study_comparison import Pair, StudyComparison, compare, differences, shared_by
from khora_sim.pages.study_data import load
from khora_sim.pages.study_report import write_comparison
from khora_sim.pages.table import Table
from khora_sim.rules import Rules
from khora_sim.simulation.manifest import Manifest
from khora_sim.stats import holm
from tests.checks.false_claims import claims
from tests.pages.synthetic import CITY_TERMS, make_study


def tables_of(found: StudyComparison) -> list[Table]:
    return [table for section in found.sections for table in section.tables]


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
    assert both.players.compared("city", "score")["score"]["n"].sum() == 4 * 1000


def test_paired_differences_are_those_of_a_join(pair: Pair) -> None:
    keys = ["game", "seat", "city"]
    one, two = (m.study.players.select(*keys, "score").collect() for m in pair.both)
    joined = one.join(two, on=keys, suffix="_two", validate="1:1")
    direct = joined.group_by(pl.col("city").cast(pl.String)).agg(
        (pl.col("score_two") - pl.col("score")).mean()
    )
    found = pair.players.compared("city", "score")["score"]
    expected = dict(direct.iter_rows())
    assert dict(found.select("city", "value").iter_rows()) == pytest.approx(expected)


def test_pairing_narrows_the_interval(pair: Pair, apart: Pair) -> None:
    paired, unpaired = (
        one.players.compared("city", "score")["score"].filter(city="athens").row(0, named=True)
        for one in (pair, apart)
    )
    assert paired["low"] < 8 * 1.2 < paired["high"] + 0.3  # eight points for each unit of strength
    assert (unpaired["high"] - unpaired["low"]) > 2 * (paired["high"] - paired["low"])
    assert paired["pairing_gain"] > 4


def test_the_planted_change_is_the_headline(pair: Pair) -> None:
    found = compare(*pair.both)
    assert found.finding.startswith("From A to B, Athens wins more and ")
    assert found.sure[0] == "2,000 games are compared one by one."
    assert found.sure[2].startswith("Pairing is worth")


def test_the_headline_tells_every_city_that_changes_and_not_which_changes_most(pair: Pair) -> None:
    found = compare(*pair.both)
    wins = tables_of(found)[0].frame.sort("value")
    assert (wins["p_holm"] < 0.05).all()
    one, two, three, *_ = (pair.first.city(city) for city in wins["city"])
    assert found.finding == (
        f"From A to B, Athens wins more and {one}, {two}, {three} and 3 more cities win less."
    )


def test_the_largest_change_of_a_source_is_said_to_overstate(pair: Pair) -> None:
    found = compare(*pair.both).sections[-1]
    assert found.lead.startswith("The largest significant change is in ")
    assert found.lead.endswith("; the largest of 9 measured changes tends to overstate the truth.")


def test_other_luck_is_compared_as_wholes_and_the_page_says_so(apart: Pair) -> None:
    found = compare(*apart.both)
    assert found.finding.startswith("From A to B, Athens wins more")
    assert found.sure[0].startswith("The studies met different luck")
    assert "Seed: 1 in A, 7 in B." in found.differences


def test_a_study_against_itself_shows_nothing(pair: Pair) -> None:
    found = compare(pair.first, pair.first)
    assert found.finding == "No game came out differently."
    assert found.differences == ["Nothing: the same plan, rules and strategies."]
    assert not claims(found)


def test_where_no_game_differs_the_page_says_how_rare_a_change_may_still_be(pair: Pair) -> None:
    found = compare(pair.first, pair.first)
    assert found.detail == (
        "All scores and winners of 2,000 games in 500 rotation groups are the same. A change that shows "
        "in more than 0.8 % of the rotation groups is excluded (95 %); a rarer one is not."
    )
    changes = [table.column("B minus A") for table in tables_of(found) if "B minus A" in table.titles]
    assert len(changes) == 6
    assert {float(cell.split()[0]) for cells in changes for cell in cells} == {0.0}
    assert not any("exactly" in cell for cells in changes for cell in cells)
    assert changes[0][0] == "0.0 ± 1.4"  # a city is in some four of seven groups


def test_every_p_value_of_a_page_is_corrected_for_all_of_them(pair: Pair, apart: Pair) -> None:
    for both in (pair, apart):
        found = compare(*both.both)
        tables = [table.frame for table in tables_of(found)]
        p, adjusted = (pl.concat([table[name] for table in tables]) for name in ("p_value", "p_holm"))
        assert len(p) == 2 * 7 + 2 * 3 + 3 + 9
        assert adjusted.to_list() == pytest.approx(holm(p.to_numpy()).tolist())
        assert f"all {len(p)} comparisons of this page" in found.sure[-1]


def test_a_page_on_studies_of_the_same_rules_claims_nothing(pair: Pair, tmp_path: Path) -> None:
    other = load(make_study(tmp_path / "other", games=2000, rounds=False, seed=7))
    found = compare(pair.first, other)
    assert found.finding == "No city's win share changes by an amount that can be seen."
    compared = (
        *("win share", "win share"),
        *("winning scores, margins and lead changes", "where points come from"),
    )
    assert [section.lead for section in found.sections] == [
        f"No change in {one} is significant after correction for all comparisons of this page."
        for one in compared
    ]
    assert not claims(found)


def test_one_strategy_has_no_win_share_to_compare(tmp_path: Path) -> None:
    first, second = (
        load(make_study(tmp_path / str(seed), games=800, rounds=False, seed=seed, strategies=("strong",)))
        for seed in (1, 2)
    )
    strategies = compare(first, second).sections[1]
    assert [table.name for table in strategies.tables] == ["compare-strategy-scores"]
    assert strategies.lead == (
        "One strategy at all seats (strong) always has its fair share. No change in mean score is "
        "significant after correction for all comparisons of this page."
    )


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
    table = compare(*both.both).sections[1].tables[0]
    assert table.column(table.titles[0]) == ["middling → weak", "strong", "weak → stranger"]


def test_studies_without_a_common_strategy_say_so(pair: Pair, tmp_path: Path) -> None:
    other = load(make_study(tmp_path / "other", games=400, rounds=False, seed=5, strategies=("a", "b")))
    assert "no strategy in common" in compare(pair.first, other).sections[1].lead


def with_rules(manifest: Manifest, name: str, rules: Rules) -> Manifest:
    """The manifest of a study that was played under other rules."""
    played = {"name": name, "hash": rules.hash, "toml": rules.to_toml()}
    enums = {"cards": rules.card_ids, "events": rules.event_ids, "cities": rules.city_ids}
    return manifest.model_copy(
        update={
            "rules": manifest.rules.model_copy(update=played),
            "enums": manifest.enums.model_copy(update=enums),
        }
    )


def test_changed_rules_are_reported_one_by_one(pair: Pair) -> None:
    from khora_sim.rules import load_rules, read_rules

    first = pair.first.manifest
    changed = read_rules(load_rules().to_toml().replace("rounds = 9", "rounds = 8", 1))
    lines = differences(first, with_rules(first, "short", changed))
    assert lines == ["Rules: base in A, short in B.", "rounds: 9 -> 8"]


def luck_after(pair: Pair, change: Callable[[str], str]) -> list[str]:
    """What the page says of shared luck once the rules of the second study are changed."""
    from khora_sim.rules import read_rules

    manifest = pair.first.manifest
    changed = read_rules(change(manifest.rules.toml))
    return shared_by(manifest, with_rules(manifest, "changed", changed))


def without(section: str) -> Callable[[str], str]:
    """Takes one entry out of the text of the rules."""
    return lambda text: re.sub(rf"(?ms)^\[{re.escape(section)}\]\n.*?(?=^\[)", "", text)


def test_a_changed_number_leaves_all_luck_the_same(pair: Pair) -> None:
    lines = luck_after(
        pair, lambda text: text.replace("legislation_citizens = 3", "legislation_citizens = 2")
    )
    same = "cities, seats, dice, hands, order of the deck, events and first player"
    assert lines == [f"Game by game the same in both: {same}."]


def test_a_removed_event_leaves_the_other_rounds_theirs(pair: Pair) -> None:
    lines = luck_after(pair, without("events.plague-of-athens"))
    assert lines == [
        "Game by game the same in both: cities, seats, dice, hands, order of the deck and first player.",
        "Events: the same except in the rounds of those that only one side has, and of those that make room "
        "for them.",
    ]


def test_fewer_rounds_leave_the_events_before_the_last_round_the_same(pair: Pair) -> None:
    lines = luck_after(pair, lambda text: text.replace("rounds = 9", "rounds = 6", 1))
    assert lines == [
        "Game by game the same in both: cities, seats, dice, hands, order of the deck and first player.",
        "Events: the same except from round 6 on.",
    ]


def test_a_removed_card_leaves_the_others_in_their_order(pair: Pair) -> None:
    lines = luck_after(pair, without("cards.gold-reserve"))
    assert lines == [
        "Game by game the same in both: cities, seats, dice, events and first player.",
        "Hands: the same up to the first card that only one side has; from there by a card on.",
        "Order of the deck: the same but for the cards that only one side has; behind each of them all draws "
        "move by a card.",
    ]


def test_studies_of_different_rules_versions_are_not_paired(pair: Pair) -> None:
    manifest = pair.second.manifest
    study = copy(pair.second.study)
    study.manifest = manifest.model_copy(update={"rules": manifest.rules.model_copy(update={"version": "2"})})
    assert pair.is_paired
    assert not Pair(pair.first, replace(pair.second, study=study)).is_paired


def test_fewer_cards_dealt_are_other_hands_from_the_same_deck(pair: Pair) -> None:
    lines = luck_after(pair, lambda text: text.replace("hand_dealt = 5", "hand_dealt = 4"))
    assert "order of the deck" in lines[0]
    assert "hands" not in lines[0]
    assert lines[1] == "Hands: the sides deal different numbers of cards from the same deck."


def test_of_rules_that_cannot_be_read_only_cities_and_seats_are_known_to_be_the_same(pair: Pair) -> None:
    manifest = pair.first.manifest
    unread = manifest.model_copy(
        update={"rules": manifest.rules.model_copy(update={"toml": 'name = "of another khora"'})}
    )
    lines = shared_by(unread, manifest)
    assert lines == ["Game by game the same in both: cities and seats. This khora cannot tell what else."]


def test_another_first_player_is_told(pair: Pair) -> None:
    manifest = pair.first.manifest
    other = manifest.model_copy(update={"plan": manifest.plan.model_copy(update={"first_player": 2})})
    assert shared_by(manifest, other)[1:] == ["First player: chosen in different ways."]


@pytest.mark.usefixtures("undrawn")
def test_the_page_of_a_comparison_holds_its_figures_and_command(pair: Pair, tmp_path: Path) -> None:
    first, second = pair.first.folder, pair.second.folder
    text = write_comparison(first, second, tmp_path / "report").page.read_text(encoding="utf-8")
    for kind in ("compare-cities", "compare-scores", "compare-points"):
        assert f'id="figure-{kind}"' in text
    assert f"khora report --compare {first} {second} --out {tmp_path / 'report'}" in text
