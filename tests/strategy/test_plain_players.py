"""Players in plain Python: what they see, how they are asked, and how they fail."""

from threading import Thread

import numpy as np
import pytest

from khora_sim.rules import load_rules
from khora_sim.strategy import StrategyError, load
from khora_sim.strategy.games import play_set_ups
from tests.strategy.plug_ins import one_against_three, set_ups, win_share, write_plug_in

RULES = load_rules()


def player(folder, name, *lines):
    body = "class Player:\n    def choose(self, view, options):\n" + "".join(
        f"        {line}\n" for line in lines
    )
    return load(str(write_plug_in(folder, name, body)))


def failure(strategy) -> str:
    with pytest.raises(StrategyError) as error:
        play_set_ups(RULES, set_ups(2, seed=40), [strategy])
    message = str(error.value)
    assert "\n" not in message
    assert "seed 40; see it with: khora replay --seed 40 --players 4 --strategies" in message
    assert error.value.index == 0
    return message.removeprefix(f"{strategy.name}: ")


def test_the_first_option_in_plain_python_is_the_first_option_compiled(tmp_path):
    plainly, _ = play_set_ups(RULES, set_ups(6), [player(tmp_path, "first", "return options[0]")])
    compiled, _ = play_set_ups(RULES, set_ups(6), [load("first-legal")])
    assert np.array_equal(plainly, compiled)


def test_compiled_and_plain_players_sit_at_one_table(tmp_path):
    last = player(tmp_path, "last", "return options[-1]")
    games, _ = play_set_ups(RULES, one_against_three(40), [last, load("steward")])
    assert (games.agenda_size == 0).all()
    assert win_share(games) > 0.9


def test_a_player_sees_the_record_by_its_fields(tmp_path):
    lines = (
        "assert view.drachmas[view.me] >= 0 and view.level[view.me].shape == (3,)",
        "assert view.round_number in range(10) and view.players == 4 and view.seed == 0",
        "assert all(view.hand[seat] == 0 for seat in range(4) if seat != view.me)",
        "assert (view.deck == -1).all() and view.decision in Task and isinstance(view.value, int)",
        "return options[view.luck % len(options)]",
    )
    games, _ = play_set_ups(RULES, set_ups(4), [player(tmp_path, "observer", *lines)])
    assert (games.agenda_size == 0).all()


def test_a_player_reads_its_parameters_by_name(tmp_path):
    body = """
    choice = parameter(0, least=-1, most=0, help="which option it takes")


    class Player:
        def choose(self, view, options):
            return options[int(view.parameters["choice"])]
    """
    path = write_plug_in(tmp_path, "chooser", body)
    first, _ = play_set_ups(RULES, set_ups(3), [load(str(path))])
    last, _ = play_set_ups(RULES, set_ups(3), [load(f"{path}:choice=-1")])
    assert np.array_equal(first, play_set_ups(RULES, set_ups(3), [load("first-legal")])[0])
    assert not np.array_equal(first, last)


def test_every_game_gets_a_player_of_its_own(tmp_path):
    body = """
    class Player:
        def __init__(self):
            self.seen = 0

        def choose(self, view, options):
            self.seen += 1
            return options[self.seen % len(options)]
    """
    strategy = load(str(write_plug_in(tmp_path, "counter", body)))
    together, _ = play_set_ups(RULES, set_ups(2), [strategy])
    second, _ = play_set_ups(RULES, set_ups(1, seed=1), [strategy])
    assert np.array_equal(together[1:], second)


def test_an_exception_is_reported_by_name(tmp_path):
    strategy = player(
        tmp_path, "clumsy", "if view.round_number == 2: return options[99]", "return options[0]"
    )
    assert failure(strategy).startswith("raised IndexError: list index out of range, deciding place-tiles in")


@pytest.mark.parametrize(
    ("answer", "shown"), [("77", "77"), ("None", "None"), ("'yes'", "'yes'"), ("0.5", "0.5")]
)
def test_an_answer_that_is_no_option_is_reported(tmp_path, answer, shown):
    strategy = player(tmp_path, "wild", f"return {answer} if view.round_number else options[0]")
    assert failure(strategy).startswith(f"chose {shown}, which is not among the options, deciding ")


@pytest.mark.parametrize("hang", ["while True: pass", "import time; time.sleep(60)"])
def test_a_player_that_hangs_is_stopped(tmp_path, monkeypatch, hang):
    monkeypatch.setenv("KHORA_DECISION_SECONDS", "0.3")
    assert failure(player(tmp_path, "sleeper", hang)).startswith("gave no answer within 0.3 s (set KHORA_")


def test_a_player_that_hangs_in_a_thread_is_stopped_too(tmp_path, monkeypatch):
    monkeypatch.setenv("KHORA_DECISION_SECONDS", "0.3")
    strategy = player(tmp_path, "sleeper", "while True: pass")
    failures = []
    thread = Thread(target=lambda: failures.append(failure(strategy)))
    thread.start()
    thread.join(timeout=20)
    assert failures[0].startswith("gave no answer within 0.3 s (set KHORA_")
