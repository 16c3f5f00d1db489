"""Looking into a study from Python: `khora_sim.open_study(DIR)`."""

from pathlib import Path
from typing import NamedTuple

import polars as pl

from khora_sim.common.commands import repairing, resuming
from khora_sim.common.files import atomic_file, explain_write_errors
from khora_sim.errors import UserError, nearest
from khora_sim.rules.terms import Action, word
from khora_sim.simulation.dataset import Damage, damages, part_path
from khora_sim.simulation.manifest import FinishedPart, Manifest, read_manifest, with_strategies
from khora_sim.simulation.study_file import Study
from khora_sim.simulation.summing import with_clusters
from khora_sim.stats import share_table

#: What the bits of a column of sets stand for.
SETS = {
    "dealt": "cards",
    "drafted": "cards",
    "explored": "spaces",
    "leading": "rounds",
    "tiles_used": "actions",
    "tiles_set_aside": "actions",
}


class OpenStudy:
    """A study, or the parts of it that are finished: lazy polars frames, and the manifest.

    `games`, `players` and `rounds` carry two columns more than the files, which intervals are made by:
    `stratum` and `unit` of each rotation group.
    """

    def __init__(self, folder: str | Path):
        self.folder = Path(folder)
        self.manifest: Manifest = read_manifest(self.folder)

    def __repr__(self) -> str:
        of = "" if self.complete else f" of {self.manifest.games:,}"
        return f"<study {str(self.folder)!r}: {self.game_count:,}{of} games>"

    @property
    def games(self) -> pl.LazyFrame:
        """One row per game."""
        return self.with_clusters(self.table("games"))

    @property
    def players(self) -> pl.LazyFrame:
        """One row per player of a game."""
        return self.with_clusters(self.table("players"))

    @property
    def rounds(self) -> pl.LazyFrame:
        """One row per player and round; only in studies played with `--rounds`."""
        return self.with_clusters(self.table("rounds"))

    @property
    def plan(self) -> Study:
        """The study as it was given, with everything it left open."""
        return self.manifest.plan

    @property
    def tables(self) -> list[str]:
        """The tables that were written."""
        return list(self.manifest.tables)

    @property
    def game_count(self) -> int:
        """Games in the finished parts."""
        return self.manifest.finished_games

    @property
    def rows_per_group(self) -> int:
        """The most rows that one rotation group has in the players' table."""
        return max(size * players for players, size in self.manifest.group_size.items())

    @property
    def complete(self) -> bool:
        """True if all games of the plan are there."""
        return self.game_count == self.manifest.games

    @property
    def to_resume(self) -> str:
        """The command that plays the rest."""
        return with_strategies(resuming(self.folder), self.plan)

    @property
    def to_repair(self) -> str:
        """The command that plays missing and damaged parts again."""
        return with_strategies(repairing(self.folder), self.plan)

    def table(self, name: str) -> pl.LazyFrame:
        """A table by its name, over all finished parts, with the columns of its files."""
        if name not in self.tables:
            more = "; play the study with --rounds" if name == "rounds" else f"; {nearest(name, self.tables)}"
            raise UserError(f"{self.folder}: has no table {name}{more}")
        if not self.manifest.parts:
            raise UserError(f"{self.folder}: no part is finished; go on with: {self.to_resume}")
        return pl.scan_parquet([self._part(name, part) for part in self.manifest.parts])

    def with_clusters(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        """Rows of a table of this study, with `stratum` and `unit` beside them."""
        return with_clusters(frame, self.plan, len(self.manifest.enums.cities))

    def _part(self, table: str, part: FinishedPart) -> Path:
        """The path of a part, or an error if a glance shows that it is damaged."""
        path = part_path(self.folder, table, part.part)
        found = path.stat().st_size if path.is_file() else None
        if found != part.tables[table].bytes:
            state = "missing" if found is None else "damaged"
            raise UserError(f"{path}: is {state}; {self.to_repair} plays it again")
        return path

    def win_shares(self, by: str = "city") -> pl.DataFrame:
        """Win shares with their 95 % intervals by table size and city, strategy, seat or any column."""
        players = self.players
        known = players.collect_schema().names()
        if by not in known:
            raise UserError(f'{self.folder}: no column of players is called "{by}"; {nearest(by, known)}')
        return share_table(players, list(dict.fromkeys(("players", by))), rows_per_group=self.rows_per_group)

    def holds(self, column: str, member: str | int) -> pl.Expr:
        """Tell if a column of sets holds a card, a space, an action or the number of a round."""
        if column not in SETS:
            raise UserError(f"{column} is not a column of sets; {nearest(column, SETS)}")
        members = self._members(SETS[column])
        if str(member) not in members:
            raise UserError(f'no "{member}" among the {SETS[column]}; {nearest(str(member), members)}')
        return (pl.col(column) & (1 << members.index(str(member)))) != 0

    def _members(self, kind: str) -> list[str]:
        if kind == "actions":
            return [word(action) for action in Action]
        if kind == "rounds":
            events = [name for name in self.table("games").collect_schema() if name.startswith("event_")]
            return [name.removeprefix("event_") for name in events]
        members: list[str] = getattr(self.manifest.enums, kind)
        return members


def open_study(folder: str | Path) -> OpenStudy:
    """A study in a folder, for notebooks: `open_study(DIR).players` is a lazy polars frame."""
    return OpenStudy(folder)


def export_csv(study: OpenStudy, folder: Path, tables: list[str] | None = None) -> list[Path]:
    """Write tables as CSV, a file each; only finished files have their name."""
    frames = {folder / f"{table}.csv": study.table(table) for table in tables or study.tables}
    with explain_write_errors(folder, "choose another --out"):
        folder.mkdir(parents=True, exist_ok=True)
        for path, frame in frames.items():
            with atomic_file(path) as aside:
                frame.with_columns(pl.selectors.enum().cast(pl.String)).sink_csv(aside)  # names as plain text
    return list(frames)


class Report(NamedTuple):
    """The parts of a study as a check found them; `--resume` plays damaged ones again."""

    parts: int  # listed as finished
    planned: int
    damages: list[Damage]
    strangers: list[Path]  # Parquet files that the manifest does not list

    @property
    def sound(self) -> bool:
        """True if everything that is listed is there as it was written."""
        return not self.damages


def check(folder: str | Path) -> Report:
    """Compare every finished part with its checksum."""
    folder = Path(folder)
    manifest = read_manifest(folder)
    listed = {part_path(folder, table, entry.part) for entry in manifest.parts for table in entry.tables}
    strangers = sorted(path for path in folder.glob("*/part-*.parquet") if path not in listed)
    return Report(len(manifest.parts), manifest.chunks, damages(folder, manifest.parts), strangers)
