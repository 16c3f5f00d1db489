"""Habits as the terminal prints them."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import polars as pl

from khora_sim.analyses.habits import Habits
from khora_sim.analyses.habits.rates import LATER
from khora_sim.common.wording import counted
from khora_sim.pages.page_model import Table, grid
from khora_sim.pages.wording import SHOWN_UNKNOWN
from khora_sim.stats import estimates, format_estimate


def short(found: Habits) -> Iterator[str | Table]:
    """Blind spots first, then developments, actions and tracks by city."""
    yield (
        f"{found.strategy} against itself: {found.games:,} games of {found.players} players, all sets of "
        f"cities, seed {found.seed}; with 95 % intervals."
    )
    yield from _blind_spots(found)
    yield "\nDevelopments: share of games in which each is unlocked, and the mean round"
    yield _developments(found)
    yield "\nActions: share of the tiles paid for"
    yield _by_city(found, found.rates.actions, "action")
    yield "\nTracks: mean level at the end"
    yield _by_city(found, found.rates.tracks, "track", percent=False)


def everything(found: Habits) -> Iterator[str | Table]:
    """Levels, rounds, cards and spaces."""
    rates, names = found.rates, found.names
    for track in _things(rates.levels, "track"):
        yield f"\nLevels of {track}: share of games in which each is reached"
        yield _by_city(found, rates.levels.filter(track=track), "level")
    for city, name in names.cities.items():
        yield f"\nActions by round, {name}: share of the tiles paid for"
        yield _crossed("Round", rates.actions_by_round.filter(city=city), "round", "action", {})
    yield "\nCards: share of hands that keep one they were dealt, and of games in which one is played"
    yield _cards(found)
    yield "\nCards: share of games begun with one in hand in which it is played, by city"
    yield _crossed("Card", rates.cards_used_by_city, "card", "city", {**names.cards, **names.cities})
    yield "\nSpaces: share of games in which anyone explores one"
    rows = [(names.spaces[space], n, share) for space, (n, share) in _rows(rates.spaces, "space").items()]
    yield grid(("Space", "Games", "Explored"), rows, right=("Games", "Explored"))


def _blind_spots(found: Habits) -> Iterator[str]:
    limit = f"{100 * found.limit:.0f} %"
    rule = f"upper end of the interval below {limit} of the cases in which it could"
    yield f"\nPossible blind spots ({rule}){':' if found.blind_spots else ': none.'}"
    for spot in found.blind_spots:
        most = "up to " if len(spot.cities) > 1 else ""
        yield f"  {spot.sentence}: {most}{format_estimate(spot.share, percent=True)}"
    if found.undecided:
        yield f"  {counted(found.undecided, 'more rate')} may lie below {limit}; more --games tell."
    if found.blind_spots:
        yield "  What is measured with this player may miss what these things are worth."


def _developments(found: Habits) -> Table:
    shares, rounds = found.rates.developments, found.rates.development_rounds
    share, when = _cells(shares, "city", "development"), _cells(rounds, "city", "development", percent=False)
    counts = _counts(shares)
    rows = [
        (name, counts[city], *(one(city, place) for place in LATER for one in (share, when)))
        for city, name in found.names.cities.items()
    ]
    columns = ("City", "Games", *(title for place in LATER for title in (str(place), "in round")))
    return grid(columns, rows, right=columns[1:])


def _by_city(found: Habits, table: pl.DataFrame, key: str, *, percent: bool = True) -> Table:
    """Cities by things, with the number of cases of each city."""
    cell, counts, things = _cells(table, "city", key, percent=percent), _counts(table), _things(table, key)
    rows = [
        (name, counts[city], *(cell(city, thing) for thing in things))
        for city, name in found.names.cities.items()
    ]
    columns = ("City", "n", *(str(thing).capitalize() for thing in things))
    return grid(columns, rows, right=columns[1:])


def _crossed(title: str, table: pl.DataFrame, row: str, column: str, names: Mapping[str, str]) -> Table:
    """Things by things; the most cases of a row are its n."""
    cell, rows, columns = _cells(table, row, column), _things(table, row), _things(table, column)
    counts = {one: f"{max(table.filter(**{row: one})['n'].to_list()):,}" for one in rows}
    cells = [
        (names.get(one, str(one)), counts[one], *(cell(one, other) for other in columns)) for one in rows
    ]
    head = (title, "n", *(names.get(other, str(other).capitalize()) for other in columns))
    return grid(head, cells, right=head[1:])


def _cards(found: Habits) -> Table:
    tables = (found.rates.cards_kept, found.rates.cards_used, found.rates.cards_played)
    kept, used, played = (_rows(one, "card") for one in tables)
    unknown = ("0", SHOWN_UNKNOWN)
    rows = [
        (name, *kept.get(card, unknown), used.get(card, unknown)[1], *played.get(card, unknown))
        for card, name in found.names.cards.items()
    ]
    columns = ("Card", "Dealt", "Kept in the draft", "Played of those in hand", "Games", "Played of all")
    return grid(columns, rows, right=columns[1:])


def _things(table: pl.DataFrame, key: str) -> list[Any]:
    return table[key].unique(maintain_order=True).to_list()


def _counts(table: pl.DataFrame) -> dict[str, str]:
    return {city: f"{n:,}" for city, n in table.select("city", "n").iter_rows()}


def _cells(
    table: pl.DataFrame, row: str, column: str, *, percent: bool = True
) -> Callable[[object, object], str]:
    """The cell of a table for two keys, as text."""
    keys = table.select(row, column).iter_rows()
    texts = [format_estimate(one, percent=percent, with_n=False) for one in estimates(table)]
    found = dict(zip(keys, texts, strict=True))
    return lambda one, other: found.get((one, other), SHOWN_UNKNOWN)


def _rows(table: pl.DataFrame, key: str) -> dict[Any, tuple[str, str]]:
    """The things of a table with their n and share, as text."""
    rows = [(f"{one.n:,}", format_estimate(one, percent=True, with_n=False)) for one in estimates(table)]
    return dict(zip(table[key], rows, strict=True))
