"""Studies as CSV, for programs that do not read Parquet."""

from pathlib import Path

import polars as pl

from khora_sim.common.writing import atomic_file, explain_write_errors
from khora_sim.simulation.study import OpenStudy


def export_csv(study: OpenStudy, folder: Path, tables: list[str] | None = None) -> list[Path]:
    """Write tables as CSV, a file each; only finished files have their name."""
    written = []
    frames = {table: study.table(table) for table in tables or study.tables}
    with explain_write_errors(folder, "choose another --out"):
        folder.mkdir(parents=True, exist_ok=True)
        for table, frame in frames.items():
            with atomic_file(folder / f"{table}.csv") as aside:
                _as_text(frame).sink_csv(aside)
            written.append(folder / f"{table}.csv")
    return written


def _as_text(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Names as plain text, so that they are written without a detour."""
    return frame.with_columns(pl.selectors.enum().cast(pl.String))
