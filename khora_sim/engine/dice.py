"""Phase C: roll, find the first player, place tiles in secret; `citizens.py` has what follows."""

from itertools import product

import numpy as np

from khora_sim.common.options import Setting
from khora_sim.engine.agenda import NONE, Phase, Task, pop, push, push_in_turn_order, seat_at
from khora_sim.engine.bits import lowest, without_lowest
from khora_sim.engine.chance import Stream, draw
from khora_sim.engine.compiling import inlined, rule
from khora_sim.engine.effects import dice_sum, run_effect
from khora_sim.engine.ledger import Source, Spending
from khora_sim.engine.record import SEATS, UNKNOWN
from khora_sim.rules.terms import ACTIONS, DICE, Trigger

PIPS = 6
TILES = ACTIONS


@inlined
def roll(game, ledger):
    """All roll all their dice, once."""
    pop(game)
    game.phase = Phase.DICE
    push(game, Task.ROLLED, 0, 0)
    if game.settings & Setting.REROLL:
        push_in_turn_order(game, Task.REROLL, 0)
    for player in range(game.players):
        for die in range(DICE):
            game.dice[player, die] = 0
            game.tile[player, die] = UNKNOWN
        game.ready[player] = 0
        game.active[player] = 0
        if game.settings & Setting.OPEN_DICE:
            push(game, Task.TELL_DICE, player, (1 << game.dice_count[player]) - 1)
            continue
        for die in range(game.dice_count[player]):
            shared = game.settings & Setting.SHARED_DICE and die < 2
            roller = SEATS if shared else player
            game.dice[player, die] = 1 + draw(game.seed, Stream.DICE, roller, game.round_number, die, PIPS)


@inlined
def own_dice(game, player):
    """The dice a player may reroll: with shared dice only the third is its own."""
    if game.settings & Setting.SHARED_DICE:
        return (1 << game.dice_count[player]) - 1 & 4
    return (1 << game.dice_count[player]) - 1


@inlined
def list_rerolls(game, player, out):
    """REROLL: any set of the player's own dice, the empty one last."""
    own = own_dice(game, player)
    count = 0
    for chosen in range((1 << DICE) - 1, -1, -1):
        if chosen & own == chosen:
            out[count] = chosen
            count += 1
    return count


@inlined
def reroll(game, player, chosen):
    """REROLL: roll the chosen dice again."""
    pop(game)
    if game.settings & Setting.OPEN_DICE:
        if chosen != 0:
            push(game, Task.TELL_DICE, player, chosen)
        return
    for die in range(DICE):
        if chosen >> die & 1:
            game.dice[player, die] = 1 + draw(game.seed, Stream.REROLL, player, game.round_number, die, PIPS)


@inlined
def list_dice(dice, out):
    """TELL_DICE: every outcome of the dice that are rolled, as digits in base 6."""
    count = 0
    for third in range(PIPS if dice & 4 else 1):
        for second in range(PIPS if dice & 2 else 1):
            for first in range(PIPS if dice & 1 else 1):
                out[count] = first + PIPS * second + PIPS * PIPS * third
                count += 1
    return count


@inlined
def tell_dice(game, player, dice, outcome):
    """TELL_DICE: the dice show what whoever runs the game chose."""
    pop(game)
    for die in range(DICE):
        if dice >> die & 1:
            game.dice[player, die] = 1 + outcome % PIPS
        outcome //= PIPS


@inlined
def find_first_player(game):
    """The lowest sum is first; among equals the one closest clockwise to the previous first player."""
    if game.settings & Setting.SHARED_DICE:
        if game.round_number > 1:
            game.first_player = seat_at(game, 1)
        return
    first = game.first_player
    for place in range(1, game.players):
        player = seat_at(game, place)
        if dice_sum(game, player) < dice_sum(game, first):
            first = player
    game.first_player = first


@inlined
def after_roll(game, tables, ledger):
    """First player, Growing Population, then all place tiles and reveal them."""
    pop(game)
    find_first_player(game)
    event = tables.events[game.events[game.round_number - 1]].effect
    for place in range(game.players):
        player = seat_at(game, place)
        for die in range(DICE):
            if game.dice[player, die] > 0:
                ledger.pips[player] += game.dice[player, die]
                ledger.dice_rolled[player] += 1
        if event.on == Trigger.DICE_PHASE:
            run_effect(game, tables, ledger, player, event, Source.EVENT)
    push(game, Task.REVEAL, 0, 0)
    push_in_turn_order(game, Task.PLACE_TILES, 0)


def _placements(first: int, second: int, third: int) -> list[int]:
    """All ways to put a different tile on each die (0: there is none); equal dice are interchangeable."""
    found = []
    for tiles in product(range(TILES), range(TILES if second else 1), range(TILES if third else 1)):
        one, two, three = tiles
        if (second and (two == one or (first == second and two < one))) or (
            third
            and (three in (one, two) or (third == first and three < one) or (third == second and three < two))
        ):
            continue
        found.append(one + TILES * two + TILES * TILES * three)
    return found


@inlined
def _alike(first, second, third):
    """Dice that there are and those of them that are equal: all that placements depend on."""
    if third > 0:
        return (first == second) + 2 * (first == third) + 4 * (second == third)
    return 8 + (second == 0) + 2 * (first == second)


#: Of each kind of roll, by `_alike`: how many placements there are, and all of them.
PLACEMENT_COUNT = np.zeros(16, np.int64)
PLACEMENTS = np.zeros((16, TILES * (TILES - 1) * (TILES - 2)), np.int16)
for _roll in ((1, 0, 0), *product((1, 2, 3), (1, 2, 3), (0, 1, 2, 3))):
    _listed = _placements(*_roll)
    PLACEMENT_COUNT[_alike(*_roll)] = len(_listed)
    PLACEMENTS[_alike(*_roll), : len(_listed)] = _listed


@inlined
def list_placements(game, player, out):
    """PLACE_TILES: a different tile on each die, as digits in base 7; equal dice are interchangeable."""
    alike = _alike(game.dice[player, 0], game.dice[player, 1], game.dice[player, 2])
    for place in range(PLACEMENT_COUNT[alike]):
        out[place] = PLACEMENTS[alike, place]
    return PLACEMENT_COUNT[alike]


@inlined
def place_tiles(game, player, placement):
    """PLACE_TILES: put the tiles on the dice, face down."""
    pop(game)
    for die in range(DICE):
        if game.dice[player, die] > 0:
            game.tile[player, die] = placement % TILES
            placement //= TILES


# The end of phase C: all reveal their tiles and pay citizens for them.
#
# A player takes its tiles in an order of its choice: one that can be paid at that moment is paid, one that
# cannot is set aside. Philosophy tokens may be spent before, between and after the tiles. Only the outcome
# matters, so a payment is one decision and its options are the outcomes: which dice are paid for, how many
# tokens are spent, how many citizens are left.


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
def _costs(game, player):
    """Citizens that the tile on each die costs; 0 for a die that was not rolled."""
    return (
        np.int64(missing_pips(game, player, 0)),
        np.int64(missing_pips(game, player, 1)),
        np.int64(missing_pips(game, player, 2)),
    )


@inlined
def _usable_tokens(game, tables, player):
    """Philosophy tokens that can be spent, if they bring any citizen."""
    return game.philosophy[player] if tables.citizens_per_philosophy > 0 else 0


@inlined
def _cost(dice, one, two, three):
    """Citizens that the tiles on a set of dice cost, by the cost of the tile on each die."""
    return (one if dice & 1 else 0) + (two if dice & 2 else 0) + (three if dice & 4 else 0)


@inlined
def _cheapest(dice, one, two, three):
    """Citizens that the cheapest tile on a set of dice costs; more than any tile costs if there is none."""
    return min(one if dice & 1 else ACTIONS, two if dice & 2 else ACTIONS, three if dice & 4 else ACTIONS)


@inlined
def _numbers_left(have, tokens, each, most, dice, paid, one, two, three):
    """The numbers of citizens that may be left if just these dice are paid for, with so many tokens."""
    left = have + tokens * each - _cost(paid, one, two, three)
    cheapest = _cheapest(dice & ~paid, one, two, three)
    if left < 0 or cheapest == 0:
        return 0  # what costs nothing is always paid
    if tokens > 0 and have + tokens * each > most:
        # Some token may bring fewer citizens than it is good for: it depends on the order.
        few = (1 << cheapest) - 1 if dice != paid else ANY
        return _left_in_any_order(have, tokens, each, most, few, paid, one, two, three)
    if dice == paid or have < cheapest or left < cheapest:
        return 1 << left
    return 1 << left if _falls_below(cheapest, have, tokens, each, paid, one, two, three) else 0


@inlined
def _falls_below(number, have, tokens, each, paid, one, two, three):
    """Tell if a player can have fewer citizens than a number once some tiles are paid and tokens spent."""
    for some in range(1, 1 << DICE):
        if some & paid == some:
            citizens = have - _cost(some, one, two, three)
            for _ in range(tokens + 1):
                if citizens >= 0 and citizens < number:
                    return True
                citizens += each
    return False


@rule
def _left_in_any_order(have, tokens, each, most, few, paid, one, two, three):
    """The numbers of citizens that may be left where a token may bring fewer citizens than it is good for."""
    if not paid & 1:
        one = 0
    if not paid & 2:
        two = 0
    if not paid & 4:
        three = 0
    return (
        _left_in_order(have, tokens, one, two, three, few, each, most)
        | _left_in_order(have, tokens, one, three, two, few, each, most)
        | _left_in_order(have, tokens, two, one, three, few, each, most)
        | _left_in_order(have, tokens, two, three, one, few, each, most)
        | _left_in_order(have, tokens, three, one, two, few, each, most)
        | _left_in_order(have, tokens, three, two, one, few, each, most)
    )


@rule
def _left_in_order(have, tokens, first, second, third, few, each, most):
    """The numbers of citizens that may be left if tiles of these costs are paid in this order.

    Tokens are spent at any points. There must have been a moment with `few` citizens, at which the other
    tiles were set aside.
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
    have, each = np.int64(game.citizens[player]), np.int64(tables.citizens_per_philosophy)
    one, two, three = _costs(game, player)
    tokens = np.int64(_usable_tokens(game, tables, player))
    dice = _dice_rolled(game, player)
    if one + two + three > have or have + tokens * each > tables.max_citizens:
        return _list_outcomes(tokens, have, each, np.int64(tables.max_citizens), dice, one, two, three, out)
    for spent in range(tokens + 1):
        out[spent] = payment(dice, spent, have + spent * each - one - two - three)
    return tokens + 1


@rule
def _list_outcomes(tokens, have, each, most, dice, one, two, three, out):
    """The same where tiles may have to be set aside, or there may be no room for all that tokens bring."""
    # Where all tiles can be paid none can be set aside, whatever the order.
    fewest = dice if one + two + three <= have else 0
    count = 0
    for spent in range(tokens + 1):
        listed = count
        for paid in range(dice, fewest - 1, -1):
            if paid & dice == paid:
                numbers = _numbers_left(have, spent, each, most, dice, paid, one, two, three)
                while numbers != 0:
                    out[count] = payment(paid, spent, lowest(numbers))
                    count += 1
                    numbers = without_lowest(numbers)
        if count == listed:
            break
    return count


@rule
def _only_payment(game, tables, player):
    """The payment of a player who has no choice; NONE if there is one."""
    have = np.int64(game.citizens[player])
    one, two, three = _costs(game, player)
    dice = _dice_rolled(game, player)
    only = payment(dice, 0, have - one - two - three)
    if one + two + three > have:
        only = NONE
        for paid in range(dice, -1, -1):
            if paid & dice == paid and _numbers_left(have, 0, 0, 0, dice, paid, one, two, three) != 0:
                if only != NONE:
                    return NONE
                only = payment(paid, 0, have - _cost(paid, one, two, three))
    if citizens_left(only) < tables.max_citizens and _usable_tokens(game, tables, player) > 0:
        return NONE
    return only


@rule
def _settle(game, ledger, player, option):
    """Tiles paid for are ready to be used, citizens and tokens are gone."""
    one, two, three = _costs(game, player)
    paid, tokens = paid_dice(option), tokens_spent(option)
    ledger.citizens_spent[player] += _cost(paid, one, two, three)
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
        player = seat_at(game, place)
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
