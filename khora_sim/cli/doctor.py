"""`khora doctor`: versions, cores, the cache, and whether all is well."""

import os
import platform
import shutil
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

import typer

from khora_sim.cli.output import print_json

PACKAGES = (
    "numpy",
    "numba",
    "polars",
    "pydantic",
    "typer",
    "joblib",
    "scipy",
    "matplotlib",
    "jinja2",
    "dask",
)
GAMES = 100  # of random play, whose points are added up twice


def doctor(
    clean: Annotated[
        bool, typer.Option("--clean", help="Remove machine code of other versions from the cache.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON, for a script.")] = False,
) -> None:
    """Say which versions are here, where compiled code is kept, and whether all is well."""
    if clean:
        _remove_other_versions()
    facts = _examine()
    if json:
        print_json(facts)
    else:
        for name, value in facts.items():
            print(f"{name.replace('_', ' '):<16} {_in_words(value)}")
    if facts["troubles"]:
        raise typer.Exit(1)


def _examine() -> dict[str, Any]:
    """All facts, the troubles last."""
    from khora_sim import __version__
    from khora_sim.engine.compiling import CACHE, COMPILED, UNCOMPILED

    marker = CACHE / COMPILED
    before = marker.read_text().strip() if marker.exists() else None
    troubles = _troubles(CACHE)
    return {
        "khora": __version__,
        "python": f"{platform.python_version()} on {platform.system()} {platform.machine()}",
        "packages": {name: _version_of(name) for name in PACKAGES},
        "cores": os.cpu_count(),
        "load": f"{os.getloadavg()[0]:.1f}",
        "cache": str(CACHE),
        "compiled": "not used (NUMBA_DISABLE_JIT)" if UNCOMPILED else _compiled_in_words(before),
        "other_versions": f"{len(_other_versions())} in the cache",
        "troubles": troubles,
    }


def _compiled_in_words(seconds: str | None) -> str:
    return f"yes, it took {seconds} s" if seconds else "just now"


def _version_of(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _troubles(cache: Path) -> list[str]:
    """What is not well: a cache that cannot be written, an engine whose sums are wrong."""
    found = []
    try:
        cache.mkdir(parents=True, exist_ok=True)
        probe = cache / "writable"
        probe.write_text("yes")
        probe.unlink()
    except OSError as error:
        found.append(f"the cache cannot be written ({error.strerror}): set KHORA_CACHE to a folder that can")
    try:
        found.extend(_self_test())
    except Exception as error:  # whatever it is, it is the news
        found.append(f"the engine does not run: {type(error).__name__}: {error}")
    return found


def _self_test() -> list[str]:
    """Play a few games and add up their points."""
    import numpy as np

    from khora_sim.engine.batch import GameBatch
    from khora_sim.rules import load_rules

    batch = GameBatch(load_rules(None), np.arange(GAMES, dtype=np.uint64))
    luck = np.random.default_rng(0)
    while not batch.over.all():
        chosen = (luck.random(GAMES) * batch.counts).astype(np.int64)
        batch.choose(batch.options[np.arange(GAMES), chosen])
    wrong = int((batch.ledgers.points[:-1].sum(axis=2) != batch.games.vp).sum())
    return [f"{wrong} of {GAMES * 4} scores are not the sum of their parts"] if wrong else []


def _other_versions() -> list[Path]:
    """Cache folders of other versions of the sources."""
    from khora_sim.engine.compiling import CACHE, cache_folder
    from khora_sim.lab import seeds
    from khora_sim.strategy import asking
    from khora_sim.strategy.compiling import SOURCES

    if not CACHE.parent.exists():
        return []
    current = (CACHE, *(cache_folder(one) for one in (SOURCES, asking.SOURCES, seeds.SOURCES)))
    return [folder for folder in CACHE.parent.iterdir() if folder.is_dir() and folder not in current]


def _remove_other_versions() -> None:
    for folder in _other_versions():
        shutil.rmtree(folder, ignore_errors=True)


def _in_words(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {held}" for name, held in value.items())
    if isinstance(value, list):
        return "; ".join(value) if value else "none, all is well"
    return str(value)
