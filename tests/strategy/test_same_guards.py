"""A player meets the same guards wherever it plays, and the replay line of an error shows the error again."""

import re
import shlex

import numpy as np
import pytest

from khora_sim.cli.main import run
from khora_sim.rules import load_rules
from khora_sim.strategy import load
from khora_sim.strategy.games import play_set_ups
from tests.strategy.plug_ins import set_ups, write_plug_in

RULES = load_rules()
#: Players that fail in round 2: what they do, and what is said of it.
FAILING = {
    "raises": ("raise ValueError('no idea')", "raised ValueError: no idea"),
    "float": ("return 1.5", "chose 1.5, which is not among the options"),
    "whole-float": ("return float(options[0])", ".0, which is not among the options"),
    "foreign": ("return 'zeus'", "chose 'zeus', which is not among the options"),
    "hangs": ("while True: pass", "gave no answer within 0.4 s"),
}
COMPILED = {
    "nan": ("return np.nan", "rated an option with something that is not a finite number"),
    "raises": ("raise ValueError('no idea')", "raised ValueError: no idea"),
    "beyond": ("return memory(view)[5]", "raised IndexError"),
}
LATE = {
    "raises": ("raise ValueError('no idea')", "raised ValueError: no idea"),
    "beyond": ("scores[len(scores) + view.me] = 0.0", "raised IndexError"),
}


def plain(folder, name, line):
    body = f"""
    class Player:
        def choose(self, view, options):
            if view.round_number < 2:
                return options[0]
            {line}
    """
    return write_plug_in(folder, name, body)


def compiled(folder, name, line):
    body = f"""
    @rule
    def score(view, option):
        if view.game.round_number == 2:
            {line}
        return 0.0
    """
    return write_plug_in(folder, name, body)


def late(folder, name, line):
    body = f"""
    @rule
    def rate(view, options, scores):
        scores[:] = 0.0
        if view.game.round_number == 2:
            {line}
    """
    return write_plug_in(folder, name, body)


KINDS = {plain: FAILING, compiled: COMPILED, late: LATE}


def output_of(line: str, monkeypatch, capsys) -> str:
    """What a command says that ends with an error: one line."""
    monkeypatch.setattr("sys.argv", shlex.split(line))
    with pytest.raises(SystemExit) as stop:
        run()
    said = capsys.readouterr()
    assert stop.value.code in (1, 2)
    assert "Traceback" not in said.err + said.out
    lines = [one for one in (said.err + said.out).splitlines() if "see it with" in one]
    return lines[0].strip().removeprefix("khora: ")


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, players in KINDS.items() for name in players]
)
def test_an_error_is_the_same_line_everywhere_and_its_replay_shows_it_again(
    tmp_path, monkeypatch, capsys, kind, name
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KHORA_DECISION_SECONDS", "0.4")
    line, expected = KINDS[kind][name]
    path = f"./{kind(tmp_path, f'{kind.__name__}-{name}', line).name}"
    load(path)
    capsys.readouterr()
    study = f"khora simulate --games 4 --quiet --workers 1 --backend threads --strategies {path} --out out"
    first = output_of(study, monkeypatch, capsys)
    assert f"{path}: " in first
    assert expected in first
    assert ", round 2, seed " in first
    replay = re.search(r"see it with: (khora replay .*?)(?:; 0 of|$)", first)
    assert replay is not None
    again = output_of(replay[1], monkeypatch, capsys)
    assert again == first[first.index(path) :].split("; 0 of")[0]
    checked = output_of(f"khora strategies check {path}", monkeypatch, capsys)
    assert expected in checked


@pytest.mark.slow
def test_the_toolkit_works_in_plain_python_as_it_does_compiled(tmp_path):
    worth = "drachmas(after) + 3 * points_if_over(after) + 0.1 * troops(after) - 0.01 * option"
    one = write_plug_in(
        tmp_path,
        "plainly",
        f"""
        class Player:
            def choose(self, view, options):
                best = max(options, key=lambda option: (self.worth(view, option), -options.index(option)))
                return best

            def worth(self, view, option):
                after = look_ahead(view, option, 1)
                return {worth}
        """,
    )
    other = write_plug_in(
        tmp_path,
        "compiled",
        f"""
        @rule
        def score(view, option):
            after = look_ahead(view, option, 1)
            return {worth}
        """,
    )
    plainly, _ = play_set_ups(RULES, set_ups(2, players=2), [load(str(one))])
    machine, _ = play_set_ups(RULES, set_ups(2, players=2), [load(str(other))])
    assert np.array_equal(plainly, machine)


def test_a_plain_player_imagines_worlds(tmp_path):
    path = write_plug_in(
        tmp_path,
        "dreamer",
        """
        class Player:
            def choose(self, view, options):
                determinize(view, 1, 0)
                world = in_spare(view, 1).game
                assert world.seed != 0 and view.seed == 0
                assert all(world.hand[seat].bit_count() == view.hand_size[seat] for seat in range(4))
                return options[0]
        """,
    )
    plainly, _ = play_set_ups(RULES, set_ups(1), [load(str(path))])
    first, _ = play_set_ups(RULES, set_ups(1), [load("first-legal")])
    assert np.array_equal(plainly, first)
