"""A gate passes a game that has not changed, and finds a planted change."""

from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from khora_sim.analyses.baseline import Baseline, Card
from khora_sim.analyses.gate import (
    Plan,
    Played,
    baseline_of,
    check_comparable,
    plan_for,
    played,
)
from khora_sim.analyses.gate_answer import Gate
from khora_sim.analyses.gate_cards import cards_of
from khora_sim.analyses.gate_judging import compared
from khora_sim.analyses.gate_verdict import Limits, Range, Word
from khora_sim.analyses.power import Plan as PowerPlan
from khora_sim.analyses.power import play_and_count, power
from khora_sim.analyses.power.worth import DEALT
from khora_sim.errors import UserError

PLAN = Plan(("random",), games=280, seed=5)
GAIN = "[cities.argos.developments.1]\neffects = [{ on = 'at-once', gain = { troops = 2, vp = 12 } }]\n"
CLONE = """
[cities.clone]
name = "Clone"
developments.1 = { kind = "immediate", cost = 0, effects = [{ on = "at-once", gain = { troops = 2 } }] }
developments.2 = { kind = "immediate", cost = 2, effects = [{ on = "at-once", gain = { vp = 4 } }] }
developments.3 = { kind = "immediate", cost = 4, effects = [{ on = "at-once", gain = { vp = 4 } }] }
developments.4 = { kind = "immediate", cost = 6, effects = [{ on = "at-once", gain = { vp = 4 } }] }
"""


@cache
def now(plan: Plan = PLAN) -> Played:
    return played(plan, workers=1)


@cache
def baseline() -> Baseline:
    return baseline_of(now())


def gate_with(tmp_path: Path, variant: str, limits: Limits | None = None, games: int = 280) -> Gate:
    (tmp_path / "variant.toml").write_text(variant)
    plan = PLAN._replace(rules=str(tmp_path / "variant.toml"), games=games)
    return compared(baseline(), played(plan, workers=1), limits or Limits())


def test_the_same_rules_players_and_seed_are_exactly_no_change():
    found = compared(baseline(), played(PLAN, workers=2), Limits(change=0))
    assert found.unchanged
    assert found.verdict == Word.PASS
    assert {row.change.value for row in found.rows} | {row.change.margin for row in found.rows} == {0.0}


def test_every_city_and_seat_is_judged():
    rows = compared(baseline(), now(), Limits()).rows
    assert Counter(row.kind for row in rows) == {"city": 7, "seat": 4}
    assert sum(row.now.value for row in rows if row.kind == "seat") == pytest.approx(1)


def test_a_planted_gain_fails_its_city_on_the_same_luck(tmp_path: Path):
    found = gate_with(tmp_path, GAIN)
    assert found.same_luck
    assert not found.unchanged
    argos = next(row for row in found.rows if row.id == "argos")
    assert argos.word == Word.FAIL
    assert argos.change.low > 0.02
    assert argos.finding.why.endswith("more than 2")
    assert not found.passed()


def test_the_same_luck_narrows_the_change(tmp_path: Path):
    paired = gate_with(tmp_path, GAIN)
    apart = gate_with(tmp_path, GAIN, games=420)
    assert not apart.same_luck
    widths = [{row.id: row.change.margin for row in found.rows} for found in (paired, apart)]
    assert all(widths[0][id] < widths[1][id] for id in widths[0])


def test_a_share_outside_its_limits_fails_though_nothing_changed():
    found = compared(baseline(), now(), Limits(city_share=Range(0.0, 0.05), seat_share=Range(0.05, 0.5)))
    assert {row.word for row in found.of("city")} == {Word.FAIL}
    assert {row.word for row in found.of("seat")} == {Word.PASS}


def test_new_and_removed_cities_are_told(tmp_path: Path):
    found = gate_with(tmp_path, f'[remove]\ncities = ["athens"]\n{CLONE}')
    words = {row.id: row.word for row in found.of("city")}
    assert (words["clone"], words["athens"]) == (Word.NEW, Word.REMOVED)
    assert not found.same_luck
    athens = next(row for row in found.rows if row.id == "athens")
    assert (athens.now, athens.change) == (None, None)
    assert "not in the game any more" in athens.finding.why


def test_a_strict_gate_wants_everything_to_pass(tmp_path: Path):
    found = gate_with(tmp_path, CLONE, Limits(change=100))
    assert found.verdict == Word.NEW
    assert found.passed()
    assert not found.passed(strict=True)


@pytest.mark.slow
def test_other_luck_alone_raises_an_alarm_in_at_most_5_of_100_gates():
    plans = [PLAN._replace(games=140, seed=seed) for seed in range(100, 130)]
    bases = [baseline_of(played(plan, workers=1)) for plan in plans]
    games = [played(plan._replace(seed=plan.seed + 100), workers=1) for plan in plans]
    alarms = sum(
        compared(one, two, Limits()).verdict != Word.PASS for one, two in zip(bases, games, strict=True)
    )
    assert alarms <= 5  # of 30; chance alone exceeds it in less than 1 of 100 where 5 % are alarms


def test_a_precision_is_reached_with_a_number_of_games_that_can_be_asked_for():
    found = played(PLAN._replace(precision=4.0), workers=1)
    margins = [one.margin for (kind, _), one in found.shares().items() if kind == "city"]
    assert max(margins) <= 0.04
    again = played(PLAN._replace(games=found.games), workers=1)
    assert compared(baseline_of(found), again, Limits()).unchanged


def test_a_baseline_with_other_games_in_its_units_is_not_paired():
    argos = baseline().cities["argos"]
    games = (argos.games[0] + 1, argos.games[1] - 1, *argos.games[2:])
    damaged = argos.model_copy(update={"games": games, "wins": tuple(min(argos.wins) for _ in games)})
    cities = baseline().cities | {"argos": damaged}
    found = compared(baseline().model_copy(update={"cities": cities}), now(), Limits())
    assert next(row for row in found.rows if row.id == "argos").word != Word.PASS


def card(name: str, low: float, high: float) -> Card:
    """The power of a card, in percentage points."""
    return Card(name=name, value=(low + high) / 200, low=low / 100, high=high / 100, n=500)


def words_of_cards(before: dict[str, Card], after: dict[str, Card]) -> dict[str, Word]:
    base = baseline_of(replace(now(), cards=before))
    found = compared(base, replace(now(), cards=after), Limits())
    assert found.intervals == 11 + len(before.keys() & after.keys())
    return {row.id: row.word for row in found.of("card")}


def test_a_card_is_judged_by_the_change_of_its_power():
    before = {"bank": card("Bank", 0.9, 1.1), "helots": card("Helots", 2, 2.4), "diolkos": card("D", -1, 1)}
    after = {"bank": card("Bank", 5.9, 6.1), "helots": card("Helots", 4, 4.4), "new": card("New", 1, 2)}
    assert words_of_cards(before, after) == {
        "bank": Word.FAIL,
        "helots": Word.WARN,
        "new": Word.NEW,
        "diolkos": Word.REMOVED,
    }


def test_cards_of_the_same_power_are_exactly_no_change_and_left_out_where_they_were_not_played():
    cards = {"bank": card("Bank", -3, 9)}
    base = baseline_of(replace(now(), cards=cards))
    same = compared(base, replace(now(), cards=cards), Limits(change=0))
    assert same.unchanged
    assert [row.change.margin for row in same.of("card")] == [0.0]
    assert compared(base, now(), Limits()).of("card") == []


def test_cards_are_asked_for_where_the_baseline_has_them():
    with_cards = baseline_of(replace(now(), cards={"bank": card("Bank", 0, 1)}))
    assert plan_for({}, with_cards, Path("b.json")).cards
    assert not plan_for({"cards": False}, with_cards, Path("b.json")).cards
    assert not plan_for({}, baseline(), Path("b.json")).cards
    with pytest.raises(
        UserError, match=r"holds no power of cards; write it again: khora gate b.json --write --cards"
    ):
        check_comparable(baseline(), 4, cards=True, path=Path("b.json"))


@pytest.mark.slow
def test_every_card_is_played_and_the_same_again():
    plan = Plan(("random",), games=140, seed=5, cards=True)
    found = compared(baseline_of(played(plan, workers=1)), played(plan, workers=1), Limits())
    assert len(found.of("card")) == 40
    assert found.unchanged


def test_only_the_games_of_dealt_cards_are_played_and_give_the_numbers_of_khora_power():
    plan = PowerPlan("cards", ("random",), games=140, seed=5)
    cards, shown = cards_of(plan, workers=1), power(plan, workers=1)
    assert len(play_and_count(plan, (DEALT,), workers=1).sides) == 2
    assert {id: one.estimate for id, one in cards.items()} == {row.thing: row.wins for row in shown.overall()}


def test_what_is_not_asked_for_is_as_in_the_baseline():
    stored = baseline()
    plan = plan_for({"rules": "a.toml"}, stored, Path("b.json"))
    assert plan == Plan(("random",), 4, 280, None, 5, "a.toml")
    assert plan_for({"games": 40}, stored, Path("b.json")).games == 40


def test_a_strategy_that_a_file_names_is_not_run_unless_it_is_typed():
    stored = baseline().model_copy(update={"strategies": (baseline().strategies[0].model_copy(),)})
    named = stored.model_dump(mode="json")
    named["strategies"][0]["name"] = "./trap.py"
    stranger = Baseline.model_validate(named)
    with pytest.raises(UserError, match=r"khora gate b.json --strategies ./trap.py"):
        plan_for({}, stranger, Path("b.json"))
    assert plan_for({"strategies": ("random",)}, stranger, Path("b.json")).strategies == ("random",)


def test_tables_of_another_size_are_refused():
    with pytest.raises(UserError, match="the baseline has tables of 4"):
        compared(baseline(), now(PLAN._replace(players=3)), Limits())
