"""How often the better player wins: one of the strongest at a table of the next, in all seats.

In self-play nobody is better, and what is left is the city and luck. This is the measurement beside it.
"""

from collections.abc import Sequence
from pathlib import Path

from khora_sim.analyses.cities_answer import BetterPlayer, Number
from khora_sim.common.progress import Progress
from khora_sim.simulation.backend import crew_for
from khora_sim.simulation.experiment import Arm, Design
from khora_sim.simulation.run import play
from khora_sim.simulation.sinks import Folders, FoldersAndSums, InMemory
from khora_sim.simulation.summing import SUMMING, share_won
from khora_sim.strategy import load

GAMES = 1200  # tell a share to ± 3 points
CONTROL = "control"


def contest(strategies: Sequence[str]) -> tuple[str, str] | None:
    """The strongest player of a ladder and the next one, if both have a plan."""
    levels = [name for name in strategies if load(name).family != CONTROL]
    return (levels[-1], levels[-2]) if len(levels) > 1 else None


def better_player(arm: Arm, folder: Path, workers: int | None, progress: Progress | None) -> BetterPlayer:
    """Play what a folder still lacks, and say what the one wins."""
    sink = FoldersAndSums(Folders([folder], resume=True), InMemory(SUMMING))
    play(Design((arm,)), sink, crew_for(arm, workers), progress=progress)
    one, other = arm.study.strategies[:2]
    share = share_won(sink.sums[0], arm.sections[0].players)
    return BetterPlayer(strategy=one, against=other, share=Number.of(share))
