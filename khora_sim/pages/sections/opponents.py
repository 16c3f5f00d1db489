"""City against city, strategy against strategy: every two players of every game."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import nan

import numpy as np
import polars as pl
from matplotlib.figure import Figure as Canvas

from khora_sim.pages import plots
from khora_sim.pages.page_model import Figure, Section
from khora_sim.pages.study_data import StudyData
from khora_sim.pages.table import Column, Table, count, p_value, share, text
from khora_sim.pages.verdict import ranked_cities
from khora_sim.pages.wording import (
    ALPHA,
    IN_BRACKETS,
    Row,
    bare_percent,
    bracketed,
    in_percent,
    is_significant,
    overstates,
    percent,
    rests_on,
    rows_of,
    with_shrunken,
)
from khora_sim.simulation import dataset
from khora_sim.stats import holm
from khora_sim.stats.ratios import shares
from khora_sim.stats.sums import CLUSTER, MOST_CLUSTERS, STRATUM, from_cells

KINDS = ("city-by-opponent",)
COLUMNS = ("players", "place", "city", "strategy", "unit", "stratum")
#: Clusters are put together where there are so many kinds of players that their table would grow large.
MOST_KINDS, FEW_CLUSTERS = 24, 128
Meetings = dict[bool, pl.DataFrame]  # by the size of the table: two players, or more


def section(data: StudyData) -> Section:
    """City against city, at tables of two and at larger ones."""
    found = meetings(data, "city")
    figure = meetings_figure(
        data,
        found,
        "city-by-opponent",
        "Blue: the row's city comes out ahead more often than not; orange: less often. Read a row from left "
        "to right to see whom a city fears.",
        ranked_cities(data),
        head=0.75,
        counted="cities",
    )
    favourite = text("Favourite", lambda row: _favourite(data, row))
    tables = [meetings_table(data, table, two, "city", favourite) for two, table in found.items()]
    return Section("opponents", "City against city", _lead(data, found), [figure], tables)


def _lead(data: StudyData, found: Meetings) -> str:
    sentences = []
    for two, table in found.items():
        where = at_tables(data, two).capitalize()
        sure = table.filter((pl.col("p_holm") < ALPHA) & (pl.col("value") > 0.5))
        if sure.is_empty():
            sentences.append(f"{where} no city can be said to beat another.")
            continue
        row = rows_of(sure.sort("value"))[-1]
        sentences.append(
            f"{where}, {len(sure)} of {len(table) // 2} pairs have a clear favourite; the most one-sided is "
            f"{data.city(row['one'])} ahead of {data.city(row['other'])} in {percent(row['shrunken'], 1)} of "
            f"their games (measured {in_percent(row)}; {overstates(len(table) // 2)})."
        )
    return " ".join(sentences)


def _favourite(data: StudyData, row: Row) -> str:
    if not is_significant(row["p_holm"]):
        return "open"
    return data.city(row["one"] if row["value"] > 0.5 else row["other"])


@dataclass
class Tally:
    """Wins of one kind of player over another (half for a shared place), and their meetings."""

    kinds: list[str]
    ahead: np.ndarray  # (clusters, kinds, kinds)
    met: np.ndarray
    strata: np.ndarray  # (clusters,)

    def add(self, cluster: np.ndarray, stratum: np.ndarray, kind: np.ndarray, place: np.ndarray) -> None:
        """Count games of equally many players (games by seats)."""
        clusters, size = self.ahead.shape[0], len(self.kinds)
        cells, shape = self.ahead.size, self.ahead.shape
        if clusters == MOST_CLUSTERS:  # where clusters are put together, those of several strata are
            self.strata[cluster] = stratum
        row = (cluster.astype(np.int64) % clusters) * size
        for i, j in combinations(range(place.shape[1]), 2):
            forth, back = (row + kind[:, i]) * size + kind[:, j], (row + kind[:, j]) * size + kind[:, i]
            won = (place[:, i] < place[:, j]) + 0.5 * (place[:, i] == place[:, j])
            self.ahead += (np.bincount(forth, won, cells) + np.bincount(back, 1 - won, cells)).reshape(shape)
            self.met += np.bincount(np.concatenate([forth, back]), minlength=cells).reshape(shape)

    def table(self, rows_per_group: int) -> pl.DataFrame:
        """Share of meetings in which `one` finished ahead of `other`, with intervals."""
        cluster, one, other = np.nonzero(self.met)
        names = pl.Series(self.kinds, dtype=pl.Enum(self.kinds))
        cells = pl.DataFrame(
            {
                CLUSTER: cluster.astype(np.uint16),
                STRATUM: self.strata[cluster],
                "one": names.gather(one),
                "other": names.gather(other),
                "s": self.ahead[cluster, one, other],
                "c": self.met[cluster, one, other],
            }
        )
        sums = from_cells(cells, ["one", "other"]).only(pl.col("one") != pl.col("other"))
        return shares(sums, ["one", "other"], "s", null=0.5, rows_per_group=rows_per_group)


@lru_cache(maxsize=2)
def tallies(data: StudyData) -> dict[tuple[str, bool], Tally]:
    """Tallies of all games by column (city, strategy) and by the size of the table (two players, or more)."""
    kinds = {"city": data.cities, "strategy": data.strategies}
    made: dict[tuple[str, bool], Tally] = {}
    for part in data.manifest.parts:
        path = dataset.part_path(data.study.folder, "players", part.part)
        rows = data.study.with_clusters(pl.scan_parquet(path)).select(*COLUMNS).collect()
        for (players,), own in rows.group_by("players"):
            seats = int(players)
            place = own["place"].to_numpy().reshape(-1, seats)
            cluster, stratum = (own[name].to_numpy()[::seats] for name in ("unit", "stratum"))
            for column, names in kinds.items():
                tally = made.setdefault((column, seats == 2), _blank(names))
                kind = own[column].cast(pl.String).cast(pl.Enum(names)).to_physical().to_numpy()
                tally.add(cluster, stratum, kind.reshape(-1, seats).astype(np.int64), place)
    return made


def _blank(kinds: list[str]) -> Tally:
    clusters = MOST_CLUSTERS if len(kinds) <= MOST_KINDS else FEW_CLUSTERS
    shape = (clusters, len(kinds), len(kinds))
    return Tally(kinds, np.zeros(shape), np.zeros(shape, np.int64), np.zeros(clusters, np.int64))


def meetings(data: StudyData, column: str) -> Meetings:
    """Meetings by city or by strategy, at tables of two and at larger ones."""
    return {two: against(data, column, two) for two in (True, False) if (column, two) in tallies(data)}


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
    """The tables of a comparison, in words."""
    size = data.only_players
    return "at tables of 2" if two else f"at tables of {size}" if size else "at larger tables"


def meetings_figure(
    data: StudyData,
    found: Meetings,
    kind: str,
    sentence: str,
    names: dict[str, str],
    *,
    head: float,
    counted: str,
) -> Figure:
    """A heat map for each kind of table: how often the row finishes ahead of the column."""

    def draw(canvas: Canvas) -> None:
        panels = canvas.subplots(len(found), 1, squeeze=False)[:, 0]
        for axes, (two, table) in zip(panels, found.items(), strict=True):
            cells = {(one, one): (nan, "") for one in names}
            for row in rows_of(table):
                cells[row["one"], row["other"]] = row["value"], bracketed(bare_percent(row["value"]), row)
            size = 8 if len(names) <= 9 else 6
            plots.heat_cells(axes, cells, names, names, 0.5, least=0.2, size=size)
            if len(found) > 1:
                axes.set_title(at_tables(data, two), pad=8)

    met = sum(int(table["n"].sum()) // 2 for table in found.values())
    return Figure(
        kind,
        "How often the row finishes ahead of the column, in %",
        sentence,
        draw,
        height=plots.heat_height(len(names), head) * len(found),
        counted=rests_on(met, f"meetings of two {counted}", IN_BRACKETS),
    )


def meetings_table(data: StudyData, table: pl.DataFrame, two: bool, by: str, *more: Column) -> Table:
    """All against all at tables of one kind."""
    names = data.names["cities"] if by == "city" else None
    columns = [
        text(by.capitalize(), "one", names),
        text("Against", "other", names),
        count("Meetings", "n"),
        share("Finishes ahead"),
        p_value(),
        *more,
    ]
    name, title = f"{by}-against-{by}", f"{by.capitalize()} against {by} {at_tables(data, two)}"
    return Table.of(f"{name}-2" if two else name, title, table, columns)
