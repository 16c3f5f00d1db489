"""Costs of cards, developments, levels, tokens and spaces, and what is still missing for them."""

from khora_sim.engine import progress
from khora_sim.engine.agenda import Phase
from khora_sim.engine.bits import has, lowest, without_lowest
from khora_sim.engine.effects import knowledge
from khora_sim.rules.terms import COLOURS, DEVELOPMENTS, Gain, Track, Trigger
from khora_sim.strategy.decorators import macro, public, public_rule
from khora_sim.strategy.reading.gains import gain_on


@macro
def missing_tokens(view, wanted):
    """Knowledge tokens that a card or development (its row in the tables) needs and the player lacks."""
    missing = 0
    for colour in range(COLOURS):
        owned = view.game.minor[view.me, colour] + view.game.major[view.me, colour]
        missing += max(wanted.needs[colour] - owned, 0)
    return missing


@macro
def card_cost(view, card):
    """Drachmas a card costs."""
    return view.tables.cards[card].cost


@public_rule
def missing_for_card(view, card):
    """Knowledge tokens a card needs and the player does not own."""
    return missing_tokens(view, view.tables.cards[card])


@public
def _can_pay(view, wanted):
    """Tell if drachmas, and philosophy for missing knowledge, suffice (in the action phase)."""
    if wanted.cost > view.game.drachmas[view.me]:
        return False
    missing = missing_tokens(view, wanted)
    return missing * view.tables.philosophy_per_need <= view.game.philosophy[view.me]


@public
def can_play(view, card):
    """Tell if the player could pay for a card with what it has now, philosophy included."""
    return _can_pay(view, view.tables.cards[card])


@public
def playable_cards(view):
    """Number of cards in hand that the player could pay for now."""
    count = 0
    cards = view.game.hand[view.me]
    while cards != 0:
        count += can_play(view, lowest(cards))
        cards = without_lowest(cards)
    return count


@public
def has_next_development(view):
    """Tell if there is a development left to unlock."""
    return view.game.development[view.me] < DEVELOPMENTS


@public
def _next_development(view):
    """Its place among the city's developments; the last one when all are unlocked."""
    return min(view.game.development[view.me], DEVELOPMENTS - 1)


@public_rule
def development_cost(view):
    """Drachmas of the next development."""
    return view.tables.developments[view.game.city[view.me], _next_development(view)].cost


@public_rule
def missing_for_development(view):
    """Knowledge tokens the next development needs and the player does not own; 0 when all are unlocked."""
    if not has_next_development(view):
        return 0
    wanted = view.tables.developments[view.game.city[view.me], _next_development(view)]
    return missing_tokens(view, wanted)


@public
def can_develop(view):
    """Tell if the player could pay for its next development now, philosophy included."""
    if not has_next_development(view):
        return False
    return _can_pay(view, view.tables.developments[view.game.city[view.me], _next_development(view)])


@public_rule
def misses_for_development(view, colour):
    """Tokens of a colour missing for the next development."""
    if not has_next_development(view):
        return 0
    wanted = view.tables.developments[view.game.city[view.me], _next_development(view)]
    return max(wanted.needs[colour] - knowledge(view.game, view.me, colour), 0)


@public_rule
def misses_for_city(view, colour):
    """Tokens of a colour missing for the last of the city's developments."""
    if not has_next_development(view):
        return 0
    wanted = view.tables.developments[view.game.city[view.me], DEVELOPMENTS - 1]
    return max(wanted.needs[colour] - knowledge(view.game, view.me, colour), 0)


@public_rule
def misses_for_hand(view, colour):
    """Tokens of a colour missing for the cards in hand, added up."""
    total = 0
    owned = knowledge(view.game, view.me, colour)
    cards = view.game.hand[view.me]
    while cards != 0:
        total += max(view.tables.cards[lowest(cards)].needs[colour] - owned, 0)
        cards = without_lowest(cards)
    return total


@public_rule
def most_wanted_colour(view):
    """The colour of token that brings the next development, the whole city and the hand nearest."""
    best = 0
    most = -1
    for colour in range(COLOURS):
        wanted = (
            10 * misses_for_development(view, colour)
            + 3 * misses_for_city(view, colour)
            + misses_for_hand(view, colour)
        )
        if wanted > most:
            best = colour
            most = wanted
    return best


@public
def is_top_level(view, track):
    """Tell if a track is at its end."""
    return view.game.level[view.me, track] >= view.tables.max_level


@public_rule
def level_price(view, track):
    """Drachmas for the next level of a track in the progress phase; 0 at its end.

    In an event that lowers prices look ahead instead.
    """
    if is_top_level(view, track):
        return 0
    if view.game.phase == Phase.PROGRESS:
        return progress.level_price(view.game, view.tables, view.me, track)
    if track == Track.ECONOMY and view.game.free_economy[view.me]:
        return 0
    price = view.tables.level_cost[track, view.game.level[view.me, track] + 1]
    return max(price - view.game.discount[view.me] - view.game.progress_discount[view.me], 0)


@public_rule
def level_gain(view, track, gain):
    """Amount of a Gain that entering the next level of a track gives; 0 at its end."""
    if is_top_level(view, track):
        return 0
    return view.tables.level_gain[track, view.game.level[view.me, track] + 1, gain]


@public_rule
def token_price(view):
    """Drachmas of a minor token in a trade action."""
    return view.game.token_price[view.me]


@public_rule
def troops_after_muster(view):
    """Troops of the player inside a military action taken now, before it explores."""
    return (
        view.game.troops[view.me]
        + view.game.level[view.me, Track.MILITARY]
        + gain_on(view, Trigger.MILITARY, Gain.TROOPS)
    )


@macro
def is_unexplored(view, space):
    """Tell if a space still has its tokens."""
    return not has(view.game.explored, space)


@macro
def can_reach(view, space, troops):
    """Tell if a space is unexplored and so many troops suffice."""
    return is_unexplored(view, space) and view.tables.spaces[space].needed <= troops


@macro
def troops_lost(view, space):
    """Troops the player would lose in exploring a space."""
    return max(view.tables.spaces[space].lost - view.game.spared_troops[view.me], 0)


@public_rule
def space_majors(view, space):
    """Major tokens on a space."""
    total = 0
    for colour in range(COLOURS):
        total += view.tables.spaces[space].major[colour]
    return total


@public_rule
def space_minors(view, space):
    """Minor tokens on a space."""
    total = 0
    for colour in range(COLOURS):
        total += view.tables.spaces[space].minor[colour]
    return total


@public_rule
def space_wanted(view, space):
    """Tokens on a space that the city's developments still miss."""
    if view.game.development[view.me] >= DEVELOPMENTS:
        return 0
    last = view.tables.developments[view.game.city[view.me], DEVELOPMENTS - 1]
    total = 0
    for colour in range(COLOURS):
        lying = view.tables.spaces[space].minor[colour] + view.tables.spaces[space].major[colour]
        total += min(lying, max(last.needs[colour] - knowledge(view.game, view.me, colour), 0))
    return total


@public_rule
def space_worth(view, space, major, wanted, troop):
    """A plain worth of a space: its points and drachmas, so much for each major token and each wanted one,
    less so much for each troop lost.
    """
    lying = view.tables.spaces[space]
    return (
        lying.vp
        + 0.5 * lying.drachmas
        + 0.5 * space_minors(view, space)
        + major * space_majors(view, space)
        + wanted * space_wanted(view, space)
        - troop * troops_lost(view, space)
    )


@public_rule
def best_space(view, troops, major, wanted, troop):
    """The space within reach of so many troops with the highest `space_worth`; -1: none."""
    best = -1
    most = 0.0
    for space in range(view.tables.space_count):
        if can_reach(view, space, troops):
            worth = space_worth(view, space, major, wanted, troop)
            if best < 0 or worth > most:
                best = space
                most = worth
    return best
