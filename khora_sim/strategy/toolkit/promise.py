"""What cards, developments, levels and tokens promise, by a price list (see `prices`)."""

from khora_sim.engine.bits import lowest, without_lowest
from khora_sim.engine.effects import holds, quantity
from khora_sim.rules.terms import (
    COLOURS,
    DEVELOPMENTS,
    GAINS,
    Achievement,
    Action,
    Condition,
    Gain,
    Quantity,
    Special,
    Track,
    Trigger,
)
from khora_sim.strategy.compiling import inlined, rule, short
from khora_sim.strategy.toolkit.holdings import cards_in_play
from khora_sim.strategy.toolkit.prices import Price

LEVELS_AHEAD = 1
LIKELY, UNLIKELY = 0.7, 0.25  # that a condition will hold, if it does now or does not


@inlined
def gain_price(prices, gain):
    """A whole gain in points."""
    total = 0.0
    for kind in range(GAINS):
        total += gain[kind] * prices[kind]
    return total


@inlined
def _uses_left(game, tables, me, prices, trigger):
    """How often a trigger will still go off."""
    rounds = tables.rounds - game.round_number
    if trigger >= Trigger.PHILOSOPHY and trigger <= Trigger.MILITARY:
        return rounds * prices[Price.USE + trigger - Trigger.PHILOSOPHY]
    if trigger == Trigger.CARD_PLAYED:
        return rounds * prices[Price.USE + Action.POLITICS]
    if trigger == Trigger.DEVELOPMENT:
        return min(rounds * prices[Price.USE + Action.DEVELOPMENT], 3.0)
    return float(rounds)


@inlined
def _counted_at_the_end(game, tables, me, prices, per, count):
    """How much there will be at the end of what there is so much of now."""
    rounds = tables.rounds - game.round_number
    if per == Quantity.CARDS_IN_PLAY:
        return count + rounds * prices[Price.USE + Action.POLITICS]
    if per >= Quantity.LOWEST_TRACK and per <= Quantity.TAX:
        return count + rounds * 0.4
    if per == Quantity.KNOWLEDGE:
        return count + rounds * 0.4
    if per > Quantity.KNOWLEDGE and per <= Quantity.GREEN_TOKENS:
        return count + rounds * 0.2
    return float(count)


@rule
def _special_promise(game, tables, me, prices, effect):
    """What a special effect brings: at once, or in the rounds to come."""
    rounds = tables.rounds - game.round_number
    special = effect.special
    if special == Special.TOKEN_PRICE:
        spared = max(game.token_price[me] - effect.number, 0)
        return 0.5 * rounds * prices[Price.USE + Action.TRADE] * spared * prices[Gain.DRACHMAS]
    if special == Special.CHEAPER_LEVELS or special == Special.CHEAPER_PROGRESS:
        return 0.8 * rounds * effect.number * prices[Gain.DRACHMAS]
    if special == Special.PROGRESS_LEVELS:
        return 0.6 * rounds * max(effect.number - game.progress_levels[me], 0)
    if special == Special.FREE_ECONOMY:
        levels = min(rounds, tables.max_level - game.level[me, Track.ECONOMY])
        return 3.0 * levels * prices[Gain.DRACHMAS]
    if special == Special.SPARES_TROOPS:
        return rounds * prices[Price.USE + Action.MILITARY] * effect.number * prices[Gain.TROOPS]
    if special == Special.EXPLORATIONS:
        return rounds * prices[Price.USE + Action.MILITARY] * (effect.number - 1) * prices[Price.NEXT]
    if special == Special.SELLS_GLORY:
        better = gain_price(prices, effect.gain) - prices[Gain.GLORY]
        return max(better, 0.0) * (game.glory[me] + 0.2 * rounds)
    if special == Special.TAKE_ACTIONS:
        return effect.number * _action_promise(game, tables, me, prices, effect.action)
    if special == Special.CHOOSE_TRACKS:
        each = _level_promise(game, tables, me, prices, Track.ECONOMY) + _level_promise(
            game, tables, me, prices, Track.CULTURE
        )
        return 0.5 * effect.number * each
    if special == Special.CHOOSE_GAIN:
        best = gain_price(prices, effect.choices[0])
        for choice in range(1, effect.choice_count):
            best = max(best, gain_price(prices, effect.choices[choice]))
        return best
    return prices[Gain.CARDS] if special == Special.TAKE_BACK_CARD else 0.0


@rule
def _action_promise(game, tables, me, prices, action):
    """A plain guess at what an action brings."""
    level = game.level[me]
    if action == Action.CULTURE:
        return level[Track.CULTURE] + _fired(game, tables, me, prices, Trigger.CULTURE)
    if action == Action.TRADE:
        return (level[Track.ECONOMY] + 1) * prices[Gain.DRACHMAS] + _fired(
            game, tables, me, prices, Trigger.TRADE
        )
    if action == Action.MILITARY:
        return level[Track.MILITARY] * prices[Gain.TROOPS] + prices[Price.NEXT]
    return 1.5


@rule
def _promise(game, tables, me, prices, source, more_cards):
    """What a card or development would bring if it came into play now, less its price."""
    total = -source.cost * prices[Gain.DRACHMAS]
    for place in range(source.effect_count):
        effect = source.effects[place]
        if effect.special != Special.NONE:
            total += _special_promise(game, tables, me, prices, effect)
            continue
        worth = gain_price(prices, effect.gain)
        if effect.per != Quantity.ONE:
            count = quantity(game, me, effect.per)
            if effect.per == Quantity.CARDS_IN_PLAY:
                count += more_cards
            elif effect.per == Quantity.HAND_CARDS:
                count -= more_cards
            elif effect.per == Quantity.DRACHMAS:
                count -= source.cost
            if effect.on == Trigger.FINAL_SCORING:
                worth *= _counted_at_the_end(game, tables, me, prices, effect.per, count) / effect.every
            else:
                worth *= count // effect.every
        if effect.condition != Condition.NONE:
            now = holds(game, tables, me, effect)
            worth *= LIKELY if now else UNLIKELY
        if effect.on != Trigger.AT_ONCE and effect.on != Trigger.FINAL_SCORING:
            worth *= _uses_left(game, tables, me, prices, effect.on)
        total += worth
    return total


@short
def card_promise(view, prices, card):
    """What a card would bring if it were played now, less its price."""
    return (
        _promise(view.game, view.tables, view.me, prices, view.tables.cards[card], 1)
        + prices[Price.TILE + Action.POLITICS]
    )


@inlined
def card_in_hand(view, prices, card):
    """What a card is good for in hand: its promise, less for each token it still misses."""
    missing = missing_of(owned_tokens(view), view.tables.cards[card])
    return card_promise(view, prices, card) / (1.0 + 0.5 * missing)


@short
def development_promise(view, prices):
    """What the next development would bring, less its price, and what it opens the way to."""
    return _development_promise(view.game, view.tables, view.me, prices)


@rule
def _development_promise(game, tables, me, prices):
    """The same; what it sets off counts too."""
    step = game.development[me]
    if step >= DEVELOPMENTS:
        return 0.0
    worth = _promise(game, tables, me, prices, tables.developments[game.city[me], step], 0)
    worth += _fired(game, tables, me, prices, Trigger.DEVELOPMENT)
    return worth + (DEVELOPMENTS - 1 - step) * prices[Price.OPENS]


@rule
def _level_promise(game, tables, me, prices, track):
    """What the next level of a track brings, and a share of what lies further on."""
    level = game.level[me, track]
    if level >= tables.max_level:
        return 0.0
    last = min(level + 1 + min(tables.rounds - game.round_number, LEVELS_AHEAD), tables.max_level)
    total = prices[Gain.ECONOMY + track]
    share = 1.0
    for entered in range(level + 1, last + 1):
        total += share * gain_price(prices, tables.level_gain[track, entered])
        share *= prices[Price.LATER]
    if track == Track.ECONOMY and level + 1 == tables.achievement_needs[Achievement.ECONOMY]:
        if game.achieved[Achievement.ECONOMY] == 0:
            total += prices[Price.ACHIEVEMENT]
    return total


@inlined
def _fired(game, tables, me, prices, trigger):
    """What the player's cards and developments would bring now if a trigger set them off."""
    if not game.listens[me] >> trigger & 1:
        return 0.0
    return _fired_by_all(game, tables, me, prices, trigger)


@rule
def _fired_by_all(game, tables, me, prices, trigger):
    """The same, where something waits for the trigger."""
    total = 0.0
    cards = game.in_play[me] & tables.cards_on[trigger]
    while cards != 0:
        total += _fired_by(game, tables, me, prices, tables.cards[lowest(cards)], trigger)
        cards = without_lowest(cards)
    for step in range(game.development[me]):
        total += _fired_by(game, tables, me, prices, tables.developments[game.city[me], step], trigger)
    return total


@short
def fired(view, prices, trigger):
    """What the player's cards and developments would bring now if a trigger set them off."""
    return _fired(view.game, view.tables, view.me, prices, trigger)


@short
def level_promise(view, prices, track):
    """What the next level of a track brings, and a share of what lies further on."""
    return _level_promise(view.game, view.tables, view.me, prices, track)


@inlined
def _fired_by(game, tables, me, prices, source, trigger):
    """What one card or development would bring."""
    total = 0.0
    for place in range(source.effect_count):
        effect = source.effects[place]
        if effect.on == trigger and holds(game, tables, me, effect):
            worth = gain_price(prices, effect.gain)
            if effect.per != Quantity.ONE:
                worth *= quantity(game, me, effect.per) // effect.every
            total += worth
    return total


@inlined
def owned_tokens(view):
    """Knowledge tokens of each colour."""
    minor, major = view.game.minor[view.me], view.game.major[view.me]
    return minor[0] + major[0], minor[1] + major[1], minor[2] + major[2]


@inlined
def missing_of(owned, source):
    """Knowledge tokens that a card or development needs beyond those owned."""
    needs = source.needs
    return max(needs[0] - owned[0], 0) + max(needs[1] - owned[1], 0) + max(needs[2] - owned[2], 0)


@rule
def _price_tokens(game, tables, me, prices, owned):
    """Work out what one more token of each colour is worth."""
    wanted = prices[Price.COLOUR : Price.COLOUR + COLOURS]
    for colour in range(COLOURS):
        wanted[colour] = prices[Gain.TOKENS]
    step = game.development[me]
    if step < DEVELOPMENTS:
        waited_for = 0.0
        if game.active[me] >> Action.DEVELOPMENT & 1:
            waited_for = _development_promise(game, tables, me, prices)
        city = tables.developments[game.city[me]]
        _add_where_missing(wanted, owned, city[step], prices[Price.NEXT] + waited_for)
        _add_where_missing(wanted, owned, city[DEVELOPMENTS - 1], prices[Price.CITY])
    cards = game.hand[me]
    while cards != 0:
        _add_where_missing(wanted, owned, tables.cards[lowest(cards)], prices[Price.HAND])
        cards = without_lowest(cards)


@short
def price_tokens(view, prices):
    """Work out what one more token of each colour is worth."""
    _price_tokens(view.game, view.tables, view.me, prices, owned_tokens(view))


@inlined
def _add_where_missing(wanted, owned, source, worth):
    """Add to the colours that a card or development misses."""
    if source.needs[0] > owned[0]:
        wanted[0] += worth
    if source.needs[1] > owned[1]:
        wanted[1] += worth
    if source.needs[2] > owned[2]:
        wanted[2] += worth


@inlined
def play_price(view, prices, card, missing):
    """What playing a card now brings, philosophy for missing knowledge taken off."""
    worth = card_promise(view, prices, card)
    return worth - missing * view.tables.philosophy_per_need * prices[Gain.PHILOSOPHY]


@rule
def achievement_of_cards(view, prices):
    """What one more card in play brings if that makes enough of them for the open achievement."""
    if view.game.achieved[Achievement.POLITICS] != 0:
        return 0.0
    enough = cards_in_play(view) + 1 == view.tables.achievement_needs[Achievement.POLITICS]
    return prices[Price.ACHIEVEMENT] if enough else 0.0
