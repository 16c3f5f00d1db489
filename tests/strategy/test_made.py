"""How a weights file was made: read, checked, shown, and no part of how it plays."""

import json

import pytest

from khora_sim.cli.main import run
from khora_sim.errors import UserError
from khora_sim.strategy import load
from tests.strategy.test_weights import write

STEP = """
[[made.steps]]
command = "khora tune --out keen.toml"
khora = "0.2.0"
rules = "0123456789abcdef"
parents = ["steward aa", "merchant bb"]
first_seed = 1000000000
last_seed = 1000000009
games = 64000
generations = 10
chosen = { sparta-4 = 7 }
"""
STRENGTH = """
[[made.strength]]
players = 4
against = "steward"
won = 0.5
low = 0.48
high = 0.52
games = 4000
seed = 3000000000
"""


@pytest.fixture
def khora(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def call(*words):
        monkeypatch.setattr("sys.argv", ["khora", *words])
        with pytest.raises(SystemExit) as stop:
            run()
        return stop.value.code, capsys.readouterr().out

    return call


def test_it_is_shown(tmp_path, khora):
    write(tmp_path, "keen", STEP + STRENGTH)
    code, out = khora("strategies", "show", "./keen.toml")
    assert code == 0
    assert "Made with: khora tune --out keen.toml (64,000 games)\n" in out
    measured = "50.0% (48.0% to 52.0%) of 4,000 games won, 4 players, all others steward, seed 3000000000"
    assert f"Measured: {measured}\n" in out


def test_a_script_gets_all_of_it(tmp_path, khora):
    write(tmp_path, "keen", STEP + STRENGTH)
    data = json.loads(khora("strategies", "show", "./keen.toml", "--json")[1])
    assert data["made"]["steps"][0]["chosen"] == {"sparta-4": 7}
    assert data["made"]["strength"][0]["won"] == 0.5
    assert "made" not in json.loads(khora("strategies", "show", "steward", "--json")[1])


def test_play_does_not_depend_on_it(tmp_path):
    silent, described = (load(str(write(tmp_path, name, made))) for name, made in (("a", ""), ("b", STEP)))
    assert silent.digest == described.digest


@pytest.mark.parametrize(
    ("made", "message"),
    [
        ("[made]\nmaker = 1", "odd.toml: made.maker: unknown key; known: steps, strength"),
        ("[made]\nsteps = 3", "odd.toml: made.steps: 3 given; expected a list in [ ]"),
        (
            STEP.replace("games = 64000", ""),
            "odd.toml: made.steps[1].games: missing; expected a whole number",
        ),
        (
            STEP.replace("{ sparta-4 = 7 }", "3"),
            "odd.toml: made.steps[1].chosen: 3 given; "
            "expected a table of whole numbers, the generation taken from each stage",
        ),
        (
            STRENGTH.replace("won = 0.5", "won = 50"),
            "odd.toml: made.strength[1].won: 50 given; expected a number from 0 to 1",
        ),
    ],
)
def test_what_is_wrong_with_it_is_reported_in_one_line(tmp_path, made, message):
    with pytest.raises(UserError) as error:
        load(str(write(tmp_path, "odd", made)))
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)
