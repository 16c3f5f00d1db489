"""`khora doctor`: versions, cores, the compiled code, and whether everything works."""

import os
import platform
import shutil
from pathlib import Path
from typing import Annotated, Any

import typer

from khora_sim.cli.output import AsJson, print_json

NEEDED = ("numpy", "numba", "polars", "pydantic", "typer", "joblib", "scipy", "matplotlib", "jinja2", "dask")
GAMES = 100  # of random play, whose points are added up twice
CODE = "Compiled code"


def doctor(
    clean: Annotated[
        bool, typer.Option("--clean", help="Remove machine code of other versions from the cache.")
    ] = False,
    export_cache: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Compile everything and write it to a file, for machines with the same versions.",
            rich_help_panel=CODE,
        ),
    ] = None,
    import_cache: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Use the machine code in a file instead of compiling; only from someone you trust.",
            rich_help_panel=CODE,
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Say which versions are here, where compiled code is kept, and whether everything works."""
    from khora_sim.simulation import machine_code

    for folder in machine_code.other_versions() if clean else ():
        shutil.rmtree(folder, ignore_errors=True)
    if import_cache is not None:
        trust = "is code that khora will run: it should come from someone you trust."
        typer.echo(f"{import_cache} {trust}", err=True)
        parts = machine_code.import_cache(import_cache)
        typer.echo(f"{parts} parts imported from {import_cache}", err=True)
    if export_cache is not None:
        parts, megabytes = machine_code.export_cache(export_cache), export_cache.stat().st_size / 1e6
        typer.echo(f"{parts} parts exported to {export_cache}, {megabytes:.1f} MB", err=True)
    facts = _examine()
    if json:
        print_json(facts)
    else:
        for name, value in facts.items():
            if isinstance(value, dict):
                value = ", ".join(f"{one} {held}" for one, held in value.items())
            elif isinstance(value, list):
                value = "; ".join(value) or "none"
            print(f"{name.replace('_', ' '):<16} {value}")
    if facts["troubles"]:
        raise typer.Exit(1)


def _examine() -> dict[str, Any]:
    """All facts, the troubles last."""
    from khora_sim import __version__
    from khora_sim.engine import machine
    from khora_sim.engine.cache import cache_folder, found_in, made_by
    from khora_sim.engine.compiling import ENGINE_SOURCES, UNCOMPILED, source_of
    from khora_sim.simulation.machine_code import other_versions

    folder = cache_folder(ENGINE_SOURCES)
    found = found_in(folder, source_of(machine.run))
    troubles = _troubles(folder)
    compiled = "just now" if found is None else "yes" if found == folder else "came with the package"
    return {
        "khora": __version__,
        "python": f"{platform.python_version()} on {platform.system()} {platform.machine()}",
        "packages": {name: _version_of(name) for name in NEEDED},
        "cores": os.cpu_count(),
        "load": f"{os.getloadavg()[0]:.1f}",
        "cache": str(folder),
        "compiled": "not used (NUMBA_DISABLE_JIT)" if UNCOMPILED else compiled,
        "compiled_by": made_by(),
        "other_versions": f"{len(other_versions())} in the cache",
        "troubles": troubles,
    }


def _version_of(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _troubles(cache: Path) -> list[str]:
    """Everything that does not work: a cache that cannot be written, an engine whose sums are wrong."""
    from khora_sim.common.files import write_atomically

    found = []
    try:
        cache.mkdir(parents=True, exist_ok=True)
        probe = cache / "writable"
        write_atomically(probe, b"yes")
        probe.unlink()
    except OSError as error:
        found.append(f"the cache cannot be written ({error.strerror}): set KHORA_CACHE to a folder that can")
    try:
        found.extend(_self_test())
    except Exception as error:  # whatever it is, it is the news
        found.append(f"the engine does not run: {type(error).__name__}: {error}")
    return found


def _self_test() -> list[str]:
    """Compile a small function in the way the engine is; play a few games and add up their points."""
    import numpy as np

    from khora_sim.engine import codegen
    from khora_sim.engine.compiling import UNCOMPILED
    from khora_sim.engine.match import GameBatch
    from khora_sim.rules import load_rules

    if not UNCOMPILED and not codegen.self_test():
        return ["compiled code gives wrong answers: set KHORA_CODEGEN=plain"]
    batch = GameBatch(load_rules(None), np.arange(GAMES, dtype=np.uint64))
    generator = np.random.default_rng(0)
    while not batch.over.all():
        chosen = (generator.random(GAMES) * batch.counts).astype(np.int64)
        batch.choose(batch.options[np.arange(GAMES), chosen])
    wrong = int((batch.ledgers.points[:-1].sum(axis=2) != batch.games.vp).sum())
    return [f"{wrong} of {GAMES * 4} scores are not the sum of their parts"] if wrong else []
