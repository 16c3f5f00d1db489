"""The one runner: arms that meet the same luck, sinks, and rules that end a run."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from khora_sim.common.progress import Progress
from khora_sim.engine.setup import Swap
from khora_sim.simulation.backend import Backend
from khora_sim.simulation.chunk import Chunk, place_of
from khora_sim.simulation.experiment import ChunkId, Design, Swapped
from khora_sim.simulation.run import play, run_study
from khora_sim.simulation.seating import set_ups
from khora_sim.simulation.sinks import Folders, FoldersAndSums, InMemory, Sink
from khora_sim.simulation.study import open_study
from khora_sim.simulation.summing import Summing
from khora_sim.stats import mean_table, means, share_table, shares
from tests.simulation.folders import contents, plan_for, run


class Noting(Sink):
    """Notes which chunks came, in their order."""

    def __init__(self) -> None:
        self.places: list[ChunkId] = []

    def keep(self, chunk: Chunk) -> None:
        self.places.append(chunk.place)


class Begun(Noting):
    """Notes the same, and has one chunk of the first arm already."""

    @contextmanager
    def opened(self, design: Design) -> Iterator[dict[ChunkId, int]]:
        yield {ChunkId(0, 1): 100}


def design_of(*asked: dict[str, Any]) -> Design:
    return Design(tuple(plan_for(**one) for one in asked))


def test_a_group_meets_the_same_luck_in_every_arm():
    arms = design_of({}, {"strategies": "idle", "rotate": "cities"}, {"reroll": True}).arms
    lucks = [set_ups(arm, arm.sections[0], 17, 1) for arm in arms]
    assert len({int(luck.seed[0]) for luck in lucks}) == 1
    assert len({int(luck.first_player[0]) for luck in lucks}) == 1
    assert len({tuple(sorted(luck.cities[0].tolist())) for luck in lucks}) == 1


def test_arms_of_different_seeds_are_no_design():
    with pytest.raises(ValueError, match="one seed"):
        design_of({"seed": 1}, {"seed": 2})


def test_chunks_of_all_arms_take_turns():
    design = design_of({}, {"games": 200})
    assert [tuple(place) for row in design.rows() for place in row] == [
        (0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (0, 3),
    ]  # fmt: skip


@pytest.mark.parametrize("backend", [Backend("threads", 1), Backend("threads", 3), Backend("processes", 2)])
def test_a_stopping_rule_ends_a_run_at_the_same_place_on_any_crew(backend: Backend):
    sink = Noting()
    design = design_of({}, {"reroll": True})
    outcome = play(design, sink, backend, until=lambda _: len(sink.places) >= 3)
    assert sink.places == [ChunkId(0, 0), ChunkId(1, 0), ChunkId(0, 1), ChunkId(1, 1)]
    assert outcome.games == outcome.played == 400


def test_only_the_chunks_that_are_there_are_not_played_again():
    sink = Begun()
    outcome = play(design_of({}, {"reroll": True}), sink, Backend("threads", 1))
    assert sink.places == [
        ChunkId(arm, number) for number in range(4) for arm in (0, 1) if (arm, number) != (0, 1)
    ]
    assert (outcome.games, outcome.played) == (800, 700)


def test_every_group_of_every_size_of_table_is_in_one_chunk():
    plan = plan_for(games=1200, players="2,3,4", strategies="random")
    found = [place_of(plan, number) for number in range(plan.chunks)]
    for section in plan.sections:
        own = [range(first, first + groups) for one, first, groups in found if one is section]
        assert len(own) == section.chunks > 1
        assert [group for groups in own for group in groups] == list(range(section.groups))


def test_another_swap_is_another_digest():
    swaps = [None, Swapped(Swap.DEALT, 0), Swapped(Swap.DRAFTED, 0), Swapped(Swap.DRAFTED, 1)]
    swaps.append(Swapped(Swap.DRAFTED, 1, number=1))
    assert len({replace(plan_for(), swapped=one).digest for one in swaps}) == len(swaps)


def test_every_arm_has_a_folder_of_its_own(tmp_path: Path):
    play(design_of({}, {"reroll": True}), Folders([tmp_path / "one", tmp_path / "two"]))
    run(tmp_path / "alone", reroll=True)
    assert contents(tmp_path / "two") == contents(tmp_path / "alone")
    assert contents(tmp_path / "one") != contents(tmp_path / "two")


def test_a_run_that_was_ended_goes_on_where_it_was(tmp_path: Path, small: Path):
    design = design_of({})
    play(design, Folders([tmp_path / "study"]), until=lambda _: True)
    assert len(list((tmp_path / "study" / "games").iterdir())) == 1
    outcome = play(design, Folders([tmp_path / "study"], resume=True))
    assert (outcome.games, outcome.played) == (400, 300)
    assert contents(tmp_path / "study") == contents(small)


SUMMING = Summing(("city", "seat"), products=(("score", "score"), ("win_share", "score")))


def summed(design: Design, backend: Backend | None = None) -> InMemory:
    sink = InMemory(SUMMING)
    play(design, sink, backend)
    return sink


def test_sums_in_memory_are_the_same_bits_on_any_crew():
    design = design_of({}, {"reroll": True})
    one = summed(design, Backend("threads", 1))
    for backend in (Backend("threads", 3), Backend("processes", 2)):
        other = summed(design, backend)
        assert other.sums.keys() == one.sums.keys() == {0, 1}
        for arm, sums in one.sums.items():
            assert sums.cells.equals(other.sums[arm].cells)
            assert sums.clusters.equals(other.sums[arm].clusters)


def test_sums_in_memory_are_those_of_the_files(small: Path):
    sums = summed(design_of({})).sums[0]
    players = open_study(small).players
    assert sums.rows == 1600
    for key in ("city", "seat"):
        assert shares(sums, [key], "win_share").equals(share_table(players, key))
        assert means(sums, [key], "score").equals(mean_table(players, key).drop("sd"))
    squares = players.select((pl.col("score").cast(pl.Int64) ** 2).sum()).collect().item()
    assert sums.cells["score*score"].sum() == squares
    crossed = players.select((pl.col("score") * pl.col("win_share")).sum()).collect().item()
    assert sums.cells["win_share*score"].sum() == pytest.approx(60 * crossed)


def test_folders_and_sums_are_filled_at_once_and_after_a_stop(tmp_path: Path, small: Path):
    design = design_of({})
    first = FoldersAndSums(Folders([tmp_path / "study"]), InMemory(SUMMING))
    play(design, first, until=lambda _: first.sums[0].rows >= 800)
    assert first.sums[0].rows == 800
    again = FoldersAndSums(Folders([tmp_path / "study"], resume=True), InMemory(SUMMING))
    assert play(design, again).played == 200
    assert contents(tmp_path / "study") == contents(small)
    assert again.sums[0].cells.equals(summed(design).sums[0].cells)


def test_what_has_no_exact_sum_is_refused():
    with pytest.raises(ValueError, match=r"only whole numbers and wins are summed, .* not dice_luck"):
        play(design_of({}), InMemory(Summing(("city",), ("dice_luck",))))


class Noted(Progress):
    live = True

    def __init__(self) -> None:
        self.games, self.notes = 0, []

    def advance(self, count: int) -> None:
        self.games += count

    def note(self, text: str) -> None:
        self.notes.append(text)


def test_the_display_shows_the_win_shares_of_what_is_compared(tmp_path: Path, small: Path):
    shown = Noted()
    run_study(plan_for(), tmp_path / "study", progress=shown)
    assert contents(tmp_path / "study") == contents(small)
    found = share_table(open_study(small).players, "strategy").sort("value", descending=True)
    lines = [f"{name} {share:.1%}" for name, share in found.select("strategy", "value").iter_rows()]
    assert shown.notes[-1] == "  ".join(lines)


def test_the_display_of_several_arms_shows_no_shares():
    shown = Noted()
    play(design_of({}, {"reroll": True}), InMemory(Summing(("strategy",))), progress=shown)
    assert shown.notes == []
    assert shown.games == 800
