"""Who finishes ahead of whom: every two players of every game, by city and by strategy."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
import polars as pl

from khora_sim.pages.load import Material
from khora_sim.simulation import dataset
from khora_sim.stats.groups import MOST_UNITS, STRATUM, UNIT
from khora_sim.stats.ratios import shares
from khora_sim.stats.sums import from_cells

COLUMNS = ("players", "place", "city", "strategy", "unit", "stratum")
#: Units are put together where there are so many kinds of players that their table would grow large.
MOST_KINDS, FEW_UNITS = 24, 128


@dataclass
class Tally:
    """How often one kind finished ahead of another (half for a shared place), and how often they met."""

    kinds: list[str]
    ahead: np.ndarray  # (units, kinds, kinds)
    met: np.ndarray
    strata: np.ndarray  # (units,)

    def add(self, unit: np.ndarray, stratum: np.ndarray, kind: np.ndarray, place: np.ndarray) -> None:
        """Count games of equally many players (games by seats)."""
        units, size = self.ahead.shape[0], len(self.kinds)
        cells = self.ahead.size
        if units == MOST_UNITS:  # where units are put together, those of several strata are
            self.strata[unit] = stratum
        row = (unit.astype(np.int64) % units) * size
        for i, j in combinations(range(place.shape[1]), 2):
            forth, back = (row + kind[:, i]) * size + kind[:, j], (row + kind[:, j]) * size + kind[:, i]
            won = (place[:, i] < place[:, j]) + 0.5 * (place[:, i] == place[:, j])
            self.ahead += (np.bincount(forth, won, cells) + np.bincount(back, 1 - won, cells)).reshape(
                self.ahead.shape
            )
            self.met += (np.bincount(forth, minlength=cells) + np.bincount(back, minlength=cells)).reshape(
                self.met.shape
            )

    def table(self, rows_per_group: int) -> pl.DataFrame:
        """Share of meetings in which `one` finished ahead of `other`, with intervals."""
        unit, one, other = np.nonzero(self.met)
        names = pl.Enum(self.kinds)
        cells = pl.DataFrame(
            {
                UNIT: unit.astype(np.uint16),
                STRATUM: self.strata[unit],
                "one": pl.Series(self.kinds, dtype=names).gather(one),
                "other": pl.Series(self.kinds, dtype=names).gather(other),
                "s": self.ahead[unit, one, other],
                "c": self.met[unit, one, other],
            }
        )
        sums = from_cells(cells, ["one", "other"]).only(pl.col("one") != pl.col("other"))
        return shares(sums, ["one", "other"], "s", null=0.5, rows_per_group=rows_per_group)


@lru_cache(maxsize=2)
def tallies(material: Material) -> dict[tuple[str, bool], Tally]:
    """Tallies of all games by column (city, strategy) and by whether only two sat at the table."""
    kinds = {"city": material.cities, "strategy": material.strategies}
    made: dict[tuple[str, bool], Tally] = {}
    for part in material.manifest.parts:
        path = dataset.part_path(material.study.folder, "players", part.part)
        rows = material.study.with_units(pl.scan_parquet(path)).select(*COLUMNS).collect()
        for (players,), own in rows.group_by("players"):
            seats = int(players)
            place = own["place"].to_numpy().reshape(-1, seats)
            unit, stratum = (own[name].to_numpy()[::seats] for name in ("unit", "stratum"))
            for column, names in kinds.items():
                tally = made.setdefault((column, seats == 2), _blank(names))
                kind = own[column].cast(pl.String).cast(pl.Enum(names)).to_physical().to_numpy()
                tally.add(unit, stratum, kind.reshape(-1, seats).astype(np.int64), place)
    return made


def _blank(kinds: list[str]) -> Tally:
    units = MOST_UNITS if len(kinds) <= MOST_KINDS else FEW_UNITS
    shape = (units, len(kinds), len(kinds))
    return Tally(kinds, np.zeros(shape), np.zeros(shape, np.int64), np.zeros(units, np.int64))
