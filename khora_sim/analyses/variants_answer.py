"""What the answers about many variants of a game have in common: who played what, and what was wanted."""

from dataclasses import asdict, dataclass
from typing import Any

from khora_sim.analyses.targets import Target
from khora_sim.rules import Rules
from khora_sim.rules.ranges import Number


@dataclass(frozen=True)
class VariantsAnswer:
    """The head of an answer; all shares in it hold for these players."""

    khora: str
    rules: Rules  # the game that was changed
    rules_file: str | None
    strategies: tuple[str, ...]
    lineup: str
    players: int
    seed: int  # a number, of which all seeds follow
    judging_seed: int
    games: int | None  # of each variant that was judged; None: as many as the precision took
    precision: float | None  # asked for, in percentage points
    target: Target
    numbers: tuple[Number, ...]

    @property
    def names(self) -> dict[str, str]:
        """The cities' names by their ids."""
        return dict(zip(self.rules.city_ids, self.rules.city_names, strict=True))

    def game_data(self) -> dict[str, Any]:
        """The game that was changed, for a script."""
        return {
            "khora": self.khora,
            "rules": {"name": self.rules.name, "hash": self.rules.hash, "version": self.rules.version},
            "rules_file": self.rules_file,
        }

    def asked_data(self) -> dict[str, Any]:
        """What was asked for, for a script."""
        return {
            "players": self.players,
            "seed": self.seed,
            "judging_seed": self.judging_seed,
            "games": self.games,
            "precision": self.precision,
            "target": self.target.data(),
            "numbers": [asdict(number) for number in self.numbers],
        }
