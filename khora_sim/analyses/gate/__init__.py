"""Compare the game as it is now with a stored baseline, for a continuous-integration job."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from khora_sim.analyses.analysis import Analysis, Games, Precision, Run
from khora_sim.analyses.gate.baseline import Baseline, digest_of, read_baseline, to_be_renewed, write_baseline
from khora_sim.analyses.gate.measure import (
    GAMES,
    PLAYERS,
    STRATEGIES,
    Plan,
    baseline_of,
    played,
    power_options,
)
from khora_sim.analyses.gate.verdict import CHANGE, Gate, Limits, check_same_table, compared, limits_of
from khora_sim.common.command_options import ASKED, WORK, Flag, Names
from khora_sim.common.seed_ranges import JUDGING, seed_in
from khora_sim.errors import UserError
from khora_sim.rules import load_rules
from khora_sim.simulation.run_dir import RulesFile, RunOptions
from khora_sim.strategy.finding import is_built_in

if TYPE_CHECKING:
    from khora_sim.pages.page_model import Table

FAILED = 1  # the exit code of a gate that stays closed


class GateOptions(RunOptions):
    """Every city, every seat and, with --cards, every card is compared with the baseline.

    Exit code 0: passed. 1: something failed, or with --strict anything but PASS. 2: it could not be played.
    """

    command = "gate"

    baseline: Annotated[Path, Flag("The file of the baseline.", argument=True)]
    write: Annotated[bool, Flag("Play, and write the baseline; an earlier one is replaced.", ASKED)] = False
    city_share: Annotated[
        str | None,
        Flag("Allowed win rates of every city, in percent: 20..30.", ASKED, "LOW..HIGH", default="any"),
    ] = None
    seat_share: Annotated[
        str | None, Flag("Allowed win rates of every seat, in percent.", ASKED, "LOW..HIGH", default="any")
    ] = None
    change: Annotated[
        float,
        Flag("The largest change of a win rate that is allowed, in pp.", ASKED, "PP"),
        Field(ge=0, le=100, description="0 to 100 percentage points"),
    ] = CHANGE
    strict: Annotated[bool, Flag("WARN, NEW and REMOVED close the gate, too.", ASKED, planned=False)] = False
    strategies: Annotated[
        Names | None,
        Flag(
            "Strategies that play: one in every seat, or several.",
            metavar="NAMES",
            default=f"as the baseline; {','.join(STRATEGIES)}",
            strategies=True,
        ),
    ] = None
    players: Annotated[
        int | None,
        Flag("Players at the table.", default=f"as the baseline; {PLAYERS}"),
        Field(ge=2, le=4, description="2, 3 or 4"),
    ] = None
    games: Annotated[
        Games, Flag("Games to play, such as 20000 or 20k.", metavar="N", default=f"as the baseline; {GAMES}")
    ] = None
    precision: Precision = None
    seed: Annotated[
        int | None,
        Flag(
            "A number. With that of the baseline, games are compared on the same dice and deals.",
            default="as the baseline; 0",
        ),
        Field(ge=0, lt=10**9, description="a whole number from 0 to 999,999,999"),
    ] = None
    rules: RulesFile = None
    cards: Annotated[
        bool | None,
        Flag(
            "Also compare the power of every card; this takes twice as many games more.",
            default="as the baseline; no",
        ),
    ] = None
    summary: Annotated[
        Path | None, Flag("Append a short summary in Markdown to this file.", WORK, "FILE", planned=False)
    ] = None
    out: Annotated[
        Path | None, Flag("A folder for the answer and for finished games.", WORK, "DIR", planned=False)
    ] = None

    def check(self) -> None:
        """Refuse limits, files and a plan that cannot be, before anything is played."""
        from khora_sim.analyses.gate.page import check_summary

        _ = self.limits
        check_summary(self.summary)
        stored = self.stored
        if stored is not None and not self.write:
            self._check_comparable(stored)
        if stored is not None and self.strategies is None:
            self._refuse_unnamed(stored)
        if self.strategies == ():
            raise UserError("--strategies: name one, such as steward")
        load_rules(self.rules)
        if self.plan_played.cards:
            power_options(self.plan_played, games=1)

    def _check_comparable(self, stored: Baseline) -> None:
        """Refuse what the baseline has nothing to compare with: tables of another size, or cards."""
        if self.cards and stored.cards is None:
            again = self.typed(write=True, cards=True)
            raise UserError(f"{self.baseline}: holds no power of cards; write it again: {again}")
        check_same_table(stored, self.players or stored.players)

    def _refuse_unnamed(self, stored: Baseline) -> None:
        """A file never decides by itself which code runs."""
        others = [name for name in stored.names if not is_built_in(name)]
        if others:
            raise UserError(
                f"{self.baseline}: names {', '.join(others)}, and what is not built in is read and run only "
                f"when you name it; if you trust it, type: {self.typed(strategies=stored.names)}"
            )

    @cached_property
    def stored(self) -> Baseline | None:
        """The baseline as it was before this run; None where a first one is written."""
        return to_be_renewed(self.baseline) if self.write else read_baseline(self.baseline)

    @cached_property
    def limits(self) -> Limits:
        """What is asked of the game."""
        return limits_of(self.city_share, self.seat_share, self.change)

    @property
    def plan_played(self) -> Plan:
        """What is played; options that are not given are as in a stored baseline, or as usual."""
        stored, plan = self.stored, Plan()
        if stored is not None:
            cards = stored.cards is not None
            plan = Plan(stored.names, stored.players, stored.games, seed=stored.seed, cards=cards)
        given = {name: value for name in Plan._fields if (value := getattr(self, name)) is not None}
        if self.seed is not None:
            given["seed"] = seed_in(JUDGING, self.seed)
        return plan._replace(**given)

    @property
    def inputs(self) -> dict[str, Any]:
        """The baseline, unless it is about to be written."""
        return {} if self.write or self.stored is None else {"the baseline": digest_of(self.stored)}


class GateAnalysis(Analysis[GateOptions, Gate]):
    """The game as it is now against a baseline."""

    Options = GateOptions

    def run(self, options: GateOptions, run: Run) -> Gate:
        """Play, write the baseline if that is asked, compare, and add the summary."""
        from khora_sim.analyses.gate.page import add_summary

        now, stored = played(options.plan_played, run), options.stored
        if options.write or stored is None:
            stored = baseline_of(now)
            write_baseline(options.baseline, stored)
        found = compared(stored, now, options.limits)
        asked = {"strict": options.strict, "written": str(options.baseline) if options.write else None}
        found = found.model_copy(update=asked)
        add_summary(found, options.summary)
        return found

    def brief(self, result: Gate, *, full: bool = False) -> "Sequence[str | Table]":
        """The verdict, what was played, every row, and how far to trust it."""
        from khora_sim.analyses.gate.page import brief

        return brief(result)

    def page(self, result: Gate, options: GateOptions) -> None:
        """A gate has no page; `--summary` writes a short one in Markdown."""

    def exit_code(self, result: Gate) -> int:
        """1 where the gate stays closed."""
        return 0 if result.written or result.passed(result.strict) else FAILED


COMMAND = GateAnalysis()
