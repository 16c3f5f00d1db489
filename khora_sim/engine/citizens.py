"""The end of phase C: all reveal their tiles and pay citizens for them.

A player takes its tiles in an order of its choice: one that can be paid at that moment is paid, one that
cannot is set aside. Philosophy tokens may be spent before, between and after the tiles. Only the outcome
matters, so a payment is one decision and its options are the outcomes: which dice are paid for, how many
tokens are spent, how many citizens are left.
"""

import numpy as np

from khora_sim.engine.agenda import NONE, Phase, Task, pop, push
from khora_sim.engine.bits import lowest, without_lowest
from khora_sim.engine.compiling import inlined, rule
from khora_sim.engine.ledger import Spending
from khora_sim.rules.terms import ACTIONS, DICE

ANY = -1  # a set of all numbers


@inlined
def payment(paid, tokens, left):
    """An option of PAY_CITIZENS: 3 bits for the dice paid for, 5 for the citizens left, then the tokens.

    Limits of the rules keep it within 14 bits: at most 30 citizens, and no more than 45 tokens bring any.
    """
    return paid | left << 3 | tokens << 8


@inlined
def paid_dice(option):
    """The set of dice whose tiles a payment pays for; the others are set aside."""
    return option & 7


@inlined
def citizens_left(option):
    """The citizens that a payment leaves."""
    return option >> 3 & 31


@inlined
def tokens_spent(option):
    """The philosophy tokens that a payment spends for citizens."""
    return option >> 8


@inlined
def missing_pips(game, player, die):
    """Citizens to lose for a die: how far it is below its tile's number."""
    return max(game.tile[player, die] - game.dice[player, die], 0)


@inlined
def _dice_rolled(game, player):
    """The set of dice a player has this round."""
    dice = 0
    for die in range(DICE):
        if game.dice[player, die] > 0:
            dice |= 1 << die
    return dice


@inlined
def _cost(game, player, dice):
    """Citizens that the tiles on a set of dice cost."""
    total = 0
    for die in range(DICE):
        if dice >> die & 1:
            total += missing_pips(game, player, die)
    return total


@inlined
def _cheapest(game, player, dice):
    """Citizens that the cheapest of the tiles on a set of dice costs; ACTIONS if there is none."""
    least = ACTIONS
    for die in range(DICE):
        if dice >> die & 1:
            least = min(least, missing_pips(game, player, die))
    return least


@inlined
def _fewest_paid(game, player):
    """The smallest set of dice, as a number, that a player may end up paying for."""
    dice = _dice_rolled(game, player)
    # Where all tiles can be paid none can be set aside, whatever the order.
    return dice if _cost(game, player, dice) <= game.citizens[player] else 0


@inlined
def _usable_tokens(game, tables, player):
    """Philosophy tokens that can be spent, if they bring any citizen."""
    return game.philosophy[player] if tables.citizens_per_philosophy > 0 else 0


@rule
def _numbers_left(game, tables, player, paid, tokens):
    """The numbers of citizens that may be left if just these dice are paid for, with so many tokens."""
    aside = _dice_rolled(game, player) & ~paid
    cheapest = np.int64(_cheapest(game, player, aside))
    if cheapest == 0:
        return 0  # what costs nothing is always paid
    have = np.int64(game.citizens[player])
    each, most = np.int64(tables.citizens_per_philosophy), np.int64(tables.max_citizens)
    left = have + tokens * each - _cost(game, player, paid)
    if left < 0:
        return 0
    if tokens == 0 or have + tokens * each <= most:  # no token brings fewer citizens than it is good for
        if aside == 0 or have < cheapest or left < cheapest:
            return 1 << left
        return 1 << left if _falls_below(game, player, paid, tokens, each, cheapest) else 0
    one = missing_pips(game, player, 0) if paid & 1 else 0
    two = missing_pips(game, player, 1) if paid & 2 else 0
    three = missing_pips(game, player, 2) if paid & 4 else 0
    few = ANY if aside == 0 else (1 << cheapest) - 1
    return (
        _left_in_order(have, tokens, one, two, three, few, each, most)
        | _left_in_order(have, tokens, one, three, two, few, each, most)
        | _left_in_order(have, tokens, two, one, three, few, each, most)
        | _left_in_order(have, tokens, two, three, one, few, each, most)
        | _left_in_order(have, tokens, three, one, two, few, each, most)
        | _left_in_order(have, tokens, three, two, one, few, each, most)
    )


@inlined
def _falls_below(game, player, paid, tokens, each, number):
    """Whether a player can have fewer citizens than a number once some tiles are paid and tokens spent."""
    for some in range(1, 1 << DICE):
        if some & paid == some:
            citizens = game.citizens[player] - _cost(game, player, some)
            for _ in range(tokens + 1):
                if citizens >= 0 and citizens < number:
                    return True
                citizens += each
    return False


@rule
def _left_in_order(have, tokens, first, second, third, few, each, most):
    """The numbers of citizens that may be left if tiles of these costs are paid in this order.

    Tokens are spent at any points. There must have been a moment with `few` citizens, at which the other tiles
    were set aside.
    """
    before, after_one, after_two, after_three = 1 << have, 0, 0, 0  # numbers of citizens one may have then
    few_before, few_one, few_two, few_three = 0, 0, 0, 0  # and had few of them at some moment
    for spent in range(tokens + 1):
        if spent > 0:
            before, few_before = _token_more(before, each, most), _token_more(few_before, each, most)
            after_one, few_one = _token_more(after_one, each, most), _token_more(few_one, each, most)
            after_two, few_two = _token_more(after_two, each, most), _token_more(few_two, each, most)
            after_three, few_three = _token_more(after_three, each, most), _token_more(few_three, each, most)
        after_one |= before >> first
        after_two |= after_one >> second
        after_three |= after_two >> third
        few_before |= before & few
        few_one |= few_before >> first | after_one & few
        few_two |= few_one >> second | after_two & few
        few_three |= few_two >> third | after_three & few
    return few_three


@inlined
def _token_more(numbers, each, most):
    """Numbers of citizens after one more token. Ruling: one that brings no citizen is not offered."""
    limit = 1 << most
    more = (numbers & (limit - 1)) << each
    return more & (limit - 1) | (limit if more >= limit else 0)


@inlined
def list_payments(game, tables, player, out):
    """PAY_CITIZENS: every outcome once, by tokens, then by the set of dice, then by the citizens left."""
    dice, fewest = _dice_rolled(game, player), _fewest_paid(game, player)
    count = 0
    for tokens in range(_usable_tokens(game, tables, player) + 1):
        listed = count
        for paid in range(dice, fewest - 1, -1):
            if paid & dice == paid:
                numbers = _numbers_left(game, tables, player, paid, tokens)
                while numbers != 0:
                    out[count] = payment(paid, tokens, lowest(numbers))
                    count += 1
                    numbers = without_lowest(numbers)
        if count == listed:
            break
    return count


@rule
def _only_payment(game, tables, player):
    """The payment of a player who has no choice; NONE if there is one."""
    only = NONE
    dice, fewest = _dice_rolled(game, player), _fewest_paid(game, player)
    for tokens in range(min(_usable_tokens(game, tables, player), 1) + 1):
        for paid in range(dice, fewest - 1, -1):
            if paid & dice == paid:
                numbers = _numbers_left(game, tables, player, paid, tokens)
                if numbers == 0:
                    continue
                if only != NONE or without_lowest(numbers) != 0:
                    return NONE
                only = payment(paid, tokens, lowest(numbers))
    return only


@inlined
def _settle(game, ledger, player, option):
    """Tiles paid for are ready to be used, citizens and tokens are gone."""
    paid, tokens = paid_dice(option), tokens_spent(option)
    ledger.citizens_spent[player] += _cost(game, player, paid)
    ledger.philosophy_spent[player, Spending.CITIZENS] += tokens
    game.citizens[player] = citizens_left(option)
    game.philosophy[player] -= tokens
    game.ready[player] = paid
    for die in range(DICE):
        if paid >> die & 1:
            game.active[player] |= 1 << game.tile[player, die]


@inlined
def reveal(game, tables, ledger):
    """All reveal their tiles. Payments without a choice are settled first; then the first player is asked."""
    pop(game)
    game.phase = Phase.CITIZENS
    for place in range(game.players - 1, -1, -1):
        player = (game.first_player + place) % game.players
        only = _only_payment(game, tables, player)
        if only == NONE:
            push(game, Task.PAY_CITIZENS, player, 0)
        else:
            _settle(game, ledger, player, only)


@inlined
def pay_citizens(game, ledger, player, option):
    """PAY_CITIZENS: settle the whole payment."""
    pop(game)
    _settle(game, ledger, player, option)
