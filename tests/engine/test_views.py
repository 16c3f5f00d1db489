"""Nobody peeks: what a player sees, and that nothing hidden shows through."""

import random

import pytest

from khora_sim.common.options import Setting
from khora_sim.engine.agenda import Phase, Task
from khora_sim.engine.match import Match
from khora_sim.engine.record import HIDDEN, UNKNOWN
from khora_sim.rules.terms import Slot
from tests.engine.scene import BASE, Scene
from tests.engine.walking import ALL_SETTINGS, differing, members, rules_of, same

#: Fields that a view may blank.
HIDING = {"seed", "step", "decided", "deck", "events", "drawn", "hand", "pack", "tile"}


def moments(match, luck, share):
    """Some of the moments of a random game at which somebody must decide."""
    options = match.advance()
    while options:
        if luck.random() < share:
            yield match
        options = match.choose(luck.choice(options))


def scramble(match, viewer, luck):
    """Another game that differs only in what a player cannot know."""
    other = match.copy()
    game, tables = other.game, other.tables[0]
    game.seed, game.step = luck.getrandbits(64), luck.randrange(1000)
    _scramble_cards(game, viewer, match.seat, luck)
    middle = [event for event in range(tables.event_count) if tables.events[event].slot == Slot.MIDDLE]
    past = game.events[: game.round_number].tolist()
    coming = luck.sample([event for event in middle if event not in past], k=len(middle) - len(past[1:]))
    for place in range(max(int(game.round_number), 1), int(tables.rounds) - 1):
        game.events[place] = coming.pop()
    if game.phase == Phase.DICE:
        for seat in range(int(game.players)):
            if seat != viewer and game.tile[seat, 0] != UNKNOWN:
                dice = int((game.dice[seat] > 0).sum())
                game.tile[seat, :dice] = luck.sample(range(7), dice)
    return other


def _scramble_cards(game, viewer, decider, luck):
    """Deal again all cards that a player cannot see."""
    places = [(int(game.deck_top) + place) % 64 for place in range(int(game.deck_size))]
    others = [seat for seat in range(int(game.players)) if seat != viewer]
    drawn = [place for place in range(4) if game.drawn[place] >= 0 and viewer != decider]
    unseen = [int(game.deck[place]) for place in places] + [int(game.drawn[place]) for place in drawn]
    for seat in others:
        unseen += members(game.hand[seat]) + members(game.pack[seat])
    luck.shuffle(unseen)
    for place in places:
        game.deck[place] = unseen.pop()
    for place in drawn:
        game.drawn[place] = unseen.pop()
    for seat in others:
        for name in ("hand", "pack"):
            mask = sum(1 << unseen.pop() for _ in members(game[name][seat]))
            game[name][seat] = mask - (1 << 64) if mask >> 63 else mask
    assert not unseen


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("options", ALL_SETTINGS)
def test_games_that_differ_in_hidden_things_only_look_the_same(players, options):
    luck = random.Random(options)
    match = Match(BASE, players, seed=options, settings=options)
    for moment in moments(match, luck, share=0.2):
        for viewer in range(players):
            other = scramble(moment, viewer, luck)
            assert same(moment.view(viewer), other.view(viewer))


@pytest.mark.parametrize("variant", range(25))
def test_games_of_variants_that_differ_in_hidden_things_only_look_the_same(variant):
    luck = random.Random(variant)
    match = Match(rules_of(variant), 2 + variant % 3, seed=variant, settings=variant % 16)
    for moment in moments(match, luck, share=0.1):
        viewer = luck.randrange(int(match.game.players))
        other = scramble(moment, viewer, luck)
        assert same(moment.view(viewer), other.view(viewer))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_what_is_not_hidden_is_seen_as_it_is(players):
    luck = random.Random(players)
    for moment in moments(Match(BASE, players, seed=players), luck, share=0.3):
        for viewer in range(players):
            view = moment.view(viewer)
            assert differing(moment.game, view) <= HIDING
            assert view.hand[viewer] == moment.game.hand[viewer]
            assert view.pack[viewer] == moment.game.pack[viewer]
            assert view.tile[viewer].tolist() == moment.game.tile[viewer].tolist()
            past = slice(0, int(moment.game.round_number))
            assert view.events[past].tolist() == moment.game.events[past].tolist()


@pytest.mark.scenario
def test_hands_deck_events_and_the_seed_are_blank():
    scene = Scene().give(0, hand="bank quarry").give(1, hand="power oracle").event("drought", 4)
    scene.action("politics", seat=1)
    view = scene.match.view(0)
    assert members(view.hand[0]) == [BASE.card_ids.index("bank"), BASE.card_ids.index("quarry")]
    assert view.hand[1:].tolist() == [0, 0, 0]
    assert view.hand_size.tolist() == [2, 2, 0, 0]  # everyone can count
    assert set(view.deck.tolist()) == {UNKNOWN}
    assert view.deck_size == 36
    assert view.events[3] == BASE.event_ids.index("drought")
    assert set(view.events[4:].tolist()) == {UNKNOWN}
    assert (view.seed, view.step) == (0, 0)


@pytest.mark.scenario
def test_tiles_are_hidden_until_all_reveal():
    scene = Scene(players=2).give(0, dice=(6, 6)).give(1, dice=(6, 5)).event("drought")
    scene.after_the_roll()
    assert scene.asked == (1, "place-tiles")
    scene.choose((4, 5))
    assert scene.match.view(0).tile[1].tolist() == [UNKNOWN] * 3
    assert scene.match.view(1).tile[1].tolist() == [4, 5, UNKNOWN]
    scene.choose((0, 1))
    assert scene.match.view(0).tile[1].tolist() == [4, 5, UNKNOWN]


@pytest.mark.scenario
def test_drawn_cards_are_seen_by_who_draws_them_only():
    scene = Scene().deck("bank", "quarry", "power").action("legislation", seat=1)
    cards = [BASE.card_ids.index("bank"), BASE.card_ids.index("quarry")]
    assert scene.match.view(1).drawn.tolist() == [*cards, UNKNOWN, UNKNOWN]
    assert scene.match.view(0).drawn.tolist() == [HIDDEN, HIDDEN, UNKNOWN, UNKNOWN]


@pytest.mark.scenario
def test_draft_picks_and_packs_are_nobody_elses_business():
    match = Match(BASE, 3, seed=2)
    options = match.advance()
    match.choose(options[0])
    assert match.task == Task.PICK_CARD
    view = match.view(1)
    assert view.hand.tolist() == [0, 0, 0, 0]
    assert view.pack[0] == view.pack[2] == 0
    assert len(members(view.pack[1])) == 5
    assert view.hand_size.tolist() == [1, 0, 0, 0]


@pytest.mark.scenario
def test_a_view_is_a_copy():
    match = Match(BASE, 2, seed=2, settings=Setting.DRAFT)
    match.advance()
    view, before = match.view(0), match.copy()
    view.drachmas[0] = 99
    assert same(match.game, before.game)
