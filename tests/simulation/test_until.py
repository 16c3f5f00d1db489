"""A stopping rule sees the same games again when a run continues, whatever was damaged meanwhile."""

from pathlib import Path

import pytest

from khora_sim.simulation.backend import Backend
from khora_sim.simulation.dataset import part_path
from khora_sim.simulation.experiment import Design
from khora_sim.simulation.run import play
from khora_sim.simulation.sinks import Folders, FoldersAndSums, InMemory, Sink
from khora_sim.simulation.summing import SUMMING
from tests.simulation.folders import plan_for

STOP = 3  # parts


@pytest.mark.parametrize(
    ("damaged", "seen"),
    [((), [STOP]), ((0,), [STOP]), ((0, 1), [STOP]), ((2,), [2, STOP]), ((0, 2), [2, STOP])],
)
def test_it_is_asked_only_where_it_was_asked_the_first_time(
    damaged: tuple[int, ...], seen: list[int], tmp_path: Path
):
    arm = plan_for(games=1600)
    each = arm.sections[0].chunk_groups * arm.sections[0].group_size
    asked: list[float] = []

    def until(sink: Sink) -> bool:
        assert isinstance(sink, FoldersAndSums)
        rows = sink.sums[0].cells["c"].sum()
        asked.append(rows / (each * 4))
        return asked[-1] >= STOP

    def played() -> int:
        sink = FoldersAndSums(Folders([tmp_path / "study"], resume=True), InMemory(SUMMING))
        return play(Design((arm,)), sink, Backend("threads", 1), until).games

    games = played()
    assert asked == [1, 2, STOP]
    asked.clear()
    for number in damaged:
        part_path(tmp_path / "study", "players", number).write_bytes(b"")
    assert played() == games
    assert asked == seen
