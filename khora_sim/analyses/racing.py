"""Many variants ranked by stages: those that are surely worse are dropped early, the rest is played on.

Each stage has luck of its own, from choosing seeds, and adds to what was played before. After it, a variant
goes that lies farther from the target than the best one, significantly so after Holm's correction. Of the
rest a part goes on, as many as the games of a stage allow; who is left behind was not distinguishable.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from khora_sim.analyses.targets import Target
from khora_sim.analyses.variant_games import VariantGames
from khora_sim.common.seed_ranges import CHOOSING, seed_in
from khora_sim.rules import Rules
from khora_sim.stats import Sums

ALPHA = 0.01  # of a stage; leaders are judged at 5 %
CUT = 3  # of so many variants one goes on
SEEDS_EACH = 100  # choosing seeds of one number
WORSE, LEFT = "worse", "left behind"


@dataclass(frozen=True)
class Stage:
    """What happened in one stage."""

    number: int  # from 1
    seed: int
    games: int  # of each variant, in this stage
    variants: int  # that were played, without the base game
    worse: int  # that were significantly worse than the best, and went
    left: int  # that were not distinguishable, and went for want of games

    @property
    def on(self) -> int:
        """Variants that go on."""
        return self.variants - self.worse - self.left


@dataclass(frozen=True)
class Placing:
    """Where a variant ended: in which stage, with which sums, and why; None for those that go on."""

    stage: int
    why: str | None
    own: Sums
    base: Sums  # of the same games
    square: float  # mean squared distance from the target


@dataclass(frozen=True)
class Race:
    """A race that was run."""

    stages: tuple[Stage, ...]
    placings: tuple[Placing, ...]  # in the order of the variants

    @property
    def leaders(self) -> list[int]:
        """Variants that were not dropped, best first."""
        alive = [place for place, one in enumerate(self.placings) if one.why is None]
        return sorted(alive, key=lambda place: self.placings[place].square)


def choosing_seed(number: int, stage: int) -> int:
    """The luck of a stage."""
    return seed_in(CHOOSING, number * SEEDS_EACH + stage)


def race(
    games: VariantGames,
    variants: Sequence[Rules],
    target: Target,
    each: int,
    leaders: int,
    seed: int,
    before: int = 0,
    what: str = "stage",
) -> Race:
    """Race variants until few enough lead; `each` are the games that a stage has for all of them.

    Stages take the choosing seeds of a number that follow those taken `before`.
    """
    placings: dict[int, Placing] = {}
    alive = list(range(len(variants)))
    stages: list[Stage] = []
    total: dict[int, Sums] = {}  # by variant; -1 is the base game
    while not stages or len(alive) > leaders:
        number = len(stages) + 1
        games.progress.step(f"{what} {number}: {len(alive)} variants")
        study = games.study(
            max(each // len(alive), games.least_games()), choosing_seed(seed, before + number)
        )
        sums, played = games.played([variants[one] for one in alive], study)
        for place, added in zip([-1, *alive], sums, strict=True):
            total[place] = total[place] + added if place in total else added
        found = games.compared([total[place] for place in (-1, *alive)], target)
        squares = dict(zip(alive, found.squares[1:], strict=True))
        worse = {one for one, sure in zip(alive, found.worse_than_best(ALPHA)[1:], strict=True) if sure}
        worse.discard(min(alive, key=lambda one: squares[one]))  # somebody is judged against the base game
        better = sorted((one for one in alive if one not in worse), key=lambda one: squares[one])
        on = better[: max(leaders, -(-len(alive) // CUT))]
        for one in alive:
            why = WORSE if one in worse else None if one in on else LEFT
            placings[one] = Placing(number, why, total[one], total[-1], float(squares[one]))
        left = len(better) - len(on)
        stages.append(Stage(number, study.seed, played, len(alive), len(worse), left))
        alive = sorted(on)
    return Race(tuple(stages), tuple(placings[one] for one in range(len(variants))))
