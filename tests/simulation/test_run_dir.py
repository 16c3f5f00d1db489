"""A run folder takes one run of one command, keeps what is finished, and gives the same answer again."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import khora_sim
from khora_sim.errors import UserError
from khora_sim.rules import load_rules
from khora_sim.simulation.experiment import Arm, resolve_study
from khora_sim.simulation.run_dir import ANSWER, PAGE, PARTS, PLAN, ChunkCache, RunDir, SavedPlan
from khora_sim.simulation.study_file import study_of
from tests.strategy.plug_ins import FIRST, write_plug_in

HERE = Path(__file__).parents[2]
OURS = SavedPlan(command="power", options={"kind": "cards"}, identity={"random": "1f2e", "the rules": "3d4c"})
OTHERS = OURS.model_copy(update={"command": "what-if"})
FEW = {"strategies": "random", "games": 14_000, "workers": 1}


def run_in(folder: Path, plan: SavedPlan = OURS, **how: bool) -> None:
    """Run something in a folder: a part, a page, a folder of its own, and the answer."""
    run = RunDir(folder, own=("adapted",))
    with run.opened(plan, **how):
        (run.folder(PARTS) / "one.parquet").write_bytes(b"")
        (run.folder("adapted") / "hours.npz").write_bytes(b"")
        (folder / "index.html").write_text("a page")
        run.write_answer({"a": 1})


def refused(folder: Path, plan: SavedPlan = OURS, **how: bool) -> str:
    """What is said of a folder that is refused; nothing in it changes."""
    before = contents(folder)
    with pytest.raises(UserError) as error, RunDir(folder, own=("adapted",)).opened(plan, **how):
        raise AssertionError
    assert contents(folder) == before
    (line,) = str(error.value).splitlines()
    return line.removeprefix(f"{folder}: ")


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    files = [path for path in folder.rglob("*") if path.is_file()] if folder.is_dir() else []
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize("there", [False, True], ids=["new", "empty"])
def test_a_new_or_empty_folder_is_taken(there: bool, tmp_path: Path):
    folder = tmp_path / "a" / "b"
    if there:
        folder.mkdir(parents=True)
    run_in(folder)
    assert {one.name for one in folder.iterdir()} == {PLAN, PARTS, "adapted", "index.html", ANSWER}
    assert json.loads((folder / PLAN).read_text()) == OURS.model_dump(mode="json")
    assert json.loads((folder / ANSWER).read_text()) == {"a": 1}


def test_what_a_killed_run_left_aside_is_no_hindrance(tmp_path: Path):
    (tmp_path / "aside").mkdir()
    (tmp_path / "aside" / "lock").touch()
    run_in(tmp_path)


@pytest.mark.parametrize("how", [{}, {"replace": True}], ids=["plain", "replace"])
def test_a_folder_of_something_else_is_refused(how: dict[str, bool], tmp_path: Path):
    (tmp_path / "notes.txt").write_text("mine")
    told = "is not empty and holds no run of khora power; choose another --out"
    assert refused(tmp_path, **how) == told


@pytest.mark.parametrize("how", [{}, {"resume": True}, {"replace": True}], ids=["plain", "resume", "replace"])
def test_a_folder_of_another_command_is_refused(how: dict[str, bool], tmp_path: Path):
    run_in(tmp_path / "a", OTHERS)
    assert refused(tmp_path / "a", **how) == "belongs to khora what-if; choose another --out"


@pytest.mark.parametrize("how", [{}, {"replace": True}], ids=["plain", "replace"])
def test_a_file_is_no_folder(how: dict[str, bool], tmp_path: Path):
    (tmp_path / "a").write_text("mine")
    assert refused(tmp_path / "a", **how) == "is a file; --out should name a folder"
    assert (tmp_path / "a").read_text() == "mine"


def test_a_finished_run_stays_unless_it_is_replaced(tmp_path: Path):
    run_in(tmp_path)
    assert refused(tmp_path) == (
        "holds a finished answer; show it again with --resume, begin anew with --replace, or choose another "
        "--out"
    )


def test_an_unfinished_run_can_be_continued(tmp_path: Path):
    run_in(tmp_path)
    (tmp_path / ANSWER).unlink()
    assert refused(tmp_path).startswith("holds an unfinished run; continue with --resume")
    with RunDir(tmp_path).opened(OURS, resume=True):
        assert (tmp_path / PARTS / "one.parquet").exists()


def test_replacing_removes_what_belongs_to_the_run_and_nothing_else(tmp_path: Path):
    run_in(tmp_path)
    for name in ("figures", "tables"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "old").touch()
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "figures of mine").mkdir()
    other = OURS.model_copy(update={"options": {"kind": "events"}})
    with RunDir(tmp_path, own=("adapted",)).opened(other, replace=True):
        assert set(contents(tmp_path)) == {PLAN, "notes.txt", "aside/lock"}
        assert (tmp_path / "figures of mine").is_dir()
        assert RunDir(tmp_path).saved() == other


def test_a_folder_without_a_plan_has_nothing_to_resume(tmp_path: Path):
    told = "holds nothing to resume (plan.json is missing); leave --resume out"
    assert refused(tmp_path, resume=True) == refused(tmp_path / "new", resume=True) == told
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"identity": {**OURS.identity, "random": "0"}}, "was begun with another version of random"),
        ({"identity": {**OURS.identity, "the rules": "0"}}, "was begun with another version of the rules"),
        ({"khora": "0.3.0.before"}, "was begun with khora 0.3.0.before"),
    ],
    ids=["strategy", "rules", "khora"],
)
def test_a_run_of_another_version_is_not_resumed(change: dict[str, object], told: str, tmp_path: Path):
    run_in(tmp_path, OURS.model_copy(update=change))
    assert refused(tmp_path, resume=True) == f"{told}; choose another --out"


@pytest.mark.parametrize("how", [{}, {"resume": True}, {"replace": True}], ids=["plain", "resume", "replace"])
def test_a_folder_of_khora_02_is_refused(how: dict[str, bool], tmp_path: Path):
    (tmp_path / PLAN).write_text('{"kind": "cards", "strategies": ["random"], "players": 4, "seed": 5}')
    assert refused(tmp_path, **how) == "was made by an earlier version of khora; choose another --out"


@pytest.mark.parametrize("text", ["", "[1", "[" * 100_000, "[]", '{"command": 7}', '{"command": "power"}'])
def test_a_damaged_plan_is_told_without_a_traceback(text: str, tmp_path: Path):
    (tmp_path / PLAN).write_text(text)
    with pytest.raises(UserError, match=r"plan\.json"):
        RunDir(tmp_path).resumed_by("power")


@pytest.mark.parametrize("how", [{}, {"resume": True}, {"replace": True}], ids=["plain", "resume", "replace"])
@pytest.mark.parametrize("name", [PLAN, ANSWER, PARTS, *PAGE, "adapted", "aside"])
def test_a_link_is_refused_and_nothing_is_written_through_it(name: str, how: dict[str, bool], tmp_path: Path):
    there = tmp_path / "elsewhere"
    there.mkdir()
    (there / "precious").write_text("mine")
    run_in(tmp_path / "a")
    for one in (tmp_path / "a").iterdir():
        if one.name == name:
            one.rename(there / "moved")
    target = there / "moved" if (there / "moved").is_file() else there
    (tmp_path / "a" / name).symlink_to(target)
    before = contents(there)
    assert "is a link, and a" in refused(tmp_path / "a", **how)
    assert contents(there) == before


def test_a_folder_inside_that_became_a_link_is_refused(tmp_path: Path):
    (tmp_path / "elsewhere").mkdir()
    with RunDir(tmp_path / "a").opened(OURS):
        (tmp_path / "a" / PARTS).symlink_to(tmp_path / "elsewhere")
        with pytest.raises(UserError, match="parts: is a link"):
            _ = RunDir(tmp_path / "a").chunks


def test_of_two_processes_one_is_refused(tmp_path: Path):
    code = (
        "import sys; from pathlib import Path; from khora_sim.simulation.run_dir import RunDir, SavedPlan\n"
        f"plan = SavedPlan(command='power', options={{}}, identity={OURS.identity})\n"
        f"with RunDir(Path({str(tmp_path)!r})).opened(plan): print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=HERE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        for how in ({"resume": True}, {"replace": True}):
            assert refused(tmp_path, **how) == "another khora is writing here; wait for it to end"
        other.communicate("")
    with RunDir(tmp_path).opened(OURS, resume=True):
        pass


@pytest.fixture(scope="module")
def arm() -> Arm:
    return resolve_study(study_of({"strategies": ("random",), "games": 560}), load_rules())


FRAME = pl.DataFrame({"a": [1, 2, 3]})


def test_a_chunk_is_found_again_by_its_arm_its_groups_and_what_is_kept(arm: Arm, tmp_path: Path):
    ChunkCache(tmp_path).store(arm, 0, "sums", FRAME)
    found = ChunkCache(tmp_path)
    assert FRAME.equals(found.find(arm, 0, "sums"))
    assert found.find(arm, 1, "sums") is None
    assert found.find(arm, 0, "columns") is None
    other = resolve_study(study_of({"strategies": ("random",), "games": 560, "seed": 1}), load_rules())
    assert found.find(other, 0, "sums") is None
    assert found.size == next(tmp_path.iterdir()).stat().st_size


def flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def of_another(path: Path) -> None:
    """A sound part under the name of another chunk, its own checksum included."""
    other = sorted(path.parent.iterdir())[-1]
    checksum = other.name.split(".")[1]
    path.with_name(f"{path.name.split('.')[0]}.{checksum}.parquet").write_bytes(other.read_bytes())
    path.unlink()


DAMAGES = pytest.mark.parametrize("damage", [flipped, truncated, emptied, of_another])


@DAMAGES
def test_a_damaged_chunk_is_removed(damage: Callable[[Path], None], arm: Arm, tmp_path: Path):
    cache = ChunkCache(tmp_path)
    for number in range(2):
        cache.store(arm, number, "sums", FRAME.with_columns(number=number))
    damage(min(tmp_path.iterdir()))
    found = ChunkCache(tmp_path)
    assert [found.find(arm, number, "sums") is None for number in range(2)] == [True, False]
    assert len(list(tmp_path.iterdir())) == 1


def test_a_linked_chunk_is_refused(arm: Arm, tmp_path: Path):
    (tmp_path / "parts").mkdir()
    ChunkCache(tmp_path / "parts").store(arm, 0, "sums", FRAME)
    (part,) = (tmp_path / "parts").iterdir()
    part.rename(tmp_path / "elsewhere")
    part.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserError, match="is a link"):
        ChunkCache(tmp_path / "parts").find(arm, 0, "sums")
    assert FRAME.equals(pl.read_parquet(tmp_path / "elsewhere"))


def test_a_cache_of_3000_parts_opens_at_once(arm: Arm, tmp_path: Path):
    for number in range(3000):
        (tmp_path / f"{number:020x}-000000-300-9a8b7c6d.0123456789abcdef.parquet").touch()
    began = time.process_time()
    cache = ChunkCache(tmp_path)
    for number in range(arm.chunks):
        assert cache.find(arm, number, "sums") is None
    assert time.process_time() - began < 1
    assert len(cache.known) == 3000


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that was not interrupted."""
    folder = tmp_path_factory.mktemp("whole") / "a"
    khora_sim.power("tracks", **FEW, out=folder)
    return folder


def copied(whole: Path, folder: Path) -> Path:
    """The same without its answer and its page."""
    for path in [whole / PLAN, *(whole / PARTS).iterdir()]:
        target = folder / path.relative_to(whole)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    return folder


def answered(folder: Path) -> dict[str, bytes]:
    """All files but the page, which has the command with its folder."""
    return {name: data for name, data in contents(folder).items() if name not in ("index.html", "summary.md")}


@DAMAGES
@pytest.mark.parametrize("workers", [1, 2])
def test_a_damaged_part_is_played_again_and_the_answer_is_the_same(
    damage: Callable[[Path], None], workers: int, whole: Path, tmp_path: Path
):
    folder = copied(whole, tmp_path / "b")
    damage(min((folder / PARTS).iterdir()))
    khora_sim.power(out=folder, resume=True, workers=workers)
    assert answered(folder) == answered(whole)


def test_a_resumed_run_takes_its_options_from_the_folder_and_refuses_others_by_name(whole: Path):
    again = khora_sim.power(out=whole, resume=True)
    assert (again.kind, again.strategies, again.games) == ("tracks", ("random",), 14_000)
    assert khora_sim.power("tracks", games="14k", strategies=["random"], out=whole, resume=True) == again
    others = {"games": 700, "precision": 2, "seed": 1, "players": 3, "strategies": "idle"}
    for name, value in others.items():
        with pytest.raises(UserError) as error:
            khora_sim.power(out=whole, resume=True, **{name: value})
        assert str(error.value) == (
            f"{whole}: --{name} differs from what it was begun with "
            "(power tracks --strategies random --games 14000), which cannot change; leave it out, or choose "
            "another --out"
        )
    with pytest.raises(UserError, match="--resume continues a run in its folder; name it with --out"):
        khora_sim.power("tracks", resume=True)


def test_a_plug_in_of_a_folder_is_run_only_if_it_is_named_and_unchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    plug_in = write_plug_in(Path(), "mine", FIRST)
    asked = {"strategies": "./mine.py", "games": 140, "workers": 1, "out": Path("a")}
    found = khora_sim.power("tracks", **asked)
    again = "khora power tracks --strategies ./mine.py --games 140 --out a --resume"
    with pytest.raises(UserError, match=f"type: {again}"):
        khora_sim.power(out="a", resume=True)
    named = {"strategies": "./mine.py", "out": "a", "resume": True}
    assert khora_sim.power(**named).data() == found.data()
    plug_in.write_text(plug_in.read_text().replace("0.0", "1.0"))
    with pytest.raises(UserError, match=r"was begun with another version of ./mine.py"):
        khora_sim.power(**named)


def test_changed_rules_are_noticed(tmp_path: Path):
    rules = tmp_path / "short.toml"
    rules.write_text("rounds = 8\n")
    khora_sim.power("tracks", **{**FEW, "games": 140}, rules=str(rules), out=tmp_path / "a")
    rules.write_text("rounds = 7\n")
    with pytest.raises(UserError, match="was begun with another version of the rules"):
        khora_sim.power(out=tmp_path / "a", resume=True)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_killed_run_gives_the_same_answer_after_all(workers: int, whole: Path, tmp_path: Path):
    folder = tmp_path / "a"
    asked = ["tracks", "--strategies", "random", "--games", "14000", "--quiet", "--workers", str(workers)]
    command = [sys.executable, "-m", "khora_sim", "power", *asked, "--out", str(folder)]
    process = subprocess.Popen(command, cwd=HERE, stdout=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 60
        while len(list((folder / PARTS).glob("*.parquet"))) < 3 and time.monotonic() < end:
            time.sleep(0.002)
        os.kill(process.pid, signal.SIGKILL)
    finally:
        process.wait()
    assert 3 <= len(list((folder / PARTS).glob("*.parquet"))) < len(list((whole / PARTS).iterdir()))
    assert not (folder / ANSWER).exists()
    khora_sim.power(out=folder, resume=True, workers=3 - workers)
    assert answered(folder) == answered(whole)
