"""Files of learned weights: NumPy arrays in a zip archive (.npz), the origin as JSON, and no code.

`docs/players.md` describes the format. Whatever does not fit is refused: another version, a name, shape or
kind of number that is not expected, a number that is none, more bytes than such a file can have.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from khora_sim.common.files import packed, read_packed, write_atomically
from khora_sim.errors import UserError
from khora_sim.rules import Rules
from khora_sim.rules.terms import PLAYER_COUNTS

Weights = dict[str, np.ndarray]  # by the names of the parts of a net

FORMAT = 1
MOST_BYTES = 64_000_000  # of a file, and of all it holds


class LearnedFile(NamedTuple):
    """A kind of file with learned weights."""

    what: str  # `a learned value`
    shapes: Mapping[str, tuple[int, ...]]  # of the parts of a net
    command: str  # that makes one


MOST_PREPARED = 8  # rules that nets are kept for, some MB each


@dataclass(frozen=True)
class Learned:
    """Weights for one or more numbers of players, and where they come from."""

    weights: dict[int, Weights]  # by number of players
    origin: dict[str, Any]  # rules, games, seeds, parents: as it was made
    digest: str = ""  # of the file
    _prepared: dict[str, np.recarray] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel to other processes without the prepared nets, which are made again there."""
        return type(self), (self.weights, self.origin, self.digest)

    def nearest(self, players: int) -> int:
        """The number of players with weights that is closest to another; of two as close the higher."""
        return min(self.weights, key=lambda known: (abs(known - players), -known))

    def nets(self, rules: Rules) -> np.recarray:
        """The nets for the rules at hand, one for each number of players from 2 up; for reading only.

        A number of players that nothing was learned for has the net of the nearest one. Every part of a study
        asks again, and preparing takes as long as many games, so that the nets of the last rules are kept.
        """
        nets = self._prepared.get(rules.hash)
        if nets is None:
            nets = self.prepare([self.weights[self.nearest(players)] for players in PLAYER_COUNTS], rules)
            nets.flags.writeable = False
            if len(self._prepared) >= MOST_PREPARED:
                self._prepared.clear()
            self._prepared[rules.hash] = nets
        return nets

    def prepare(self, weights: list[Weights], rules: Rules) -> np.recarray:
        """Work out the nets for some rules."""
        raise NotImplementedError


def write_weights(kind: LearnedFile, weights: Mapping[int, Weights], origin: dict, path: Path) -> None:
    """Write weights for one or more numbers of players to a file."""
    arrays = {
        f"{name}_{players}": of_players[name].astype(np.float32)
        for players, of_players in weights.items()
        for name in kind.shapes
    }
    write_atomically(path, packed(arrays, {"format": FORMAT, **origin}))


def read_weights(kind: LearnedFile, path: Path) -> tuple[dict[int, Weights], dict[str, Any], str]:
    """Weights by number of players, their origin and the digest of the file; a damaged one is refused."""
    data, found, origin = read_packed(path, kind.what, MOST_BYTES, f"make one with: {kind.command}")
    version = origin.pop("format", None)
    if version != FORMAT:
        raise UserError(
            f"{path.name}: has format {version}; this khora reads format {FORMAT}; learn it again"
        )
    weights = {players: _checked(kind, found, players, path) for players in _counts(kind, found, path)}
    return weights, origin, hashlib.sha256(data).hexdigest()[:16]


def _counts(kind: LearnedFile, found: dict[str, np.ndarray], path: Path) -> list[int]:
    """The numbers of players that a file has weights for."""
    counts = sorted({int(name.rpartition("_")[2]) for name in found if name.rpartition("_")[2].isdecimal()})
    known = {f"{name}_{players}" for name in kind.shapes for players in counts}
    if not counts or not set(counts) <= set(PLAYER_COUNTS) or known != set(found):
        raise UserError(f"{path.name}: has other parts than {kind.what} of this khora; learn it again")
    return counts


def _checked(kind: LearnedFile, found: dict[str, np.ndarray], players: int, path: Path) -> Weights:
    """The weights for one number of players, checked."""
    weights = {}
    for name, shape in kind.shapes.items():
        one = found[f"{name}_{players}"]
        if one.dtype != np.float32 or one.shape != shape or not np.isfinite(one).all():
            raise UserError(
                f"{path.name}: {name} for {players} players should be {' x '.join(map(str, shape))} "
                "finite numbers; it was made by another khora, or is damaged; learn it again"
            )
        weights[name] = one
    return weights
