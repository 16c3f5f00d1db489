"""Compare the game as it is now with a stored baseline, for a continuous-integration job."""

import math
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from khora_sim.analyses.analysis import Analysis, Games, Precision, Run
from khora_sim.analyses.gate.baseline import (
    GAMES,
    PLAYERS,
    STRATEGIES,
    Baseline,
    Plan,
    baseline_of,
    digest_of,
    played,
    power_options,
    read_baseline,
    to_be_renewed,
    write_baseline,
)
from khora_sim.analyses.gate.verdict import (
    ALPHA,
    CARD,
    CHANGE,
    Gate,
    Limits,
    Row,
    Word,
    check_same_table,
    compared,
    limits_of,
)
from khora_sim.common.command_options import ASKED, USUAL_STRATEGY, WORK, Flag, Names
from khora_sim.common.files import explain_write_errors, write_atomically
from khora_sim.common.seed_ranges import JUDGING, seed_in
from khora_sim.common.wording import counted, listed
from khora_sim.errors import UserError
from khora_sim.pages.published_answers import in_stronger_hands
from khora_sim.pages.table import BELOW_ALL, Column, Table, count, escaped, pp, text
from khora_sim.pages.wording import SHOWN_UNKNOWN, points_cell, share
from khora_sim.rules import load_rules
from khora_sim.simulation.run_dir import RulesFile, RunOptions
from khora_sim.strategy.finding import is_built_in

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
        _ = self.limits
        if self.summary is not None and (self.summary.is_dir() or not self.summary.parent.is_dir()):
            raise UserError(
                f"--summary {self.summary}: should be the path of a file in a folder that is there"
            )
        stored = self.stored
        if stored is not None and not self.write:
            self._check_comparable(stored)
        if stored is not None and self.strategies is None:
            self._refuse_unnamed(stored)
        if self.strategies == ():
            raise UserError(f"--strategies: nobody is named; say who plays, such as {USUAL_STRATEGY}")
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
        """The limits that the game should keep."""
        return limits_of(self.city_share, self.seat_share, self.change)

    @property
    def plan_played(self) -> Plan:
        """The plan; options that are not given are as in a stored baseline, or as usual."""
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
        """Play, write the baseline if that is wanted, compare, and add the summary."""
        now, stored = played(options.plan_played, run), options.stored
        if options.write or stored is None:
            stored = baseline_of(now)
            write_baseline(options.baseline, stored)
        found = compared(stored, now, options.limits)
        shown = {"strict": options.strict, "written": str(options.baseline) if options.write else None}
        found = found.model_copy(update=shown)
        if options.summary is not None:
            with explain_write_errors(options.summary, "choose another --summary"):
                before = options.summary.read_bytes() if options.summary.exists() else b""
                write_atomically(options.summary, before + markdown(found).encode())
        return found

    def brief(self, result: Gate, *, full: bool = False) -> Sequence[str | Table]:
        """The verdict, every row, and how far to trust it; of a baseline that was written only that."""
        written = [f"{result.written}: written; {in_words(result)}"] if result.written else []
        if written and result.passed(strict=True):  # against itself: only limits can be broken
            return written
        facts, lines = ([f"  {line}" for line in part] for part in (games_in_words(result), notes(result)))
        return [*written, headline(result), *facts, table_of(result), *lines]

    def exit_code(self, result: Gate) -> int:
        """1 where the gate stays closed."""
        return 0 if result.written or result.passed(result.strict) else FAILED


def headline(gate: Gate) -> str:
    """The verdict and the rows behind it: `FAIL: Argos (1 FAIL, 10 PASS)`."""
    words = [row.verdict for row in gate.rows]
    counts = ", ".join(f"{words.count(word)} {word}" for word in Word if word in words)
    named = listed([row.name for row in gate.rows if row.verdict == gate.verdict])
    return f"{gate.verdict}: {counts}" if gate.verdict == Word.PASS else f"{gate.verdict}: {named} ({counts})"


def games_in_words(gate: Gate) -> list[str]:
    """The games that were played, now and for the baseline."""
    return [f"Now:      {in_words(gate)}", f"Baseline: {in_words(gate.baseline)}"]


def in_words(games: Gate | Baseline) -> str:
    """The players, the number of games and the rules."""
    names = [f"{one.name} ({one.digest[:8]})" for one in games.strategies]
    who = f"{names[0]} in every seat" if len(names) == 1 else listed(names)
    rules = f"rules {games.rules.name} {games.rules.hash[:12]}"
    return f"{who}, {games.players} players, {games.games:,} games, seed {games.seed}, {rules}"


def notes(gate: Gate) -> list[str]:
    """Sentences on how far to trust the verdict."""
    lines = _trust(gate)
    if gate.of(CARD):
        lines.append("Of a card: by how many percentage points being dealt it raises the win share.")
    elif gate.baseline.cards:
        lines.append("The baseline also holds the power of cards; --cards compares it.")
    return [*lines, *_stronger(gate)]


def _stronger(gate: Gate) -> list[str]:
    """The caveat on cities that win otherwise with the strongest published player, then or else now."""
    stored = gate.baseline
    before = {id: one.value for id, one in stored.cities.items()}
    now = {row.id: row.now.value for row in gate.of("city") if row.now is not None}
    names = [one.name for one in gate.strategies]
    return in_stronger_hands(stored.rules, stored.players, stored.names, before) or in_stronger_hands(
        gate.rules, gate.players, names, now
    )


def _trust(gate: Gate) -> list[str]:
    if gate.unchanged:
        return ["The same rules, players and luck gave the same games: nothing differs at all."]
    luck = "games on the same luck" if gate.same_luck else "games with luck of their own"
    lines = [
        f"Changes are in percentage points, of {luck}, with joint 95 % intervals ({gate.intervals} "
        f"together): in at most {100 * ALPHA:.0f} of 100 gates they raise an alarm without a change."
    ]
    before, now = gate.baseline.rules.version, gate.rules.version
    if before != now:
        lines.append(
            f"The baseline is of rules version {before}; this khora plays version {now}, in which the same "
            "seed may give another game. Changes may come from that; --write makes the baseline again."
        )
    if gate.same_plan:
        lines.append(
            "Rules and players are those of the baseline, and yet games differ: the engine, the toolkit or "
            "the baseline has changed."
        )
    most, change = gate.not_excluded, gate.limits.change
    if math.isinf(most):
        lines.append("These are too few games to tell any change.")
    elif most > change:
        remedy = ""
        if change > 0:
            needed = math.ceil(gate.games * (most / change) ** 2 / 1000) * 1000
            remedy = f"; some {needed:,} games would, for the baseline and now"
        lines.append(
            f"These games do not exclude changes of up to {most:.1f} points, more than "
            f"--change {change:g}{remedy}."
        )
    return lines


def table_of(gate: Gate) -> Table:
    """Every city, seat and card before and now."""

    def value(title: str, side: str) -> Column:
        """Shares of wins; of cards what they add to it, in percentage points."""

        def shown(row: Row) -> str:
            found = getattr(row, side)
            if found is None:
                return SHOWN_UNKNOWN
            return points_cell(found) if row.kind == CARD else share(found)

        return text(title, shown, key=lambda row: getattr(getattr(row, side), "value", BELOW_ALL))

    columns = [
        text("Verdict", "verdict"),
        text("What", "name"),
        value("Baseline", "before"),
        value("Now", "now"),
        pp("Change", "change", bounded=True),
        count("n", lambda row: (row.now or row.before).n),
        text("Why", "why"),
    ]
    return Table.of("gate", "Every city, seat and card", gate.rows, columns)


def markdown(gate: Gate) -> str:
    """A short summary: the verdict, the games, and the table, of cards only those that do not pass."""
    shown = table_of(gate).only(rows=lambda row: row.kind != CARD or row.verdict != Word.PASS)
    rest = len(gate.rows) - len(shown.data)
    more = [f"{counted(rest, 'more card')} PASS."] if rest else []
    head = [f"## Gate: {escaped(headline(gate))}", *(f"- {escaped(one)}" for one in games_in_words(gate))]
    return "\n".join([*head, "", shown.markdown(), "", *more, *notes(gate), ""])


COMMAND = GateAnalysis()
