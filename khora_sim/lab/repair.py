"""Checking the parts of a study against their checksums, and playing again what is damaged."""

from pathlib import Path
from typing import NamedTuple

from khora_sim.errors import UserError
from khora_sim.lab import dataset
from khora_sim.lab.crew import Crew
from khora_sim.lab.dataset import Damage, damages
from khora_sim.lab.manifest import plan_of, read_manifest
from khora_sim.lab.run import Outcome, Watch, run_study


class Report(NamedTuple):
    """What a check found."""

    parts: int  # listed as finished
    planned: int
    damages: list[Damage]
    strangers: list[Path]  # Parquet files that the manifest does not list


def check(folder: str | Path) -> Report:
    """Compare every finished part with its checksum."""
    folder = Path(folder)
    manifest = read_manifest(folder)
    listed = {
        dataset.part_path(folder, table, entry["part"])
        for entry in manifest["parts"]
        for table in entry["tables"]
    }
    strangers = sorted(path for path in folder.glob("*/*.parquet") if path not in listed)
    return Report(len(manifest["parts"]), manifest["chunks"], damages(folder, manifest["parts"]), strangers)


def go_on(folder: str | Path, crew: Crew | None = None, watch: Watch | None = None) -> Outcome:
    """Play whatever a folder lacks of its study: damaged, missing and unplayed parts."""
    manifest = read_manifest(Path(folder))
    plan = plan_of(manifest)
    for there, here in zip(manifest["strategies"], plan.strategies, strict=True):
        if there["digest"] != here.digest:
            raise UserError(f"{folder}: strategy {here.name} has changed since the study was begun")
    return run_study(plan, folder, crew, resume=True, watch=watch)
