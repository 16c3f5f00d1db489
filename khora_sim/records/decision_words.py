"""Every decision and every option in words a board gamer reads, and back again."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from khora_sim.common.wording import counted, listed
from khora_sim.engine.agenda import NONE, SELL, YES, Task
from khora_sim.engine.dice import PIPS, TILES, citizens_left, paid_dice, tokens_spent
from khora_sim.engine.effects import effect_of
from khora_sim.engine.match import Match
from khora_sim.engine.progress import level_price
from khora_sim.rules.describe import gain_in_words, space_in_words
from khora_sim.rules.specials import Special
from khora_sim.rules.terms import COLOURS, DICE, Action, Colour, Gain, Track, word

SOLD = "sells 1 glory"

Phrase = Callable[[int], str]


def options_in_words(match: Match, options: Sequence[int]) -> list[str]:
    """The options of the decision at hand in words, all different."""
    own = WORDS[match.task]
    phrase = own.phrases(match)
    words = [
        own.declined if option == NONE else SOLD if option == SELL else phrase(option) for option in options
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


class Words(NamedTuple):
    """The words of one kind of decision."""

    kind: str
    phrases: Callable[[Match], Phrase]
    declined: str = ""  # said of a player who does not, or has nothing to
    cannot: str = ""  # said where to decline is the only option


#: TELL_DICE is chance and is in no record.
WORDS = {
    Task.PICK_CARD: Words("draft", _of_card("keeps")),
    Task.TELL_DICE: Words("roll", _roll),
    Task.REROLL: Words("reroll", _reroll),
    Task.PLACE_TILES: Words("place-tiles", _place_tiles),
    Task.PAY_CITIZENS: Words("pay-citizens", _pay_citizens),
    Task.KEEP_CARD: Words("keep-card", _of_card("keeps"), "keeps none", "finds the deck empty"),
    Task.BUY_TOKEN: Words("buy-token", _buy_token, "declines to buy a token", "cannot buy a token"),
    Task.EXPLORE: Words("explore", _explore, "declines to explore", "has too few troops to explore"),
    Task.PLAY_CARD: Words(
        "play-card", _play_card, "declines to play a card", "has no card that can be played"
    ),
    Task.DEVELOP: Words("develop", _develop, "declines to develop", "cannot develop"),
    Task.CLIMB: Words("progress", _climb, "declines to move up", "cannot move up"),
    Task.CLIMB_CHEAPER: Words("cheaper-progress", _climb_cheaper, "declines to move up", "cannot move up"),
    Task.GAIN_TOKEN: Words("gain-token", _of_token("takes")),
    Task.TAKE_BACK_CARD: Words("take-back", _of_card("takes", " back to hand"), "has no card to take back"),
    Task.CHOOSE_GAIN: Words("choose-gain", _choose_gain),
    Task.CHOOSE_TRACK: Words(
        "choose-track",
        lambda match: lambda track: f"{_level(match, track)} for free",
        "declines a free level",
        "has no level to gain",
    ),
    Task.LOSE_TOKEN: Words("lose-token", _of_token("loses"), "has no token to lose"),
    Task.DISCARD: Words("discard", _of_card("discards"), "has no card to discard"),
    Task.CHOOSE_ACTION: Words(
        "choose-action",
        lambda match: lambda action: f"takes a {word(Action(action))} action",
        "declines to take an action",
    ),
    Task.TAX_OR_GLORY: Words(
        "tax-or-glory", lambda match: lambda choice: f"takes 1 {('tax', 'glory')[choice]}"
    ),
    Task.SELL_GLORY: Words("sell-glory", lambda match: lambda choice: SOLD, "declines to sell glory"),
}
#: The short word for every decision.
KINDS = {task: words.kind for task, words in WORDS.items()}
