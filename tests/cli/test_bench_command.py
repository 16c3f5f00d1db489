"""khora bench: what it measures, in processor time."""

import json
from typing import Any

import pytest

from khora_sim.analyses.bench import Speed
from khora_sim.cli.main import run


@pytest.fixture
def khora(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def call(*words: str) -> tuple[Any, str, str]:
        monkeypatch.setattr("sys.argv", ["khora", "bench", *words])
        with pytest.raises(SystemExit) as stop:
            run()
        output = capsys.readouterr()
        return stop.value.code, output.out, output.err

    return call


def test_strategies_are_measured_each_in_all_four_seats(khora):
    code, out, _ = khora("--strategies", "random,first-legal", "--json")
    rows = json.loads(out)["strategies"]
    assert code == 0
    assert [row["strategy"] for row in rows] == ["random", "first-legal"]
    for row in rows:
        assert row["microseconds_per_game"] * row["games_per_second"] == pytest.approx(1e6)


def test_the_table_names_unit_and_load(khora, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("khora_sim.analyses.bench.speed_of", lambda strategy: Speed(1 / 8000, 125.0))
    _, out, _ = khora("--strategies", "random")
    lines = out.splitlines()
    assert lines[0] == "Four of the same at a table, processor time of one thread, the best run:"
    assert lines[1].split() == ["strategy", "µs/game", "games/s", "ms/decision"]
    assert lines[3].split() == ["random", "125.0", "8,000", "0.0010"]
    assert lines[-1].startswith("Load of the machine: ")


def test_no_name_is_an_error(khora):
    assert khora("--strategies", ",") == (2, "", "khora: --strategies: none is named\n")


def test_an_unknown_strategy_offers_the_nearest(khora):
    code, _, output = khora("--strategies", "stewart")
    assert code == 2
    assert "steward" in output


def test_a_study_is_measured_with_the_strategies_named(khora, monkeypatch: pytest.MonkeyPatch):
    asked = {}
    monkeypatch.setattr("khora_sim.analyses.bench.measure_study", lambda **given: asked.update(given) or {})
    khora("--study", "--strategies", "random,idle", "--json")
    assert asked == {"quick": False, "strategies": ("random", "idle")}
