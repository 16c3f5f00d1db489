"""`khora cities`: which cities are strong, along a ladder of players."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from khora_sim.cli.output import print_json, print_table
from khora_sim.cli.stopping import STOPPED, end_when_endless
from khora_sim.errors import UserError

if TYPE_CHECKING:
    from khora_sim.questions.cities_answer import CitiesAnswer, Number, SelfPlay, TableVerdict

PLAY, WORK = "What is played", "How it is run"
ROUNDS_SHOWN = (3, 5, 7)  # after which the leader's chances are shown


def cities(
    strategies: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="The ladder, weakest first: names, name:parameter=value, ./file.py.",
            show_default="random merchant steward expert sage",
        ),
    ] = None,
    peers: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Other players of the strongest kind, trained independently: how far they differ is how far "
            "to trust the verdict. Such as sage:learned=a.npz,sage:learned=b.npz.",
            rich_help_panel=PLAY,
        ),
    ] = None,
    players: Annotated[
        str | None,
        typer.Option(
            help="Sizes of table, such as 4,3,2.",
            show_default="4",
            rich_help_panel=PLAY,
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            help="Games of each player at each size of table, rounded up to whole turns of all sets of "
            "cities. 2,800 tell shares to some ± 2.5 points.",
            show_default="2800",
            rich_help_panel=PLAY,
        ),
    ] = None,
    precision: Annotated[
        float | None,
        typer.Option(
            metavar="POINTS",
            help="Play until every share is known to ± so many percentage points, in place of --games. "
            "1 takes some 17,000 games of 4 players.",
            rich_help_panel=PLAY,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            help="The luck; the default is kept for judging, apart from seeds that players are made with.",
            show_default="3000000000",
            rich_help_panel=PLAY,
        ),
    ] = None,
    rules: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="A variant of the rules.",
            show_default="the base game",
            rich_help_panel=PLAY,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for a study of each player, the answer and pictures; without one nothing is kept.",
            rich_help_panel=WORK,
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Go on with what --out holds; players and sizes of table that are named come in addition.",
            rich_help_panel=WORK,
        ),
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(help="How many work at once.", show_default="all processors", rich_help_panel=WORK),
    ] = None,
    published: Annotated[
        bool,
        typer.Option(
            "--published",
            help="Play nothing: print the verdict that comes with khora; --players takes some of it.",
        ),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON, for a script.")] = False,
) -> None:
    """Measure how strong each city is in the hands of each player of a ladder, among its own kind.

    Which cities are strong depends on who plays. All sets of cities are played equally often, every city from
    every seat with the same luck.
    """
    asked = (strategies, peers, games, precision, seed, rules, out, workers)
    if published:
        if resume or any(one is not None for one in asked):
            raise UserError("--published plays nothing; beside it only --players and --json mean anything")
        answer = _published(players)
    else:
        answer = _played(asked, players, resume)
    print_json(answer.data()) if json else _print(answer, out)


def _published(players: str | None) -> "CitiesAnswer":
    from khora_sim.api import published_cities

    return published_cities(players)


def _played(asked: tuple[object, ...], players: str | None, resume: bool) -> "CitiesAnswer":
    from khora_sim.api import play_cities

    end_when_endless()
    named, peers, games, precision, seed, rules, out, workers = asked
    shown = sys.stderr.isatty()
    plan = {
        "strategies": tuple(named or ()),  # type: ignore[arg-type]
        "peers": peers,
        "players": players,
        "games": games,
        "precision": precision,
        "seed": seed,
        "rules": rules,
    }
    try:
        return play_cities(plan, workers, out, resume=resume, progress=shown)  # type: ignore[arg-type]
    except KeyboardInterrupt:
        print(f"khora: stopped; {_to_go_on(out)}", file=sys.stderr)  # type: ignore[arg-type]
        raise typer.Exit(STOPPED) from None


def _to_go_on(out: Path | None) -> str:
    from khora_sim.common.commands import resuming_cities

    if out is None:
        return "without --out nothing is kept"
    return f"go on with: {resuming_cities(out)}"


def _print(answer: "CitiesAnswer", out: Path | None) -> None:
    from khora_sim.questions.city_words import sentences
    from khora_sim.report.city_ladder_figure import file_names
    from khora_sim.report.published_cities import origin

    print(f"Cities by who plays, each player among its own kind, all sets of cities: {origin(answer)}.")
    for table in answer.tables:
        print()
        for sentence in sentences(answer, table):
            print(sentence)
        print()
        _print_shares(answer, table)
        print()
        _print_unlocked(answer, table)
        print()
        _print_facts(table)
    if out is not None and not all(table.peers for table in answer.tables):
        print("Other players of the strongest kind, named with --peers, would say how far to trust it.")
    if out is not None:
        print(f"Kept in {out}: cities.json, {file_names(answer)}, and a study of each player in studies.")


def _print_shares(answer: "CitiesAnswer", table: "TableVerdict") -> None:
    print(f"Win share at {table.players} players, 95 % intervals; a fair share is {100 * table.fair:.3g} %.")
    names = [one.strategy for one in table.ladder]
    spread = ("Between peers",) if table.peers else ()
    rows = [
        (
            answer.names[city],
            *(_text(one.cities[city].share, percent=True) for one in table.ladder),
            *(f"{100 * (table.spread(city) or 0):.1f}" for _ in spread),
            table.words[city],
        )
        for city in table.order
    ]
    games = [f"{_games_of_a_city(one):,}" for one in table.ladder]
    rows.append(("games of a city", *games, *("" for _ in spread), ""))
    print_table(("City", *names, *spread, "In words"), rows, right=(*names, *spread))


def _games_of_a_city(one: "SelfPlay") -> int:
    return min(city.share.n for city in one.cities.values())


def _print_unlocked(answer: "CitiesAnswer", table: "TableVerdict") -> None:
    widest = max(
        rate.estimate.margin
        for one in table.ladder
        for city in one.cities.values()
        for rate in city.unlocked.values()
    )
    print(
        "Unlocked: developments 2 / 3 / 4, in % of the same games, 95 % intervals of at most "
        f"± {100 * widest:.1f} points."
    )
    names = [one.strategy for one in table.ladder]
    rows = [
        (
            answer.names[city],
            *(
                "/".join(f"{100 * (rate.value or 0):.0f}" for rate in one.cities[city].unlocked.values())
                for one in table.ladder
            ),
        )
        for city in table.order
    ]
    print_table(("City", *names), rows, right=names)


def _print_facts(table: "TableVerdict") -> None:
    print("How their games go, 95 % intervals.")
    names = [one.strategy for one in table.ladder]
    facts = [one.facts for one in table.ladder]
    rows = [
        ("games", *(f"{one.games:,}" for one in table.ladder)),
        ("mean score", *(_text(one.score) for one in facts)),
        ("winner's score", *(_text(one.winning_score) for one in facts)),
        ("winner has 90 or more", *(_text(one.experienced_winners, percent=True) for one in facts)),
        ("lead over the second", *(_text(one.margin) for one in facts)),
        ("changes of the lead", *(_text(one.lead_changes) for one in facts)),
    ]
    for number in ROUNDS_SHOWN:
        if number <= len(facts[0].leader_wins):
            shares = (_text(one.leader_wins[number - 1], percent=True) for one in facts)
            rows.append((f"leader after round {number} wins", *shares))
    for place, how_many in enumerate(("few", "many")):
        shares = (_text(one.military_wins and one.military_wins[place], percent=True) for one in facts)
        rows.append((f"most military wins, {how_many} troop events", *shares))
    print_table(("", *names), rows, right=names)


def _text(number: "Number | None", percent: bool = False) -> str:
    from khora_sim.stats import format_estimate

    return "" if number is None else format_estimate(number.estimate, percent=percent, with_n=False)
