"""Kept sums are read back to the same bits, belong to one arm only, and a damaged file is reported."""

from pathlib import Path

import pytest

from khora_sim.errors import UserError
from khora_sim.rules import load_rules, set_rules
from khora_sim.simulation.experiment import Design, settled_plan
from khora_sim.simulation.run import Outcome, play
from khora_sim.simulation.sinks import KeptSums
from khora_sim.simulation.study_file import study_of
from khora_sim.simulation.summing import Summing
from khora_sim.stats.paired import share_change

SUMMING = Summing(("city",), ("win_share",))


def design(seed: int = 5) -> Design:
    study = study_of({"strategies": ("random",), "players": 4, "games": 280, "cities": "all", "seed": seed})
    changed = set_rules(["cards.bank.cost=1"])
    return Design((settled_plan(study, load_rules()), settled_plan(study, changed)))


def played(folder: Path, seed: int = 5) -> tuple[KeptSums, Outcome]:
    sink = KeptSums(SUMMING, folder)
    return sink, play(design(seed), sink)


def test_what_was_kept_is_not_played_again_and_has_the_same_bits(tmp_path: Path):
    first, _ = played(tmp_path)
    again, outcome = played(tmp_path)
    assert (outcome.played, outcome.games) == (0, 560)
    for arm in (0, 1):
        assert again.sums[arm].cells.equals(first.sums[arm].cells)
        assert again.sums[arm].units.equals(first.sums[arm].units)
    one, two = (share_change(sink.sums[0], sink.sums[1], "win_share", 4) for sink in (first, again))
    assert one == two


def test_another_seed_is_another_arm(tmp_path: Path):
    played(tmp_path)
    _, outcome = played(tmp_path, seed=6)
    assert outcome.played == 560
    assert len(list(tmp_path.iterdir())) == 4


def test_a_damaged_file_is_reported_in_one_line(tmp_path: Path):
    played(tmp_path)
    file = min(tmp_path.iterdir())
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(UserError, match="damaged; remove it, and its games are played again"):
        played(tmp_path)
