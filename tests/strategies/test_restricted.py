"""The wrapper: what is forced is done, what is barred is not, and all else is as the base plays."""

import numpy as np
import pytest

from khora_sim.rules import load_rules
from khora_sim.rules.terms import Action, Track
from khora_sim.strategy import load
from khora_sim.strategy.games import play_set_ups
from tests.strategy.plug_ins import set_ups

GAMES = 60


def played(spec: str):
    return play_set_ups(load_rules(), set_ups(GAMES), [load(spec)])


@pytest.fixture(scope="module")
def as_base():
    return played("merchant")


def test_with_nothing_forced_or_barred_it_plays_the_games_of_its_base(as_base):
    games, _ = played("restricted:base=merchant")
    assert np.array_equal(games.vp, as_base[0].vp)


def test_over_a_player_that_decides_by_luck_it_decides_by_the_same_luck():
    (free, _), (wrapped, _) = played("random"), played("restricted:base=random")
    assert np.array_equal(free.vp, wrapped.vp)


def test_a_forced_development_is_unlocked_in_nearly_all_games(as_base):
    games, _ = played("restricted:force_development=2:base=merchant")
    before, after = ((one.development >= 2).mean() for one in (as_base[0], games))
    assert after > max(0.95, before + 0.1)


def test_what_is_forced_from_a_late_round_on_comes_later(as_base):
    early, late = (
        (played(f"restricted:force_development=4:from_round={number}:base=merchant")[0].development).mean()
        for number in (1, 9)
    )
    assert as_base[0].development.mean() <= late < early


def test_a_forced_track_is_climbed_up_to_its_level(as_base):
    free, to_three = (
        played(f"restricted:force_track=culture{more}:base=merchant")[0].level[:, :, Track.CULTURE].mean()
        for more in ("", ":force_level=3")
    )
    assert as_base[0].level[:, :, Track.CULTURE].mean() < to_three < free


def test_a_forced_action_is_taken_in_every_round_or_in_some(as_base):
    rounds = load_rules().model.rounds
    always, thirds, before = (
        ledgers.actions[:, :, Action.LEGISLATION].mean()
        for _, ledgers in (
            played("restricted:force_action=legislation:base=merchant"),
            played("restricted:force_action=legislation:every=3:base=merchant"),
            as_base,
        )
    )
    assert always > 0.95 * rounds
    assert before < thirds < always


def test_what_is_barred_is_never_done():
    games, ledgers = played("restricted:bar_development=3:bar_track=culture:bar_action=trade:base=merchant")
    assert games.development.max() == 2
    assert ledgers.actions[:, :, Action.TRADE].sum() == 0
    assert games.level[:, :, Track.CULTURE].mean() < 2


def test_restrictions_lie_one_over_another():
    _, ledgers = played("restricted:bar_action=trade:base=restricted:bar_action=culture:base=merchant")
    assert ledgers.actions[:, :, [Action.TRADE, Action.CULTURE]].sum() == 0
