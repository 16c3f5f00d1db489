"""A baseline is read back as it was written, and anything else is refused in one line."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from khora_sim import __version__
from khora_sim.analyses.analysis import Run
from khora_sim.analyses.gate.baseline import (
    Baseline,
    Plan,
    baseline_of,
    played,
    read_baseline,
    to_be_renewed,
    write_baseline,
)
from khora_sim.errors import UserError
from khora_sim.simulation.run_dir import RunOptions


@cache
def made() -> Baseline:
    return baseline_of(played(Plan(("random",), games=280, seed=5), Run(RunOptions(workers=1))))


def refusal(path: Path) -> str:
    with pytest.raises(UserError) as refused:
        read_baseline(path)
    (line,) = str(refused.value).splitlines()
    return line


def changed(tmp_path: Path, change: Any) -> Path:
    data = made().data()
    change(data)
    path = tmp_path / "b.json"
    path.write_text(json.dumps(data))
    return path


def test_a_baseline_is_read_back_as_it_was_written(tmp_path: Path):
    write_baseline(tmp_path / "b.json", made())
    assert read_baseline(tmp_path / "b.json") == made()
    assert len((tmp_path / "b.json").read_text().splitlines()) < 150


def test_it_says_what_was_played():
    data = made().data()
    assert (data["seed"], data["games"], data["players"], data["khora"]) == (5, 280, 4, __version__)
    assert [one["name"] for one in data["strategies"]] == ["random"]
    assert set(data["rules"]) == {"name", "hash", "version"}
    assert {"value", "low", "high", "n"} <= set(data["cities"]["argos"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not valid JSON"),
        ("[1, 2]", "is not a baseline; expected a baseline in JSON, as --write makes it"),
        ('{"format": 1}', "is not a baseline"),
        ("[" * 100_000, "nested too deep; expected a baseline in JSON, as --write makes it"),
        ('{"kind": "khora baseline", "format": 0}', "has format 0, and this version of khora reads 1"),
        ('{"kind": "khora baseline", "format": 1}', "missing; expected"),
    ],
)
def test_what_is_no_baseline_is_refused(text: str, message: str, tmp_path: Path):
    (tmp_path / "b.json").write_text(text)
    assert message in refusal(tmp_path / "b.json")


def test_a_file_that_is_not_there_is_reported(tmp_path: Path):
    assert "no such file; expected the path of a baseline" in refusal(tmp_path / "b.json")


@pytest.mark.parametrize(
    ("where", "value", "message"),
    [
        (("cities", "argos", "value"), 0.9, "its value lies outside its interval"),
        (("cities", "argos", "n"), 99, "do not give its n and its value"),
        (("cities", "argos", "wins"), "60", "as many numbers each"),
        (("cities", "argos", "wins"), "x y", "expected whole numbers with spaces between them"),
        (("cities", "argos", "low"), 0.99, "its value lies outside its interval"),
        (("cities", "argos", "low"), float("nan"), "cities.argos.low: nan given"),
        (("cities", "argos", "power"), 1, "cities.argos.power: unknown key"),
        (("units", "unit"), "3 2", "as many numbers each"),
        (("players",), 9, "players: 9 given; expected a whole number from 2 to 4"),
        (("seed",), -1, "seed: -1 given"),
        (("strategies",), [], "strategies: 0 given; expected at least 1"),
        (("games",), "many", 'games: "many" given'),
    ],
)
def test_a_damaged_baseline_is_refused_in_one_line(
    where: tuple[str, ...], value: Any, message: str, tmp_path: Path
):
    def change(data: dict[str, Any]) -> None:
        for key in where[:-1]:
            data = data[key]
        data[where[-1]] = value

    assert message in refusal(changed(tmp_path, change))


def test_only_a_baseline_is_written_over(tmp_path: Path):
    path = tmp_path / "b.json"
    assert to_be_renewed(path) is None
    path.write_text("my notes")
    with pytest.raises(UserError, match="exists and is not a baseline; choose another name"):
        to_be_renewed(path)
    assert path.read_text() == "my notes"
    write_baseline(path, made())
    assert to_be_renewed(path) == made()
    path.write_text(json.dumps(made().data() | {"format": 0}))
    assert to_be_renewed(path) is None
    with pytest.raises(UserError, match="there is no folder"):
        to_be_renewed(tmp_path / "there" / "b.json")
