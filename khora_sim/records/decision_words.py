"""Every decision and every option in words a board gamer reads, and back again."""

from collections.abc import Callable, Sequence
from typing import Any

from khora_sim.common.wording import counted, listed
from khora_sim.engine.agenda import NONE, SELL, YES, Task
from khora_sim.engine.dice import PIPS, TILES, citizens_left, paid_dice, tokens_spent
from khora_sim.engine.effects import effect_of
from khora_sim.engine.match import Match
from khora_sim.engine.progress import level_price
from khora_sim.rules.describe import gain_in_words, space_in_words
from khora_sim.rules.specials import Special
from khora_sim.rules.terms import COLOURS, DICE, Action, Colour, Gain, Track, word

#: The short word for every decision; TELL_DICE is chance and stands in no record.
KINDS = {
    Task.PICK_CARD: "draft",
    Task.TELL_DICE: "roll",
    Task.REROLL: "reroll",
    Task.PLACE_TILES: "place-tiles",
    Task.PAY_CITIZENS: "pay-citizens",
    Task.KEEP_CARD: "keep-card",
    Task.BUY_TOKEN: "buy-token",
    Task.EXPLORE: "explore",
    Task.PLAY_CARD: "play-card",
    Task.DEVELOP: "develop",
    Task.CLIMB: "progress",
    Task.CLIMB_CHEAPER: "cheaper-progress",
    Task.GAIN_TOKEN: "gain-token",
    Task.TAKE_BACK_CARD: "take-back",
    Task.CHOOSE_GAIN: "choose-gain",
    Task.CHOOSE_TRACK: "choose-track",
    Task.LOSE_TOKEN: "lose-token",
    Task.DISCARD: "discard",
    Task.CHOOSE_ACTION: "choose-action",
    Task.TAX_OR_GLORY: "tax-or-glory",
    Task.SELL_GLORY: "sell-glory",
}

#: What is said of a player who does not, or has nothing to.
DECLINED = {
    Task.KEEP_CARD: "keeps none",
    Task.BUY_TOKEN: "declines to buy a token",
    Task.EXPLORE: "declines to explore",
    Task.PLAY_CARD: "declines to play a card",
    Task.DEVELOP: "declines to develop",
    Task.CLIMB: "declines to move up",
    Task.CLIMB_CHEAPER: "declines to move up",
    Task.TAKE_BACK_CARD: "has no card to take back",
    Task.CHOOSE_TRACK: "has no level to gain",
    Task.LOSE_TOKEN: "has no token to lose",
    Task.DISCARD: "has no card to discard",
    Task.CHOOSE_ACTION: "declines to take an action",
    Task.SELL_GLORY: "declines to sell glory",
}
SOLD = "sells 1 glory"

Phrase = Callable[[int], str]


def options_in_words(match: Match, options: Sequence[int]) -> list[str]:
    """The options of the decision at hand in words, all different."""
    task = match.task
    phrase = PHRASES[task](match)
    words = [
        DECLINED[task] if option == NONE else SOLD if option == SELL else phrase(option) for option in options
    ]
    if len(set(words)) == len(words):
        return words
    return [
        said if words.count(said) == 1 else f"{said} (option {place})"
        for place, said in enumerate(words, start=1)
    ]


def option_from_words(match: Match, options: Sequence[int], words: str) -> int | None:
    """The option that is meant; the beginning of its words is enough where no other begins so."""
    wanted = _simple(words)
    known = [_simple(said) for said in options_in_words(match, options)]
    if wanted in known:
        return options[known.index(wanted)]
    alike = [
        option
        for option, said in zip(options, known, strict=True)
        if said.startswith(wanted) and said[len(wanted)] in " ,:"
    ]
    return alike[0] if wanted and len(alike) == 1 else None


def _simple(words: str) -> str:
    return " ".join(words.casefold().split())


def _price(drachmas: int, philosophy: int = 0) -> str:
    parts = [counted(drachmas, "drachma")] if drachmas else []
    parts += [counted(philosophy, "philosophy token")] if philosophy else []
    return f"for {listed(parts) or 'free'}"


def _of_card(verb: str, after: str = "") -> Callable[[Match], Phrase]:
    def phrases(match: Match) -> Phrase:
        names = match.rules.card_names
        return lambda card: f"{verb} {names[card]}{after}"

    return phrases


def _of_token(verb: str) -> Callable[[Match], Phrase]:
    """Colours; from COLOURS on, major tokens."""

    def phrase(token: int) -> str:
        size = "minor" if token < COLOURS else "major"
        return f"{verb} a {size} {word(Colour(token % COLOURS))} token"

    return lambda match: phrase


def _roll(match: Match) -> Phrase:
    rolled = [die for die in range(DICE) if match.value >> die & 1]

    def phrase(outcome: int) -> str:
        pips = [1 + outcome // PIPS**die % PIPS for die in rolled]
        return f"rolls {listed([str(number) for number in pips])}"

    return phrase


def _reroll(match: Match) -> Phrase:
    """A set of dice; equal dice are distinguished by their place."""
    dice = match.game.dice[match.seat].tolist()

    def named(die: int) -> str:
        if dice.count(dice[die]) == 1:
            return f"the {dice[die]}"
        return f"the {('first', 'second', 'third')[dice[:die].count(dice[die])]} {dice[die]}"

    def phrase(chosen: int) -> str:
        return f"rerolls {listed([named(die) for die in range(DICE) if chosen >> die & 1]) or 'no die'}"

    return phrase


def _place_tiles(match: Match) -> Phrase:
    """In the order of the tiles, so that a placement has one way to be written."""
    dice = [int(pips) for pips in match.game.dice[match.seat] if pips > 0]

    def phrase(placement: int) -> str:
        tiles = sorted((placement // TILES**die % TILES, pips) for die, pips in enumerate(dice))
        return f"places {listed([f'{word(Action(tile))} on the {pips}' for tile, pips in tiles])}"

    return phrase


def _pay_citizens(match: Match) -> Phrase:
    game, seat = match.game, match.seat

    def phrase(option: int) -> str:
        paid, tokens, left = (_plain(part)(option) for part in (paid_dice, tokens_spent, citizens_left))
        return payment_in_words(game, seat, paid, tokens, left)

    return phrase


def payment_in_words(game: Any, seat: int, paid: int, tokens: int, left: int) -> str:
    """A payment by the game before it: tiles paid for, tiles set aside, tokens spent, citizens left."""
    costs: list[str] = []
    aside: list[str] = []
    total = 0
    for die, pips in enumerate(game.dice[seat].tolist()):
        tile = int(game.tile[seat, die])
        if pips == 0:
            continue
        if not paid >> die & 1:
            aside.append(word(Action(tile)))
        elif tile > pips:
            citizens = f"{tile - pips}" if costs else counted(tile - pips, "citizen")
            costs.append(f"{citizens} for {word(Action(tile))}")
            total += tile - pips
    parts = [f"pays {listed(costs)}"] if costs else []
    parts += [f"sets {listed(aside)} aside"] if aside else []
    if tokens:
        gained = counted(left + total - int(game.citizens[seat]), "citizen")
        parts.append(f"spends {counted(tokens, 'philosophy token')} for {gained}")
    return f"{', '.join(parts) or 'spends no philosophy token'}: {counted(left, 'citizen')} left"


def _buy_token(match: Match) -> Phrase:
    price = _price(int(match.game.token_price[match.seat]))
    return lambda colour: f"buys a minor {word(Colour(colour))} token {price}"


def _explore(match: Match) -> Phrase:
    """Spaces say what this player would really lose; those that read alike get their id added."""
    spared, troops = int(match.game.spared_troops[match.seat]), int(match.game.troops[match.seat])
    names = {}
    for key, space in match.rules.model.spaces.items():
        tokens, terms = space_in_words(space, min(max(space.lost - spared, 0), troops))
        names[key] = space.name or f"{tokens} ({terms})"
    said = list(names.values())

    def phrase(space: int) -> str:
        if said.count(said[space]) == 1:
            return f"explores {said[space]}"
        return f"explores {said[space].removesuffix(')')}, {match.rules.space_ids[space]})"

    return phrase


def _with_philosophy(match: Match, wanted: Any) -> str:
    """The price of a card or development: drachmas, and philosophy for missing knowledge."""
    owned = match.game.minor[match.seat] + match.game.major[match.seat]
    missing = sum(max(int(need) - int(own), 0) for need, own in zip(wanted.needs, owned, strict=True))
    return _price(int(wanted.cost), missing * int(match.tables[0].philosophy_per_need))


def _play_card(match: Match) -> Phrase:
    names, cards = match.rules.card_names, match.tables[0].cards
    return lambda card: f"plays {names[card]} {_with_philosophy(match, cards[card])}"


def _develop(match: Match) -> Phrase:
    place = int(match.game.development[match.seat])

    def phrase(choice: int) -> str:
        assert choice == YES
        development = match.tables[0].developments[match.game.city[match.seat], place]
        return f"unlocks development {place + 1} {_with_philosophy(match, development)}"

    return phrase


def _plain(rule: Callable[..., Any]) -> Callable[..., Any]:
    """A rule as plain Python: one call is not worth compiling."""
    plain: Callable[..., Any] = getattr(rule, "py_func", rule)
    return plain


def _level(match: Match, track: int) -> str:
    return f"moves up to {word(Track(track))} {match.game.level[match.seat, track] + 1}"


def _climb(match: Match) -> Phrase:
    tables = match.tables[0]
    philosophy = 0 if match.value > 0 else int(tables.philosophy_per_level)

    def phrase(track: int) -> str:
        drachmas = int(_plain(level_price)(match.game, tables, match.seat, track))
        return f"{_level(match, track)} {_price(drachmas, philosophy)}"

    return phrase


def _climb_cheaper(match: Match) -> Phrase:
    game, tables, seat = match.game, match.tables[0], match.seat
    less = _plain(effect_of)(game, tables, seat, match.value, Special.CHEAPER_STEP).number

    def phrase(track: int) -> str:
        drachmas = max(int(_plain(level_price)(game, tables, seat, track)) - int(less), 0)
        return f"{_level(match, track)} {_price(drachmas)}"

    return phrase


def _choose_gain(match: Match) -> Phrase:
    effect = _plain(effect_of)(match.game, match.tables[0], match.seat, match.value, Special.CHOOSE_GAIN)

    def phrase(choice: int) -> str:
        gain = {word(Gain(kind)): int(amount) for kind, amount in enumerate(effect.choices[choice]) if amount}
        return f"chooses {gain_in_words(gain)}"

    return phrase


PHRASES: dict[Task, Callable[[Match], Phrase]] = {
    Task.PICK_CARD: _of_card("keeps"),
    Task.TELL_DICE: _roll,
    Task.REROLL: _reroll,
    Task.PLACE_TILES: _place_tiles,
    Task.PAY_CITIZENS: _pay_citizens,
    Task.KEEP_CARD: _of_card("keeps"),
    Task.BUY_TOKEN: _buy_token,
    Task.EXPLORE: _explore,
    Task.PLAY_CARD: _play_card,
    Task.DEVELOP: _develop,
    Task.CLIMB: _climb,
    Task.CLIMB_CHEAPER: _climb_cheaper,
    Task.GAIN_TOKEN: _of_token("takes"),
    Task.TAKE_BACK_CARD: _of_card("takes", " back to hand"),
    Task.CHOOSE_GAIN: _choose_gain,
    Task.CHOOSE_TRACK: lambda match: lambda track: f"{_level(match, track)} for free",
    Task.LOSE_TOKEN: _of_token("loses"),
    Task.DISCARD: _of_card("discards"),
    Task.CHOOSE_ACTION: lambda match: lambda action: f"takes a {word(Action(action))} action",
    Task.TAX_OR_GLORY: lambda match: lambda choice: f"takes 1 {('tax', 'glory')[choice]}",
    Task.SELL_GLORY: lambda match: lambda choice: SOLD,
}
