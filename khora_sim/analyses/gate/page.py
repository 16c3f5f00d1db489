"""A gate in words: lines for a terminal, and a short summary in Markdown for a continuous-integration job."""

import math
from pathlib import Path

from khora_sim.analyses.gate.baseline import Baseline
from khora_sim.analyses.gate.verdict import ALPHA, CARD, Gate, Row, Word
from khora_sim.common.files import explain_write_errors, write_atomically
from khora_sim.common.wording import counted, listed
from khora_sim.errors import UserError
from khora_sim.pages.page_model import Table, grid
from khora_sim.pages.wording import SHOWN_UNKNOWN, points_cell, share
from khora_sim.stats import Estimate

COLUMNS = ("Verdict", "What", "Baseline", "Now", "Change", "n", "Why")


def brief(gate: Gate) -> list[str | Table]:
    """What the terminal prints; of a baseline that was written and keeps its limits only that."""
    written = [f"{gate.written}: written; {played(gate)}"] if gate.written else []
    if written and gate.passed(strict=True):  # against itself: only limits can be broken
        return [*written]
    table = grid(COLUMNS, [cells(row) for row in gate.rows], right=COLUMNS[2:6])
    shown = [f"  {line}" for line in facts(gate)]
    return [*written, headline(gate), *shown, table, *(f"  {line}" for line in notes(gate))]


def headline(gate: Gate) -> str:
    """The verdict and what stands behind it: `FAIL: Argos (1 FAIL, 10 PASS)`."""
    words = [row.verdict for row in gate.rows]
    counts = ", ".join(f"{words.count(word)} {word}" for word in Word if word in words)
    named = listed([row.name for row in gate.rows if row.verdict == gate.verdict])
    return f"{gate.verdict}: {counts}" if gate.verdict == Word.PASS else f"{gate.verdict}: {named} ({counts})"


def facts(gate: Gate) -> list[str]:
    """What was played, now and for the baseline."""
    return [f"Now:      {played(gate)}", f"Baseline: {played(gate.baseline)}"]


def played(what: Gate | Baseline) -> str:
    """Who played what, how often."""
    names = [f"{one.name} ({one.digest[:8]})" for one in what.strategies]
    who = f"{names[0]} in every seat" if len(names) == 1 else listed(names)
    rules = f"rules {what.rules.name} {what.rules.hash[:12]}"
    return f"{who}, {what.players} players, {what.games:,} games, seed {what.seed}, {rules}"


def notes(gate: Gate) -> list[str]:
    """How far to trust the verdict."""
    lines = _trust(gate)
    if gate.of(CARD):
        lines.append("Of a card: by how many percentage points being dealt it raises the win share.")
    elif gate.baseline.cards:
        lines.append("The baseline also holds the power of cards; --cards compares it.")
    return lines


def _trust(gate: Gate) -> list[str]:
    if gate.unchanged:
        return ["The same rules, players and luck gave the same games: nothing differs at all."]
    luck = "games on the same luck" if gate.same_luck else "games with luck of their own"
    lines = [
        f"Changes are in percentage points, of {luck}, with joint 95 % intervals ({gate.intervals} "
        f"together): in at most {100 * ALPHA:.0f} of 100 gates they raise an alarm without a change."
    ]
    if gate.same_plan:
        lines.append(
            "Rules and players are those of the baseline, and yet games differ: the engine, the toolkit or "
            "the baseline has changed."
        )
    unseen = gate.unseen
    if unseen > gate.limits.change:
        lines.append(
            f"These games do not exclude changes of up to {unseen:.1f} points, more than "
            f"--change {gate.limits.change:g}{_remedy(gate, unseen)}."
            if math.isfinite(unseen)
            else "These are too few games to tell any change."
        )
    return lines


def _remedy(gate: Gate, unseen: float) -> str:
    """How many games would exclude them."""
    needed = math.ceil(gate.games * (unseen / gate.limits.change) ** 2 / 1000) * 1000
    return f"; some {needed:,} games would, for the baseline and now"


def cells(row: Row) -> tuple[str, ...]:
    """A row of the table."""
    n = row.now or row.before
    count = SHOWN_UNKNOWN if n is None else f"{n.n:,}"
    return (
        str(row.verdict),
        row.name,
        _value(row, row.before),
        _value(row, row.now),
        _change(row.change),
        count,
        row.why,
    )


def _change(change: Estimate | None) -> str:
    return SHOWN_UNKNOWN if change is None else points_cell(change)


def _value(row: Row, estimate: Estimate | None) -> str:
    """A share of wins, or what a card adds to it in percentage points."""
    if estimate is None:
        return SHOWN_UNKNOWN
    return points_cell(estimate) if row.kind == CARD else share(estimate)


def markdown(gate: Gate) -> str:
    """A short summary: the verdict, what was played, and the table, of cards only those that do not pass."""
    shown = [row for row in gate.rows if row.kind != CARD or row.verdict != Word.PASS]
    table = [COLUMNS, ("---",) * len(COLUMNS), *map(cells, shown)]
    rows = ["| " + " | ".join(map(_escaped, row)) + " |" for row in table]
    rest = len(gate.rows) - len(shown)
    more = [f"{counted(rest, 'more card')} PASS."] if rest else []
    played_lines = [f"- {_escaped(one)}" for one in facts(gate)]
    head = [f"## Gate: {_escaped(headline(gate))}", *played_lines]
    return "\n".join([*head, "", *rows, "", *more, *notes(gate), ""])


def _escaped(text: str) -> str:
    """A cell of a table in Markdown, whatever a file names a city."""
    marked = "".join(f"\\{letter}" if letter in "|<>[]`*_\\" else letter for letter in text)
    return _one_line(marked)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def check_summary(path: str | Path | None) -> None:
    """Refuse a file for the summary that cannot be written, before anything is played."""
    if path is not None and (Path(path).is_dir() or not Path(path).parent.is_dir()):
        raise UserError(f"--summary {path}: should be the path of a file in a folder that is there")


def add_summary(gate: Gate, path: str | Path | None) -> None:
    """Add the summary to a file, whatever stands there already."""
    if path is None:
        return
    file = Path(path)
    with explain_write_errors(file, "choose another --summary"):
        before = file.read_bytes() if file.exists() else b""
        write_atomically(file, before + markdown(gate).encode())
