"""The file of a learned value: NumPy arrays in a zip archive (.npz), its origin as JSON, and no code.

`docs/players.md` describes the format. Whatever does not fit is refused in one line: another version, a name,
shape or kind of number that is not expected, a number that is none, more bytes than such a file can have.
"""

import hashlib
from pathlib import Path

import numpy as np

from khora_sim.common.array_files import ENDING, packed, read_packed
from khora_sim.common.commands import learning
from khora_sim.common.writing import write_atomically
from khora_sim.errors import UserError
from khora_sim.rules.terms import PLAYER_COUNTS
from khora_sim.strategy.learned.learned_value import SHAPES, LearnedValue, Weights

__all__ = ["ENDING", "read_learned", "write_learned"]

FORMAT = 1
MOST_BYTES = 64_000_000  # of a file, and of all it holds


def write_learned(value: LearnedValue, path: Path) -> None:
    """Write a learned value to a file."""
    arrays = {
        f"{name}_{players}": weights[name].astype(np.float32)
        for players, weights in value.weights.items()
        for name in SHAPES
    }
    write_atomically(path, packed(arrays, {"format": FORMAT, **value.origin}))


def read_learned(path: Path) -> LearnedValue:
    """A learned value from a file; one that is damaged or of another kind is refused."""
    instead = f"make one with: {learning('value.npz')}"
    data, found, origin = read_packed(path, "a learned value", MOST_BYTES, instead)
    version = origin.pop("format", None)
    if version != FORMAT:
        raise UserError(
            f"{path.name}: has format {version}; this khora reads format {FORMAT}; learn it again"
        )
    weights = {players: _weights(found, players, path) for players in _counts(found, path)}
    return LearnedValue(weights, origin, hashlib.sha256(data).hexdigest()[:16])


def _counts(found: dict[str, np.ndarray], path: Path) -> list[int]:
    """The numbers of players that a file has weights for."""
    counts = sorted({int(name.rpartition("_")[2]) for name in found if name.rpartition("_")[2].isdecimal()})
    known = {f"{name}_{players}" for name in SHAPES for players in counts}
    if not counts or not set(counts) <= set(PLAYER_COUNTS) or known != set(found):
        raise UserError(f"{path.name}: has other parts than a learned value of this khora; learn it again")
    return counts


def _weights(found: dict[str, np.ndarray], players: int, path: Path) -> Weights:
    """The weights for one number of players, checked."""
    weights = {}
    for name, shape in SHAPES.items():
        one = found[f"{name}_{players}"]
        if one.dtype != np.float32 or one.shape != shape or not np.isfinite(one).all():
            raise UserError(
                f"{path.name}: {name} for {players} players should be {' x '.join(map(str, shape))} "
                "finite numbers; it was made by another khora, or is damaged; learn it again"
            )
        weights[name] = one
    return weights
