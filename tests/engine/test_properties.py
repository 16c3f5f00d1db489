"""What holds in every game: base game and random variants, 2 to 4 players, all options of the game."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from khora_sim.engine.agenda import Task
from khora_sim.engine.match import Match
from tests.engine.walking import (
    ALL_SETTINGS,
    Tokens,
    check_cards,
    check_end,
    check_ranges,
    members,
    rules_of,
    same,
    walk,
)

VARIANTS = range(40)
games = some.builds(
    lambda seed, players, options, variant: Match(rules_of(variant), players, seed, options),
    some.integers(0, 2**64 - 1),
    some.integers(2, 4),
    some.sampled_from(ALL_SETTINGS),
    some.one_of(some.none(), some.sampled_from(VARIANTS)),
)
lucks = some.builds(random.Random, some.integers(0, 2**32))
thorough = settings(max_examples=100, deadline=None, derandomize=True)


@pytest.mark.slow
@thorough
@given(games, lucks)
def test_cards_and_tokens_are_conserved_and_levels_stay_in_range(match, luck):
    tokens = Tokens(match)
    for done in walk(match, luck):
        tokens.note(done)
        tokens.check(match)
        check_cards(match)
        check_ranges(match)
    check_end(match)


@thorough
@given(games, lucks)
def test_options_are_never_empty_and_all_different(match, luck):
    for done in walk(match, luck):
        if done.choice is not None:
            assert len(set(done.options)) == len(done.options) > 0


@thorough
@given(games, lucks)
def test_the_spaces_explored_are_gone_and_no_others(match, luck):
    explored = []
    for done in walk(match, luck):
        if done.task == Task.EXPLORE and done.choice >= 0:
            explored.append(done.choice)
    assert sorted(explored) == members(match.game.explored)


@thorough
@given(games, some.integers(0, 250), lucks)
def test_a_copy_continued_the_same_way_ends_the_same(match, steps, luck):
    options = match.advance()
    for _ in range(steps):
        if options:
            options = match.choose(luck.choice(options))
    copy, twin = match.copy(), match.copy()
    state = luck.getstate()
    finish(copy, luck)
    assert same(match.game, twin.game)
    assert same(match.ledger, twin.ledger)
    luck.setstate(state)
    finish(match, luck)
    assert same(match.game, copy.game)
    assert same(match.ledger, copy.ledger)


def finish(match, luck):
    options = match.advance()
    while options:
        options = match.choose(luck.choice(options))


@thorough
@given(games, lucks)
def test_one_thing_at_a_time_or_from_choice_to_choice_is_the_same_game(match, luck):
    other = match.copy()
    choices = [done.choice for done in walk(match, luck) if len(done.options) > 1]
    options = other.advance()
    for choice in choices:
        assert choice in options
        options = other.choose(choice)
    assert options == []
    assert same(match.game, other.game, but=("step", "decided"))  # the walk also counts single options
    assert same(match.ledger, other.ledger)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("options", ALL_SETTINGS)
def test_every_option_of_the_game_plays_to_the_end(players, options):
    match = Match(rules_of(None), players, seed=options, settings=options)
    for _ in walk(match, random.Random(players)):
        check_cards(match)
        check_ranges(match)
    check_end(match)


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_random_variant_plays_to_the_end(variant):
    match = Match(rules_of(variant), 2 + variant % 3, seed=variant, settings=variant % 16)
    for _ in walk(match, random.Random(variant)):
        check_cards(match)
        check_ranges(match)
    check_end(match)
