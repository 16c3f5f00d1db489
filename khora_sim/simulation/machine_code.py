"""Machine code to take along: all that is compiled for this version, in one file or inside a wheel.

The file says what made it and carries a hash of every part. It is code: whoever imports it runs it.
"""

import hashlib
import io
import json
import re
import shutil
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from khora_sim import __version__
from khora_sim.common.commands import exporting_cache
from khora_sim.common.files import explain_write_errors, unreadable, write_atomically
from khora_sim.engine.cache import MADE_BY, cache_folder, cache_home, made_by
from khora_sim.engine.codegen import WAYS
from khora_sim.engine.compiling import ENGINE_SOURCES, UNCOMPILED
from khora_sim.engine.kernels import kernels
from khora_sim.errors import UserError
from khora_sim.simulation import column_buffers, seating
from khora_sim.strategy import evaluator
from khora_sim.strategy.compiled import plug_in_folder
from khora_sim.strategy.decorators import SOURCES
from khora_sim.strategy.finding import built_in
from khora_sim.strategy.loading import import_plug_in, load
from khora_sim.strategy.shared_rating import SHARED

FORMAT = 1
MANIFEST = "manifest.json"
MOST_BYTES = 200_000_000  # no honest file unpacks to as much
FOLDER = re.compile(r"[0-9a-f]{16}")  # what folders of the cache are called
PART = re.compile(rf"{FOLDER.pattern}(/[\w.-]*\w)+")  # a file in a folder of the cache


def folders(way: str = "") -> tuple[Path, ...]:
    """The folders of the cache that belong to this version, its code generated in a way: the one in use."""
    sources = (ENGINE_SOURCES, SOURCES, seating.SOURCES, column_buffers.CODE_SOURCES)
    return tuple(cache_folder(one, way) for one in sources)


def other_versions() -> list[Path]:
    """Folders of the cache that belong to other versions; whatever else lies there is not ours to remove."""
    if not cache_home().exists():
        return []
    own = {folder for way in WAYS for folder in folders(way)}
    found = [folder for folder in cache_home().iterdir() if FOLDER.fullmatch(folder.name)]
    return [folder for folder in found if folder.is_dir() and folder not in own]


def compile_all() -> None:
    """Compile what is not compiled yet: the engine, the toolkit, and all built-in strategies."""
    for name in built_in():
        load(name)
    kernels().compile_all()
    seating.compile_now()
    column_buffers.compile_now()


def _parts() -> Iterator[tuple[str, bytes]]:
    """All files of this version in the cache, by their path below it; of plug-ins the built-in ones only."""
    plug_ins = [import_plug_in(path) for path in built_in().values() if path.suffix == ".py"]
    own = {plug_in_folder(module).name for module in (evaluator, *plug_ins)}
    for folder in folders():
        for path in sorted(folder.rglob("*.nb[ic]")):
            below = path.relative_to(folder).parts
            if len(below) == 1 or below[0] in {SHARED, *own}:
                yield path.relative_to(cache_home()).as_posix(), path.read_bytes()


def export_cache(file: Path) -> int:
    """Write all machine code of this version to a file, whole or not at all; returns how many parts."""
    if UNCOMPILED:
        raise UserError("nothing is compiled with NUMBA_DISABLE_JIT=1; run again without it")
    compile_all()
    parts = dict(_parts())
    manifest = {
        "format": FORMAT,
        "khora": __version__,
        "made_by": made_by(),
        "parts": {name: hashlib.sha256(data).hexdigest() for name, data in parts.items()},
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in [(MANIFEST, json.dumps(manifest, indent=1).encode()), *parts.items()]:
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    with explain_write_errors(file, "name another file"):
        write_atomically(file, packed.getvalue())
    return len(parts)


def import_cache(file: Path) -> int:
    """Take over the machine code in a file, if it fits and is undamaged; returns how many parts it has."""
    parts = _read(file)
    with explain_write_errors(cache_home(), "set KHORA_CACHE to another folder"):
        _lay_out(parts, cache_home())
    return len(parts)


def _lay_out(parts: dict[str, bytes], folder: Path) -> None:
    """Write parts below a folder; what an index (.nbi) names is there before the index."""
    for name in sorted(parts, key=lambda name: name.endswith(".nbi")):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, parts[name])


def _read(file: Path) -> dict[str, bytes]:
    """The parts of a file, checked: what made them, their names, and every byte."""
    try:
        with zipfile.ZipFile(file) as archive:
            if sum(one.file_size for one in archive.infolist()) > MOST_BYTES:
                raise UserError(f"{file}: unpacks to more than {MOST_BYTES // 1_000_000} MB; it is not used")
            manifest = json.loads(archive.read(MANIFEST))
            names = _checked(file, manifest)
            parts = {name: archive.read(name) for name in names}
    except OSError as problem:
        wanted = f"machine code, as {exporting_cache()} writes it"
        raise unreadable(problem, str(file), wanted) from None
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError) as problem:
        raise UserError(f"{file}: is damaged or holds no machine code: {problem}") from None
    for name, data in parts.items():
        if hashlib.sha256(data).hexdigest() != names[name]:
            raise UserError(f"{file}: {name} is damaged; nothing was imported")
    return parts


def _checked(file: Path, manifest: Any) -> dict[str, str]:
    """The hashes by part, of a manifest that fits this version."""
    parts = manifest.get("parts") if isinstance(manifest, dict) else None
    if not isinstance(parts, dict) or manifest.get("format") != FORMAT:
        raise UserError(f"{file}: holds no machine code of format {FORMAT}")
    if manifest.get("made_by") != made_by():
        raise UserError(f"{file}: was made by {manifest.get('made_by')}; here is {made_by()}")
    known = {folder.name for folder in folders()}
    for name in parts:
        if not PART.fullmatch(name) or ".." in name:
            raise UserError(f"{file}: {name!r} is not part of a cache; nothing was imported")
        if name.split("/")[0] not in known:
            raise UserError(f"{file}: was made from other sources than khora {__version__} here")
    return parts


def bring_along(folder: Path) -> int:
    """Lay all machine code of this version into a folder of the package, for a wheel that ships it."""
    compile_all()
    shutil.rmtree(folder, ignore_errors=True)
    parts = dict(_parts())
    _lay_out({**parts, MADE_BY: made_by().encode()}, folder)
    return len(parts)


if __name__ == "__main__":
    if sys.argv[1:] == ["--tags"]:  # of a wheel with machine code of this Python, for `wheel tags`
        python = f"cp{sys.version_info.major}{sys.version_info.minor}"
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        print(f"--python-tag {python} --abi-tag {python} --platform-tag {platform}")
    else:
        print(f"{bring_along(Path(sys.argv[1]))} parts")
