"""Files of NumPy arrays (.npz) with their origin as JSON: data without code, from anybody.

Python objects are never read from them; a file that is damaged, or would unpack to more than is expected, is
refused in one line.
"""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from khora_sim.common.user_files import read_bytes
from khora_sim.errors import UserError

ENDING = ".npz"
ORIGIN = "origin"

Array = np.ndarray[Any, Any]
Arrays = dict[str, Array]


def packed(arrays: Arrays, origin: dict[str, Any]) -> bytes:
    """Arrays and where they come from, as the bytes of a file."""
    packed_origin = np.frombuffer(json.dumps(origin, sort_keys=True).encode(), np.uint8)
    memory = io.BytesIO()
    np.savez_compressed(memory, **{ORIGIN: packed_origin, **arrays})  # type: ignore[arg-type]
    return memory.getvalue()


def read_packed(path: Path, wanted: str, most: int, instead: str) -> tuple[bytes, Arrays, dict[str, Any]]:
    """The bytes of a file, its arrays, and where they come from.

    `wanted` is what it should be (`a panel`), `most` are the bytes it may unpack to, and `instead` is what to
    do about one that is no good.
    """
    data = read_bytes(path, f"{wanted}, a {ENDING} file", str(path), most)
    what = wanted.partition(" ")[2]
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(one.file_size for one in archive.infolist()) > most:
                raise UserError(f"{path.name}: holds more than {wanted} can; {instead}")
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            found = {name: arrays[name] for name in arrays.files}
        if not all(isinstance(one, np.ndarray) for one in found.values()):
            raise ValueError("a part is no array")
    except UserError:
        raise
    except Exception:  # the head of an array is parsed as Python's text: a damaged one raises anything
        raise UserError(f"{path.name}: is damaged, or no {what}; {instead}") from None
    return data, found, _origin(found.pop(ORIGIN, None), path, what)


def _origin(stored: Array | None, path: Path, what: str) -> dict[str, Any]:
    try:
        origin = json.loads(stored.tobytes()) if stored is not None else None
    except (ValueError, RecursionError):
        origin = None
    if not isinstance(origin, dict):
        raise UserError(f"{path.name}: does not say where it comes from; it is no {what}")
    return origin
