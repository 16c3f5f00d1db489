"""Gains, losses and the named special effects of cards, developments and events."""

import numpy as np

from khora_sim.common.options import Setting
from khora_sim.engine.agenda import ASKED, Task, push
from khora_sim.engine.bits import BIT, has, lowest, size, without_lowest
from khora_sim.engine.compiling import inlined, public, rule
from khora_sim.engine.ledger import Source
from khora_sim.engine.record import MOST, MOST_TOKENS, Fault, held
from khora_sim.rules.specials import Special
from khora_sim.rules.terms import COLOURS, MAX_CARDS, TRACKS, Condition, Gain, Quantity, Track, Trigger

# The value of a CHOOSE_TRACK: the set of tracks that are out of the question, and how many levels to gain.
ALL_TRACKS = (1 << TRACKS) - 1
ONE_LEVEL = 1 << TRACKS


@inlined
def within(level, change, limit):
    """A level after a gain, which stops at the limit, or a loss, which stops at 0."""
    if change < 0:
        return max(level + change, 0)
    return max(level, min(level + change, limit))


@inlined
def score(game, ledger, player, points, source):
    """Move on the score track and write down why; losses stop at 0."""
    before = game.vp[player]
    after = held(game, before, points, MOST, Fault.VP)
    game.vp[player] = after
    ledger.points[player, source] += after - before


@inlined
def gain_drachmas(game, player, drachmas):
    """Drachmas come in, or are lost as far as there are some."""
    game.drachmas[player] = held(game, game.drachmas[player], drachmas, MOST, Fault.DRACHMAS)


@inlined
def gain_philosophy(game, player, amount):
    """Philosophy tokens come in, or are lost as far as there are some."""
    game.philosophy[player] = held(game, game.philosophy[player], amount, MOST, Fault.PHILOSOPHY)


@inlined
def gain_minor(game, player, colour, amount):
    """Minor knowledge tokens of a colour come in."""
    game.minor[player, colour] = held(game, game.minor[player, colour], amount, MOST_TOKENS, Fault.TOKENS)


@inlined
def dice_sum(game, player):
    """The pips of a player's dice."""
    return game.dice[player, 0] + game.dice[player, 1] + game.dice[player, 2]


@public
def knowledge(game, player, colour):
    """Knowledge tokens of one colour, minor and major alike."""
    return game.minor[player, colour] + game.major[player, colour]


@inlined
def tokens(game, player, minor, major):
    """Number of tokens of a player, counting minor and major ones as asked."""
    total = 0
    for colour in range(COLOURS):
        total += minor * game.minor[player, colour] + major * game.major[player, colour]
    return total


@inlined
def hand_add(game, player, card):
    """A card comes to hand; a card unknown to a view only counts."""
    game.hand_size[player] += 1
    if card >= 0:
        game.hand[player] |= BIT[card]


@inlined
def hand_remove(game, player, card):
    """A card leaves the hand."""
    game.hand_size[player] -= 1
    game.hand[player] &= ~BIT[card]


@inlined
def draw_card(game):
    """Take the top card of the deck, which must not be empty."""
    card = np.int64(game.deck[game.deck_top])
    game.deck_top = (game.deck_top + 1) % MAX_CARDS
    game.deck_size -= 1
    return card


@inlined
def put_under_deck(game, card):
    """Put a card under the deck."""
    game.deck[(game.deck_top + game.deck_size) % MAX_CARDS] = card
    game.deck_size += 1


@rule
def collect_resources(game, tables, ledger, player, gain, times, source):
    """Give (or take) everything of a gain that is counted on a track or in a purse."""
    if gain[Gain.VP] != 0:
        score(game, ledger, player, gain[Gain.VP] * times, source)
    if gain[Gain.DRACHMAS] != 0:
        gain_drachmas(game, player, gain[Gain.DRACHMAS] * times)
    if gain[Gain.CITIZENS] != 0:
        game.citizens[player] = within(
            game.citizens[player], gain[Gain.CITIZENS] * times, tables.max_citizens
        )
    if gain[Gain.TROOPS] != 0:
        game.troops[player] = within(game.troops[player], gain[Gain.TROOPS] * times, tables.max_troops)
    if gain[Gain.TAX] != 0:
        game.tax[player] = within(game.tax[player], gain[Gain.TAX] * times, tables.max_tax)
    if gain[Gain.GLORY] != 0:
        game.glory[player] = within(game.glory[player], gain[Gain.GLORY] * times, tables.max_glory)
    if gain[Gain.PHILOSOPHY] != 0:
        gain_philosophy(game, player, gain[Gain.PHILOSOPHY] * times)
    if gain[Gain.DICE] != 0:
        # Ruling: a die gained in a round is rolled from the next round on; only rolls read this.
        game.dice_count[player] = within(game.dice_count[player], gain[Gain.DICE] * times, 3)


@rule
def climb(game, tables, ledger, player, track):
    """Move up one level on a progress track, however it came about, and take the level's gain."""
    if game.level[player, track] >= tables.max_level:
        return
    game.level[player, track] += 1
    gain = tables.level_gain[track, game.level[player, track]]
    collect_resources(game, tables, ledger, player, gain, 1, Source.TRACK_LEVEL)


@inlined
def may_decline_level(game, tables, player, track):
    """Tell if a free level is the player's choice.

    Ruling: it is where a card in hand or in play rewards being low on the track. Nobody chose the
    development of the set-up, so its levels are simply taken.
    """
    cards = game.hand[player] | game.in_play[player]
    return cards & tables.cards_wanting_low[track] != 0 and game.round_number > 0


@rule
def collect(game, tables, ledger, player, gain, times, source):
    """Give (or take) a whole gain, free levels, cards and tokens included."""
    collect_resources(game, tables, ledger, player, gain, times, source)
    for track in range(TRACKS):
        levels = gain[Gain.ECONOMY + track] * times
        if levels > 0 and may_decline_level(game, tables, player, track):
            for _ in range(min(levels, tables.max_level - game.level[player, track])):
                push(game, Task.CHOOSE_TRACK, player, ONE_LEVEL | ALL_TRACKS & ~(1 << track))
        else:
            for _ in range(levels):
                climb(game, tables, ledger, player, track)
    for _ in range(gain[Gain.CARDS] * times):
        if game.deck_size > 0:
            hand_add(game, player, draw_card(game))
    if gain[Gain.TOKENS] > 0:
        push(game, Task.GAIN_TOKEN, player, gain[Gain.TOKENS] * times)


@inlined
def quantity(game, player, per):
    """Amount that a player has of what a gain is counted by."""
    if per == Quantity.DRACHMAS:
        return np.int64(game.drachmas[player])
    if per == Quantity.HAND_CARDS:
        return np.int64(game.hand_size[player])
    if per == Quantity.CITIZENS:
        return np.int64(game.citizens[player])
    if per == Quantity.LOWEST_TRACK:
        return np.int64(
            min(
                game.level[player, Track.ECONOMY],
                game.level[player, Track.CULTURE],
                game.level[player, Track.MILITARY],
            )
        )
    if per == Quantity.CARDS_IN_PLAY:
        return np.int64(size(game.in_play[player]))
    if per >= Quantity.ECONOMY and per <= Quantity.MILITARY:
        return np.int64(game.level[player, per - Quantity.ECONOMY])
    if per == Quantity.TAX:
        return np.int64(game.tax[player])
    if per == Quantity.GLORY:
        return np.int64(game.glory[player])
    if per == Quantity.TROOPS:
        return np.int64(game.troops[player])
    if per == Quantity.PHILOSOPHY:
        return np.int64(game.philosophy[player])
    if per == Quantity.KNOWLEDGE:
        return np.int64(tokens(game, player, 1, 1))
    if per == Quantity.MINOR_TOKENS:
        return np.int64(tokens(game, player, 1, 0))
    if per == Quantity.MAJOR_TOKENS:
        return np.int64(tokens(game, player, 0, 1))
    if per >= Quantity.RED_TOKENS and per <= Quantity.GREEN_TOKENS:
        return np.int64(knowledge(game, player, per - Quantity.RED_TOKENS))
    if per == Quantity.DEVELOPMENTS:
        return np.int64(game.development[player])
    return np.int64(1)


@inlined
def holds(game, tables, player, effect):
    """Tell if the condition of an effect holds."""
    condition = effect.condition
    if condition == Condition.NONE:
        return True
    if condition == Condition.NO_PROGRESS:
        return game.climbed[player] == 0
    if condition == Condition.LOW_DICE:
        return dice_sum(game, player) <= effect.number
    if condition == Condition.PERSEPOLIS_EXPLORED:
        return tables.persepolis >= 0 and has(game.explored, tables.persepolis)
    for other in range(game.players):
        if other == player:
            continue
        if condition == Condition.LOWEST_CULTURE:  # Ruling: also pays when tied.
            if game.level[other, Track.CULTURE] < game.level[player, Track.CULTURE]:
                return False
        elif condition == Condition.HIGHEST_ECONOMY:  # Ruling: also pays when tied.
            if game.level[other, Track.ECONOMY] > game.level[player, Track.ECONOMY]:
                return False
        elif game.level[other, Track.MILITARY] <= game.level[player, Track.MILITARY]:
            return False  # Ruling: Rivalry wants all others strictly higher.
    return True


@rule
def run_effect(game, tables, ledger, player, effect, source):
    """Let an effect happen, or put what it leads to on the agenda."""
    if not holds(game, tables, player, effect):
        return
    special = effect.special
    if special == Special.NONE:
        times = quantity(game, player, effect.per) // effect.every
        collect(game, tables, ledger, player, effect.gain, times, source)
    elif special == Special.TAKE_ACTIONS:
        for _ in range(effect.number):
            push(game, Task.ACTION, player, effect.action)
    elif special == Special.CHOOSE_TRACKS:
        push(game, Task.CHOOSE_TRACK, player, ONE_LEVEL * effect.number)
    elif special == Special.LOSE_PHILOSOPHY:
        game.philosophy[player] = 0
    elif special == Special.DISCARD:
        push(game, Task.DISCARD, player, effect.number)
    elif ASKED[special] >= 0:
        push(game, ASKED[special], player, source)


@inlined
def needs_decision(game, tables, player, effect):
    """Tell if an effect puts something on the agenda instead of happening at once."""
    special = effect.special
    if special == Special.NONE:
        for track in range(TRACKS):
            if effect.gain[Gain.ECONOMY + track] > 0 and may_decline_level(game, tables, player, track):
                return True
        return effect.gain[Gain.TOKENS] > 0
    return special != Special.LOSE_PHILOSOPHY


@rule
def run_source(game, tables, ledger, player, card_or_development, trigger, source):
    """Let those effects of a card or development happen that a trigger sets off, in the order written.

    First what happens at once; then what asks, the last one first, so that the first lies on top.
    """
    asking = False
    for place in range(card_or_development.effect_count):
        effect = card_or_development.effects[place]
        if effect.on == trigger:
            if needs_decision(game, tables, player, effect):
                asking = True
            else:
                run_effect(game, tables, ledger, player, effect, source)
    if not asking:
        return
    for place in range(card_or_development.effect_count - 1, -1, -1):
        effect = card_or_development.effects[place]
        if effect.on == trigger and needs_decision(game, tables, player, effect):
            run_effect(game, tables, ledger, player, effect, source)


@rule
def fire(game, tables, ledger, player, trigger, but_not):
    """Set off everything a player has in play that waits for a trigger, but for one card."""
    if not game.awaited[player] >> trigger & 1:
        return
    cards = game.in_play[player] & tables.cards_on[trigger]
    while cards != 0:
        card = lowest(cards)
        cards = without_lowest(cards)
        if card != but_not:
            run_source(game, tables, ledger, player, tables.cards[card], trigger, card)
    for place in range(game.development[player]):
        development = tables.developments[game.city[player], place]
        run_source(game, tables, ledger, player, development, trigger, Source.DEVELOPMENT + place)


@rule
def effect_of(game, tables, player, source, special):
    """The effect of a source that bears a special name."""
    if source == Source.EVENT:
        return tables.events[game.events[game.round_number - 1]].effect
    if source == Source.EVENT_LOWEST:
        return tables.events[game.events[game.round_number - 1]].lowest
    if source < MAX_CARDS:
        origin = tables.cards[source]
    else:
        origin = tables.developments[game.city[player], source - Source.DEVELOPMENT]
    place = 0
    while place + 1 < origin.effect_count and origin.effects[place].special != special:
        place += 1
    return origin.effects[place]


@inlined
def _add_standing(game, player, origin, source):
    """Add what one card or development changes for good."""
    for place in range(origin.effect_count):
        effect = origin.effects[place]
        game.awaited[player] |= 1 << effect.on
        if effect.on != Trigger.ALWAYS:
            continue
        special = effect.special
        if special == Special.TOKEN_PRICE:
            game.token_price[player] = min(game.token_price[player], effect.number)
        elif special == Special.CHEAPER_LEVELS:
            game.discount[player] += effect.number
        elif special == Special.CHEAPER_PROGRESS:
            game.progress_discount[player] += effect.number
        elif special == Special.PROGRESS_LEVELS:
            # Ruling: "2 in total" twice is still 2, unless the option says that bonuses stack.
            if game.settings & Setting.PROGRESS_BONUSES_STACK:
                game.progress_levels[player] += effect.number - 1
            else:
                game.progress_levels[player] = max(game.progress_levels[player], effect.number)
        elif special == Special.FREE_ECONOMY:
            game.free_economy[player] = 1
        elif special == Special.SPARES_TROOPS:
            game.spared_troops[player] += effect.number
        elif special == Special.EXPLORATIONS:
            game.explorations[player] = max(game.explorations[player], effect.number)
        elif special == Special.SELLS_GLORY:
            game.glory_buyer[player] = source


@rule
def refresh_standing(game, tables, player):
    """Work out again what a player's cards and developments change for good."""
    game.awaited[player] = 0
    game.token_price[player] = tables.token_price
    game.discount[player] = 0
    game.progress_discount[player] = 0
    game.progress_levels[player] = 1
    game.free_economy[player] = 0
    game.spared_troops[player] = 0
    game.explorations[player] = 1
    game.glory_buyer[player] = -1
    cards = game.in_play[player]
    while cards != 0:
        card = lowest(cards)
        cards = without_lowest(cards)
        _add_standing(game, player, tables.cards[card], card)
    for place in range(game.development[player]):
        development = tables.developments[game.city[player], place]
        _add_standing(game, player, development, Source.DEVELOPMENT + place)
