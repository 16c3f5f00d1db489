"""Standing effects of cards and developments: prices, discounts, extra levels and explorations."""

from khora_sim.common.options import Setting
from khora_sim.engine.bits import lowest, without_lowest
from khora_sim.engine.compiling import inlined, rule
from khora_sim.engine.ledger import Source
from khora_sim.rules.specials import Special
from khora_sim.rules.terms import Trigger


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
