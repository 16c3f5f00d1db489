"""What a study will take, judged from a small sample of its games."""

from typing import NamedTuple

from khora_sim.simulation.arm import Arm
from khora_sim.simulation.chunk import Chunk, ChunkContents
from khora_sim.simulation.crew import Crew
from khora_sim.simulation.design import Design
from khora_sim.simulation.run import play
from khora_sim.simulation.sinks import Sink

SAMPLE_SECONDS = 1.0
SAMPLE_GAMES = 4096


class Forecast(NamedTuple):
    """About how long and how big."""

    seconds: float
    bytes: int
    sampled: int  # games


class Weighing(Sink):
    """Weighs the parts of a study and throws them away."""

    wanted = ChunkContents(tables=True)

    def __init__(self) -> None:
        self.weight = 0

    def keep(self, chunk: Chunk) -> None:
        """Add the bytes of a chunk."""
        self.weight += sum(len(part.data) for part in chunk.parts.values())

    @property
    def size(self) -> int:
        """Bytes so far."""
        return self.weight


def forecast(arm: Arm, crew: Crew) -> Forecast:
    """Play ever larger samples for a second or so, and scale up."""
    most = min(arm.sections[0].chunk_groups, arm.sections[0].groups)
    groups = 1
    seconds, games, size = _sample(arm, groups)
    while groups < most and seconds < SAMPLE_SECONDS / 4 and games < SAMPLE_GAMES:
        groups = min(groups * 4, most)
        seconds, games, size = _sample(arm, groups)
    _, few, least = _sample(arm, 1)  # a part has a size of its own, however few its games
    each = (size - least) / (games - few) if games > few else size / games
    whole = arm.chunks * (least - few * each) + arm.games * each
    alone = seconds / games * arm.games
    return Forecast(alone / min(crew.workers, arm.chunks), round(whole), games)


def _sample(arm: Arm, groups: int) -> tuple[float, int, int]:
    """Seconds, games and bytes of the first groups of a study, on one thread."""
    outcome = play(Design((arm.first(groups),)), Weighing(), Crew("threads", 1))
    return outcome.seconds, outcome.games, outcome.bytes
