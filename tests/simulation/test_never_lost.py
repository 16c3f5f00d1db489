"""Stopped, killed, damaged, out of room: what is finished stays, and a study can always go on."""

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from khora_sim.common.progress import Progress
from khora_sim.errors import UserError
from khora_sim.rules import RULES_VERSION
from khora_sim.simulation.backend import Backend
from khora_sim.simulation.run import run_study
from khora_sim.simulation.study import check, open_study
from tests.simulation.folders import contents, plan_for, run

HERE = Path(__file__).parents[2]
FAULTY = '''"""Gives no number once it is rich enough."""

from khora_sim.strategy.toolkit import Traits, rule

TRAITS = Traits(name="faulty", family="own", summary="Fails.", deterministic=False, source="a test")


@rule
def score(view, option):
    return 1.0 / 0.0 if view.game.drachmas[view.me] >= 22 else 0.0
'''


class StopAfter(Progress):
    """Stops a study from within, as Ctrl-C does."""

    live = True  # so that it is told of every chunk

    def __init__(self, chunks: int, problem: type[BaseException] = KeyboardInterrupt):
        self.left, self.problem = chunks, problem

    def note(self, text: str) -> None:
        self.left -= 1
        if self.left == 0:
            raise self.problem


def start(folder: Path, *more: str) -> subprocess.Popen:
    """`khora simulate` in a process of its own."""
    command = [sys.executable, "-m", "khora_sim.cli.main", "simulate", "--out", str(folder), *more]
    return subprocess.Popen(
        command, cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
    )


ASKED = ("--games", "24000", "--strategies", "random,first-legal,idle,random", "--seed", "7")


def parts(folder: Path) -> int:
    return len(list(folder.glob("players/part-*.parquet")))


def wait_for(condition: Callable[[], bool], process: subprocess.Popen) -> None:
    until = time.monotonic() + 60
    while not condition() and process.poll() is None:
        assert time.monotonic() < until
        time.sleep(0.005)


@pytest.mark.slow
def test_killed_ten_times_at_random_moments_then_resumed_is_identical(tmp_path: Path):
    run(tmp_path / "calm", 2, games=24_000)
    folder = tmp_path / "killed"
    moments = random.Random(20)
    for kill in range(10):
        before = parts(folder)
        process = start(folder, *(("--resume",) if (folder / "manifest.json").exists() else ASKED))
        wait_for((folder / "aside").exists, process)
        if kill % 3 == 0:  # some of the kills hit a study that has just begun, some one that gets on
            wait_for(lambda before=before: parts(folder) > before, process)
        time.sleep(moments.uniform(0.0, 0.2))
        process.kill()
        process.communicate()
    process = start(folder, "--resume")
    _, problems = process.communicate(timeout=120)
    assert process.returncode == 0, problems
    assert contents(folder) == contents(tmp_path / "calm")


def test_ctrl_c_ends_cleanly_and_says_how_to_go_on(tmp_path: Path):
    process = start(tmp_path / "study", "--games", "60000", *ASKED[2:])
    wait_for(lambda: parts(tmp_path / "study") > 1, process)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said.splitlines()[-1].endswith(f"Go on with: khora simulate --resume --out {tmp_path / 'study'}")
    assert "Traceback" not in said
    report = check(tmp_path / "study")
    assert report.sound
    assert 0 < report.parts < report.planned


def test_a_stopped_study_resumes_to_the_same_bytes(small: Path, tmp_path: Path):
    plan = plan_for()
    with pytest.raises(KeyboardInterrupt):
        run_study(plan, tmp_path / "study", Backend("threads", 2), progress=StopAfter(2))
    finished = open_study(tmp_path / "study")
    assert not finished.complete
    assert finished.game_count >= 200
    outcome = run_study(plan, tmp_path / "study", Backend("threads", 1), resume=True)
    assert (outcome.games, outcome.played) == (400, 400 - finished.game_count)
    assert contents(tmp_path / "study") == contents(small)


def test_a_study_is_only_continued_when_asked_to(small: Path):
    with pytest.raises(UserError, match="holds this study already, 4 of 4 parts; go on with --resume"):
        run_study(plan_for(), small)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"seed": 8}, r"\(seed: 7 there, 8 here\)"),
        ({"games": 800}, r"\(games: 400 there, 800 here\)"),
        ({"strategies": "random"}, r"\(strategies: random,first-legal,idle,random there, random here\)"),
        ({"reroll": True}, r"\(reroll: False there, True here\)"),
    ],
)
@pytest.mark.parametrize("resume", [False, True])
def test_a_folder_of_another_study_is_refused(small: Path, asked: dict[str, Any], said: str, resume: bool):
    before = contents(small)
    with pytest.raises(UserError, match=f"holds another study {said}; choose another --out"):
        run_study(plan_for(**asked), small, resume=resume)
    assert contents(small) == before


def test_a_study_of_another_version_of_the_rules_is_refused_by_that_version(small: Path, tmp_path: Path):
    folder = Path(shutil.copytree(small, tmp_path / "study"))
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["study"], manifest["rules"]["version"] = "0" * 12, "0"
    (folder / "manifest.json").write_text(json.dumps(manifest))
    there, here = (rf"base \w{{12}} of rules version {version}" for version in ("0", RULES_VERSION))
    message = rf"\(other rules: {there} there, {here} here\)"
    with pytest.raises(UserError, match=f"holds another study {message}; choose another --out"):
        run_study(plan_for(), folder, resume=True)


def test_a_study_killed_at_its_very_beginning_can_begin_again(small: Path, tmp_path: Path):
    (tmp_path / "study" / "aside").mkdir(parents=True)
    (tmp_path / "study" / "aside" / "lock").touch()
    run(tmp_path / "study")
    assert contents(tmp_path / "study") == contents(small)


def test_a_folder_of_something_else_is_refused(tmp_path: Path):
    (tmp_path / "letters.txt").write_text("keep me")
    with pytest.raises(UserError, match="is not empty and holds no study"):
        run_study(plan_for(), tmp_path)
    assert contents(tmp_path).keys() == {"letters.txt"}


def test_a_study_begun_with_other_libraries_is_refused(tmp_path: Path):
    run(tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    manifest["versions"]["polars"] = "0.1"
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(UserError, match=r"was begun with polars 0\.1"):
        run_study(plan_for(), tmp_path, resume=True)


def test_two_at_once_do_not_write_to_one_folder(tmp_path: Path):
    class Second(Progress):
        live = True

        def note(self, text: str) -> None:
            with pytest.raises(UserError, match="another khora is writing here"):
                run_study(plan_for(), tmp_path / "study", resume=True)

    assert run_study(plan_for(), tmp_path / "study", progress=Second()).games == 400


def test_damaged_and_missing_parts_are_found_and_played_again(small: Path, tmp_path: Path):
    run(tmp_path / "study")
    sound = contents(tmp_path / "study")
    path = tmp_path / "study" / "players" / "part-00002.parquet"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))
    (tmp_path / "study" / "games" / "part-00000.parquet").unlink()
    found = check(tmp_path / "study").damages
    assert [(one.number, one.table, one.what) for one in found] == [
        (0, "games", "missing"),
        (2, "players", "damaged"),
    ]
    with pytest.raises(UserError, match="is missing; khora data check"):
        _ = open_study(tmp_path / "study").games
    outcome = run_study(plan_for(), tmp_path / "study", resume=True)
    assert outcome.played == 200
    assert contents(tmp_path / "study") == sound == contents(small)


def test_a_full_disk_gives_one_message_and_finished_parts_stay(small: Path, tmp_path: Path):
    folder = tmp_path / "study"
    plan = plan_for()
    with pytest.raises(KeyboardInterrupt):
        run_study(plan, folder, Backend("threads", 1), progress=StopAfter(1))
    limit = min(part.stat().st_size for part in small.glob("players/*.parquet")) - 100

    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    command = [sys.executable, "-m", "khora_sim.cli.main", "simulate", "--resume", "--out", str(folder)]
    done = subprocess.run(command, cwd=HERE, preexec_fn=no_room, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        f"khora: {folder}: File too large; 1 of 4 parts are finished and stay in {folder}"
    )
    assert "Traceback" not in done.stderr
    assert check(folder).sound
    assert run_study(plan, folder, resume=True).games == 400


@pytest.mark.parametrize(("where", "said"), [("file/study", "Not a directory"), ("file", "is a file")])
def test_a_folder_that_cannot_be_made_gives_one_message(tmp_path: Path, where: str, said: str):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UserError, match=said) as error:
        run_study(plan_for(), tmp_path / where)
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize("backend", ["threads", "processes"])
def test_a_broken_plug_in_gives_one_message_and_finished_parts_stay(tmp_path: Path, backend: str):
    (tmp_path / "faulty.py").write_text(FAULTY)
    plan = plan_for(games=4000, strategies=f"random,idle,random,{tmp_path / 'faulty.py'}")
    with pytest.raises(UserError) as error:
        run_study(plan, tmp_path / "study", Backend(backend, 1))
    assert len(str(error.value).splitlines()) == 1
    assert str(error.value).startswith("game ")
    report = check(tmp_path / "study")
    assert report.sound
    assert 0 < report.parts < 16
    assert str(error.value).endswith(
        f"{report.parts} of 16 parts are finished and stay in {tmp_path / 'study'}"
    )
