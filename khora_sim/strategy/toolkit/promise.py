"""What effects and levels promise, by a price list (see `prices`)."""

from khora_sim.engine.bits import lowest, without_lowest
from khora_sim.engine.effects import holds, quantity
from khora_sim.rules.terms import Achievement, Action, Condition, Gain, Quantity, Special, Track, Trigger
from khora_sim.strategy.compiling import inlined, macro, rule
from khora_sim.strategy.toolkit.gains import effect_price, gain_price

LEVELS_AHEAD = 1
SOME_ACTION = 1.5  # a plain guess at a politics or development action to come
LIKELY, UNLIKELY = 0.7, 0.25  # that a condition will hold, if it does now or does not


@inlined
def _uses_left(game, tables, me, prices, trigger):
    """How often a trigger will still go off."""
    rounds = tables.rounds - game.round_number
    if trigger >= Trigger.PHILOSOPHY and trigger <= Trigger.MILITARY:
        return rounds * prices.use[trigger - Trigger.PHILOSOPHY]
    if trigger == Trigger.CARD_PLAYED:
        return rounds * prices.use[Action.POLITICS]
    if trigger == Trigger.DEVELOPMENT:
        return min(rounds * prices.use[Action.DEVELOPMENT], 3.0)
    return float(rounds)


@inlined
def _counted_at_the_end(game, tables, me, prices, per, count):
    """How much there will be at the end of what there is so much of now."""
    rounds = tables.rounds - game.round_number
    if per == Quantity.CARDS_IN_PLAY:
        return count + rounds * prices.use[Action.POLITICS]
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
        return 0.5 * rounds * prices.use[Action.TRADE] * spared * prices.gain[Gain.DRACHMAS]
    if special == Special.CHEAPER_LEVELS or special == Special.CHEAPER_PROGRESS:
        return 0.8 * rounds * effect.number * prices.gain[Gain.DRACHMAS]
    if special == Special.PROGRESS_LEVELS:
        return 0.6 * rounds * max(effect.number - game.progress_levels[me], 0)
    if special == Special.FREE_ECONOMY:
        levels = min(rounds, tables.max_level - game.level[me, Track.ECONOMY])
        return 3.0 * levels * prices.gain[Gain.DRACHMAS]
    if special == Special.SPARES_TROOPS:
        return rounds * prices.use[Action.MILITARY] * effect.number * prices.gain[Gain.TROOPS]
    if special == Special.EXPLORATIONS:
        return rounds * prices.use[Action.MILITARY] * (effect.number - 1) * prices.next_development
    if special == Special.SELLS_GLORY:
        better = gain_price(prices.gain, effect.gain, effect.gain_kinds) - prices.gain[Gain.GLORY]
        return max(better, 0.0) * (game.glory[me] + 0.2 * rounds)
    if special == Special.TAKE_ACTIONS:
        return effect.number * _action_promise(game, tables, me, prices, effect.action)
    if special == Special.CHOOSE_TRACKS:
        return _best_levels(game, tables, me, prices, effect.number)
    return prices.gain[Gain.CARDS] if special == Special.TAKE_BACK_CARD else 0.0


@inlined
def _best_levels(game, tables, me, prices, number):
    """The best levels to choose, each on a track of its own."""
    economy = _level_promise(game, tables, me, prices, Track.ECONOMY)
    culture = _level_promise(game, tables, me, prices, Track.CULTURE)
    military = _level_promise(game, tables, me, prices, Track.MILITARY)
    if number == 1:
        return max(economy, culture, military)
    total = economy + culture + military
    return total - min(economy, culture, military) if number == 2 else total


@rule
def _action_promise(game, tables, me, prices, action):
    """A plain guess at what an action brings."""
    level = game.level[me]
    if action == Action.POLITICS or action == Action.DEVELOPMENT:
        return SOME_ACTION
    worth = fired_now(game, tables, me, prices, Trigger.PHILOSOPHY + action)
    if action == Action.PHILOSOPHY:
        return worth + tables.philosophy_tokens * prices.gain[Gain.PHILOSOPHY]
    if action == Action.LEGISLATION:
        return worth + tables.legislation_citizens * prices.gain[Gain.CITIZENS] + prices.gain[Gain.CARDS]
    if action == Action.CULTURE:
        return worth + level[Track.CULTURE] * prices.gain[Gain.VP]
    if action == Action.TRADE:
        return worth + (level[Track.ECONOMY] + tables.trade_bonus) * prices.gain[Gain.DRACHMAS]
    return worth + level[Track.MILITARY] * prices.gain[Gain.TROOPS] + prices.next_development


@rule
def promise_of(game, tables, me, prices, source, more_cards):
    """What a card or development would bring if it came into play now, less its price."""
    total = -source.cost * prices.gain[Gain.DRACHMAS]
    for place in range(source.effect_count):
        effect = source.effects[place]
        if effect.special != Special.NONE and effect.special != Special.CHOOSE_GAIN:
            total += _special_promise(game, tables, me, prices, effect)
            continue
        worth = effect_price(game, tables, me, prices, effect)
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


@rule
def _level_promise(game, tables, me, prices, track):
    """What the next level of a track brings, and a share of what lies further on."""
    level = game.level[me, track]
    if level >= tables.max_level:
        return 0.0
    last = min(level + 1 + min(tables.rounds - game.round_number, LEVELS_AHEAD), tables.max_level)
    total = prices.gain[Gain.ECONOMY + track]
    share = 1.0
    for entered in range(level + 1, last + 1):
        gain, kinds = tables.level_gain[track, entered], tables.level_gain_kinds[track, entered]
        total += share * gain_price(prices.gain, gain, kinds)
        share *= prices.later
    if track == Track.ECONOMY and level + 1 == tables.achievement_needs[Achievement.ECONOMY]:
        if game.achieved[Achievement.ECONOMY] == 0:
            total += prices.achievement
    return total


@inlined
def fired_now(game, tables, me, prices, trigger):
    """What the player's cards and developments would bring now if a trigger set them off."""
    if not game.awaited[me] >> trigger & 1:
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


@macro
def fired(view, prices, trigger):
    """What the player's cards and developments would bring now if a trigger set them off."""
    return fired_now(view.game, view.tables, view.me, prices, trigger)


@macro
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
            worth = effect_price(game, tables, me, prices, effect)
            if effect.per != Quantity.ONE:
                worth *= quantity(game, me, effect.per) // effect.every
            total += worth
    return total
