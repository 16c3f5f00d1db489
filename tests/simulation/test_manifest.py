"""The manifest: written as it is read, and refused in one line where it is not one of ours."""

import json
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from khora_sim.errors import UserError
from khora_sim.simulation.experiment import plan_study
from khora_sim.simulation.manifest import NAME, as_data, manifest_of, read_manifest, simulating, to_bytes
from khora_sim.simulation.study_file import study_of
from tests.simulation.folders import SMALL, plan_for

Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def changed(small: Path, tmp_path: Path) -> Callable[[Change], Path]:
    """A folder whose manifest somebody changed."""

    def change_in(change: Change) -> Path:
        manifest = json.loads((small / NAME).read_text())
        change(manifest)
        (tmp_path / NAME).write_text(json.dumps(manifest))
        return tmp_path

    return change_in


def refusal(folder: Path) -> str:
    with pytest.raises(UserError) as error:
        read_manifest(folder)
    assert "\n" not in str(error.value)
    return str(error.value)


def older(first_player: Any = "random", **plan: Any) -> Change:
    """Makes a manifest one of khora 0.1.0, in which seats counted from 0."""

    def change(manifest: dict[str, Any]) -> None:
        manifest["schema_version"], manifest["versions"]["khora"] = 1, "0.1.0"
        del manifest["rules"]["file"]
        manifest["plan"] |= {"first_player": first_player, **plan}

    return change


def test_what_is_read_is_written_with_the_same_bytes(small: Path):
    assert to_bytes(read_manifest(small)) == (small / NAME).read_bytes()


def test_a_manifest_is_plain_data_and_the_plan_has_no_path_of_its_own():
    data = as_data(manifest_of(plan_for()))
    assert json.loads(json.dumps(data)) == data
    assert "rules" not in data["plan"]


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda it: it.update(studies=1), "studies: unknown key; did you mean study or "),
        (lambda it: it.update({"two\nlines": 1}), r"two\nlines: unknown key; did you mean tables?"),
        (lambda it: it.pop("rotation"), "rotation: missing; expected text in quotes"),
        (lambda it: it.update(games=-1), "games: -1 given; expected a whole number, 0 or more"),
        (lambda it: it.update(games="400"), 'games: "400" given; expected a whole number, 0 or more'),
        (lambda it: it.update(group_size={}), "group_size: 0 given; expected at least 1"),
        (lambda it: it.update(group_size={"x": 4}), "group_size.x: not a whole number; expected one"),
        (
            lambda it: it.update(tables=["../elsewhere"]),
            'tables[0]: "../elsewhere" given; expected one of: games, players, rounds',
        ),
        (lambda it: it["plan"].update(lineup="auto"), "plan: lineup should say what was played, not auto"),
        (
            lambda it: it["plan"].update(games=0),
            "plan.games: 0 given; expected a whole number from 1 to 2,000,000,000",
        ),
        (
            lambda it: it["plan"].update(cities=[1]),
            "plan.cities: a list given; expected random, all, seatings or the ids of cities",
        ),
        (
            lambda it: it["plan"].update(first_player=0),
            "plan.first_player: 0 given; expected random or a seat from 1 to 4",
        ),
        (
            lambda it: it["plan"].update(strategy="x"),
            "plan.strategy: unknown key; did you mean strategies",
        ),
        (lambda it: it["rules"].pop("toml"), "rules.toml: missing; expected text in quotes"),
        (
            lambda it: it["strategies"][0].update(digest=None),
            "strategies[0].digest: null given; expected text in quotes",
        ),
        (
            lambda it: it["strategies"][0].update(parameters={"x": []}),
            "strategies[0].parameters.x: a list given; expected a whole number or a number or text",
        ),
        (lambda it: it["versions"].pop("khora"), "versions.khora: missing; expected text in quotes"),
        (lambda it: it["enums"].update(cities=["argos"]), "enums: 1 cities are named for 4 players"),
        (lambda it: it["parts"][0]["tables"].pop("players"), "parts: part 0 has no players"),
        (
            lambda it: it["parts"][0].update(part=True),
            "parts[0].part: true given; expected a whole number, 0 or more",
        ),
    ],
)
def test_what_is_wrong_is_reported_by_its_key_and_what_to_do(changed, change: Change, where: str):
    folder = changed(change)
    message = refusal(folder)
    assert message.startswith(f"{folder / NAME}: is not the manifest of a study: {where}")
    assert message.endswith("; play the study again, into another folder")


@pytest.mark.parametrize("version", [None, "2", True, [2]])
def test_what_has_no_version_is_no_manifest(changed, version: Any):
    message = refusal(changed(lambda it: it.update(schema_version=version)))
    assert message.endswith("manifest.json: is not the manifest of a study")


def test_an_older_study_is_reported_with_the_command_that_plays_it_again(changed):
    folder = changed(older(first_player=2))
    head, command = refusal(folder).split("; play it again: ")
    assert head == (
        f"{folder}: has schema version 1, written by khora 0.1.0, and this khora reads 2, in which columns "
        "have other names and seats count from 1"
    )
    assert command == (
        "khora simulate --games 400 --players 4 --strategies random,first-legal,idle,random --seed 7 "
        f"--lineup seats --rotate strategies --first-player 3 --out {folder}-again"
    )


def test_the_command_for_an_older_study_plays_the_same_study(changed):
    words = shlex.split(refusal(changed(older())).split("again: ")[1])[2:-2]
    asked = {flag[2:]: value for flag, value in zip(words[::2], words[1::2], strict=True)}
    assert plan_study(study_of(asked)).digest == plan_for().digest


def test_an_older_study_of_a_stranger_asks_for_trust_and_quotes_what_it_names(changed):
    message = refusal(changed(older(strategies=["./x.py; rm y", "random"], lineup="pool")))
    assert "; if you trust its strategies, play it again: khora simulate " in message
    assert " --strategies './x.py; rm y,random' " in message


@pytest.mark.parametrize("plan", [None, 5, [], {}, {"strategies": ["random"], "games": "many"}])
def test_an_older_study_whose_plan_cannot_be_read_is_reported_too(changed, plan: Any):
    message = refusal(changed(lambda it: (older()(it), it.update(plan=plan))))
    assert message.endswith("seats count from 1; play the study again, into another folder")


def test_a_newer_study_asks_for_a_newer_khora(changed):
    folder = changed(lambda it: it.update(schema_version=3))
    assert refusal(folder) == f"{folder}: has schema version 3, and this khora reads 2; update khora"


def test_a_study_of_an_older_schema_is_not_gone_on_with(small: Path, tmp_path: Path):
    from khora_sim.simulation.run import run_study

    folder = Path(shutil.copytree(small, tmp_path / "study"))
    manifest = json.loads((folder / NAME).read_text())
    older()(manifest)
    (folder / NAME).write_text(json.dumps(manifest))
    with pytest.raises(UserError, match="has schema version 1"):
        run_study(plan_for(), folder, resume=True)


def test_the_command_of_a_study_is_made_of_what_is_not_usual(small: Path):
    manifest = read_manifest(small)
    message = simulating(manifest.plan, manifest.rules, "a folder")
    assert message.startswith(f"khora simulate --games {SMALL['games']} --players 4 --strategies ")
    assert message.endswith(" --rotate strategies --out 'a folder'")
