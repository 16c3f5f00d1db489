"""A game one step at a time, its state in ids and numbers a person reads, and its final scores."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from khora_sim.engine.agenda import FIRST_DECISION, Phase, Task
from khora_sim.engine.ledger import SOURCES, Source
from khora_sim.engine.match import Match
from khora_sim.engine.scoring import places
from khora_sim.records.decision_words import options_in_words
from khora_sim.records.record_format import Score
from khora_sim.rules import Rules
from khora_sim.rules.terms import DEVELOPMENTS, MAX_CARDS, Achievement, Action, Colour, Track, word
from khora_sim.strategy.table import Choose


@dataclass(frozen=True)
class Step:
    """One thing that happened; the game it happened in stands after it."""

    task: Task
    seat: int
    value: int
    before: Any  # a copy of the record
    points: np.ndarray  # by seat and Source, before
    option: str | None = None  # a decision: what was decided, in words
    number: int | None = None  # of the decision; None for chance and for an only option


def steps(match: Match, choose: Choose) -> Iterator[Step]:
    """Play on to the end, one thing at a time."""
    decisions = 0
    while match.game.agenda_size > 0:
        task, seat, value = match.task, match.seat, match.value
        before, points = match.game.copy(), match.ledger.points.copy()
        if task < FIRST_DECISION:
            match.step()
            yield Step(task, seat, value, before, points)
            continue
        options = match.options()
        option = choose(match, options) if len(options) > 1 else options[0]
        words = options_in_words(match, options)[options.index(option)]
        if len(options) == 1:
            match.step()
            yield Step(task, seat, value, before, points, words)
            continue
        decisions += task != Task.TELL_DICE
        match.apply(option)
        yield Step(task, seat, value, before, points, words, None if task == Task.TELL_DICE else decisions)


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
    """Tell if a player has still to pay for its tiles: before the reveal, or while it is asked how."""
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
    """Yield differences of recorded data and what the rules give: the key, what was recorded, what is.

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


def source_id(rules: Rules, source: int) -> str:
    """Source of points, as records write it: `card bank`, `development 4`, `culture-action`."""
    if source < MAX_CARDS:
        return f"card {rules.card_ids[source]}"
    if source < Source.DEVELOPMENT + DEVELOPMENTS:
        return f"development {source - Source.DEVELOPMENT + 1}"
    return word(Source(source))


def points_of(rules: Rules, points: Any) -> dict[str, int]:
    """The points of one player by where they came from, without the nothings."""
    return {source_id(rules, source): int(points[source]) for source in range(SOURCES) if points[source] != 0}


def ranks(match: Match) -> list[int]:
    """The place of each seat: by score, then by drachmas; who is still tied shares it."""
    players = int(match.game.players)
    found = places(match.game.vp[:players], match.game.drachmas[:players])
    return [int(place) for place in found]


def final_scores(match: Match, scoring: Step) -> list[Score]:
    """The scores of a game that is over; `scoring` is the step that scored it."""
    rules, game, ledger = match.rules, match.game, match.ledger
    start = {"start": rules.model.start.vp} if rules.model.start.vp else {}
    return [
        Score(
            player=city,
            score=int(game.vp[seat]),
            drachmas=int(game.drachmas[seat]),
            rank=rank,
            score_track=int(scoring.before.vp[seat]),
            final_scoring=points_of(rules, ledger.points[seat] - scoring.points[seat]),
            points={**start, **points_of(rules, ledger.points[seat])},
        )
        for seat, (city, rank) in enumerate(zip(city_ids(rules, game), ranks(match), strict=True))
    ]
