"""A change of nothing is exactly zero, a planted gain is found, a clone is not distinguishable."""

import json
from pathlib import Path

import polars as pl
import pytest

import khora_sim
from khora_sim.analyses.what_if.measure import Verdict, WhatIf
from khora_sim.analyses.what_if.things import things_of
from khora_sim.errors import UserError
from khora_sim.rules import load_rules, set_rules
from khora_sim.rules.describe import plain, toml_text

FEW = {"strategies": "random", "also_with": "none", "games": 280, "seed": 5}
NUMBERS = ("city_wins", "city_scores", "seat_wins", "games")


def asked(*assignments: str, workers: int = 1, files: tuple[str, ...] = (), **changes) -> WhatIf:
    return khora_sim.what_if(*files, set=assignments, workers=workers, **{**FEW, **changes})


def verdict(*assignments: str, **changes) -> Verdict:
    return asked(*assignments, **changes).variants[0].main


def row(table: pl.DataFrame, **keys: object) -> dict:
    (found,) = table.filter(**keys).to_dicts()
    return found


@pytest.fixture(scope="module")
def without_drought() -> Verdict:
    return verdict('remove.events=["drought"]')


def test_a_change_of_nothing_is_exactly_zero():
    found = verdict("cards.lighthouse.cost=1")
    assert found.same
    assert (found.fairness.change.value, found.fairness.change.low, found.fairness.change.high) == (0, 0, 0)
    assert (found.fairness_p, found.winner_changed.value, found.result_changed.value) == (1, 0, 0)
    for name in NUMBERS:
        assert set(getattr(found.tables, name)["value"]) == {0.0}, name
    assert found.moved == []
    assert found.changed_games == ()


def test_games_without_a_removed_event_are_untouched(without_drought: Verdict):
    drawn = row(without_drought.tables.exposure, thing="Drought", among="games")
    assert 0.3 < drawn["first"] < 0.6
    assert drawn["second"] == 0
    assert without_drought.elsewhere_changed is not None
    assert without_drought.elsewhere_changed.value == 0
    assert without_drought.elsewhere_changed.n == round(280 * (1 - drawn["first"]))
    assert without_drought.result_changed.value > 0.2


def test_a_removed_event_is_asked_about_in_the_games_that_drew_it(without_drought: Verdict):
    margin = row(without_drought.tables.effects, asked="margin in games that draw it")
    assert margin["first_n"] == margin["second_n"] == 280 - without_drought.elsewhere_changed.n
    assert margin["low"] < margin["value"] < margin["high"]


def test_a_planted_gain_is_found():
    found = verdict("cities.argos.developments.1.effects.1.gain.vp=10")
    wins, score = (row(table, city="argos") for table in (found.tables.city_wins, found.tables.city_scores))
    assert wins["value"] > 0.15
    assert wins["p_holm"] < 0.001
    assert score["low"] > 9  # ten points, and an achievement that comes earlier
    assert found.moved[0]["city"] == "argos"
    assert row(found.tables.exposure, among="games")["first"] == pytest.approx(4 / 7)
    assert found.elsewhere_changed is not None
    assert found.elsewhere_changed.value == 0


def test_a_city_cloned_under_another_name_is_not_distinguishable(tmp_path):
    base = plain(load_rules().model)
    twin = {"name": "twin", "cities": {"argos-two": {**base["cities"]["argos"], "name": "Argos Two"}}}
    file = tmp_path / "twin.toml"
    file.write_text(toml_text(twin), encoding="utf-8")
    found = verdict(files=(str(file),), games=1400)
    after = found.tables.standing.filter(side="after")
    one, two = (row(after, city=city) for city in ("argos", "argos-two"))
    assert max(one["low"], two["low"]) < min(one["high"], two["high"])
    assert found.moved == []
    assert found.elsewhere_changed is not None
    assert found.elsewhere_changed.value == 0
    assert set(found.tables.city_wins["city"]) == set(base["cities"])


def test_the_answer_is_the_same_on_one_worker_and_on_two():
    one, two = (asked("cards.lighthouse.cost=2", games=560, workers=workers) for workers in (1, 2))
    assert json.dumps(one.data()) == json.dumps(two.data())


def test_a_precision_ends_the_games_when_it_is_reached():
    found = asked("cities.argos.developments.4.cost=3", games=None, precision=5.0).variants[0].main
    margins = (found.tables.city_wins["high"] - found.tables.city_wins["low"]) / 2
    assert margins.max() <= 0.05
    alone = asked("cities.argos.developments.4.cost=3", games=None, precision=5.0, workers=2).variants[0].main
    assert alone.games == found.games


def test_cards_are_counted_as_dealt_kept_and_played():
    found = verdict("cards.lighthouse.cost=2")
    stages = found.tables.exposure.filter(thing="Lighthouse", among="players")
    assert stages["stage"].to_list() == ["dealt", "in hand after the draft", "played"]
    dealt = stages.filter(stage="dealt")
    assert dealt["first"].item() == dealt["second"].item() == pytest.approx(0.125, abs=0.03)
    asked_about = found.tables.effects["asked"].to_list()
    assert "win share of who was dealt it" in asked_about


def test_each_changed_thing_is_named_once():
    rules = set_rules(["rounds=8", "tracks.culture.4.cost=5", "cards.bank.cost=1", "cards.bank.needs.red=1"])
    things = things_of(rules.changes(), load_rules(), rules)
    assert [(thing.kind, thing.name) for thing in things] == [
        ("rule", "rounds"),
        ("level", "Culture level 4"),
        ("card", "Bank"),
    ]


def test_players_of_another_skill_give_a_verdict_of_their_own():
    found = asked("cards.lighthouse.cost=2", also_with="idle", games=140).variants[0]
    assert [one.strategies for one in found.verdicts] == [("random",), ("idle",)]


def laid_over(folder: Path, name: str, **changes: object) -> str:
    file = folder / f"{name}.toml"
    file.write_text(toml_text({"name": name, "text": "for a test", **changes}), encoding="utf-8")
    return str(file)


def test_a_change_that_the_own_variant_has_already_is_exactly_zero(tmp_path: Path):
    rules = laid_over(tmp_path, "own", cards={"lighthouse": {"cost": 3}}, rounds=8)
    typed = asked("cards.lighthouse.cost=3", rules=rules)
    filed = asked(files=(rules,), rules=rules)
    for answer in (typed, filed):
        (variant,) = answer.variants
        assert answer.base.hash == variant.rules.hash == load_rules(rules).hash
        assert variant.changes == ()
        assert answer.no_change(variant)
        for name in NUMBERS:
            assert set(getattr(variant.main.tables, name)["value"]) == {0.0}, name


def test_a_change_is_laid_over_the_own_variant(tmp_path: Path):
    rules = laid_over(tmp_path, "own", cards={"lighthouse": {"cost": 3}})
    change = laid_over(tmp_path, "change", rounds=8, remove={"events": ["drought"]})
    out = tmp_path / "answer"
    answer = asked("rounds=8", files=(change,), rules=rules, out=out)
    filed, typed = answer.variants
    assert [one.key for one in filed.changes] == ["rounds", "events.drought"]
    assert [one.key for one in typed.changes] == ["rounds"]
    assert all(one.rules.model.cards["lighthouse"].cost == 3 for one in (filed, typed))
    # Both sides of the own variant are replayed from files.
    assert load_rules(out / "variants" / "1.toml").hash == filed.rules.hash
    assert load_rules(out / "variant.toml").hash == typed.rules.hash
    page = (out / "summary.md").read_text(encoding="utf-8")
    assert f"--rules {rules}" in page
    plan = json.loads((out / "plan.json").read_text(encoding="utf-8"))
    assert set(plan["identity"]) == {"random", "the rules", change}


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({}, "no change is named"),
        ({"variants": ("a.toml", "a.toml")}, "a.toml: named twice"),
        ({"set": "rounds=8", "players": 5}, "--players 5: should be 2 to 4"),
        ({"set": "rounds=8", "players": (3, 3)}, "--players 3,3: name every size"),
        ({"set": "rounds=8", "precision": 0.01}, "--precision 0.01: expected 0.05 to 25"),
        ({"set": "rounds=8", "also_with": "stewrd"}, "no strategy 'stewrd'; did you mean steward"),
        ({"set": "rounds=8", "beside": "idle"}, "--beside: is now --also-with"),
        ({"set": "rounds=8", "against": "idle"}, "--against: is now --changed-strategies"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_a_game_is_played(given: dict, problem: str):
    with pytest.raises(UserError, match=problem.replace("?", r"\?")):
        khora_sim.what_if(**given)
