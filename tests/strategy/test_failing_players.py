"""A compiled player that fails stops the run with one message, and cannot spoil the game of others."""

import os
import subprocess
import sys

import numpy as np
import pytest

from khora_sim.analyses.check import check_strategy
from khora_sim.common.options import Setting
from khora_sim.engine.match import Match
from khora_sim.rules import load_rules
from khora_sim.strategy import StrategyError, load
from khora_sim.strategy.games import play_set_ups
from khora_sim.strategy.table import Table, ask
from tests.strategy.plug_ins import ROOT, set_ups, write_plug_in

RULES = load_rules()


def failure(path, games=None) -> StrategyError:
    with pytest.raises(StrategyError) as error:
        play_set_ups(RULES, set_ups(3, seed=40) if games is None else games, [load(str(path))])
    return error.value


@pytest.mark.parametrize("nonsense", ["np.nan", "np.inf", "-np.inf"])
def test_a_rating_that_is_no_number_names_plug_in_decision_seed_and_replay(tmp_path, nonsense):
    body = f"""
    @rule
    def score(view, option):
        return {nonsense} if view.game.round_number == 2 else 0.0
    """
    path = write_plug_in(tmp_path, "numberless", body)
    message = str(failure(path))
    assert f"{path}: rated an option with something that is not a finite number" in message
    assert "deciding place-tiles in seat" in message
    assert "round 2, seed 40" in message
    assert f"khora replay --seed 40 --players 4 --strategies {path},{path},{path},{path} --cities" in message
    assert "\n" not in message


def test_an_exception_is_reported_by_name(tmp_path, capsys):
    body = """
    @rule
    def score(view, option):
        if view.game.round_number == 1:
            raise ValueError("the muses are silent")
        return 0.0
    """
    path = write_plug_in(tmp_path, "speechless", body)
    load(str(path))
    capsys.readouterr()  # what is said about compiling it
    assert "raised ValueError: the muses are silent" in str(failure(path))
    assert capsys.readouterr().err == ""


#: A `rate` that fails after every score is written: its last line, and what is reported.
LATE = {
    "raises": ('raise ValueError("too late")', "raised ValueError: too late"),
    "writes-beyond": ("scores[len(scores) + view.me] = 1.0", "raised IndexError: "),
    "reads-beyond": ("scores[0] = options[len(options) + view.me]", "raised IndexError: "),
}
RATE = """
@rule
def rate(view, options, scores):
    scores[:] = 0.0
    {line}
"""


@pytest.mark.parametrize("late", LATE)
def test_an_exception_after_all_scores_are_written_is_reported(tmp_path, capsys, late):
    line, expected = LATE[late]
    path = write_plug_in(tmp_path, late, RATE.format(line=line))
    load(str(path))
    capsys.readouterr()  # what is printed about compiling it
    assert f"{path}: {expected}" in str(failure(path))
    match = Match(RULES, players=2, seed=40)
    with pytest.raises(StrategyError, match=expected):
        ask([load(str(path))] * 2)(match, match.advance())
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("late", LATE)
def test_an_exception_after_all_scores_fails_the_checks(tmp_path, late):
    line, expected = LATE[late]
    loads, *others = check_strategy(str(write_plug_in(tmp_path, late, RATE.format(line=line))))
    assert loads.problem is None
    assert [expected in str(one.problem) for one in others] == [True] * 5


def test_an_exception_in_score_after_the_last_option_but_one_is_reported(tmp_path):
    body = """
    @rule
    def score(view, option):
        if view.seat.option_count == option + 1:
            raise ValueError("too late")
        return 0.0
    """
    assert "raised ValueError: too late" in str(failure(write_plug_in(tmp_path, "late", body)))


@pytest.mark.parametrize("asking", ["advise(view, 0, scores)", "play_on(view, 1, 0, 0, End.ROUND)"])
def test_a_policy_that_raises_after_all_scores_fails_who_asked_it(tmp_path, asking):
    write_plug_in(tmp_path, "late", RATE.format(line='raise ValueError("too late")'))
    body = f"""
    @rule
    def rate(view, options, scores):
        scores[:] = 0.0
        determinize(view, 1, 0)
        {asking}
    """
    path = write_plug_in(tmp_path, "asker", body, 'policies=("./late.py",)')
    assert f"{path}: raised ValueError: too late" in str(failure(path))


def test_a_spare_game_that_was_not_declared_is_named_before_a_later_nan(tmp_path):
    body = """
    @rule
    def rate(view, options, scores):
        scores[:] = np.nan
        determinize(view, 99, 0)
    """
    path = write_plug_in(tmp_path, "spendthrift", body)
    assert "asked for a spare game it does not have" in str(failure(path))


UNCOMPILED = """
import sys
from khora_sim.strategy import StrategyError
from tests.strategy.plug_ins import plays

for path in sys.argv[1:]:
    try:
        plays(path, 1)
        print("played")
    except StrategyError as problem:
        print(problem)
"""


def test_exceptions_are_reported_uncompiled_as_they_are_compiled(tmp_path):
    lines = {**LATE, "exits": ("raise SystemExit(0)", "raised SystemExit: 0")}
    paths = [write_plug_in(tmp_path, late, RATE.format(line=line)) for late, (line, _) in lines.items()]
    done = subprocess.run(
        [sys.executable, "-c", UNCOMPILED, *map(str, paths)],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    reports = done.stdout.splitlines()
    assert (done.returncode, done.stderr, len(reports)) == (0, "", len(paths))
    for path, report, (_, expected) in zip(paths, reports, lines.values(), strict=True):
        assert report.startswith(f"{path}: {expected}")
        assert ", deciding pick-card in seat 1, round 0, seed 0; see it with: khora replay " in report


def test_the_games_before_the_failing_one_are_counted(tmp_path):
    body = """
    @rule
    def score(view, option):
        return np.nan if view.game.players == 3 else 0.0
    """
    games = set_ups(5)
    games.players[3] = 3
    assert failure(write_plug_in(tmp_path, "no-trio", body), games).index == 3


def test_an_option_left_unrated_is_no_number(tmp_path):
    body = """
    @rule
    def rate(view, options, scores):
        scores[1:] = 0.0
    """
    assert "not a finite number" in str(failure(write_plug_in(tmp_path, "forgetful", body)))


def test_scribbling_on_the_options_changes_nothing(tmp_path):
    scribble = """
    @rule
    def rate(view, options, scores):
        scores[:] = 0.0
        options[:] = 99
    """
    quiet = """
    @rule
    def rate(view, options, scores):
        scores[:] = 0.0
    """
    first, _ = play_set_ups(RULES, set_ups(5), [load(str(write_plug_in(tmp_path, "scribbler", scribble)))])
    other, _ = play_set_ups(RULES, set_ups(5), [load(str(write_plug_in(tmp_path, "quiet", quiet)))])
    assert np.array_equal(first, other)


def test_what_was_looked_ahead_to_is_gone_at_the_next_decision(tmp_path):
    body = """
    @rule
    def rate(view, options, scores):
        before = in_spare(view, 1).game.hand[0] | in_spare(view, 2).game.hand[0]
        scores[:] = np.nan if before != 0 else 0.0
        if is_tiles(view):
            look_ahead_action(view, Action.CULTURE, 1)
            look_ahead_action(view, Action.POLITICS, 2)
    """
    games, _ = play_set_ups(RULES, set_ups(3), [load(str(write_plug_in(tmp_path, "snoop", body)))])
    assert (games.agenda_size == 0).all()


def test_there_is_room_for_any_number_of_parameters(tmp_path):
    lines = "\n".join(f'    p{number} = parameter({number}, help="x")' for number in range(200))
    body = f"""
{lines}


    @rule
    def score(view, option):
        return 0.0 if p199(view) == 199.0 else np.nan
    """
    games, _ = play_set_ups(RULES, set_ups(1), [load(str(write_plug_in(tmp_path, "many", body)))])
    assert (games.agenda_size == 0).all()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("weights(view)[0] = 1.0", "keeper: wrote into its parameters, which are for reading"),
        ("view.tables.cards[0].cost = 9", "a strategy wrote into the rules, which are for reading; one of: "),
    ],
)
def test_writing_where_all_only_read_is_found_out(tmp_path, line, message):
    body = f"""
    patience = parameter(3, help="x")


    @rule
    def score(view, option):
        {line}
        return 0.0
    """
    path = write_plug_in(tmp_path, "keeper", body)
    assert message in str(failure(path)).replace(str(path), "keeper")
    assert RULES.tables.cards[0].cost != 9


@pytest.mark.parametrize("name", ["random", "plain-example"])
def test_rules_that_give_too_much_to_do_at_once_are_reported(tmp_path, name):
    snowball = "\n".join(
        f'[cards.{card}]\ncost = 0\nneeds = {{}}\nkind = "immediate"\n'
        'effects = [{ on = "at-once", gain = { cards = 4 } }, '
        '{ on = "at-once", special = "take-actions", number = 4, action = "politics" }]'
        for card in RULES.card_ids
    )
    (tmp_path / "snowball.toml").write_text(snowball)
    with pytest.raises(StrategyError, match=r"^snowball: the rules give more than 32 things to do at once"):
        play_set_ups(load_rules(tmp_path / "snowball.toml"), set_ups(8), [load(name)])


@pytest.mark.parametrize(
    ("settings", "flags"),
    [
        (Setting.DRAFT, " --no-reroll"),
        (Setting.DRAFT | Setting.REROLL, ""),
        (Setting.REROLL | Setting.SHARED_DICE, " --shared-dice --no-draft"),
    ],
)
def test_a_replay_line_names_the_options_that_are_not_as_the_rules_say(tmp_path, settings, flags):
    (tmp_path / "again.toml").write_text("[options]\nreroll = true\n")
    rules = load_rules(tmp_path / "again.toml")
    match = Match(rules, players=2, seed=5, settings=settings, cities=(0, 1))
    message = Table(rules, [load("random")]).replay_line(match.game, match.set_up)
    table = "khora replay --seed 5 --players 2 --strategies random,random --cities"
    assert message == f"{table} {','.join(rules.city_ids[:2])}{flags} --rules FILE"
