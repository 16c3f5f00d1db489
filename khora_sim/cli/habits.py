"""`khora strategies habits`: what a strategy does city by city, and what it never does."""

import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from khora_sim.cli.flags import PlayersAtTable, StrategyName, json_option, workers_option
from khora_sim.cli.output import print_json, print_table
from khora_sim.cli.stopping import stoppable

if TYPE_CHECKING:
    import polars as pl

    from khora_sim.analyses.habits import Habits
    from khora_sim.stats import Estimate

LATER = (2, 3, 4)  # developments; the first one is there from the start


def habits(
    strategy: StrategyName,
    games: Annotated[
        int, typer.Option(help="Games to play, rounded up so that every set of cities comes equally often.")
    ] = 2800,
    players: PlayersAtTable = 4,
    seed: Annotated[int, typer.Option(help="The luck.")] = 3_000_000_000,
    workers: Annotated[int | None, workers_option()] = None,
    full: Annotated[bool, typer.Option("--full", help="Also levels, rounds, cards and spaces.")] = False,
    json: Annotated[bool, json_option(what="everything as JSON")] = False,
) -> None:
    """Let a strategy play itself, and tell what it does in each city, and what it never does."""
    from khora_sim.api import play_habits

    with stoppable("nothing is kept"):
        found = play_habits(strategy, games, players, seed, workers, progress=sys.stderr.isatty())
    if json:
        print_json(found.data())
        return
    _print_short(found)
    if full:
        _print_more(found)


def _print_short(found: "Habits") -> None:
    print(
        f"{found.strategy} against itself: {found.games:,} games of {found.players} players, all sets of "
        f"cities, seed {found.seed}; with 95 % intervals."
    )
    _print_blind_spots(found)
    _head("Developments: share of games in which each is unlocked, and the mean round")
    _print_developments(found)
    _head("Actions: share of the tiles paid for")
    _print_cities(found, found.rates.actions, "action")
    _head("Tracks: mean level at the end")
    _print_cities(found, found.rates.tracks, "track", percent=False)


def _print_more(found: "Habits") -> None:
    rates = found.rates
    for track in _things(rates.levels, "track"):
        _head(f"Levels of {track}: share of games in which each is reached")
        _print_cities(found, rates.levels.filter(track=track), "level")
    for city, name in found.names.cities.items():
        _head(f"Actions by round, {name}: share of the tiles paid for")
        _print_grid("Round", rates.actions_by_round.filter(city=city), "round", "action")
    _head("Cards: share of hands that keep one they were dealt, and of games in which one is played")
    _print_cards(found)
    _head("Cards: share of games begun with one in hand in which it is played, by city")
    _print_grid("Card", rates.cards_used_by_city, "card", "city", {**found.names.cards, **found.names.cities})
    _head("Spaces: share of games in which anyone explores one")
    print_table(
        ("Space", "Games", "Explored"),
        [(found.names.spaces[space], n, share) for space, n, share in _rows(rates.spaces, "space")],
        right=("Games", "Explored"),
    )


def _print_cards(found: "Habits") -> None:
    tables = (found.rates.cards_kept, found.rates.cards_used, found.rates.cards_played)
    kept, used, played = ({card: (n, share) for card, n, share in _rows(one, "card")} for one in tables)
    unknown = ("0", "–")
    rows = [
        (name, *kept.get(card, unknown), used.get(card, unknown)[1], *played.get(card, unknown))
        for card, name in found.names.cards.items()
    ]
    columns = ("Card", "Dealt", "Kept in the draft", "Played of those in hand", "Games", "Played of all")
    print_table(columns, rows, right=columns[1:])


def _head(title: str) -> None:
    print(f"\n{title}")


def _print_blind_spots(found: "Habits") -> None:
    from khora_sim.analyses.blind_spots import LIMIT
    from khora_sim.common.wording import counted

    limit = f"{100 * LIMIT:.0f} %"
    rule = f"upper end of the interval below {limit} of the cases in which it could"
    _head(f"Possible blind spots ({rule}){':' if found.blind_spots else ': none.'}")
    for spot in found.blind_spots:
        most = "up to " if len(spot.cities) > 1 else ""
        print(f"  {spot.sentence}: {most}{_text(spot.share, with_n=True)}")
    if found.undecided:
        print(f"  {counted(found.undecided, 'more rate')} may lie below {limit}; more --games tell.")
    if found.blind_spots:
        print("  What is measured with this player may miss what these things are worth.")


def _print_developments(found: "Habits") -> None:
    shares, rounds = found.rates.developments, found.rates.development_rounds
    share, when = _cells(shares, "city", "development"), _cells(rounds, "city", "development", percent=False)
    counts = _counts(shares)
    rows = [
        (name, counts[city], *(one(city, place) for place in LATER for one in (share, when)))
        for city, name in found.names.cities.items()
    ]
    columns = ("City", "Games", *(title for place in LATER for title in (str(place), "in round")))
    print_table(columns, rows, right=columns[1:])


def _print_cities(found: "Habits", table: "pl.DataFrame", key: str, *, percent: bool = True) -> None:
    """Cities by things, with the number of cases of each city."""
    cell, counts, things = _cells(table, "city", key, percent=percent), _counts(table), _things(table, key)
    rows = [
        (name, counts[city], *(cell(city, thing) for thing in things))
        for city, name in found.names.cities.items()
    ]
    columns = ("City", "n", *(str(thing).capitalize() for thing in things))
    print_table(columns, rows, right=columns[1:])


def _print_grid(
    title: str, table: "pl.DataFrame", row: str, column: str, names: Mapping[str, str] | None = None
) -> None:
    """Things by things; the most cases of a row are its n."""
    names = names or {}
    cell, rows, columns = _cells(table, row, column), _things(table, row), _things(table, column)
    counts = {one: f"{max(table.filter(**{row: one})['n'].to_list()):,}" for one in rows}
    cells = [
        (names.get(one, str(one)), counts[one], *(cell(one, other) for other in columns)) for one in rows
    ]
    head = (title, "n", *(names.get(other, str(other).capitalize()) for other in columns))
    print_table(head, cells, right=head[1:])


def _things(table: "pl.DataFrame", key: str) -> list[Any]:
    return table[key].unique(maintain_order=True).to_list()


def _counts(table: "pl.DataFrame") -> dict[str, str]:
    return {city: f"{n:,}" for city, n in table.select("city", "n").iter_rows()}


def _cells(
    table: "pl.DataFrame", row: str, column: str, *, percent: bool = True
) -> Callable[[object, object], str]:
    """What stands in a table for two keys, as text."""
    from khora_sim.stats import estimates

    keys = table.select(row, column).iter_rows()
    texts = {key: _text(one, percent=percent) for key, one in zip(keys, estimates(table), strict=True)}
    return lambda one, other: texts.get((one, other), "–")


def _rows(table: "pl.DataFrame", key: str) -> list[tuple[Any, str, str]]:
    """The things of a table with their n and share, as text."""
    from khora_sim.stats import estimates

    return [
        (thing, f"{one.n:,}", _text(one)) for thing, one in zip(table[key], estimates(table), strict=True)
    ]


def _text(estimate: "Estimate", *, percent: bool = True, with_n: bool = False) -> str:
    from khora_sim.stats import format_estimate

    return format_estimate(estimate, percent=percent, with_n=with_n)
