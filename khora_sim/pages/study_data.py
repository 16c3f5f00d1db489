"""A study as the report reads it: lazy frames, names for people, and what there is to know."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl

from khora_sim.common.files import parse_toml
from khora_sim.errors import UserError
from khora_sim.pages.plots import city_colours, city_markers
from khora_sim.pages.table import Column, amount, share, text
from khora_sim.pages.wording import percent, shortened
from khora_sim.simulation import dataset
from khora_sim.simulation.manifest import FinishedPart, Manifest
from khora_sim.simulation.study import OpenStudy, open_study
from khora_sim.stats import Estimate, format_estimate
from khora_sim.stats.sums import Sums, collect, sums_of

#: Sections that read many columns, or one row per round, take whole parts up to this many games: their
#: intervals are far finer than a pixel by then. What ranks cities and strategies reads every game.
WIDE_GAMES = 1_000_000
ROUND_GAMES = 200_000

CORE = {
    "games": {"game", "rotation_group", "players", "winners", "winning_score", "margin", "lead_changes"},
    "players": {"game", "rotation_group", "players", "seat", "is_first", "city", "strategy"}
    | {"score", "place", "win_share"},
}

_WINS = {"success": pl.col("success"), "win_share": pl.col("win_share")}


def quantiles(frame: pl.LazyFrame, by: str, value: str, levels: Sequence[float]) -> pl.DataFrame:
    """Quantiles (q5, q50, ...), mean and n of a whole number, from how often each value occurs."""
    counted = collect(frame.group_by(by, value).agg(pl.len().cast(pl.Int64).alias("n"))).sort(by, value)
    below = (pl.col("n").cum_sum() / pl.col("n").sum()).over(by).alias("below")
    x = pl.col(value).cast(pl.Float64)
    found = [x.filter(pl.col("below") >= level).first().alias(f"q{round(100 * level)}") for level in levels]
    mean = (x * pl.col("n")).sum() / pl.col("n").sum()
    return (
        counted.with_columns(below).group_by(by).agg(*found, mean.alias("mean"), pl.col("n").sum()).sort(by)
    )


def labelled(frame: pl.DataFrame, **labels: str) -> pl.DataFrame:
    """A frame with the same labels in all its rows, such as what was measured."""
    return frame.select(*(pl.lit(label).alias(name) for name, label in labels.items()), pl.all())


@dataclass(frozen=True)
class StudyData:
    """A study that has games, with what several sections want to know of it."""

    study: OpenStudy
    folder: str  # as it was typed, for the commands on the page

    @cached_property
    def manifest(self) -> Manifest:
        """The study's description of itself."""
        return self.study.manifest

    @cached_property
    def games(self) -> pl.LazyFrame:
        """One row per game."""
        return self.study.games

    @cached_property
    def players(self) -> pl.LazyFrame:
        """One row per player and game, with `success` beside the win share."""
        return self._with_success(self.study.players)

    @cached_property
    def wide(self) -> pl.LazyFrame:
        """The same for sections that read many columns, and for the fit of ratings."""
        return self._with_success(self._some_parts("players", WIDE_GAMES))

    @cached_property
    def wide_parts(self) -> list[FinishedPart]:
        """The parts that `wide` reads."""
        return self._spread_parts(WIDE_GAMES)

    @cached_property
    def wide_games(self) -> int:
        """The games that `wide` reads."""
        return sum(part.games for part in self.wide_parts)

    @cached_property
    def round_games(self) -> int:
        """The games that `rounds` reads."""
        return sum(part.games for part in self._spread_parts(ROUND_GAMES))

    @cached_property
    def rounds(self) -> pl.LazyFrame | None:
        """One row per player and round, where the study has it."""
        return self._some_parts("rounds", ROUND_GAMES) if "rounds" in self.study.tables else None

    @cached_property
    def columns(self) -> list[str]:
        """The columns of the players' table."""
        return self.study.players.collect_schema().names()

    @cached_property
    def game_columns(self) -> list[str]:
        """The columns of the games' table."""
        return self.study.games.collect_schema().names()

    @cached_property
    def tables_of(self) -> dict[int, int]:
        """Games by number of players."""
        counts = self.standing.totals(["players"]).select("players", "c")
        return {int(n): int(rows) // int(n) for n, rows in counts.iter_rows()}

    @cached_property
    def game_count(self) -> int:
        """Games in the finished parts."""
        return self.study.game_count

    @cached_property
    def group_count(self) -> int:
        """Rotation groups in the finished parts."""
        return int(self.games.select(pl.col("rotation_group").n_unique()).collect(engine="streaming").item())

    @cached_property
    def only_players(self) -> int | None:
        """The number of players, where it is the same in all games."""
        counts = self.manifest.plan.players
        return counts[0] if len(counts) == 1 else None

    @cached_property
    def scale(self) -> int:
        """The factor of `success` as it is read: 1, or the most players where tables differ in size."""
        return 1 if self.only_players else max(self.manifest.plan.players)

    @property
    def fair(self) -> float:
        """The success that chance alone gives, as it is read: 1/N, or 1 times the fair share."""
        return 1 / self.only_players if self.only_players else 1.0

    @cached_property
    def standing(self) -> Sums:
        """Wins, scores and places by table, city, strategy and cluster, for all headline tables."""
        most = max(self.manifest.plan.players)
        score = pl.col("score").cast(pl.Int64)
        summed = {
            **_WINS,
            "score": score,
            "square": score * score,
            **{f"place_{place}": (pl.col("place") == place).cast(pl.UInt32) for place in range(1, most + 1)},
        }
        return sums_of(self.players, ["players", "city", "strategy"], summed)

    @cached_property
    def seating(self) -> Sums:
        """Wins by table, city, seat and cluster."""
        return sums_of(self.players, ["players", "city", "seat"], _WINS)

    @cached_property
    def first_players(self) -> Sums:
        """Wins by table, being first player or not, and cluster."""
        return sums_of(self.players, ["players", "is_first"], _WINS)

    @cached_property
    def rows_per_group(self) -> int:
        """The most rows that one rotation group has in the players' table."""
        return self.study.rows_per_group

    @cached_property
    def cities(self) -> list[str]:
        """Ids of the cities that were played, in the order of the rules."""
        return self.standing.cells["city"].unique().sort().cast(pl.String).to_list()

    @cached_property
    def strategies(self) -> list[str]:
        """Names of the strategies that played, in the order of the plan."""
        return self.standing.cells["strategy"].unique().sort().cast(pl.String).to_list()

    @cached_property
    def names(self) -> dict[str, dict[str, str]]:
        """Names for people by section of the rules and id; an id stands for itself where no name is known."""
        try:
            rules = parse_toml(self.manifest.rules.toml, "rules")
        except UserError:
            rules = {}
        return {
            section: {one: rules.get(section, {}).get(one, {}).get("name") or one for one in ids}
            for section, ids in self.manifest.enums
        }

    def city(self, one: str) -> str:
        """The name of a city."""
        return self.names["cities"].get(one, one)

    @cached_property
    def colours(self) -> dict[str, str]:
        """The colour of each city of the rules."""
        return city_colours(self.manifest.enums.cities)

    @cached_property
    def markers(self) -> dict[str, str]:
        """The marker of each city of the rules."""
        return city_markers(self.manifest.enums.cities)

    @cached_property
    def round_count(self) -> int:
        """Rounds of a game."""
        return sum(name.startswith("event_") for name in self.game_columns)

    def lacks(self, *columns: str) -> list[str]:
        """Those of these columns that the players' table does not have."""
        return [column for column in columns if column not in self.columns]

    def _with_success(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        share = pl.col("win_share")
        return frame.with_columns(
            success=share if self.scale == 1 else share * pl.col("players") / self.scale
        )

    def _some_parts(self, table: str, most: int) -> pl.LazyFrame:
        """A table, or evenly spread parts of it where it has more games than wanted."""
        parts = [_path(self.study, table, part) for part in self._spread_parts(most)]
        return self.study.with_clusters(pl.scan_parquet(parts))

    def _spread_parts(self, most: int) -> list[FinishedPart]:
        return self.manifest.parts[:: max(-(-self.game_count // most), 1)]


def load(folder: str | Path) -> StudyData:
    """Open a study for a report; says in one line why it cannot be read."""
    study = open_study(folder)
    if not study.game_count:
        raise UserError(f"{folder}: no game is finished yet; go on with: {study.to_resume}")
    for part in study.manifest.parts:
        for table, expected in part.tables.items():
            path = _path(study, table, part)
            if not path.is_file() or path.stat().st_size != expected.bytes:
                what = "is damaged" if path.is_file() else "is missing"
                raise UserError(f"{path}: {what}; {study.to_repair} plays it again")
    for table, needed in CORE.items():
        lacking = sorted(needed - set(_schema(study, table)))
        if lacking:
            raise UserError(
                f"{folder}: its table {table} has no {', '.join(lacking)}: it was made by another khora "
                f"({study.manifest.versions.khora}); play the study again"
            )
    return StudyData(study, str(folder))


def _schema(study: OpenStudy, table: str) -> list[str]:
    path = _path(study, table, study.manifest.parts[0])
    try:
        return list(pl.read_parquet_schema(path))
    except pl.exceptions.PolarsError:
        raise UserError(f"{path}: is not a Parquet file; {study.to_repair} plays it again") from None


def _path(study: OpenStudy, table: str, part: FinishedPart) -> Path:
    return dataset.part_path(study.folder, table, part.part)


def who_played(data: StudyData) -> str:
    """The strategies in a few words: every statement about cities holds for these players."""
    names = data.strategies
    if len(names) == 1:
        return f"{names[0]} in every seat"
    how = {"seats": "at one table", "combinations": "in every combination"}
    tie = how.get(data.manifest.plan.lineup, "drawn for each table")
    if data.manifest.plan.by_city:
        tie = "tied to cities"
    return f"{shortened(names, 'more strategies')} {tie}"


def success(data: StudyData, estimate: Estimate, *, signed: bool = False) -> str:
    """A win share, `27.4 % ± 0.6`; where tables differ in size, wins against the fair share."""
    return format_estimate(estimate, percent=data.scale == 1, signed=signed, with_n=False)


def success_title(data: StudyData) -> str:
    """The name of success in tables and on axes."""
    return "Win share" if data.scale == 1 else "Wins against fair share"


def success_column(data: StudyData, title: str = "", of: str = "value", *, signed: bool = False) -> Column:
    """The same as a column of a table."""
    return (share if data.scale == 1 else amount)(title or success_title(data), of, signed=signed)


def level_column(data: StudyData, by: str) -> Column:
    """The names of cities or of strategies."""
    return text(by.capitalize(), by, data.names["cities"] if by == "city" else None)


def fair_share(data: StudyData) -> str:
    """The success that chance alone gives, in words."""
    if data.only_players:
        return f"a fair share at a table of {data.only_players} is {percent(data.fair)}"
    return "1 is the fair share at a table of any size"
