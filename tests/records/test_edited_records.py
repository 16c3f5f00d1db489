"""Whatever is edited in a record is found, and the first step that differs is named."""

import copy
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from khora_sim.errors import UserError
from khora_sim.records.record_format import Record
from khora_sim.records.recording import record_text
from khora_sim.records.verifying import DiffersError, verify
from khora_sim.rules import RULES_VERSION
from tests.records.games import recorded_game

GAME = json.loads(record_text(recorded_game(4, 3, states=True, reroll=True)))


def difference(edit: Callable[[dict[str, Any]], None], game: dict[str, Any] = GAME) -> str:
    """What verifying reports about a record after an edit."""
    edited = copy.deepcopy(game)
    edit(edited)
    with pytest.raises(DiffersError) as caught:
        verify(Record.model_validate(edited))
    return str(caught.value)


def put(*path: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    """An edit: another value at a path."""

    def edit(game: dict[str, Any]) -> None:
        at: Any = game
        for key in path[:-1]:
            at = at[key]
        assert at[path[-1]] != value
        at[path[-1]] = value

    return edit


def number_leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every number of a record."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from number_leaves(inner, (*path, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from number_leaves(inner, (*path, place))
    elif isinstance(value, int) and not isinstance(value, bool):
        yield path


def test_the_record_is_confirmed_as_it_stands():
    assert verify(Record.model_validate(GAME)).over


def test_an_edited_number_anywhere_is_found():
    leaves = list(number_leaves(GAME))
    assert len(leaves) > 5000
    by_part: dict[str, list[tuple[Any, ...]]] = {}
    for path in leaves:
        by_part.setdefault(path[0], []).append(path)
    luck = random.Random(1)
    tried = [path for paths in by_part.values() for path in luck.sample(paths, min(len(paths), 8))]
    for path in tried:
        edited = copy.deepcopy(GAME)
        at: Any = edited
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] += 1
        with pytest.raises((DiffersError, UserError, ValueError)):
            verify(Record.model_validate(edited))


def test_an_edited_score_is_found():
    player, score = GAME["scores"][1]["player"], GAME["scores"][1]["score"]
    message = difference(put("scores", 1, "score", value=score + 1))
    assert message == f"scores, {player}, score: recorded {score + 1}; the rules give {score}"


def test_an_edited_part_of_a_score_is_found():
    player = GAME["scores"][0]["player"]
    message = difference(lambda game: game["scores"][0]["points"].update({"glory": 77}))
    assert message.startswith(f"scores, {player}, points.glory: recorded 77; the rules give ")
    assert difference(lambda game: game["scores"][0]["points"].clear()).startswith(
        f"scores, {player}, points."
    )
    assert difference(lambda game: game["scores"].pop()).startswith("scores: recorded none for ")


def test_an_edited_die_is_found_by_the_seed():
    city, die = GAME["set_up"]["players"][2]["city"], GAME["set_up"]["dice"][4][2][1]
    message = difference(put("set_up", "dice", 4, 2, 1, value=7 - die))
    assert (
        message == f"set_up.dice, round 5, {city}, die 2: recorded {7 - die}; the rules give {die} for seed 4"
    )


def test_an_edited_die_is_found_without_a_seed_by_the_first_decision_it_changes():
    game = {key: value for key, value in copy.deepcopy(GAME).items() if key not in ("seed", "start")}
    for decision in game["decisions"]:
        decision.pop("state")
    die = game["set_up"]["dice"][0][0][0]
    message = difference(put("set_up", "dice", 0, 0, 0, value=7 - die), game)
    assert message.startswith("step ")
    assert "(round 1, dice): recorded " in message


def test_an_edited_hand_deck_event_city_or_first_player_is_found_by_the_seed():
    hand = GAME["set_up"]["players"][0]["hand"]
    deck, events = GAME["set_up"]["deck"], GAME["set_up"]["events"]
    first = next(p["city"] for p in GAME["set_up"]["players"] if p["city"] != GAME["set_up"]["first_player"])
    assert difference(put("set_up", "players", 0, "hand", 0, value=deck[0])) == (
        f'set_up.players[0].hand[0]: recorded "{deck[0]}"; the rules give "{hand[0]}" for seed 4'
    )
    assert difference(put("set_up", "deck", 3, value=deck[4])).startswith("set_up.deck[3]: ")
    assert difference(put("set_up", "events", 2, value=events[3])).startswith("set_up.events[2]: ")
    assert difference(put("set_up", "first_player", value=first)).startswith("set_up.first_player: ")
    assert difference(put("set_up", "players", 1, "city", value=first)).startswith("set_up.players[1].city: ")
    assert difference(put("seed", value=5)).endswith(" for seed 5")


def test_an_edited_state_is_found():
    drachmas = GAME["decisions"][30]["state"]["players"][GAME["decisions"][0]["player"]]["drachmas"]
    city = GAME["decisions"][0]["player"]
    message = difference(put("decisions", 30, "state", "players", city, "drachmas", value=99))
    assert message == (
        f"step 31, state after it, players.{city}.drachmas: recorded 99; the rules give {drachmas}"
    )
    assert difference(put("start", "round", value=1)) == "start, round: recorded 1; the rules give 0"


def test_an_edited_option_is_found_with_what_could_have_been_decided():
    option = GAME["decisions"][0]["option"]
    city = GAME["decisions"][0]["player"]
    message = difference(put("decisions", 0, "option", value="keeps the Parthenon"))
    assert message.startswith('step 1 (round 0, draft): recorded "keeps the Parthenon"; the rules give ')
    assert f"the rules give {city} draft: " in message
    assert f'"{option}"' in message
    place = next(n for n, decision in enumerate(GAME["decisions"]) if decision["kind"] == "progress")
    words = GAME["decisions"][place]["option"]
    for digit in "123456789":
        if digit in words:
            edited = words.replace(digit, "8" if digit != "8" else "7")
            assert f'recorded "{edited}"' in difference(put("decisions", place, "option", value=edited))


def test_another_option_that_is_legal_is_found_by_the_state_it_leads_to():
    place = next(
        n for n, decision in enumerate(GAME["decisions"]) if decision["option"].startswith("moves up")
    )
    message = difference(put("decisions", place, "option", value="declines to move up"))
    assert message.startswith(f"step {place + 1}, state after it, players.")


def test_an_edited_player_kind_or_step_is_found():
    first, second = GAME["decisions"][0], GAME["decisions"][1]
    message = difference(put("decisions", 0, "player", value=second["player"]))
    assert message.startswith(
        f'step 1 (round 0, draft): recorded {second["player"]} draft "{first["option"]}"; '
    )
    assert difference(put("decisions", 0, "kind", value="explore")).startswith("step 1 (round 0, draft): ")
    assert difference(put("decisions", 6, "step", value=8)).endswith("recorded step 8; the rules give step 7")


def test_a_missing_decision_is_found():
    message = difference(lambda game: game["decisions"].pop(1))
    assert message.startswith("step ")
    assert "the rules give" in message


def test_missing_and_surplus_decisions_at_the_end_are_found():
    message = difference(lambda game: game["decisions"].pop())
    assert message.startswith("the end: recorded final scores; the rules give a game that is not over: ")
    extra = {"player": "athens", "kind": "explore", "option": "declines"}
    number = len(GAME["decisions"]) + 1
    assert difference(lambda game: game["decisions"].append(extra)) == (
        f"step {number}: recorded athens declines; the rules give the end of the game"
    )


def test_other_rules_and_options_are_found():
    assert difference(put("rules", "hash", value="0" * 64)).startswith("rules.hash: recorded 000")
    older = copy.deepcopy(GAME)
    older["rules"]["version"] = "2"
    with pytest.raises(
        UserError, match=rf"recorded with version 2 .* khora plays version {RULES_VERSION}; record"
    ):
        verify(Record.model_validate(older))
    assert "name the rules it was played with: --rules FILE" in difference(put("rules", "name", value="x"))
    assert difference(put("options", "players", value=4)).startswith("options.players: recorded 4; ")
    assert difference(put("options", "draft", value=False)) == "start, round: recorded 0; the rules give 1"
    assert difference(put("options", "reroll", value=False)).startswith("set_up.rerolls: ")
