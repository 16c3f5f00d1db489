"""Strategies tied to a city: whoever has the city plays it so."""

import tomllib
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from khora_sim.cli.main import app
from khora_sim.errors import UserError
from khora_sim.rules import load_rules
from khora_sim.simulation.experiment import plan_study
from khora_sim.simulation.manifest import (
    manifest_of,
    plan_of,
    read_manifest,
    simulating,
    to_bytes,
    with_strategies,
)
from khora_sim.simulation.seating import set_ups
from khora_sim.simulation.simulate import lineup_in_words
from khora_sim.simulation.study import open_study
from khora_sim.simulation.study_file import study_of
from tests.simulation.folders import plan_for, run

TIED = "sparta=idle,corinth=first-legal"


def played_by(folder: Path) -> dict[str, set[str]]:
    """Which strategies played each city."""
    rows = open_study(folder).players.select(pl.col("city", "strategy").cast(pl.String)).unique().collect()
    found: dict[str, set[str]] = {}
    for city, strategy in rows.iter_rows():
        found.setdefault(city, set()).add(strategy)
    return found


def test_tied_cities_are_played_by_their_own_strategy_and_others_by_the_line_up(tmp_path: Path):
    run(tmp_path / "study", strategies="random", by_city=TIED)
    found = played_by(tmp_path / "study")
    assert len(found) == 7
    assert found.pop("sparta") == {"idle"}
    assert found.pop("corinth") == {"first-legal"}
    assert set(map(tuple, found.values())) == {("random",)}


def test_a_tied_strategy_goes_where_its_city_goes():
    arm = plan_for(strategies="random", by_city=TIED, cities="sparta,athens,corinth,argos")
    assert arm.study.rotate == "cities"
    first = set_ups(arm, arm.sections[0], 0, 1)
    assert first.lineup.tolist() == [[2, 0, 1, 0], [0, 2, 0, 1], [1, 0, 2, 0], [0, 1, 0, 2]]


def test_nothing_else_of_the_games_is_different():
    tied, free = plan_for(strategies="random", by_city=TIED), plan_for(strategies="random")
    one, other = (set_ups(arm, arm.sections[0], 0, 5) for arm in (tied, free))
    for field in ("seed", "cities", "first_player", "settings"):
        assert one[field].tolist() == other[field].tolist()


def test_where_every_city_is_tied_no_other_strategy_is_needed(tmp_path: Path):
    cities = load_rules(None).city_ids
    tied = ",".join(f"{city}={'idle' if place % 2 else 'random'}" for place, city in enumerate(cities))
    run(tmp_path / "study", strategies=(), by_city=tied, games=100)
    found = played_by(tmp_path / "study")
    assert (found["corinth"], found["thebes"]) == ({"random"}, {"idle"})
    manifest = read_manifest(tmp_path / "study")
    assert to_bytes(manifest) == (tmp_path / "study" / "manifest.json").read_bytes()
    assert "--strategies" not in simulating(manifest.plan, manifest.rules, "there")


def test_the_order_in_which_cities_are_typed_decides_nothing():
    turned = ",".join(reversed(TIED.split(",")))
    assert plan_for(by_city=TIED).digest == plan_for(by_city=turned).digest != plan_for().digest


def test_a_file_and_the_command_line_ask_for_the_same():
    written: dict[str, Any] = tomllib.loads('[by_city]\nsparta = "idle"\ncorinth = "first-legal"\n')
    assert plan_for(**written).digest == plan_for(by_city=TIED).digest


def test_the_manifest_and_the_words_say_who_is_tied():
    manifest = manifest_of(plan_for(strategies="random", by_city=TIED))
    assert manifest.plan.by_city == {"corinth": "first-legal", "sparta": "idle"}
    assert [one.name for one in manifest.strategies] == ["random", "first-legal", "idle"]
    assert manifest.enums.strategies == ["random", "first-legal", "idle"]
    assert lineup_in_words(manifest.plan) == (
        "everyone plays random, corinth is played by first-legal, sparta is played by idle; random cities"
    )


def test_the_command_of_a_study_plays_it_again():
    arm = plan_for(strategies="random", by_city=TIED)
    manifest = manifest_of(arm)
    words = simulating(manifest.plan, manifest.rules, "there").split()[2:-2]
    asked = {flag[2:].replace("-", "_"): value for flag, value in zip(words[::2], words[1::2], strict=True)}
    assert plan_study(study_of(asked)).digest == arm.digest


def test_a_tied_plug_in_of_a_stranger_is_only_run_when_it_is_named(tmp_path: Path):
    manifest = manifest_of(plan_for(strategies="random", by_city=TIED))
    strange = manifest.model_copy(
        update={"plan": manifest.plan.model_copy(update={"by_city": {"sparta": "./strange.py"}})}
    )
    command = with_strategies("khora simulate --resume", strange.plan)
    assert command == "khora simulate --resume --strategies random --by-city sparta=./strange.py"
    with pytest.raises(
        UserError, match=r"names \./strange\.py, and what is not built in is read and run only"
    ):
        plan_of(tmp_path, strange, {}, "khora simulate --resume")
    message = r"\(by_city: sparta=\./strange\.py there, sparta=idle here\)"
    with pytest.raises(UserError, match=message):
        plan_of(tmp_path, strange, {"strategies": "random", "by_city": "sparta=idle"}, "khora")


def test_a_game_of_a_tied_strategy_that_fails_is_replayed_with_the_strategies_of_its_seats(tmp_path: Path):
    (tmp_path / "faulty.py").write_text(
        '"""Fails."""\n\nfrom khora_sim.strategy.toolkit import Traits, rule\n\n'
        'TRAITS = Traits(name="faulty", family="own", summary="Fails.", deterministic=False, source="-")\n'
        "\n\n@rule\ndef score(view, option):\n    return 1.0 / 0.0\n"
    )
    tied = f"athens={tmp_path / 'faulty.py'}"
    with pytest.raises(UserError) as error:
        run(tmp_path / "study", strategies="idle", by_city=tied, cities="athens,sparta,argos,thebes")
    seats = f"--strategies {tmp_path / 'faulty.py'},idle,idle,idle --cities athens,sparta,argos,thebes"
    assert seats in str(error.value)


def test_the_command_line_plays_and_shows_it(tmp_path: Path):
    folder = str(tmp_path / "study")
    asked = ["simulate", "--games", "40", "--strategies", "random", "--by-city", TIED, "--out", folder]
    assert CliRunner().invoke(app, asked, catch_exceptions=False).exit_code == 0
    shown = CliRunner().invoke(app, ["data", "show", folder], catch_exceptions=False).output
    assert "sparta is played by idle" in shown
