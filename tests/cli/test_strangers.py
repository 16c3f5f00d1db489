"""A folder or file from a stranger is data: nothing in it runs unless the user names it."""

import json
import os
import shlex
import shutil
from contextlib import chdir
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from joblib.externals.loky import get_reusable_executor
from typer.testing import CliRunner, Result

from khora_sim import open_study
from khora_sim.analyses.bench import Speed
from khora_sim.cli.main import app, run
from khora_sim.engine.cache import cache_home, kept
from khora_sim.errors import UserError
from khora_sim.pages.progress import Bar
from khora_sim.pages.publish import Rendered
from khora_sim.pages.study_data import StudyData
from khora_sim.pages.study_report import simulate_command
from khora_sim.strategy import finding
from tests.simulation.folders import contents
from tests.strategy.plug_ins import HEAD

TRAP = (
    '"""Leaves a trace when it is run, and takes the first option."""\n'
    "from pathlib import Path\n\nPath(__file__).with_suffix('.ran').touch()\n"
    + HEAD.split("\n", 1)[1]
    + '\npatience = parameter(3, help="none")\n\n\n'
    "class Player:\n    def choose(self, view, options):\n        return options[0]\n"
)


def khora(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False)


def refusal(*arguments: str) -> str:
    with pytest.raises(UserError) as refused:
        khora(*arguments)
    assert len(str(refused.value).splitlines()) == 1
    return str(refused.value)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a trap in it, and in its folder of strategies."""
    for folder in (tmp_path, tmp_path / "strategies"):
        folder.mkdir(exist_ok=True)
        (folder / "trap.py").write_text(TRAP.format(name="trap", declared=""))
    (tmp_path / "keen.toml").write_text("not read = at all\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KHORA_CACHE", str(cache_home().parent))  # machine code stays where it is
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def traces(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.ran"))


def play(folder: Path, strategies: str, *more: str) -> None:
    asked = ("--games", "4", "--seed", "7", "--workers", "1", "--backend", "threads", "--quiet")
    khora("simulate", "--strategies", strategies, *asked, "--out", str(folder), *more)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small study of built-in strategies, to be copied."""
    folder = tmp_path_factory.mktemp("studies") / "played"
    play(folder, "first-legal,random")
    return folder


@pytest.fixture
def study(here: Path, played: Path) -> Path:
    """A copy of it, as a stranger may have changed it."""
    return shutil.copytree(played, here / "study")


def change(study: Path, /, **changes: Any) -> None:
    path = study / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def name_in_manifest(study: Path, spec: str) -> None:
    """Let a manifest name another strategy than the one that played, and take a part away."""
    manifest = json.loads((study / "manifest.json").read_text())
    manifest["plan"]["strategies"][0] = manifest["strategies"][0]["name"] = spec
    change(study, **manifest)
    (study / "games" / "part-00000.parquet").unlink()


SPECS = ["{here}/trap.py", "./trap.py", "trap.py", "./trap.py:patience=3", "~/trap.py", r"strategies\trap.py"]


@pytest.mark.parametrize("command", ["simulate --resume --out study", "data check study --repair"])
@pytest.mark.parametrize(
    "spec", [*SPECS, "trap", "./keen.toml", "./keen.toml:tax=1", "steward.toml", "./nowhere.py"]
)
def test_a_foreign_manifest_alone_brings_no_strategy_in(here: Path, study: Path, command: str, spec: str):
    spec = spec.format(here=here)
    name_in_manifest(study, spec)
    again = f"khora {command} --strategies {shlex.quote(f'{spec},random')}"
    assert refusal(*command.split()) == (
        f"study: its manifest names {spec}, and what is not built in is read and run only when you name it; "
        f"if you trust it, type: {again}"
    )
    assert traces(here) == []


def test_an_installed_strategy_is_brought_in_by_no_manifest_either(
    here: Path, study: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.syspath_prepend(str(here))
    point = EntryPoint("visitor", "trap", finding.ENTRY_POINTS)
    monkeypatch.setattr(finding, "entry_points", lambda group: [point])
    name_in_manifest(study, "visitor")
    assert "its manifest names visitor" in refusal("simulate", "--resume", "--out", "study")
    assert traces(here) == []


def test_a_command_to_type_is_quoted(study: Path):
    name_in_manifest(study, "./x.py; touch trap.ran")
    message = refusal("simulate", "--resume", "--out", "study")
    assert message.endswith(
        "type: khora simulate --resume --out study --strategies './x.py; touch trap.ran,random'"
    )


@pytest.fixture(scope="module")
def with_plug_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small study in which a plug-in played, to be copied."""
    folder = tmp_path_factory.mktemp("studies")
    (folder / "trap.py").write_text(TRAP.format(name="trap", declared=""))
    with chdir(folder):
        play(folder / "study", "./trap.py:patience=4,random", "--rounds")
    return folder / "study"


@pytest.fixture
def own(here: Path, with_plug_in: Path) -> Path:
    """A study of the user's own plug-in, with a missing part."""
    study = shutil.copytree(with_plug_in, here / "study")
    (study / "games" / "part-00000.parquet").unlink()
    get_reusable_executor().shutdown()  # processes of an earlier test stay in its folder without the plug-in
    return study


@pytest.mark.parametrize("command", ["simulate --resume --out study", "data check study --repair"])
def test_named_again_a_plug_in_goes_on_to_the_same_bytes(own: Path, with_plug_in: Path, command: str):
    typed = refusal(*command.split()).split("type: khora ")[1]
    assert typed == f"{command} --strategies ./trap.py:patience=4,random"
    assert khora(*shlex.split(typed)).exit_code == 0
    assert contents(own) == contents(with_plug_in)


@pytest.mark.parametrize("command", ["simulate --resume --out study", "data check study --repair"])
def test_a_plug_in_that_is_not_the_one_that_played_is_refused(own: Path, command: str):
    plug_in = own.parent / "trap.py"
    plug_in.write_text(plug_in.read_text().replace("options[0]", "options[-1]"))
    before = contents(own)
    assert refusal(*command.split(), "--strategies", "./trap.py:patience=4,random") == (
        "study: holds another study (strategy ./trap.py:patience=4 has changed since); choose another --out"
    )
    assert contents(own) == before


def test_other_strategies_than_those_of_the_folder_are_refused_before_they_are_read(own: Path):
    message = refusal("simulate", "--resume", "--out", "study", "--strategies", "./trap.py,random")
    assert (
        message
        == "study: holds another study (strategies: ./trap.py:patience=4,random there, ./trap.py,random here)"
    )
    assert traces(own.parent) == []


def test_how_to_repair_is_reported_with_the_strategies(own: Path):
    output = khora("data", "check", "study").stdout.splitlines()[-1]
    assert output == (
        "Play them again with: khora data check study --repair --strategies ./trap.py:patience=4,random"
    )
    again = "; khora data check study --repair --strategies ./trap.py:patience=4,random plays it again"
    assert refusal("report", "study").endswith(again)
    assert refusal("data", "export", "study", "--csv").endswith(again)
    assert refusal("data", "check", "study", "--strategies", "random") == (
        "--strategies is for a repair; add --repair"
    )


def test_looking_at_a_foreign_study_runs_nothing(
    here: Path, with_plug_in: Path, monkeypatch: pytest.MonkeyPatch
):
    undrawn = Rendered("<svg/>", b"", "<svg></svg>")
    monkeypatch.setattr("khora_sim.pages.publish.render", lambda figure, png=True: undrawn)
    shutil.copytree(with_plug_in, here / "study")
    assert khora("data", "show", "study").exit_code == 0
    assert khora("data", "check", "study").exit_code == 0
    assert khora("data", "export", "study", "--csv").exit_code == 0
    assert khora("plot", "study", "city-win-share", "--quiet").exit_code == 0
    assert khora("report", "study", "--quiet").exit_code == 0
    assert khora("report", "--compare", "study", "study", "--quiet").exit_code == 0
    assert open_study("study").players.collect().height == 16
    assert traces(here) == []


def test_list_runs_nothing_and_shows_files_as_they_are_typed(here: Path):
    (here / "strategies" / "steward.py").write_text(TRAP.format(name="steward", declared=""))
    (here / "strategies" / "broken.py").write_text("def (")
    (here / "strategies" / "worked_out.py").write_text('"""X."""\nTRAITS = Traits(name=str(1))\n')
    rows = {row["name"]: row for row in json.loads(khora("strategies", "list", "--quick", "--json").stdout)}
    assert traces(here) == []
    assert rows["./strategies/steward.py"] == {
        "name": "./strategies/steward.py",
        "family": "own",
        "kind": "python",
        "deterministic": True,
        "summary": "For a test.",
        "source": "a test",
    }
    assert rows["steward"]["kind"] == "weights"
    assert rows["./strategies/broken.py"]["problem"] == "broken.py: is not valid Python: invalid syntax"
    assert rows["./strategies/worked_out.py"]["problem"].startswith(
        "worked_out.py: its traits are not written out as plain values; "
    )
    assert "./strategies/trap.py" in khora("strategies", "list", "--quick").stdout


def test_list_measures_the_speed_of_built_in_strategies_only(here: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("khora_sim.analyses.bench.speed_of", lambda strategy: Speed(1.0, 100.0))
    monkeypatch.setattr(finding, "built_in", lambda: {"idle": finding.built_in_folder() / "idle.py"})
    rows = {row["name"]: row for row in json.loads(khora("strategies", "list", "--json").stdout)}
    assert {name for name, row in rows.items() if "games_per_second" in row} == {"idle"}
    assert traces(here) == []


def test_in_a_checkout_nothing_is_listed_twice(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(finding.built_in_folder().parent)
    rows = json.loads(khora("strategies", "list", "--quick", "--json").stdout)
    assert sorted(row["name"] for row in rows) == sorted(finding.built_in())


def test_a_table_with_the_name_of_a_path_is_refused(study: Path):
    change(study, tables=["games", "../../elsewhere"])
    assert refusal("data", "export", "study", "--csv").startswith(
        "study/manifest.json: is not the manifest of a study: "
        'tables[1]: "../../elsewhere" given; expected one of: games, players, rounds; '
    )


@pytest.mark.parametrize("key", ["plan", "parts", "rules", "enums", "versions", "strategies", "rotation"])
def test_a_manifest_of_another_shape_is_reported_in_one_line(study: Path, key: str):
    change(study, **{key: 5})
    assert refusal("data", "show", "study").startswith(
        f"study/manifest.json: is not the manifest of a study: {key}: "
    )


@pytest.mark.parametrize("link", ["aside", "aside/lock", "aside/games-part-00000.parquet", "games"])
def test_nothing_is_written_through_a_link_of_a_foreign_folder(study: Path, link: str):
    (study / "games" / "part-00000.parquet").unlink()
    if link == "games":
        (study / "games").rmdir()
    path = study / link
    path.parent.mkdir(exist_ok=True)
    target = study.parent / "letters"
    target.mkdir() if "/" not in link else target.write_text("keep me")
    path.symlink_to(target)
    assert refusal("simulate", "--resume", "--out", "study") == (
        f"study/{link}: is a link, and a study is written to no place but its folder; remove it"
    )
    assert target.read_text() == "keep me" if target.is_file() else not any(target.iterdir())


def test_an_export_follows_no_link_of_a_foreign_folder(study: Path):
    target = study.parent / "letters"
    target.write_text("keep me")
    (study / "csv").mkdir()
    (study / "csv" / f".games.csv.{os.getpid()}").symlink_to(target)
    assert khora("data", "export", "study", "--csv", "--table", "games").exit_code == 0
    assert target.read_text() == "keep me"
    shutil.rmtree(study / "csv")
    (study / "csv").symlink_to(study.parent)
    assert (
        refusal("data", "export", "study", "--csv")
        == "study/csv: is a link; say where the files go: --out FOLDER"
    )


def test_a_name_in_brackets_is_shown_as_it_is():
    bar = Bar()
    bar.begin("./[/x].py, 4 players", 1)
    bar.note("./[/x].py 50 %")
    bar.rich.make_tasks_table(bar.rich.tasks)
    bar.stop()


def test_what_a_stranger_wrote_does_not_steer_the_terminal(here: Path, study: Path, monkeypatch, capsys):
    change(study, rotation="fine\x1b[2J\u202e")
    assert r"Rotation    fine\x1b[2J\u202e" in khora("data", "show", "study").stdout
    (here / "game.json").write_text('{"format": "\\u001b[2J"}')
    monkeypatch.setattr("sys.argv", ["khora", "verify", "game.json"])
    with pytest.raises(SystemExit):
        run()
    assert r"game.json: format \x1b[2J is unknown" in capsys.readouterr().err


def test_a_command_on_a_report_is_quoted(study: Path):
    opened = open_study(study)
    plan = opened.plan.model_copy(update={"strategies": ("./x.py; echo",)})
    opened.manifest = opened.manifest.model_copy(update={"plan": plan})
    assert "--strategies './x.py; echo' " in simulate_command(StudyData(opened, "study"))


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders have no owner here")
def test_a_cache_that_others_can_write_is_refused(here: Path):
    (here / "cache").mkdir()
    (here / "cache").chmod(0o777)
    with pytest.raises(UserError, match="can be written by other users, whose machine code would be run"):
        kept(here / "cache", kept, lambda cached: "machine code", "", "")
    (here / "cache").chmod(0o755)
    assert kept(here / "cache", kept, lambda cached: "machine code", "", "") == "machine code"
