"""How often `khora power cards`, and a gate with cards, claim what is not there.

    python -m tests.checks.false_cards --gates 500 --games 2800

Plays a long study and takes what it finds for the truth. Then studies are drawn from it, rotation group by
rotation group and as many of each set of cities, and judged as khora does. A page is false where corrected
p-values call any card's distance from the truth significant, over all cities or with one of them; a gate
between two such studies, where any card raises an alarm. At most 5 of 100 pages should be false, and as many
gates as the cards may take of these 5: 40 of 51 changes are theirs. The check fails beyond 8 %.
"""

import argparse
import sys
import tempfile
from dataclasses import replace
from math import comb
from pathlib import Path

import numpy as np
import polars as pl

from khora_sim.analyses.analysis import Run
from khora_sim.analyses.gate.baseline import cards_in
from khora_sim.analyses.gate.verdict import Limits, Word, card_rows, joint_level
from khora_sim.analyses.power import PowerOptions, play_and_count
from khora_sim.analyses.power.counts import WINS, Counts, corrected
from khora_sim.analyses.power.worth import DEALT
from khora_sim.simulation.experiment import Arm
from khora_sim.simulation.run_dir import LETTERS, PARTS, RunDir
from khora_sim.stats import wilson
from khora_sim.stats.sums import GROUP, MOST_CLUSTERS

ALPHA = 0.05
MOST = 0.08  # of the pages or gates may be false
SEATS = 4


class Pool:
    """A long study of which shorter ones are drawn."""

    def __init__(self, strategy: str, games: int):
        with tempfile.TemporaryDirectory() as folder:
            options = PowerOptions(kind="cards", strategies=(strategy,), games=games)
            run = Run(options, RunDir(Path(folder)))
            self.counts = play_and_count(options, (DEALT,), run)
            self.sides = [_rows(Path(folder), side.arm) for side in self.counts.sides]
        self.cities = len(self.counts.rules.city_ids)
        self.sets = comb(self.cities, SEATS)
        self.groups = self.sides[0][GROUP].n_unique()
        self.truth = self.counts.effects(DEALT, WINS)

    def draw(self, games: int, rng: np.random.Generator) -> Counts:
        """Count a study of so many games, as many groups of each set of cities."""
        turns = max(games // (SEATS * self.sets), 1)
        chosen = rng.integers(0, self.groups // self.sets, (turns, self.sets)) * self.sets
        groups = (chosen + np.arange(self.sets)).ravel()
        rows = (groups[:, None] * SEATS**2 + np.arange(SEATS**2)).ravel()
        numbers = pl.Series(GROUP, np.repeat(np.arange(len(groups), dtype=np.uint64), SEATS**2))
        found = Counts(self.counts.kind, self.counts.things, self.cities, self.counts.sides, (DEALT,))
        found.add({place: side[rows].with_columns(numbers) for place, side in enumerate(self.sides)})
        return found

    def false_page(self, study: Counts) -> bool:
        """Whether any card is called significantly away from the truth."""
        found = study.effects(DEALT, WINS)
        return bool((corrected(replace(found, values=found.values - self.truth.values)).p_holm < ALPHA).any())

    def false_gate(self, before: Counts, now: Counts) -> bool:
        """Whether any card raises an alarm."""
        level = joint_level(len(self.counts.things) + self.cities + SEATS)
        units = min(before.games // SEATS, MOST_CLUSTERS)
        rows = card_rows(cards_in(before), cards_in(now), Limits(), level, units, same=False)
        return any(row.verdict != Word.PASS for row in rows)


def _rows(folder: Path, arm: Arm) -> pl.DataFrame:
    """The rows of a side, sixteen of each rotation group."""
    parts = sorted((folder / PARTS).glob(f"{arm.digest[:LETTERS]}-*"))
    return pl.concat([pl.read_parquet(one) for one in parts])


def main() -> int:
    """Draw, count, and say so; 1 where too much is claimed."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--gates", type=int, default=200, help="to draw, of two studies each (200)")
    options.add_argument("--games", type=int, default=2800, help="of each study (2800)")
    options.add_argument("--pool", type=int, default=56_000, help="games of the long study (56000)")
    options.add_argument("--strategies", default="steward", help="who plays (steward)")
    options.add_argument("--seed", type=int, default=1, help="of the drawing (1)")
    given = options.parse_args()
    pool, rng = Pool(given.strategies, given.pool), np.random.default_rng(given.seed)
    pages = gates = 0
    for _ in range(given.gates):
        pair = [pool.draw(given.games, rng) for _ in range(2)]
        pages += sum(map(pool.false_page, pair))
        gates += pool.false_gate(*pair)
    print(f"{given.strategies}, {given.games:,} games of each study, drawn from {given.pool:,}:")
    found = {"pages": (pages, 2 * given.gates), "gates": (gates, given.gates)}
    for name, (count, n) in found.items():
        ends = wilson(count, n)
        print(f"{count} of {n:,} {name} are false: {count / n:.1%} ({ends.low:.1%} to {ends.high:.1%})")
    return int(any(count > MOST * n for count, n in found.values()))


if __name__ == "__main__":
    sys.exit(main())
