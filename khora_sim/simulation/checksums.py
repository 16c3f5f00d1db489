"""Checking the parts of a study against their checksums; `--resume` plays again what is found."""

from pathlib import Path
from typing import NamedTuple

from khora_sim.simulation.dataset import Damage, damages, part_path
from khora_sim.simulation.manifest_file import read_manifest


class Report(NamedTuple):
    """What a check found."""

    parts: int  # listed as finished
    planned: int
    damages: list[Damage]
    strangers: list[Path]  # Parquet files that the manifest does not list

    @property
    def sound(self) -> bool:
        """Whether everything that is listed is there as it was written."""
        return not self.damages


def check(folder: str | Path) -> Report:
    """Compare every finished part with its checksum."""
    folder = Path(folder)
    manifest = read_manifest(folder)
    listed = {part_path(folder, table, entry.part) for entry in manifest.parts for table in entry.tables}
    strangers = sorted(path for path in folder.glob("*/part-*.parquet") if path not in listed)
    return Report(len(manifest.parts), manifest.chunks, damages(folder, manifest.parts), strangers)
