"""A quick guess at what an action brings that is taken now, from prices alone."""

from khora_sim.engine.bits import BIT, lowest, without_lowest
from khora_sim.rules.terms import Achievement, Action, Gain, Track, Trigger
from khora_sim.strategy.decorators import inlined, rule
from khora_sim.strategy.reading.exploring import troops_lost
from khora_sim.strategy.reading.holdings import culture, drachmas, economy, military, troops
from khora_sim.strategy.reading.score_now import event_looks_at_troops, most_troops_of_others
from khora_sim.strategy.value.effect_worths import given_now
from khora_sim.strategy.value.tokens import best_colour, exploring_worth, most_worth_exploring


@inlined
def set_off(view, unit, trigger):
    """What the player's cards and developments would bring now if a trigger set them off."""
    if not view.game.awaited[view.me] >> trigger & 1:
        return 0.0
    return _set_off_by_all(view, unit, trigger)


@rule
def _set_off_by_all(view, unit, trigger):
    """The same, where something waits for the trigger."""
    total = 0.0
    cards = view.game.in_play[view.me] & view.tables.cards_on[trigger]
    while cards != 0:
        total += _set_off_by(view, unit, view.tables.cards[lowest(cards)], trigger)
        cards = without_lowest(cards)
    for step in range(view.game.development[view.me]):
        development = view.tables.developments[view.game.city[view.me], step]
        total += _set_off_by(view, unit, development, trigger)
    return total


@inlined
def _set_off_by(view, unit, source, trigger):
    """What one card or development would bring."""
    total = 0.0
    for place in range(source.effect_count):
        if source.effects[place].on == trigger:
            total += given_now(view, unit, source.effects[place])
    return total


@inlined
def achievement_worth(view, prices, achievement, reached):
    """What it is worth to reach so much, if that is just enough for an achievement still open."""
    enough = reached == view.tables.achievement_needs[achievement]
    return prices.achievement if enough and view.game.achieved[achievement] == 0 else 0.0


@inlined
def level_worth(view, prices, unit, track):
    """What the next level of a track brings."""
    worth = unit[Gain.ECONOMY + track]
    if track == Track.ECONOMY:
        worth += achievement_worth(view, prices, Achievement.ECONOMY, economy(view) + 1)
    return worth


@inlined
def trade_income(view):
    """Drachmas of a trade, without what it sets off."""
    return economy(view) + view.tables.trade_bonus


@inlined
def _trade_worth(view, worths):
    """Trade: the income, and a token if it is worth more than its price."""
    income, price = trade_income(view), view.game.token_price[view.me]
    worth = income * worths.unit[Gain.DRACHMAS]
    if drachmas(view) + income >= price:
        worth += max(best_colour(worths) - price * worths.unit[Gain.DRACHMAS], 0.0)
    return worth


@inlined
def space_to_explore(view, worths):
    """The space that a military action would explore first; -1: none."""
    return most_worth_exploring(view, worths, troops(view) + military(view), view.game.explored)


@inlined
def _military_worth(view, prices, worths, space):
    """Military: the troops, the spaces explored, and what the event gives for the most troops."""
    worth = military(view) * worths.unit[Gain.TROOPS]
    mustered = troops(view) + military(view)
    if space >= 0:
        worth += exploring_worth(view, worths, space)
        if view.game.explorations[view.me] > 1:
            worth += _more_spaces(view, worths, mustered, space)
    if prices.most_troops != 0.0 and event_looks_at_troops(view) and mustered >= most_troops_of_others(view):
        worth += prices.most_troops
    return worth


@rule
def _more_spaces(view, worths, mustered, space):
    """What the explorations bring that a military action may add to its first one."""
    total = 0.0
    explored = view.game.explored
    for _ in range(1, view.game.explorations[view.me]):
        mustered -= troops_lost(view, space)
        explored |= BIT[space]
        space = most_worth_exploring(view, worths, mustered, explored)
        if space < 0:
            break
        total += exploring_worth(view, worths, space)
    return total


@inlined
def action_worth(view, prices, worths, action, space):
    """What an action other than politics and development brings; `space` is what military would explore."""
    worth = set_off(view, worths.unit, Trigger.PHILOSOPHY + action)
    if action == Action.PHILOSOPHY:
        return worth + view.tables.philosophy_tokens * worths.unit[Gain.PHILOSOPHY]
    if action == Action.LEGISLATION:
        people = view.tables.legislation_citizens * worths.unit[Gain.CITIZENS]
        return worth + people + worths.unit[Gain.CARDS]
    if action == Action.CULTURE:
        return worth + culture(view) * worths.unit[Gain.VP]
    if action == Action.TRADE:
        return worth + _trade_worth(view, worths)
    return worth + _military_worth(view, prices, worths, space)
