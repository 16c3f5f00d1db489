"""Kept sums are read back to the same bits, belong to one arm only, and a damaged file is played again."""

from pathlib import Path

from khora_sim.rules import load_rules, set_rules
from khora_sim.simulation.experiment import Design, resolve_study
from khora_sim.simulation.run import Outcome, play
from khora_sim.simulation.run_dir import ChunkCache
from khora_sim.simulation.sinks import ArmSums
from khora_sim.simulation.study_file import study_of
from khora_sim.simulation.summing import Summing
from khora_sim.stats.paired import share_change

SUMMING = Summing(("city",), ("win_share",))


def design(seed: int = 5) -> Design:
    study = study_of({"strategies": ("random",), "players": 4, "games": 280, "cities": "all", "seed": seed})
    changed = set_rules(["cards.bank.cost=1"])
    return Design((resolve_study(study, load_rules()), resolve_study(study, changed)))


def played(folder: Path, seed: int = 5) -> tuple[ArmSums, Outcome]:
    sink = ArmSums(SUMMING, ChunkCache(folder))
    return sink, play(design(seed), sink)


def same(one: ArmSums, two: ArmSums) -> bool:
    arms = [(one.sums[arm], two.sums[arm]) for arm in (0, 1)]
    return all(a.cells.equals(b.cells) and a.clusters.equals(b.clusters) for a, b in arms)


def test_what_was_kept_is_not_played_again_and_has_the_same_bits(tmp_path: Path):
    first, _ = played(tmp_path)
    again, outcome = played(tmp_path)
    assert (outcome.played, outcome.games) == (0, 560)
    assert same(first, again)
    one, two = (share_change(sink.sums[0], sink.sums[1], "win_share", 4) for sink in (first, again))
    assert one == two


def test_another_seed_is_another_arm(tmp_path: Path):
    played(tmp_path)
    files = len(list(tmp_path.iterdir()))
    _, outcome = played(tmp_path, seed=6)
    assert outcome.played == 560
    assert len(list(tmp_path.iterdir())) == 2 * files


def test_a_damaged_file_is_played_again(tmp_path: Path):
    first, _ = played(tmp_path)
    cut, changed, *_ = sorted(tmp_path.iterdir())
    games = 4 * sum(int(path.name.split("-")[2]) for path in (cut, changed))  # of groups of four games
    cut.write_bytes(cut.read_bytes()[:100])
    data = bytearray(changed.read_bytes())
    data[len(data) // 2] ^= 1
    changed.write_bytes(data)
    again, outcome = played(tmp_path)
    assert (outcome.played, outcome.games) == (games, 560)
    assert same(first, again)
