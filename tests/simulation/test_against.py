"""One against all others of a kind, and the lead that is summed of its games."""

import polars as pl
import pytest

from khora_sim.rules import load_rules
from khora_sim.simulation.chunk import ChunkContents, play_chunk
from khora_sim.simulation.experiment import ChunkId, Design
from khora_sim.simulation.run import play
from khora_sim.simulation.sinks import InMemory
from khora_sim.simulation.summing import SUMMING, Summing, one_against, players_summed, share_won


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_mirror_match_lands_exactly_on_the_fair_share(players):
    arm = one_against("random", "random", players, 24, 7, load_rules())
    sink = InMemory(SUMMING)
    play(Design((arm,)), sink)
    assert share_won(sink.sums[0], players).value == pytest.approx(1 / players)


def test_a_lead_is_by_how_much_the_best_other_is_beaten():
    arm = one_against("random", "random", 2, 2, 7, load_rules())
    table = pl.DataFrame(
        {
            "game": [0, 0, 1, 1],
            "rotation_group": [0, 0, 0, 0],
            "slot": [1, 2, 2, 1],
            "score": [50, 20, 33, 33],
        }
    )
    totals = players_summed(arm, table, Summing(("slot",), ("lead",))).totals(["slot"])
    assert totals["lead"].to_list() == [762, -762]  # thousandths of tanh(30 / 30) and tanh(0)


def test_leads_add_up_whatever_the_chunks():
    arm = one_against("random", "idle", 3, 600, 7, load_rules())
    what = ChunkContents(summing=Summing(("slot",), ("lead",)))
    parts = [play_chunk(arm, ChunkId(0, number), what).sums for number in range(arm.chunks)]
    assert len(parts) > 1
    sink = InMemory(what.summing)
    play(Design((arm,)), sink)
    assert sum(part.cells["lead"].sum() for part in parts) == sink.sums[0].cells["lead"].sum()
