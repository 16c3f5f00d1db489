"""The table of `compare_speed`: times of two trees, their ratio and its spread."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import quantiles
from typing import Any

from khora_sim.cli.output import print_table

COLUMNS = ("work", "unit", "REF", "this tree", "ratio", "quartiles", "pairs", "same games")
LEGEND = (
    "REF and this tree: the best run. ratio: this tree / REF, best against best; below 1 is faster.\n"
    "quartiles: the middle half of the ratios of the pairs of runs that followed each other.\n"
    "same games: by a hash of seeds, cities, scores and decisions, in play also of the points by source;\n"
    "of an analysis by a hash of the main numbers of its answer."
)


@dataclass
class Row:
    """One work in one unit: a time of each tree for every pair of runs, in the order they were run."""

    work: str
    unit: str
    ref: list[float] = field(default_factory=list)
    this: list[float] = field(default_factory=list)
    hashes: tuple[set[str], set[str]] | None = None  # of the games of each tree; None: none were compared

    @property
    def ratio(self) -> float:
        """This tree's best time over REF's best time."""
        return min(self.this) / min(self.ref)

    @property
    def quartiles(self) -> tuple[float, float] | None:
        """The middle half of the ratios of pairs; None for a single pair."""
        ratios = [this / ref for this, ref in zip(self.this, self.ref, strict=True)]
        if len(ratios) < 2:
            return None
        low, _, high = quantiles(ratios, n=4, method="inclusive")
        return low, high

    @property
    def same_games(self) -> bool | None:
        """Whether both trees played the same games, every time."""
        if self.hashes is None:
            return None
        ref, this = self.hashes
        return ref == this and len(ref) == 1


def as_data(row: Row) -> dict[str, Any]:
    """A row for a script."""
    return {
        "work": row.work,
        "unit": row.unit,
        "ref": min(row.ref),
        "this": min(row.this),
        "ratio": row.ratio,
        "quartiles": row.quartiles,
        "ref_runs": row.ref,
        "this_runs": row.this,
        "same_games": row.same_games,
        "hashes": None if row.hashes is None else [sorted(hashes) for hashes in row.hashes],
    }


def in_cells(row: Row) -> tuple[str, ...]:
    """A row as it is printed."""
    spread = "" if row.quartiles is None else "{:.3f} to {:.3f}".format(*row.quartiles)
    same = {None: "", True: "yes", False: "no"}[row.same_games]
    times = (f"{min(row.ref):,.2f}", f"{min(row.this):,.2f}", f"{row.ratio:.3f}")
    return row.work, row.unit, *times, spread, str(len(row.ref)), same


def print_rows(rows: Sequence[Row]) -> None:
    """Print the table and what its columns mean."""
    print_table(COLUMNS, map(in_cells, rows), right=("REF", "this tree", "ratio", "pairs"))
    print(LEGEND)
