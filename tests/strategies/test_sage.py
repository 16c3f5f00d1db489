"""sage: the same games anywhere, whatever its budget, and a learned value that can be another one."""

from pathlib import Path

import pytest

import khora_sim
from khora_sim.errors import UserError
from khora_sim.rules import load_rules
from khora_sim.strategy import load
from khora_sim.strategy.finding import built_in_folder
from khora_sim.strategy.games import play_set_ups
from tests.strategy.plug_ins import set_ups

BUILT_IN = built_in_folder() / "sage.npz"
QUICK = "sage:policies=1:breadth=2"


def scores(out: Path, strategy: str, **how: object) -> list[int]:
    study = khora_sim.simulate(games=4, strategies=[strategy], seed=5, out=out, **how)
    return study.players.collect()["score"].to_list()


@pytest.mark.slow
def test_the_same_seed_gives_the_same_games_on_any_number_of_workers(tmp_path):
    one = scores(tmp_path / "one", QUICK, workers=1)
    assert scores(tmp_path / "two", QUICK, workers=2) == one
    assert scores(tmp_path / "apart", QUICK, workers=2, backend="processes") == one


@pytest.mark.slow
@pytest.mark.parametrize("budget", ["worlds=3", "more_worlds=0", "rivals=2"])
def test_another_budget_makes_other_games(tmp_path, budget):
    assert scores(tmp_path / "usual", QUICK) != scores(tmp_path / "other", f"{QUICK}:{budget}")


@pytest.fixture(scope="module")
def without_trails(tmp_path_factory):
    """The path of a sage that plays every plan in full."""
    folder = tmp_path_factory.mktemp("without_trails")
    source = BUILT_IN.with_suffix(".py").read_text()
    assert source.count("if number < TRAILS:") == 1
    (folder / "sage.py").write_text(source.replace("if number < TRAILS:", "if number < 0:"))
    (folder / BUILT_IN.name).write_bytes(BUILT_IN.read_bytes())
    return folder / "sage.py"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "players"),
    [
        ("", 4),
        ("", 2),
        (":worlds=3:policies=6:breadth=10", 3),
        (":worlds=14:finalists=2:more_worlds=0", 4),  # of 14 worlds only 12 of a candidate keep a trail
    ],
)
def test_trails_give_the_games_of_plans_played_in_full(without_trails, settings, players):
    with_trails, in_full = (
        play_set_ups(load_rules(), set_ups(1, players, 77), [load(f"{one}{settings}")])[0]
        for one in ("sage", without_trails)
    )
    assert with_trails.vp[0].tolist() == in_full.vp[0].tolist()
    assert with_trails.step[0] == in_full.step[0]


def test_the_same_learned_value_in_another_file_is_the_same_player(tmp_path):
    (tmp_path / "mine.npz").write_bytes(BUILT_IN.read_bytes())
    same = load(f"sage:learned={tmp_path / 'mine.npz'}")
    assert same.learned is not None
    assert same.learned.digest == load("sage").learned.digest
    assert same.digest == load("sage").digest


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("sage:learned=nowhere.npz", "nowhere.npz: no such file; expected the path of a learned value"),
        ("sage:learned=damaged.npz", "damaged.npz: is damaged, or no learned value"),
        ("steward:learned=damaged.npz", "steward has no parameter 'learned'"),
        ("merchant:learned=damaged.npz", "merchant has no learned value"),
    ],
)
def test_a_learned_value_that_cannot_be_is_refused_in_one_line(tmp_path, monkeypatch, spec, message):
    monkeypatch.chdir(tmp_path)
    Path("damaged.npz").write_bytes(BUILT_IN.read_bytes()[:1000])
    with pytest.raises(UserError) as problem:
        load(spec)
    assert message in str(problem.value)
    assert "\n" not in str(problem.value)
