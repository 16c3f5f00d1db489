"""khora tune: what it prints, for people and for scripts."""

import json

import pytest

from khora_sim.cli.main import run
from khora_sim.training import tune

SMALL = (
    *("--cities", "sparta", "--players", "2", "--against", "steward"),
    *("--games", "4", "--population", "4", "--budget", "32games"),
)


@pytest.fixture
def khora(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def call(*words):
        monkeypatch.setattr("sys.argv", ["khora", "tune", *words])
        with pytest.raises(SystemExit) as stop:
            run()
        output = capsys.readouterr()
        return stop.value.code, output.out, output.err

    return call


def test_it_says_what_was_won_and_how_to_look_at_the_file(khora, tmp_path):
    code, out, err = khora(*SMALL, "--out", "new.toml")
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[0].startswith("2 players, all others steward: won ")
    assert lines[0].endswith(" of 40 games, fair share 50%")
    assert lines[1:] == [
        "wrote new.toml after 32 games of training",
        "Look at it with: khora strategies show ./new.toml",
    ]
    assert (tmp_path / "new.toml").exists()


def test_a_script_gets_how_it_was_made(khora):
    data = json.loads(khora(*SMALL, "--out", "new.toml", "--json")[1])
    assert (data["out"], data["games"]) == ("new.toml", 32)
    assert data["made"]["steps"][0]["generations"] == 2


def test_a_wrong_option_is_one_line(khora):
    code, out, err = khora(*SMALL, "--out", "new.txt")
    assert (code, out) == (2, "")
    assert err == "khora: --out new.txt: expected a file for the weights that ends in .toml\n"


def test_stopping_it_says_how_to_go_on(khora, monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(tune.COMMAND, "made", stopped)
    code, _, err = khora(*SMALL, "--out", "new.toml")
    assert code == 130
    assert err == "khora: stopped; continue with: khora tune --resume --out new.toml\n"
