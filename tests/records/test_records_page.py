"""The page on records is true: its example verifies, its outputs are exact, its lists are whole."""

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from khora_sim.cli.main import run
from khora_sim.records import record_format
from khora_sim.records.decision_words import KINDS

PAGE = (Path(__file__).parents[2] / "docs" / "records.md").read_text(encoding="utf-8")
EXAMPLE = re.findall(r"```json\n(.*?)```", PAGE, flags=re.DOTALL)[0]
CONSOLES = re.findall(r"```console\n(.*?)```", PAGE, flags=re.DOTALL)


def khora(monkeypatch, capsys, line: str) -> tuple[int, str, str]:
    """Exit code, output and errors of a command line."""
    monkeypatch.setattr("sys.argv", line.removeprefix("$ ").split())
    with pytest.raises(SystemExit) as stop:
        run()
    printed = capsys.readouterr()
    return int(stop.value.code or 0), printed.out, printed.err


def test_the_example_by_hand_is_confirmed_with_exactly_that_output(tmp_path, monkeypatch, capsys):
    (tmp_path / "by-hand.json").write_text(EXAMPLE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    command, expected = CONSOLES[1].splitlines()
    assert khora(monkeypatch, capsys, command) == (0, f"{expected}\n", "")


def test_the_mistake_on_the_page_is_reported_exactly_so(tmp_path, monkeypatch, capsys):
    wrong = EXAMPLE.replace("(needs 3, loses 0)", "(needs 5, loses 1, gives 2 drachmas)")
    (tmp_path / "by-hand.json").write_text(wrong, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    command, expected = CONSOLES[2].splitlines()
    assert khora(monkeypatch, capsys, command) == (1, "", f"{expected}\n")


def test_the_first_commands_of_the_page_record_and_confirm(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    record, verify, expected = CONSOLES[0].splitlines()
    assert khora(monkeypatch, capsys, record)[0] == 0
    assert khora(monkeypatch, capsys, verify) == (0, f"{expected}\n", "")


def test_every_kind_of_decision_is_on_the_page():
    assert {kind for kind in KINDS.values() if f"| `{kind}` |" not in PAGE} == {"roll"}


def test_every_key_is_on_the_page():
    parts = [part for part in vars(record_format).values() if isinstance(part, type)]
    models = [part for part in parts if issubclass(part, BaseModel)]
    keys = {key for model in models for key in model.model_fields} - {"red", "blue", "green"}
    assert {key for key in keys if f"`{key}`" not in PAGE} == set()


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (
            ('"citizens": 6}', '"citizens": 7}'),
            "start, players.miletus.citizens: recorded 7; the rules give 6",
        ),
        (
            ('"citizens": 4}', '"citizens": 5}'),
            "step 2, state after it, players.miletus.citizens: recorded 5;",
        ),
        (
            ("[2, 4]", "[2, 5]"),
            'step 1 (round 1, dice): recorded "places culture on the 2 and development on the 4"',
        ),
        (
            ('"keeps Helepole"', '"keeps Bank"'),
            'step 3 (round 1, action): recorded "keeps Bank"; the rules give',
        ),
        (('["helepole"', '["oracle"'), "set_up: card oracle is there twice"),
        (('"quarry", ', ""), "set_up.players[0].hand: 5 cards are dealt, 4 are named"),
        (('"city": "argos"', '"city": "argo"'), 'unknown city "argo"; did you mean argos'),
        (
            ('"first_player": "argos"', '"first_player": "athens"'),
            'set_up.first_player: unknown player "athens"',
        ),
        (('"city": "argos"', '"city": "miletus"'), "set_up.players: city miletus is there twice"),
        (('["growing-population"]', '["drought"]'), "set_up.events[0]: drought is not an event for round 1"),
        (('["growing-population"]', "[]"), "set_up.events: round 1 has no event, and the game goes that far"),
        (("[[[2, 4], [5, 6]]]", "[[[2, 4]]]"), "set_up.dice: round 1, argos: no dice are named"),
        (
            ("[[[2, 4], [5, 6]]]", "[[[2, 4], [5]]]"),
            "set_up.dice: round 1, argos: die 2 is rolled and not named",
        ),
        (
            ("[[[2, 4], [5, 6]]]", "[]"),
            "set_up.dice: round 1, argos: no dice are named, and the game goes that",
        ),
        (
            ('"draft": false', '"draft": false, "shared_dice": true'),
            "the first two dice are shared; miletus has",
        ),
        (
            ('"option": "declines"', '"option": "declines", "comment": ""'),
            "decisions[5].comment: unknown key",
        ),
        (('"kind": "progress", ', ""), "decisions[4].kind: missing; expected text in quotes"),
        (("[5, 6]", "[5, 7]"), "set_up.dice[0][1][1]: 7 given; expected a whole number from 1 to 6"),
        (
            ('"vp": 1', '"vp": "1"'),
            'decisions[5].state.players.miletus.vp: "1" given; expected a whole number',
        ),
        (('"format": 2', '"format": 3'), "format 3 is unknown; this khora reads format 2"),
        (
            ('"format": 2', '"format": 1'),
            "by-hand.json: format 1 is of khora 0.1, whose payments and glory sales were other decisions; "
            "this khora reads format 2",
        ),
        (('"format": 2,', ""), 'is not a record: it should be a table with "format": 2'),
        (
            ('"format": 2,', '"format": 2'),
            "not valid JSON: expecting ',' delimiter: line 3 column 3 (char 18)",
        ),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_is_wrong_with_a_record_by_hand_is_reported_in_one_line(
    tmp_path, monkeypatch, capsys, edit, message
):
    edited = EXAMPLE.replace(*edit)
    assert edited != EXAMPLE
    (tmp_path / "by-hand.json").write_text(edited, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    code, out, errors = khora(monkeypatch, capsys, "khora verify by-hand.json")
    assert out == ""
    assert message in errors
    assert len(errors.splitlines()) == 1
    assert code == (1 if "recorded" in message else 2)


def test_a_file_that_is_not_there_or_no_text_is_reported(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "noise.json").write_bytes(b"\xff\xfe\x00")
    assert khora(monkeypatch, capsys, "khora verify none.json")[::2] == (
        2,
        "khora: none.json: no such file; expected the path of a record in JSON, see docs/records.md\n",
    )
    assert khora(monkeypatch, capsys, "khora verify noise.json")[::2] == (
        2,
        "khora: noise.json: not UTF-8 text; expected a record in JSON, see docs/records.md, saved as UTF-8\n",
    )
