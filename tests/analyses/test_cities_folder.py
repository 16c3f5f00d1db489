"""The folder of an answer about cities: what is refused, gone on with and added."""

import json
from pathlib import Path

import pytest

from khora_sim.analyses.cities import LADDER, Plan
from khora_sim.analyses.cities_folder import PLAN, begin, plan_for, read_plan
from khora_sim.errors import UserError


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    begin(tmp_path / "out", Plan(("random", "steward"), players=(4,), games=280))
    return tmp_path / "out"


def test_nothing_named_is_the_usual_ladder():
    assert plan_for({}).strategies == LADDER
    assert plan_for({"precision": 1.0}) == Plan(games=None, precision=1.0)


def test_a_plan_is_kept_and_read_again(begun: Path):
    assert read_plan(begun) == Plan(("random", "steward"), players=(4,), games=280)


def test_players_and_tables_come_in_addition(begun: Path):
    asked = {"strategies": ("expert",), "peers": ("sage",), "players": (2,)}
    longer = plan_for(asked, begun, resume=True)
    assert longer == Plan(("random", "steward", "expert"), ("sage",), (4, 2), 280)


def test_naming_all_of_them_again_puts_them_in_order(begun: Path):
    named = ("random", "merchant", "steward")
    assert plan_for({"strategies": named}, begun, resume=True).strategies == named


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"games": 140}, "was begun with 280 games, not 140; leave --games out, or choose another --out"),
        ({"precision": 1.0}, "was begun with no precision, not 1.0; leave --precision out"),
        ({"games": 1, "precision": 1.0}, "--games and --precision: give one of them"),
    ],
)
def test_what_does_not_fit_the_folder_is_reported(begun: Path, asked: dict, message: str):
    with pytest.raises(UserError, match=r"^[^\n]*$") as problem:
        plan_for(asked, begun, resume=True)
    assert message in str(problem.value)


def test_a_used_folder_is_refused_with_the_command_that_goes_on(begun: Path):
    with pytest.raises(UserError, match="holds an answer already; go on with: khora cities --resume --out"):
        plan_for({}, begun)


def test_going_on_without_a_folder_or_a_plan_is_refused(tmp_path: Path):
    with pytest.raises(UserError, match="--resume goes on in a folder; name it: khora cities --resume --out"):
        plan_for({}, resume=True)
    with pytest.raises(UserError, match="holds no answer to go on with"):
        plan_for({}, tmp_path, resume=True)


def test_a_stranger_s_plug_in_is_run_only_when_it_is_named(begun: Path):
    plan = json.loads((begun / PLAN).read_text()) | {"strategies": ["random", "./evil.py"]}
    (begun / PLAN).write_text(json.dumps(plan))
    with pytest.raises(
        UserError, match=r"run only when you name it; if you trust it, type: khora cities ./evil.py "
    ):
        plan_for({}, begun, resume=True)
    assert plan_for({"strategies": ("./evil.py",)}, begun, resume=True).strategies == ("random", "./evil.py")
