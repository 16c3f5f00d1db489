"""`khora replay`: one game described in words, and written down as a record."""

import sys
from collections.abc import Callable, Iterable
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from khora_sim.cli.generate import command_of
from khora_sim.cli.output import print_table
from khora_sim.cli.stopping import end_when_endless
from khora_sim.common.command_options import GAME, SHOW, USUAL_STRATEGY, Flag, Names, Options
from khora_sim.common.commands import verifying
from khora_sim.common.options import ChosenOptions, as_arguments
from khora_sim.engine.cache import keep_quiet
from khora_sim.records.record_format import GameOptions
from khora_sim.records.recording import Recorder, write_record
from khora_sim.records.set_up import options_of, seeded_match
from khora_sim.records.state import steps
from khora_sim.records.telling import Line, Shown, Teller
from khora_sim.rules import load_rules
from khora_sim.rules.terms import MAX_PLAYERS
from khora_sim.strategy.loading import load
from khora_sim.strategy.table import ask


class ReplayOptions(ChosenOptions, Options):
    """`adept` plays in every seat, unless `--strategies` names others."""

    command = "replay"

    seed: Annotated[
        int,
        Field(ge=0, lt=2**64, description=f"a whole number from 0 to {2**64 - 1}"),
        Flag("The same seed gives the same dice and deals.", metavar="N"),
    ] = 1
    players: Annotated[
        int, Field(ge=2, le=MAX_PLAYERS, description=f"2 to {MAX_PLAYERS}"), Flag("Players at the table.")
    ] = 4
    strategies: Annotated[
        Names, Flag("Strategies: one for all, or one for each seat.", metavar="NAMES", strategies=True)
    ] = (USUAL_STRATEGY,)
    cities: Annotated[
        Names,
        Flag("Cities by seat; random: drawn by the seed.", metavar="A,B,…", default="drawn by the seed"),
    ] = ()
    first_player: Annotated[
        int | None,
        Field(ge=1, le=MAX_PLAYERS),
        Flag("Seat of the first player, from 1.", metavar="SEAT", default="drawn by the seed"),
    ] = None
    rules: Annotated[str | None, Flag("A variant in TOML, laid over the base game.", GAME, "FILE")] = None
    record: Annotated[str | None, Flag("Write the game down, for khora verify.", SHOW, "FILE")] = None
    states: Annotated[bool, Flag("In the record: the state after every decision.", SHOW)] = False

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.states and self.record is None:
            raise ValueError("--states goes into a record; add --record FILE")
        if len(self.cities) > self.players:
            raise ValueError(
                f"--cities {','.join(self.cities)}: {len(self.cities)} cities for {self.players} players; "
                "name one for each seat"
            )
        if len(self.strategies) not in (1, self.players):
            raise ValueError(
                f"--strategies {','.join(self.strategies)}: {len(self.strategies)} for {self.players} "
                "players; name one, or one a seat"
            )
        return self


def replay(*, quiet: bool, **given: Any) -> None:
    """Play one game, and print it as it goes; with --quiet only how it ended."""
    options = ReplayOptions.of(given)
    keep_quiet(quiet)
    end_when_endless()
    rules = load_rules(options.rules)
    names = options.strategies * (options.players if len(options.strategies) == 1 else 1)
    line_up = [load(name) for name in names]
    fixed = [None if name == "random" else name for name in options.cities] or None
    given = {**as_arguments(options), "fixed_cities": fixed, "fixed_first_seat": options.first_player}
    chosen = options_of(rules, GameOptions.model_validate(given))
    match = seeded_match(rules, options.players, options.seed, chosen)
    recorder = None if options.record is None else Recorder(match, chosen, list(names), options.states)
    teller = Teller(match, list(names))
    if not quiet:
        show(teller.title())
    for step in steps(match, ask(line_up)):
        if recorder is not None:
            recorder.note(step)
        if not quiet or match.game.agenda_size == 0:
            show(teller.tell(step))
    if recorder is not None and options.record is not None:
        write_record(recorder.record, options.record)
        if not quiet:
            again = verifying(options.record)
            print(f"Recorded in {options.record}; {again} plays it again.", file=sys.stderr)


def cli_command(summary: str) -> Callable[..., None]:
    """The command, made from its options."""
    return command_of(ReplayOptions, replay, summary, {"quiet": "Print only how it ended."})


def show(parts: Iterable[Shown]) -> None:
    """Print lines and tables of a story: with weight on a terminal, plain in a pipe."""
    from rich import print as rich_print
    from rich.text import Text

    for one in parts:
        if not isinstance(one, Line):
            print_table(one.columns, one.rows, one.right)
            continue
        who = f"{one.who}: " if one.who else ""
        if not sys.stdout.isatty():
            print(f"\n{one.text}" if one.level < 3 else f"  {who}{one.text}")
            continue
        weight = {0: "bold", 1: "bold reverse", 2: "bold cyan"}.get(one.level, "")
        shown = [f"\n{one.text}"] if one.level < 3 else ["  ", (who, "bold"), one.text]
        rich_print(Text.assemble(*shown, style=weight))
