"""`khora replay`: one game described in words, and written down as a record."""

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from khora_sim.cli.flags import game_options, given_as, rules_option
from khora_sim.cli.output import print_table
from khora_sim.cli.stopping import end_when_endless
from khora_sim.common.options import NamedOptions
from khora_sim.errors import UserError

if TYPE_CHECKING:
    from khora_sim.records.record_format import GameOptions
    from khora_sim.records.telling import Shown
    from khora_sim.rules import Rules

GAME = "Game"
RECORD = "Record"


@given_as("options", game_options(GAME))
def replay(
    *,
    seed: Annotated[
        int, typer.Option(metavar="N", help="Seed of the game: the same seed is the same luck.")
    ] = 1,
    players: Annotated[int, typer.Option(min=2, help="How many play.")] = 4,
    strategies: Annotated[
        str, typer.Option(metavar="A,B,…", help="Who plays: one strategy for all, or one for each seat.")
    ] = "random",
    cities: Annotated[
        str, typer.Option(metavar="A,B,…", help="Cities by seat; `random` or none: drawn by the seed.")
    ] = "",
    first_player: Annotated[
        int | None,
        typer.Option(min=1, help="Seat of the first player, from 1; none: drawn by the seed."),
    ] = None,
    rules_file: Annotated[str | None, rules_option()] = None,
    options: NamedOptions,
    record: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the game down, for khora verify.", rich_help_panel=RECORD),
    ] = None,
    states: Annotated[
        bool,
        typer.Option("--states", help="With the state after every decision.", rich_help_panel=RECORD),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Tell only how it ended.")] = False,
) -> None:
    """Tell a game in words, round by round: of random players, unless --strategies says who plays."""
    from khora_sim.engine.cache import keep_quiet
    from khora_sim.records.record_format import GameOptions
    from khora_sim.rules import load_rules
    from khora_sim.rules.terms import MAX_PLAYERS

    keep_quiet(quiet)
    if players > MAX_PLAYERS:
        raise UserError(f"--players {players}: 2 to {MAX_PLAYERS} can play")
    if not 0 <= seed < 2**64:
        raise UserError(f"--seed {seed}: a seed is a whole number from 0 to {2**64 - 1}")
    if states and record is None:
        raise UserError("--states goes into a record; add --record FILE")
    rules = load_rules(rules_file)
    fixed = {"fixed_cities": _fixed_cities(cities, players), "fixed_first_seat": first_player}
    chosen = GameOptions.model_validate({**options, **fixed})
    _play(rules, players, seed, strategies, chosen, record, states, quiet)


def _fixed_cities(cities: str, players: int) -> list[str | None] | None:
    if not cities.strip():
        return None
    named = [name.strip() for name in cities.split(",")]
    if len(named) > players:
        raise UserError(
            f"--cities {cities}: {len(named)} cities for {players} players; name one for each seat"
        )
    return [None if name == "random" else name for name in named]


def _play(
    rules: "Rules",
    players: int,
    seed: int,
    strategies: str,
    options: "GameOptions",
    record: str | None,
    states: bool,
    quiet: bool,
) -> None:
    from khora_sim.common.commands import verifying
    from khora_sim.records.recording import Recorder, write_record
    from khora_sim.records.set_up import options_of, seeded_match
    from khora_sim.records.state import steps
    from khora_sim.records.telling import Teller
    from khora_sim.strategy.loading import load
    from khora_sim.strategy.table import ask

    end_when_endless()
    names = [name.strip() for name in strategies.split(",")]
    names = names * players if len(names) == 1 else names
    if len(names) != players:
        raise UserError(
            f"--strategies {strategies}: {len(names)} for {players} players; name one, or one a seat"
        )
    line_up = [load(name) for name in names]
    options = options_of(rules, options)
    match = seeded_match(rules, players, seed, options)
    recorder = Recorder(match, options, names, states) if record is not None else None
    teller = Teller(match, names)
    if not quiet:
        show(teller.title())
    for step in steps(match, ask(line_up)):
        if recorder is not None:
            recorder.note(step)
        if not quiet or match.game.agenda_size == 0:
            show(teller.tell(step))
    if recorder is not None and record is not None:
        write_record(recorder.record, record)
        if not quiet:
            print(f"Recorded in {record}; {verifying(record)} plays it again.", file=sys.stderr)


def show(parts: Iterable["Shown"]) -> None:
    """Print lines and tables of a story: with weight on a terminal, plain in a pipe."""
    from khora_sim.records.telling import Line

    for one in parts:
        if isinstance(one, Line):
            _show_line(one.text, one.level, one.who)
        else:
            print_table(one.columns, one.rows, one.right)


def _show_line(text: str, level: int, who: str) -> None:
    heading = level < 3
    if not sys.stdout.isatty():
        print(f"\n{text}" if heading else f"  {who}{': ' * bool(who)}{text}")
        return
    from rich import print as rich_print
    from rich.text import Text

    weight = {0: "bold", 1: "bold reverse", 2: "bold cyan"}.get(level, "")
    parts = [f"\n{text}"] if heading else ["  ", (f"{who}: " * bool(who), "bold"), text]
    rich_print(Text.assemble(*parts, style=weight))
