"""Games that somebody else wins after a change: where the two part, and how to replay them."""

from collections.abc import Sequence

import polars as pl

from khora_sim.analyses.what_if_answer import ChangedGame
from khora_sim.analyses.what_if_parting import Moment, Parting
from khora_sim.common.commands import replaying
from khora_sim.common.wording import listed
from khora_sim.pages.page_model import Table, sentences, words
from khora_sim.pages.what_if_tables import VariantOnPage

SAME = "the same"
Lines = list[tuple[str, str, str]]  # what, before, after


def game_in_words(names: dict[str, str], game: ChangedGame) -> str:
    """Who wins a game before and after."""
    sides = []
    for cities, winners, scores in zip(game.cities, game.winners, game.scores, strict=True):
        won = listed([names[city] for city in winners])
        sides.append(f"{won} {max(scores[cities.index(city)] for city in winners)}")
    return f"Game {game.game}: {sides[0]} → {sides[1]} points"


def parting_in_words(names: dict[str, str], game: ChangedGame) -> str:
    """Who wins a game before and after, and where the two part."""
    head = game_in_words(names, game)
    if game.parting is None:
        return f"{head}."
    pair = game.parting.decided or game.parting.first
    part = "they part" if pair == game.parting.first else "the first other decision comes"
    before, after = pair
    one, two = (_scores(names, game, side, moment) for side, moment in enumerate((before, after)))
    stood = one if one == two else f"{one}; after: {two}"
    scores = f" ({stood})" if any((*before.scores, *after.scores)) else ""
    return f"{head}; {part} in {_where(before)}{scores}: before, {_line(before)}; after, {_line(after)}."


def _line(moment: Moment) -> str:
    return moment.lines[0].rstrip(".") if moment.lines else "nothing more"


def _where(moment: Moment) -> str:
    """The place in a game: its round, and the decision if somebody decides."""
    place = f"round {moment.round}" if moment.round else "the set-up"
    return place if moment.decision is None else f"{place}, decision {moment.decision}"


def _scores(names: dict[str, str], game: ChangedGame, side: int, moment: Moment) -> str:
    scores = zip(game.cities[side], moment.scores, strict=True)
    return ", ".join(f"{names[city]} {points}" for city, points in scores)


def replays(game: ChangedGame, file: str | None) -> tuple[str, str]:
    """The commands that tell a game before and after the change; `file` holds changed rules, if any are."""
    before, after = (
        replaying(game.seed, who, cities, game.first_seat, {}, rules)
        for who, cities, rules in zip(game.strategies, game.cities, (None, file), strict=True)
    )
    return before, after


def game_tables(on_page: VariantOnPage) -> list[Table]:
    """A table for each of some games that somebody else wins, from where the two sides part."""
    return [
        _table(on_page, number, game)
        for number, game in enumerate(on_page.variant.main.changed_games, start=1)
    ]


def _table(on_page: VariantOnPage, number: int, game: ChangedGame) -> Table:
    lines = _parted(on_page.names, game, game.parting) if game.parting else []
    ends = [_final(on_page.names, game, side) for side in (0, 1)]
    lines += [("Final scores", ends[0], ends[1]), ("Replay", *replays(game, on_page.file))]
    columns = ("what", "before", "after")
    frame = pl.DataFrame(lines, schema=dict.fromkeys(columns, pl.String), orient="row")
    return Table(
        f"{on_page.prefix}changed-game-{number}",
        game_in_words(on_page.names, game),
        frame,
        [
            words("What", frame["what"].to_list()),
            *(sentences(name.capitalize(), frame[name].to_list()) for name in columns[1:]),
        ],
        note="One of the first games with luck of its own that somebody else wins.",
        open=number == 1,
    )


def _parted(names: dict[str, str], game: ChangedGame, parting: Parting) -> Lines:
    """The steps around where the games part, and around the first decision that differs if that is later."""
    rows: Lines = [("In both", line, SAME) for line in parting.shared]
    rows += _moments(names, game, "They part", parting.first)
    if parting.decided is not None and parting.decided != parting.first:
        rows += _moments(names, game, "They decide", parting.decided)
    return rows


def _moments(names: dict[str, str], game: ChangedGame, head: str, pair: tuple[Moment, Moment]) -> Lines:
    before, after = pair
    places = [_where(one) for one in pair]
    scores = [_scores(names, game, side, one) for side, one in enumerate(pair)]
    same = [*places[1:], *scores[1:]] == [*places[:1], *scores[:1]]
    stood = [f"{place}; score track: {points}" for place, points in zip(places, scores, strict=True)]
    rows: Lines = [(head, stood[0], SAME if same else stood[1])]
    count = max(len(before.lines), len(after.lines))
    return rows + [("", _at(before.lines, place), _at(after.lines, place)) for place in range(count)]


def _at(lines: Sequence[str], place: int) -> str:
    return lines[place] if place < len(lines) else ""


def _final(names: dict[str, str], game: ChangedGame, side: int) -> str:
    scores = zip(game.cities[side], game.scores[side], strict=True)
    return ", ".join(f"{names[city]} {points}" for city, points in scores)
