"""A record is confirmed by playing it again, whatever the options, and without its seed as well."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from khora_sim.records.decision_words import KINDS
from khora_sim.records.record_format import Record, read_record
from khora_sim.records.recording import record_text, write_record
from khora_sim.records.verifying import verify
from khora_sim.rules import load_rules
from tests.records.games import BASE, generous_variant, recorded_game
from tests.rules.random_variants import random_variant_toml


def as_read(record: Record, without: tuple[str, ...] = ()) -> Record:
    """The record as its file gives it, without some of its parts."""
    data = json.loads(record_text(record))
    return Record.model_validate({key: value for key, value in data.items() if key not in without})


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"reroll": True},
        {"shared_dice": True},
        {"reroll": True, "shared_dice": True},
        {"progress_bonuses_stack": True},
        {"draft": False},
        {"fixed_cities": ["sparta", None], "fixed_first_seat": 2},
    ],
    ids=str,
)
def test_random_games_are_confirmed_with_and_without_their_seed(players, options):
    record = recorded_game(11, players, **options)
    confirmed = verify(as_read(record))
    assert confirmed.over
    assert confirmed.scores
    assert confirmed.seeded
    assert confirmed.decisions == len(record.decisions) > 50
    unseeded = verify(as_read(record, without=("seed",)))
    assert unseeded.decisions == confirmed.decisions
    assert not unseeded.seeded


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 2**64 - 1),
    players=st.sampled_from([2, 3, 4]),
    reroll=st.booleans(),
    shared_dice=st.booleans(),
    progress_bonuses_stack=st.booleans(),
    draft=st.booleans(),
    states=st.booleans(),
)
def test_a_record_verifies(seed, players, states, **options):
    record = recorded_game(seed, players, states, **options)
    confirmed = verify(as_read(record))
    assert confirmed.over
    assert confirmed.states == (len(record.decisions) + 1) * states


def test_every_kind_of_decision_is_recorded_and_confirmed_in_a_variant_that_the_record_holds(tmp_path):
    variant = tmp_path / "generous.toml"
    variant.write_text(generous_variant(), encoding="utf-8")
    rules = load_rules(variant)
    kinds = set()
    for seed in range(100):
        record = as_read(recorded_game(seed, 2 + seed % 3, rules=rules, reroll=True))
        kinds |= {decision.kind for decision in record.decisions}
        assert record.rules.toml is not None
        assert verify(record).over
        if kinds == set(KINDS.values()) - {"roll"}:
            return
    pytest.fail(f"never asked: {set(KINDS.values()) - kinds}")


@pytest.mark.parametrize("seed", range(8))
def test_games_of_random_variants_are_confirmed_from_the_rules_the_record_holds(tmp_path, seed):
    variant = tmp_path / "variant.toml"
    variant.write_text(random_variant_toml(seed), encoding="utf-8")
    record = as_read(recorded_game(seed, 2 + seed % 3, states=True, rules=load_rules(variant)))
    assert verify(record).states == len(record.decisions) + 1
    assert verify(as_read(record, without=("seed",))).over


def test_a_variant_that_the_record_does_not_hold_can_be_named(tmp_path):
    variant = tmp_path / "generous.toml"
    variant.write_text(generous_variant(), encoding="utf-8")
    record = recorded_game(3, rules=load_rules(variant))
    record.rules.toml = None
    assert verify(record, str(variant)).over


def test_a_seed_alone_can_be_the_whole_set_up():
    record = as_read(recorded_game(5, 3, states=True), without=("set_up",))
    confirmed = verify(record)
    assert confirmed.over
    assert confirmed.states == len(record.decisions) + 1


def test_a_record_may_end_before_the_game_does():
    record = as_read(recorded_game(5, 3, states=True), without=("scores",))
    record.decisions = record.decisions[:40]
    confirmed = verify(record)
    assert not confirmed.over
    assert confirmed.in_words() == (
        "confirmed: 40 decisions, 41 states and the set-up by its seed; the record ends in round 4"
    )


def test_the_file_is_written_whole_or_not_at_all(tmp_path):
    record = recorded_game(2)
    target = tmp_path / "game.json"
    write_record(record, target)
    assert [file.name for file in tmp_path.iterdir()] == ["game.json"]
    assert read_record(target) == record
    assert record.rules.hash == BASE.hash
    assert record.rules.toml is None


def test_the_set_up_is_spelled_out_for_every_round_and_seat():
    set_up = recorded_game(2, 4, reroll=True).set_up
    assert set_up is not None
    cards = [card for player in set_up.players for card in player.hand] + set_up.deck
    assert sorted(cards) == sorted(BASE.card_ids)
    assert len(set_up.events) == 9
    for table in (set_up.dice, set_up.rerolls):
        assert [[len(dice) for dice in seats] for seats in table] == [[3] * 4] * 9


def test_shared_dice_are_the_same_for_all_and_only_the_third_may_be_rerolled():
    set_up = recorded_game(2, 3, reroll=True, shared_dice=True).set_up
    for seats, again in zip(set_up.dice, set_up.rerolls, strict=True):
        assert len({tuple(dice[:2]) for dice in seats}) == 1
        assert all(dice[:2] == [None, None] and dice[2] is not None for dice in again)


def test_scores_are_the_sum_of_their_parts():
    for seed in range(5):
        for score in recorded_game(seed, 4).scores:
            assert score.score == sum(score.points.values())
            assert score.score == score.score_track + sum(score.final_scoring.values())
