"""Studies as CSV, for programs that do not read Parquet."""

import os
from pathlib import Path

import polars as pl

from khora_sim.errors import UserError
from khora_sim.lab.study import OpenStudy


def export_csv(study: OpenStudy, folder: Path, tables: list[str] | None = None) -> list[Path]:
    """Write tables as CSV, a file each; only finished files have their name."""
    written = []
    frames = {table: study.table(table) for table in tables or study.tables}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for table, frame in frames.items():
            aside = folder / f".{table}.csv.aside"
            aside.unlink(missing_ok=True)  # a folder from elsewhere may hold a link of that name
            _as_text(frame).sink_csv(aside)
            os.replace(aside, folder / f"{table}.csv")
            written.append(folder / f"{table}.csv")
    except OSError as problem:
        raise UserError(f"{folder}: cannot be written: {problem.strerror or problem}") from None
    return written


def _as_text(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Names as plain text, so that they are written without a detour."""
    return frame.with_columns(pl.selectors.enum().cast(pl.String))
