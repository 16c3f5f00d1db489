"""How a game stands, in ids and numbers a person reads, and how a recorded state is compared with it."""

from collections.abc import Iterable, Sequence
from typing import Any

from khora_sim.engine.agenda import Phase, Task
from khora_sim.rules import Rules
from khora_sim.rules.terms import MAX_CARDS, Achievement, Action, Colour, Track, word

COUNTS = ("development", "drachmas", "vp", "citizens", "tax", "glory", "troops", "philosophy", "climbed")


def members(mask: int) -> list[int]:
    """The members of a set, from the smallest."""
    return [bit for bit in range(MAX_CARDS) if int(mask) >> bit & 1]


def city_ids(rules: Rules, game: Any) -> list[str]:
    """The cities by seat; in a game a player goes by its city."""
    return [rules.city_ids[city] for city in game.city[: game.players]]


def deck_of(game: Any) -> list[int]:
    """The cards of the deck from the top."""
    return [int(game.deck[(game.deck_top + place) % MAX_CARDS]) for place in range(game.deck_size)]


def state_of(rules: Rules, game: Any) -> dict[str, Any]:
    """The whole state, with everything that is hidden from somebody."""
    cities, cards = city_ids(rules, game), rules.card_ids
    event = {"event": rules.event_ids[game.events[game.round_number - 1]]} if game.round_number else {}
    return {
        "round": int(game.round_number),
        "phase": word(Phase(int(game.phase))),
        **event,
        "first_player": cities[game.first_player],
        "explored": [rules.space_ids[space] for space in members(game.explored)],
        "achieved": {
            word(achievement): [city for seat, city in enumerate(cities) if int(who) >> seat & 1]
            for achievement, who in zip(Achievement, game.achieved, strict=True)
        },
        "deck": [cards[card] for card in deck_of(game)],
        "drawn": [cards[card] for card in game.drawn if card >= 0],
        "players": {city: _player_state(game, cards, seat) for seat, city in enumerate(cities)},
    }


def _player_state(game: Any, cards: list[str], seat: int) -> dict[str, Any]:
    return {
        **{count: int(game[count][seat]) for count in COUNTS},
        **{word(track): int(game.level[seat, track]) for track in Track},
        "minor": _by_colour(game.minor[seat]),
        "major": _by_colour(game.major[seat]),
        **{name: [cards[card] for card in members(game[name][seat])] for name in ("hand", "in_play", "pack")},
        "dice": _dice_state(game, seat),
        "next_dice": int(game.dice_count[seat]),
    }


def _by_colour(tokens: Sequence[int]) -> dict[str, int]:
    return {word(colour): int(tokens[colour]) for colour in Colour}


def payment_waits(game: Any, seat: int) -> bool:
    """Whether a player has still to pay for its tiles: before the reveal, or while it is asked how."""
    if game.phase == Phase.DICE:
        return True
    asked = game.agenda[: game.agenda_size]
    return any(task == Task.PAY_CITIZENS and who == seat for task, who, _ in asked.tolist())


def _dice_state(game: Any, seat: int) -> list[dict[str, Any]]:
    dice = []
    waits = payment_waits(game, seat)
    for place, pips in enumerate(game.dice[seat].tolist()):
        if pips == 0:
            continue
        die: dict[str, Any] = {"pips": pips}
        if game.tile[seat, place] >= 0:
            paid = "paid" if int(game.ready[seat]) >> place & 1 else "set aside"
            die["tile"] = word(Action(int(game.tile[seat, place])))
            die["payment"] = "not yet" if waits else paid
        dice.append(die)
    return dice


def differences(recorded: Any, actual: Any, path: str = "") -> Iterable[tuple[str, Any, Any]]:
    """Where recorded data and what the rules give differ: the key, what was recorded, what is.

    Of nested data only the keys that were recorded are compared; lists as a whole, item by item.
    """
    if isinstance(recorded, dict) and isinstance(actual, dict):
        for key, value in recorded.items():
            yield from differences(value, actual.get(key), f"{path}.{key}" if path else key)
    elif isinstance(recorded, list) and isinstance(actual, list) and len(recorded) == len(actual):
        for place, (old, new) in enumerate(zip(recorded, actual, strict=True)):
            yield from differences(old, new, f"{path}[{place}]")
    elif recorded != actual:
        yield path, recorded, actual
