"""The folder of a ladder: it goes on where it was stopped, with the answer it would have had."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import khora_sim
from khora_sim.analyses.ladder import Ladder, Plan, climb, design_of
from khora_sim.analyses.ladder_folder import folder_name, plan_for, read_plan, sink_in
from khora_sim.errors import UserError
from khora_sim.simulation.chunk import Chunk
from khora_sim.simulation.run import Watch
from tests.simulation.folders import contents
from tests.simulation.test_never_lost import StopAfter
from tests.strategy.plug_ins import write_plug_in

NAMES = ("random", "idle")
PLAN = Plan(NAMES, games=240)  # three chunks a pairing
NOTHING: dict[str, int | None] = {"players": None, "games": None, "seed": None}
BODY = """
@rule
def score(view, option):
    return float(option) * {sign}
"""


class Counting(Watch):
    """Counts the games that were played."""

    def __init__(self) -> None:
        self.games = 0

    def kept(self, chunk: Chunk) -> None:
        self.games += chunk.games


def go_on(out: Path, plan: Plan = PLAN, watch: Watch | None = None) -> Ladder:
    design = design_of(plan)
    return climb(plan, design, sink_in(out, plan, design), watch=watch)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ladder]:
    out = tmp_path_factory.mktemp("ladders") / "whole"
    return out, go_on(out)


def test_a_folder_changes_no_number(whole: tuple[Path, Ladder]):
    assert whole[1].data() == climb(PLAN, design_of(PLAN)).data()


def test_a_stopped_ladder_goes_on_to_the_same_answer_and_the_same_bytes(
    whole: tuple[Path, Ladder], tmp_path: Path
):
    with pytest.raises(KeyboardInterrupt):
        go_on(tmp_path / "out", watch=StopAfter(2))
    watch = Counting()
    assert go_on(tmp_path / "out", watch=watch).data() == whole[1].data()
    assert watch.games == 280  # of 480, in chunks of 100, 100 and 40
    assert contents(tmp_path / "out") == contents(whole[0])


@pytest.mark.slow
def test_a_killed_ladder_goes_on_to_the_same_answer(whole: tuple[Path, Ladder], tmp_path: Path):
    code = (
        "import os, signal, khora_sim.simulation.sinks as sinks\n"
        "from khora_sim.cli.main import run\n"
        "keep, kept = sinks.Folders.keep, []\n"
        "def dying(sink, chunk):\n"
        "    keep(sink, chunk)\n"
        "    kept.append(chunk)\n"
        "    if len(kept) == 3: os.kill(os.getpid(), signal.SIGKILL)\n"
        "sinks.Folders.keep = dying\n"
        "run()\n"
    )
    asked = ["ladder", *NAMES, "--games", "240", "--workers", "1", "--out", str(tmp_path / "out")]
    killed = subprocess.run([sys.executable, "-c", code, *asked], check=False, capture_output=True)
    assert killed.returncode == -signal.SIGKILL
    again = khora_sim.ladder(out=tmp_path / "out", resume=True, workers=2)
    assert again.data() == whole[1].data()


def test_a_further_strategy_plays_its_own_pairings_only(whole: tuple[Path, Ladder], tmp_path: Path):
    go_on(tmp_path / "out")
    plan = plan_for(("first-legal",), NOTHING, tmp_path / "out", resume=True)
    assert plan == PLAN._replace(strategies=(*NAMES, "first-legal"))
    watch = Counting()
    added = go_on(tmp_path / "out", plan, watch)
    assert watch.games == 4 * 240
    assert added.shares["random", "idle"] == whole[1].shares["random", "idle"]
    assert added.data() == climb(plan, design_of(plan)).data()


def test_a_strategy_that_was_changed_plays_again(tmp_path: Path):
    path = write_plug_in(tmp_path, "mine", BODY.format(sign="1.0"))
    plan = Plan(("idle", str(path)), games=8)
    before = folder_name(("idle", str(path)), design_of(plan).arms[0])
    write_plug_in(tmp_path, "mine", BODY.format(sign="-1.0"))
    after = folder_name(("idle", str(path)), design_of(plan).arms[0])
    assert before != after
    assert before.startswith("idle-vs-mine.py-")


def test_the_function_writes_the_answer_and_its_figure(tmp_path: Path):
    ladder = khora_sim.ladder(*NAMES, games=8, out=tmp_path / "out")
    written = json.loads((tmp_path / "out" / "ladder.json").read_text())
    assert written == json.loads(json.dumps(ladder.data()))
    assert (tmp_path / "out" / "ladder.svg").read_text().startswith("<?xml")
    assert (tmp_path / "out" / "ladder.png").read_bytes().startswith(b"\x89PNG")
    assert read_plan(tmp_path / "out") == ladder.plan
    study = khora_sim.open_study(next((tmp_path / "out" / "pairings").glob("random-vs-idle-*")))
    assert study.game_count == 8


def refused(problem: str, out: Path, named: tuple[str, ...] = (), resume: bool = False, **asked: Any) -> None:
    with pytest.raises(UserError) as found:
        plan_for(named, NOTHING | asked, out, resume=resume)
    assert str(found.value).replace(str(out), "OUT") == problem


def test_a_folder_that_holds_something_is_refused(whole: tuple[Path, Ladder], tmp_path: Path):
    refused("OUT: holds a ladder already; go on with: khora ladder --resume --out OUT", whole[0])
    (tmp_path / "letter").write_text("Dear")
    refused("OUT: is not empty and holds no ladder; choose another --out", tmp_path)
    refused("OUT: is a file; --out should name a folder that is new or empty", tmp_path / "letter")
    refused(
        "OUT: holds no ladder to go on with (plan.json is missing); leave --resume out", tmp_path, resume=True
    )


def test_a_ladder_goes_on_with_what_it_was_begun_with(whole: tuple[Path, Ladder]):
    assert plan_for((), NOTHING, whole[0], resume=True) == PLAN
    assert plan_for(NAMES, NOTHING | {"games": 240}, whole[0], resume=True) == PLAN
    refused(
        "OUT: holds a ladder with 240 games a pairing, not 400; leave --games out, or choose another --out",
        whole[0],
        resume=True,
        games=400,
    )
    with pytest.raises(UserError, match="--resume goes on in a folder; name it: khora ladder --resume --out"):
        plan_for((), NOTHING, None, resume=True)


def test_a_folder_brings_no_code_along(tmp_path: Path):
    plan = {"strategies": ["random", "./theirs.py"], "players": 4, "games": 8, "seed": 1}
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    refused(
        "OUT: its plan names ./theirs.py, and what is not built in is read and run only when you name it; "
        "if you trust it, type: khora ladder ./theirs.py --resume --out OUT",
        tmp_path,
        resume=True,
    )
    assert plan_for(("./theirs.py",), NOTHING, tmp_path, resume=True).strategies == ("random", "./theirs.py")


def test_a_plan_that_is_none_is_reported(tmp_path: Path):
    (tmp_path / "plan.json").write_text('{"strategies": [], "players": "two"}')
    with pytest.raises(UserError, match='players: "two" given; expected a whole number'):
        read_plan(tmp_path)


def test_two_ladders_do_not_write_to_one_folder(tmp_path: Path):
    first = sink_in(tmp_path / "out", PLAN, design_of(PLAN))
    with first.opened(design_of(PLAN)), pytest.raises(UserError, match="another khora is writing here"):
        go_on(tmp_path / "out")
    assert not (tmp_path / "out" / "aside").exists()


def test_what_stays_is_reported_once_for_the_whole_ladder(tmp_path: Path):
    with pytest.raises(UserError) as problem:
        go_on(tmp_path / "out", watch=StopAfter(2, UserError))
    assert str(problem.value).endswith(f"2 of 6 parts are finished and stay in {tmp_path / 'out'}")
