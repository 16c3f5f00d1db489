"""A gate passes a game that has not changed, and finds a planted change."""

from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import khora_sim
from khora_sim.analyses.analysis import Run
from khora_sim.analyses.gate import COMMAND, GateOptions
from khora_sim.analyses.gate.baseline import (
    Baseline,
    Card,
    Plan,
    Played,
    baseline_of,
    cards_of,
    played,
    power_options,
    write_baseline,
)
from khora_sim.analyses.gate.verdict import Gate, Limits, Range, Word, compared
from khora_sim.analyses.power import play_and_count
from khora_sim.analyses.power.worth import DEALT
from khora_sim.common.progress import Progress
from khora_sim.common.seed_ranges import JUDGING
from khora_sim.errors import UserError
from khora_sim.rules import load_rules
from khora_sim.simulation.run_dir import RunOptions

ALONE = Run(RunOptions(workers=1))
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
    return played(plan, ALONE)


@cache
def baseline() -> Baseline:
    return baseline_of(now())


def gate_with(tmp_path: Path, variant: str, limits: Limits | None = None, games: int = 280) -> Gate:
    (tmp_path / "variant.toml").write_text(variant)
    plan = PLAN._replace(rules=str(tmp_path / "variant.toml"), games=games)
    return compared(baseline(), played(plan, ALONE), limits or Limits())


def test_the_same_rules_players_and_seed_are_exactly_no_change():
    found = compared(baseline(), played(PLAN, Run(RunOptions(workers=2))), Limits(change=0))
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
    assert argos.verdict == Word.FAIL
    assert argos.change.low > 0.02
    assert argos.why.endswith("more than 2")
    assert not found.passed()


def test_the_same_luck_narrows_the_change(tmp_path: Path):
    paired = gate_with(tmp_path, GAIN)
    apart = gate_with(tmp_path, GAIN, games=420)
    assert not apart.same_luck
    widths = [{row.id: row.change.margin for row in found.rows} for found in (paired, apart)]
    assert all(widths[0][id] < widths[1][id] for id in widths[0])


def test_a_share_outside_its_limits_fails_though_nothing_changed():
    found = compared(baseline(), now(), Limits(city_share=Range(0.0, 0.05), seat_share=Range(0.05, 0.5)))
    assert {row.verdict for row in found.of("city")} == {Word.FAIL}
    assert {row.verdict for row in found.of("seat")} == {Word.PASS}


def test_new_and_removed_cities_are_told(tmp_path: Path):
    found = gate_with(tmp_path, f'[remove]\ncities = ["athens"]\n{CLONE}')
    words = {row.id: row.verdict for row in found.of("city")}
    assert (words["clone"], words["athens"]) == (Word.NEW, Word.REMOVED)
    assert not found.same_luck
    athens = next(row for row in found.rows if row.id == "athens")
    assert (athens.now, athens.change) == (None, None)
    assert "not in the game any more" in athens.why


def test_a_strict_gate_wants_everything_to_pass(tmp_path: Path):
    found = gate_with(tmp_path, CLONE, Limits(change=100))
    assert found.verdict == Word.NEW
    assert found.passed()
    assert not found.passed(strict=True)


@pytest.mark.slow
def test_other_luck_alone_raises_an_alarm_in_at_most_5_of_100_gates():
    plans = [PLAN._replace(games=140, seed=seed) for seed in range(100, 130)]
    bases = [baseline_of(played(plan, ALONE)) for plan in plans]
    games = [played(plan._replace(seed=plan.seed + 100), ALONE) for plan in plans]
    alarms = sum(
        compared(one, two, Limits()).verdict != Word.PASS for one, two in zip(bases, games, strict=True)
    )
    assert alarms <= 5  # of 30; chance alone exceeds it in less than 1 of 100 where 5 % are alarms


def test_a_precision_is_reached_with_a_number_of_games_that_can_be_asked_for():
    found = played(PLAN._replace(precision=4.0), ALONE)
    margins = [one.margin for (kind, _), one in found.shares().items() if kind == "city"]
    assert max(margins) <= 0.04
    again = played(PLAN._replace(games=found.games), ALONE)
    assert compared(baseline_of(found), again, Limits()).unchanged


def test_a_baseline_with_other_games_in_its_units_is_not_paired():
    argos = baseline().cities["argos"]
    games = (argos.games[0] + 1, argos.games[1] - 1, *argos.games[2:])
    damaged = argos.model_copy(update={"games": games, "wins": tuple(min(argos.wins) for _ in games)})
    cities = baseline().cities | {"argos": damaged}
    found = compared(baseline().model_copy(update={"cities": cities}), now(), Limits())
    assert next(row for row in found.rows if row.id == "argos").verdict != Word.PASS


def card(name: str, low: float, high: float) -> Card:
    """The power of a card, in percentage points."""
    return Card(name=name, value=(low + high) / 200, low=low / 100, high=high / 100, n=500)


def words_of_cards(before: dict[str, Card], after: dict[str, Card]) -> dict[str, Word]:
    base = baseline_of(replace(now(), cards=before))
    found = compared(base, replace(now(), cards=after), Limits())
    assert found.intervals == 11 + len(before.keys() & after.keys())
    return {row.id: row.verdict for row in found.of("card")}


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


def options(stored: Baseline, folder: Path, **given: object) -> GateOptions:
    """The options of a gate against a baseline that is kept in a folder."""
    write_baseline(folder / "b.json", stored)
    return GateOptions.of({"baseline": folder / "b.json", **given})


def test_cards_are_asked_for_where_the_baseline_has_them(tmp_path: Path):
    with_cards = baseline_of(replace(now(), cards={"bank": card("Bank", 0, 1)}))
    assert options(with_cards, tmp_path).plan_played.cards
    assert not options(with_cards, tmp_path, cards=False).plan_played.cards
    assert not options(baseline(), tmp_path).plan_played.cards
    with pytest.raises(
        UserError, match=r"holds no power of cards; write it again: khora gate \S+b.json --write --cards"
    ):
        options(baseline(), tmp_path, cards=True)


def test_cards_of_a_deck_that_is_dealt_out_are_refused_before_anything_is_played(tmp_path: Path):
    (tmp_path / "few.toml").write_text(f"[remove]\ncards = {load_rules().card_ids[20:]}\n")
    with pytest.raises(UserError, match="4 hands take all 20 cards"):
        GateOptions.of(
            {
                "baseline": tmp_path / "b.json",
                "write": True,
                "cards": True,
                "rules": str(tmp_path / "few.toml"),
            }
        )


@pytest.mark.slow
def test_every_card_is_played_and_the_same_again():
    plan = Plan(("random",), games=140, seed=5, cards=True)
    found = compared(baseline_of(played(plan, ALONE)), played(plan, ALONE), Limits())
    assert len(found.of("card")) == 40
    assert found.unchanged


def test_only_the_games_of_dealt_cards_are_played_and_give_the_numbers_of_khora_power():
    plan = Plan(("random",), games=140, seed=JUDGING[5], cards=True)
    cards = cards_of(plan, 140, ALONE)
    shown = khora_sim.power("cards", strategies="random", games=140, seed=5, workers=1)
    assert len(play_and_count(power_options(plan, 140), (DEALT,), ALONE).sides) == 2
    assert {id: one.estimate for id, one in cards.items()} == {row.thing: row.wins for row in shown.overall()}


def test_what_is_not_asked_for_is_as_in_the_baseline(tmp_path: Path):
    rules = str(tmp_path / "a.toml")
    Path(rules).write_text("rounds = 8\n")
    assert options(baseline(), tmp_path, rules=rules).plan_played == Plan(("random",), 4, 280, None, 5, rules)
    assert options(baseline(), tmp_path, games="1k").plan_played.games == 1000
    assert options(baseline(), tmp_path, seed=7).plan_played.seed == 3_000_000_007


def test_a_first_baseline_has_the_usual_plan(tmp_path: Path):
    first = GateOptions.of({"baseline": tmp_path / "b.json", "write": True})
    assert first.plan_played == Plan(("adept",), 4, 14_000, None, 3_000_000_000, None)


def test_a_strategy_that_a_file_names_is_not_run_unless_it_is_typed(tmp_path: Path):
    named = baseline().model_dump(mode="json")
    named["strategies"][0]["name"] = "./trap.py"
    stranger = Baseline.model_validate(named)
    with pytest.raises(UserError, match=r"khora gate \S+b.json --strategies ./trap.py --games 40"):
        options(stranger, tmp_path, games=40)
    assert options(stranger, tmp_path, strategies="random").plan_played.strategies == ("random",)


def test_tables_of_another_size_are_refused():
    with pytest.raises(UserError, match="the baseline has tables of 4"):
        compared(baseline(), now(PLAN._replace(players=3)), Limits())


def test_games_that_a_folder_kept_are_paired_with_the_baseline_as_played_ones_are(tmp_path: Path):
    write_baseline(tmp_path / "b.json", baseline())
    for resume in (False, True):
        given = {"baseline": tmp_path / "b.json", "out": tmp_path / "out", "workers": 1, "resume": resume}
        assert COMMAND.ask(given, Progress()).unchanged


def test_a_folder_keeps_the_parts_and_the_answer_of_a_gate(tmp_path: Path):
    asked = {"baseline": tmp_path / "b.json", "out": tmp_path / "out", "workers": 1}
    write_baseline(tmp_path / "b.json", baseline())
    found = COMMAND.ask({**asked, "games": 420, "cards": False}, Progress())
    parts = {part: part.stat().st_mtime_ns for part in (tmp_path / "out" / "parts").iterdir()}
    assert {one.name for one in (tmp_path / "out").iterdir()} - {".khora"} == {
        "plan.json",
        "parts",
        "answer.json",
    }
    assert COMMAND.ask({**asked, "resume": True}, Progress()).data() == found.data()
    assert {part: part.stat().st_mtime_ns for part in (tmp_path / "out" / "parts").iterdir()} == parts
    write_baseline(tmp_path / "b.json", baseline_of(now(PLAN._replace(games=140))))
    with pytest.raises(UserError, match="was begun with another version of the baseline"):
        COMMAND.ask({**asked, "resume": True}, Progress())
