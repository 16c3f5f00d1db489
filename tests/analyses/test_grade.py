"""Grading finds what a player does wrong, where it does it, and is the same every time."""

import pytest

import khora_sim
from khora_sim import UserError
from khora_sim.analyses.check import another_world
from khora_sim.analyses.grade import answer_at, ready
from khora_sim.analyses.grade.panel import read_panel, write_panel
from khora_sim.engine.agenda import Task
from khora_sim.rules import load_rules
from khora_sim.strategy.loading import load
from tests.strategy.plug_ins import write_plug_in

SOUND = """
@rule
def rate(view, options, scores):
    rate_by_prices(view, options, scores, sensible_prices(view))
"""
NEVER_DEVELOPS = f"""{SOUND}
    if is_development(view){{where}}:
        for place in range(len(options)):
            scores[place] = 1.0 if declines(options[place]) else 0.0
"""


SOME = 120  # decisions of the built-in panel, beside all developments


@pytest.fixture(scope="module")
def panel(tmp_path_factory):
    """The file of a panel with some of the built-in decisions."""
    whole, path = read_panel(), tmp_path_factory.mktemp("panel") / "panel.npz"
    chosen = [
        decision
        for number, decision, match in whole.matches(load_rules())
        if number <= SOME or match.task == Task.DEVELOP
    ]
    write_panel(chosen, whole.origin, path)
    return path


@pytest.fixture
def graded(panel, tmp_path):
    def grade(name, body, declared=""):
        return khora_sim.grade(str(write_plug_in(tmp_path, name, body, declared)), panel=panel)

    return grade


@pytest.fixture
def sound(graded):
    return graded("sound", SOUND)


def test_a_player_that_never_develops_loses_there_and_nowhere_else(sound, graded):
    found = graded("never-develops", NEVER_DEVELOPS.format(where=""))
    kinds, usual = found.by("kind"), sound.by("kind")
    assert kinds["develop"].loss.low > 0
    assert kinds["develop"].loss.value > usual["develop"].loss.value + 1
    assert {kind: part for kind, part in kinds.items() if kind != "develop"} == {
        kind: part for kind, part in usual.items() if kind != "develop"
    }
    assert "develop" in [one.kind for one in found.worst(20)]
    assert all(one.surely_worse for one in found.worst(len(found.answers)))
    assert not all(one.surely_worse for one in found.answers)


def test_a_player_that_never_develops_one_city_loses_in_that_city(sound, graded):
    miletus = load_rules().city_ids.index("miletus")
    found = graded("idle-miletus", NEVER_DEVELOPS.format(where=f" and city(view) == {miletus}"))
    parts, usual = found.by("kind", "city"), sound.by("kind", "city")
    assert [key for key in parts if parts[key] != usual[key]] == [("develop", "miletus")]
    assert parts["develop", "miletus"].loss.low > 0
    assert ("develop", "miletus") in [key for key, _ in found.costliest()]


def test_the_same_strategy_gets_the_same_grade(sound, graded):
    assert graded("sound", SOUND).answers == sound.answers


def test_players_rank_as_they_play(panel):
    losses = [
        khora_sim.grade(name, panel=panel).whole.loss.value
        for name in ("random", "merchant", "expert", "sage")
    ]
    assert losses == sorted(losses, reverse=True)
    assert abs(losses[-1]) < 0.5


PEEKS = """
@rule
def score(view, option):
    hidden = view.game.deck[view.game.deck_top] + view.game.seed % 97
    for seat in range(view.game.players):
        if seat != view.me:
            hidden += view.game.hand[seat] % 89
    return (option * 31 + hidden * 17) % 101
"""


def test_a_player_sees_nothing_that_is_hidden_from_its_seat(tmp_path):
    few, rules = read_panel(), load_rules()
    strategy = load(str(write_plug_in(tmp_path, "peeks", PEEKS)))
    for number, decision, match in list(few.matches(rules))[:40]:
        players = ready(strategy, match)
        answers = [
            answer_at(players, number, decision, one, few)
            for one in (match, another_world(match, seed=number))
        ]
        assert answers[0] == answers[1]


LAST = """
@rule
def rate(view, options, scores):
    for place in range(len(options)):
        scores[place] = place
"""
LAST_THEN_FIRST = """
@rule
def rate(view, options, scores):
    for place in range(len(options)):
        scores[place] = place if memory(view)[0] == 0 else -place
    memory(view)[0] = 1.0
"""


def test_a_player_knows_nothing_of_the_decisions_before(graded):
    assert graded("last", LAST).answers == graded("last-then-first", LAST_THEN_FIRST, "memory=1").answers


def test_plain_python_is_graded_and_its_failure_is_one_line(panel, tmp_path):
    assert khora_sim.grade("plain-example", panel=panel).whole.loss.n >= SOME
    path = write_plug_in(
        tmp_path, "fails", "class Player:\n    def choose(self, view, options):\n        return 999"
    )
    with pytest.raises(UserError) as error:
        khora_sim.grade(str(path))
    said = r"fails.py: chose 999, which is not among the options, deciding"
    assert said in str(error.value)
    assert "at decision 1 of panel.npz; see it with: khora strategies grade" in str(error.value)
    assert "\n" not in str(error.value)


def test_all_parts_add_up_to_the_whole(sound):
    for key in ("kind", "round", "city", "players"):
        parts = sound.by(key).values()
        total = sum(part.loss.n * part.loss.value for part in parts)
        assert total == pytest.approx(sound.whole.loss.n * sound.whole.loss.value)
    assert sound.data()["by_kind"][0]["kind"] == "buy-token"
