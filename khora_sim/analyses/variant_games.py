"""Many variants of one game on the same luck: played, summed by city, and measured by how far they lie from a
target. The base game is always one of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from khora_sim.analyses.targets import Target
from khora_sim.common.progress import Progress
from khora_sim.rules import Rules
from khora_sim.simulation.backend import crew_for
from khora_sim.simulation.experiment import CHUNK_MOST, Arm, Design, city_choices, settled_plan
from khora_sim.simulation.run import Until, play
from khora_sim.simulation.run_dir import ChunkCache
from khora_sim.simulation.sinks import ArmSums
from khora_sim.simulation.study_file import Study, study_of
from khora_sim.simulation.summing import Summing
from khora_sim.stats import Sums
from khora_sim.stats.dispersion import Distances, distances

SUMMING = Summing(("city",), ("win_share",))
MANY = 4  # arms from which on each has few chunks: there is work for everybody, and a chunk costs something
TURNS = 2  # of all sets of cities that are played at least: each set is a stratum, which needs two groups


@dataclass(frozen=True)
class VariantGames:
    """How variants are played: by whom, at which table, and where their sums are kept."""

    strategies: tuple[str, ...]
    players: int
    rules: Rules  # the base game of the question
    workers: int | None = None
    cache: ChunkCache | None = None
    progress: Progress = field(default_factory=Progress)

    @property
    def rows_per_group(self) -> int:
        """Rows of a city in a rotation group: one in each of its games."""
        return self.players

    @property
    def lineup(self) -> str:
        """How the strategies come to the table."""
        return settled_plan(self.study(1, 0), self.rules).study.lineup

    def least_games(self) -> int:
        """The fewest games that tell sets of cities apart from luck."""
        study = self.study(1, 0)
        return TURNS * city_choices(study, len(self.rules.city_ids), self.players) * self.players

    def study(self, games: int, seed: int) -> Study:
        """The games of one variant: all sets of cities equally often."""
        asked = {"strategies": self.strategies, "players": self.players, "games": games}
        return study_of({**asked, "cities": "all", "seed": seed})

    def played(
        self, variants: Sequence[Rules], study: Study, until: Until | None = None
    ) -> tuple[list[Sums], int]:
        """The sums of the base game and of every variant, and the games that each has played."""
        arm = settled_plan(study, self.rules)
        if len(variants) >= MANY and until is None:
            arm = _in_few_chunks(arm)
        # Numbers are all that differs: cities, options and strategies are those of the base game.
        design = Design((arm, *(replace(arm, rules=rules) for rules in variants)))
        sink = ArmSums(SUMMING, self.cache)
        play(design, sink, crew_for(design, self.workers), until, progress=self.progress)
        sums = [sink.sums[place] for place in range(len(design.arms))]
        return sums, sums[0].rows // self.players

    def compared(self, sums: Sequence[Sums], target: Target) -> Distances:
        """How far variants lie from a target."""
        found = [target.measured(one, self.rows_per_group) for one in sums]
        return distances(found, [target.shares] * len(found))


def cache_in(folder: Path | None) -> ChunkCache | None:
    """Chunks in a folder, if there is one."""
    if folder is None:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    return ChunkCache(folder)


def _in_few_chunks(arm: Arm) -> Arm:
    """An arm in chunks as large as may be."""
    (section,) = arm.sections
    groups = min(section.groups, CHUNK_MOST // section.group_size)
    return replace(arm, sections=(replace(section, chunk_groups=groups),))
