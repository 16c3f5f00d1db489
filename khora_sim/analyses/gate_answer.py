"""What a gate answers: a word for every city, seat and card, and one for the game."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from khora_sim.analyses.baseline import Baseline, Player
from khora_sim.analyses.gate_verdict import Finding, Limits, Word, worst
from khora_sim.simulation.result import RulesPlayed
from khora_sim.stats import Estimate

FORMAT = 1
CARD = "card"


@dataclass(frozen=True)
class Row:
    """One city, seat or card before and now."""

    kind: str  # city, seat or card
    id: str
    name: str
    # The share of wins, or what a card adds to it, with 95 % intervals.
    before: Estimate | None  # None where it was not in the baseline
    now: Estimate | None  # None where it is not in the game
    change: Estimate | None  # with its joint interval
    finding: Finding

    @property
    def word(self) -> Word:
        """The verdict."""
        return self.finding.word

    def data(self) -> dict[str, Any]:
        """The row for a script."""
        estimates = {"before": self.before, "now": self.now, "change": self.change}
        return {
            "kind": self.kind,
            "id": self.id,
            "name": self.name,
            "verdict": str(self.word),
            "why": self.finding.why,
            **{name: None if one is None else one.data() for name, one in estimates.items()},
        }


@dataclass(frozen=True)
class Gate:
    """The answer."""

    khora: str
    baseline: Baseline
    rules: RulesPlayed  # of the present game
    strategies: tuple[Player, ...]
    players: int
    seed: int
    games: int
    limits: Limits
    same_luck: bool  # whether baseline and present game met the same luck, and were paired
    same_plan: bool  # whether rules, players, seed and games are those of the baseline
    level: float  # of each joint interval
    intervals: int  # that are joint
    rows: tuple[Row, ...]

    @property
    def verdict(self) -> Word:
        """The worst word of all."""
        return worst(row.word for row in self.rows)

    @property
    def unchanged(self) -> bool:
        """Whether the same games were played as for the baseline, to the last win."""
        changes = [row.change for row in self.rows]
        return self.same_plan and all(one is not None and one.value == one.margin == 0 for one in changes)

    def passed(self, strict: bool = False) -> bool:
        """Whether the gate opens: nothing failed, or strictly that everything passed."""
        return self.verdict == Word.PASS if strict else self.verdict != Word.FAIL

    def of(self, kind: str) -> Sequence[Row]:
        """The rows of cities, seats or cards."""
        return [row for row in self.rows if row.kind == kind]

    @property
    def unseen(self) -> float:
        """The largest change, in percentage points, that the rows without a certain change do not exclude."""
        open_rows = [row.change for row in self.rows if row.change is not None and row.change.holds(0)]
        return 100 * max((max(-one.low, one.high) for one in open_rows), default=0.0)

    def data(self) -> dict[str, Any]:
        """The answer for a script."""
        limits = {name: getattr(self.limits, name) for name in ("city_share", "seat_share")}
        return {
            "format": FORMAT,
            "khora": self.khora,
            "verdict": str(self.verdict),
            "rules": self.rules.model_dump(),
            "strategies": [one.model_dump() for one in self.strategies],
            "players": self.players,
            "seed": self.seed,
            "games": self.games,
            "limits": {
                **{name: None if one is None else list(one) for name, one in limits.items()},
                "change": self.limits.change,
            },
            "same_luck": self.same_luck,
            "unchanged": self.unchanged,
            "joint_level": self.level,
            "baseline": self.baseline.model_dump(mode="json", include=_ORIGIN),
            "rows": [row.data() for row in self.rows],
        }


_ORIGIN = {"khora", "rules", "players", "strategies", "seed", "games"}
