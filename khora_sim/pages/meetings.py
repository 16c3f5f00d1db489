"""Who finishes ahead of whom: every two players of every game, by city and by strategy."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.pages import plots
from khora_sim.pages.page_model import Column, counts, estimated, ordered, words
from khora_sim.pages.study_data import StudyData
from khora_sim.pages.wording import SHOWN_UNKNOWN, Row, few, p_text, rows_of, with_shrunken
from khora_sim.simulation import dataset
from khora_sim.stats import holm
from khora_sim.stats.ratios import shares
from khora_sim.stats.sums import CLUSTER, MOST_CLUSTERS, STRATUM, from_cells

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
        if units == MOST_CLUSTERS:  # where units are put together, those of several strata are
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
                CLUSTER: unit.astype(np.uint16),
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
def tallies(data: StudyData) -> dict[tuple[str, bool], Tally]:
    """Tallies of all games by column (city, strategy) and by whether only two sat at the table."""
    kinds = {"city": data.cities, "strategy": data.strategies}
    made: dict[tuple[str, bool], Tally] = {}
    for part in data.manifest.parts:
        path = dataset.part_path(data.study.folder, "players", part.part)
        rows = data.study.with_clusters(pl.scan_parquet(path)).select(*COLUMNS).collect()
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
    units = MOST_CLUSTERS if len(kinds) <= MOST_KINDS else FEW_UNITS
    shape = (units, len(kinds), len(kinds))
    return Tally(kinds, np.zeros(shape), np.zeros(shape, np.int64), np.zeros(units, np.int64))


# Who finishes ahead of whom, all against all, for cities and for strategies: numbers, drawing, columns.


Meetings = dict[bool, pl.DataFrame]  # by whether only two sat at the table
SIZES = (True, False)


def meetings(data: StudyData, column: str) -> Meetings:
    """Who finished ahead of whom, by city or by strategy, at tables of two and at larger ones."""
    there = [two for two in SIZES if (column, two) in tallies(data)]
    return {two: against(data, column, two) for two in there}


def against(data: StudyData, column: str, two: bool) -> pl.DataFrame:
    """Share of meetings in which one finished ahead of the other, Holm corrected over the pairs."""
    table = tallies(data)[column, two].table(data.rows_per_group)
    # A pair stands in the table both ways round and is one comparison.
    once = table.filter(pl.col("one").to_physical() < pl.col("other").to_physical())
    corrected = once.select("one", "other", pl.Series("p_holm", holm(once["p_value"].to_numpy())))
    both = pl.concat([corrected, corrected.select(one="other", other="one", p_holm="p_holm")])
    # Both ways round are there, so the differences are shrunken towards one half.
    return with_shrunken(table.join(both, on=["one", "other"], how="left").sort("one", "other"), 0.5)


def at_tables(data: StudyData, two: bool) -> str:
    """Where a comparison was made."""
    size = data.only_players
    return "at tables of 2" if two else f"at tables of {size}" if size else "at larger tables"


def draw_meetings(
    canvas: Canvas, data: StudyData, found: Meetings, order: Sequence[str], name: Callable[[str], str]
) -> None:
    """A heat map for each kind of table: how often the row finishes ahead of the column."""
    names, size = [name(one) for one in order], 8 if len(order) <= 9 else 6
    panels = canvas.subplots(len(found), 1, squeeze=False)[:, 0]
    for axes, (two, table) in zip(panels, found.items(), strict=True):
        values, texts = _cells(table, order)
        plots.heat(axes, values, texts, names, names, 0.5, least=0.2, size=size)
        if len(found) > 1:
            axes.set_title(at_tables(data, two), pad=8)


def counted_meetings(found: Meetings, who: str) -> str:
    """What such a drawing rests on."""
    met = sum(int(table["n"].sum()) // 2 for table in found.values())
    return f"n {met:,} meetings of two {who}; in brackets: few games"


def meeting_columns(title: str, table: pl.DataFrame, name: Callable[[str], str]) -> list[Column]:
    """The columns of a table of all against all."""
    rows = rows_of(table)
    return [
        words(title, [name(row["one"]) for row in rows]),
        words("Against", [name(row["other"]) for row in rows]),
        counts("Meetings", [row["n"] for row in rows]),
        estimated("Finishes ahead", table, percent=True),
        ordered("p (Holm)", [p_text(row["p_holm"]) for row in rows], [row["p_holm"] for row in rows]),
    ]


def _cells(table: pl.DataFrame, order: Sequence[str]) -> tuple[np.ndarray, list[list[str]]]:
    """Values and texts of a table of all against all."""
    cells = {(row["one"], row["other"]): row for row in rows_of(table)}
    values, texts = np.full((len(order), len(order)), np.nan), []
    for r, one in enumerate(order):
        line = []
        for c, other in enumerate(order):
            row = cells.get((one, other))
            values[r, c] = row["value"] if row else np.nan
            line.append("" if one == other else SHOWN_UNKNOWN if row is None else _cell(row))
        texts.append(line)
    return values, texts


def _cell(row: Row) -> str:
    text = f"{100 * row['value']:.0f}"
    return f"({text})" if few(row["n"], row["units"]) else text
