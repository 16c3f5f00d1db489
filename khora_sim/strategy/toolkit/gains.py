"""What a gain is worth by a price list, the choices within it included: the best of them counts."""

from khora_sim.engine.bits import lowest, without_lowest
from khora_sim.rules.terms import COLOURS, DEVELOPMENTS, Gain, Special
from khora_sim.strategy.compiling import inlined, rule


@inlined
def gain_price(worths, gain, kinds):
    """A whole gain in points, by what one of each Gain is worth; a token counts as one of no colour."""
    total = 0.0
    while kinds != 0:
        kind = lowest(kinds)
        kinds = without_lowest(kinds)
        total += gain[kind] * worths[kind]
    return total


@inlined
def gain_with_tokens(game, tables, me, prices, gain, kinds):
    """A whole gain in points; a token counts as one of the colour that is worth most."""
    total = gain_price(prices.gain, gain, kinds)
    if gain[Gain.TOKENS] > 0:
        total += gain[Gain.TOKENS] * (_best_token(game, tables, me, prices) - prices.gain[Gain.TOKENS])
    return total


@inlined
def effect_price(game, tables, me, prices, effect):
    """What an effect gives once, in points: its gain, or the best of the gains to choose from."""
    if effect.special != Special.CHOOSE_GAIN:
        return gain_with_tokens(game, tables, me, prices, effect.gain, effect.gain_kinds)
    best = gain_with_tokens(game, tables, me, prices, effect.choices[0], effect.choice_kinds[0])
    for choice in range(1, effect.choice_count):
        kinds = effect.choice_kinds[choice]
        best = max(best, gain_with_tokens(game, tables, me, prices, effect.choices[choice], kinds))
    return best


@rule
def _best_token(game, tables, me, prices):
    """What a token of the colour is worth that the city and the hand miss most."""
    best = 0.0
    step = game.development[me]
    city = tables.developments[game.city[me]]
    for colour in range(COLOURS):
        owned = game.minor[me, colour] + game.major[me, colour]
        worth = 0.0
        if step < DEVELOPMENTS:
            if city[step].needs[colour] > owned:
                worth += prices.next_development
            if city[DEVELOPMENTS - 1].needs[colour] > owned:
                worth += prices.last_development
        cards = game.hand[me]
        while cards != 0:
            if tables.cards[lowest(cards)].needs[colour] > owned:
                worth += prices.card_in_hand
            cards = without_lowest(cards)
        best = max(best, worth)
    return prices.gain[Gain.TOKENS] + best


@inlined
def owned_tokens(view):
    """Knowledge tokens of each colour."""
    return tokens_by_colour(view.game, view.me)


@inlined
def tokens_by_colour(game, me):
    """Knowledge tokens of each colour."""
    minor, major = game.minor[me], game.major[me]
    return minor[0] + major[0], minor[1] + major[1], minor[2] + major[2]


@inlined
def missing_of(owned, source):
    """Knowledge tokens that a card or development needs beyond those owned."""
    needs = source.needs
    return max(needs[0] - owned[0], 0) + max(needs[1] - owned[1], 0) + max(needs[2] - owned[2], 0)
