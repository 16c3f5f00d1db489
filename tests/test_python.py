"""The Python API: the functions of `khora_sim`, and the page that shows them."""

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import khora_sim
from khora_sim import UserError
from khora_sim.analyses import REGISTRY
from khora_sim.analyses.analysis import loaded
from khora_sim.common.command_options import flag_of
from khora_sim.simulation.study_file import Study
from tests.checks.examples import EXAMPLES, run_again

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two studies of 140 games with the same luck: `base`, and `short` with a round less."""
    folder = tmp_path_factory.mktemp("python")
    (folder / "short.toml").write_text("rounds = 8\n")
    rules = khora_sim.load_rules(folder / "short.toml")
    khora_sim.simulate(games=140, strategies=["random"], cities="all", out=folder / "base")
    khora_sim.simulate(games=140, strategies="random", cities="all", rules=rules, out=folder / "short")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("page", EXAMPLES, ids=lambda page: page.name)
def test_the_examples_of_a_page_print_what_is_shown(page: Path, tmp_path: Path) -> None:
    assert run_again(page.read_text(), tmp_path) == page.read_text()


@pytest.mark.parametrize("name", [name for name in REGISTRY if name in khora_sim.__all__])
def test_arguments_have_the_names_and_defaults_of_the_options(name: str) -> None:
    offered = inspect.signature(getattr(khora_sim, name)).parameters
    options = loaded(REGISTRY[name]).Options.model_fields
    assert set(offered) - {"progress"} == set(options)
    for field in set(options):
        usual = options[field].get_default(call_default_factory=True)
        argument = flag_of(options[field]).argument
        expected = inspect.Parameter.empty if argument or options[field].is_required() else usual
        assert offered[field].default == expected


def test_every_key_of_a_study_can_be_asked_for() -> None:
    assert set(Study.model_fields) <= set(inspect.signature(khora_sim.simulate).parameters)


def test_importing_khora_sim_brings_in_nothing_slow() -> None:
    code = "import sys, khora_sim; dir(khora_sim); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "polars", "numba", "pydantic", "khora_sim.simulation"} & set(done.stdout.split())


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'simulat'"):
        _ = khora_sim.simulat
    assert set(khora_sim.__all__) <= set(dir(khora_sim))


def test_a_folder_of_the_same_name_hides_no_function(studies: Path, tmp_path: Path) -> None:
    import khora_sim.analyses.ladder
    import khora_sim.pages.publish

    with pytest.raises(UserError, match="--games 0: expected a whole number from 1, such as 20000 or 20k"):
        khora_sim.ladder(games=0)
    with pytest.raises(UserError, match="2 folders were named"):
        khora_sim.report(studies / "base", studies / "short")
    assert callable(khora_sim.pages.publish.write_page)


def test_a_study_is_played_and_opened(studies: Path) -> None:
    study = khora_sim.open_study(studies / "base")
    assert repr(study) == f"<study '{studies / 'base'}': 140 games>"
    assert study.complete
    shares = study.win_shares("seat")
    assert shares["seat"].to_list() == [1, 2, 3, 4]
    assert shares["value"].sum() == pytest.approx(1)


def test_the_command_line_gives_the_same_bytes(studies: Path, tmp_path: Path) -> None:
    asked = "--games 140 --strategies random --cities all --quiet --out study"
    subprocess.run([sys.executable, "-m", "khora_sim", "simulate", *asked.split()], cwd=tmp_path, check=True)
    one, other = (folder / "manifest.json" for folder in (studies / "base", tmp_path / "study"))
    assert one.read_bytes() == other.read_bytes()


def test_a_study_file_comes_first_and_is_resumed(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text('games = 400\nstrategies = ["random"]\nplayers = 2\n')
    study = khora_sim.simulate(tmp_path / "study.toml", games=8, out=tmp_path / "out")
    assert (study.game_count, study.plan.players) == (8, (2,))
    again = khora_sim.simulate(out=tmp_path / "out", resume=True, strategies=["random"])
    assert again.manifest == study.manifest


def test_two_studies_are_compared(studies: Path) -> None:
    found = khora_sim.compare(studies / "base", studies / "short")
    assert (found.paired, found.games) == (True, 140)
    assert found.headline.startswith("With random in every seat, ")
    assert "rounds: 9 -> 8" in found.differences
    assert found.tables.city_wins.height == 7
    assert (found.tables.city_scores["value"] < 0).all()


def test_a_forecast_plays_nothing_into_a_folder() -> None:
    expected = khora_sim.forecast(games=1000, strategies="random", players=[2, 3], workers=1)
    assert expected.seconds > 0
    assert 100_000 < expected.bytes < 1_000_000


def test_rules_say_what_they_change(studies: Path) -> None:
    assert khora_sim.load_rules().changes() == []
    rules = khora_sim.load_rules(studies / "short.toml")
    assert [change.in_words() for change in rules.changes()] == ["rounds: 9 -> 8"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"strategies": ()}, "no strategies; say who plays, for example: strategies = adept"),
        ({"strategies": "randm"}, "did you mean random?"),
        ({"strategies": ["random"], "players": 9}, "--players 9: expected a whole number from 2 to 4"),
        ({"strategies": "random", "players": (2, 9)}, "--players 2,9: expected a whole number from 2 to 4"),
        ({"strategies": "random", "players": ","}, "--players ,: expected at least 1"),
        ({"strategies": "random", "workers": 0}, "--workers 0: expected 1 or more"),
        ({"strategies": "random", "rules": "none.toml"}, "none.toml: no such file"),
    ],
)
def test_what_is_wrong_is_one_line(asked: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as error:
        khora_sim.simulate(out=tmp_path / "study", **asked)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_an_unknown_column_is_reported(studies: Path) -> None:
    with pytest.raises(UserError, match=r'no column of players is called "ciy"; did you mean city'):
        khora_sim.open_study(studies / "base").win_shares("ciy")


def test_type_hints_are_shipped() -> None:
    assert (ROOT / "khora_sim" / "py.typed").exists()


@pytest.mark.parametrize("name", sorted(set(khora_sim.__all__) & REGISTRY.keys()))
def test_a_signature_shows_plain_types(name):
    shown = str(inspect.signature(getattr(khora_sim, name)))
    assert not re.search(r"Annotated|FieldInfo|Validator", shown)
