"""Imitating a teacher: its decisions, what a pupil loses at them, and weights found for parts of the game."""

from typing import ClassVar

import numpy as np
import pytest

from khora_sim.analyses.grade.searching import play_noted
from khora_sim.common.options import settings_of
from khora_sim.common.progress import Progress
from khora_sim.engine.agenda import Task
from khora_sim.errors import UserError
from khora_sim.rules import load_rules, set_rules
from khora_sim.simulation.backend import Backend
from khora_sim.strategy import load
from khora_sim.strategy.value.features import PARTS
from khora_sim.training.imitation import Imitation, Pupil, collect, joined, third_of
from khora_sim.training.trial import Stage, in_parts, stages_of, with_layer
from khora_sim.training.tune import COMMAND

RULES = load_rules()
TEACHER = "sage:policies=1:breadth=3"
ASKED = {
    "start": "steward",
    "against": "steward",
    "cities": "sparta",
    "budget": "4games",
    "games": 8,
    "population": 4,
    "seed": 7,
    "teacher": TEACHER,
}


@pytest.fixture(scope="module")
def decisions():
    return collect(RULES, load(TEACHER), [load("steward")], 4, 1_999_000_000, 0, 3)


def test_all_decisions_of_the_games_are_kept_with_the_teachers_values(decisions):
    assert len(decisions) > 300
    assert decisions.counts.min() > 1
    assert decisions.counts.sum() == len(decisions.options) == len(decisions.values)
    assert ((decisions.values >= 0) & (decisions.values <= 1)).all()
    assert set(decisions.cities) <= set(range(len(RULES.city_ids)))


@pytest.mark.parametrize("options", [(), ("reroll",), ("shared_dice", "progress_bonuses_stack")])
@pytest.mark.parametrize("players", [2, 4])
def test_every_kind_of_decision_that_occurs_in_play_occurs_in_training(options, players):
    rules = set_rules([f"options.{name}=true" for name in options]) if options else RULES
    pool = [load("random"), load("steward")]
    settings = settings_of(**dict.fromkeys(options, True))
    games = play_noted(rules, pool, players, range(40), settings)
    played = {Task(kind) for game in games for kind in game["task"]}
    trained = {Task(kind) for kind in collect(rules, load("steward"), pool, players, 6, 0, 80).kinds}
    assert played <= trained
    assert Task.PICK_CARD in trained
    assert (Task.REROLL in trained) == ("reroll" in options)


def test_training_without_the_draft_has_no_draft():
    rules = set_rules(["options.draft=false"])
    trained = collect(rules, load("steward"), [load("steward")], 4, 6, 0, 2)
    assert Task.PICK_CARD not in trained.kinds


def test_games_shared_out_give_the_same_decisions(decisions):
    parts = [collect(RULES, load(TEACHER), [load("steward")], 4, 1_999_000_000, at, 1) for at in range(3)]
    whole = joined(parts)
    for name in ("games", "counts", "options", "values"):
        assert np.array_equal(getattr(whole, name), getattr(decisions, name))


def test_the_teacher_loses_nothing_at_its_own_decisions_and_others_lose_something(decisions):
    assert Pupil(RULES, decisions, load(TEACHER)).loss(load(TEACHER)) == 0.0
    steward, blind = load("steward"), load("steward:points=-1")
    pupil = Pupil(RULES, decisions, steward)
    assert 0 < pupil.loss(steward) < pupil.loss(blind)
    assert pupil.loss(steward) == Pupil(RULES, decisions, steward).loss(steward)


def test_a_third_of_the_rounds_belongs_to_each_part(decisions):
    thirds, rounds = third_of(decisions, RULES), decisions.games["round_number"]
    assert {int(one): sorted(set(rounds[thirds == one].tolist())) for one in range(3)} == {
        0: [0, 1, 2, 3],
        1: [4, 5, 6],
        2: [7, 8, 9],
    }


def test_stages_of_a_teacher_are_the_parts_of_each_city():
    stages = in_parts(stages_of((4,), "all", RULES))
    assert len(stages) == len(RULES.city_ids) * len(PARTS)
    assert stages[0] == Stage(4, RULES.city_ids[0], "early")
    assert in_parts(stages_of((4,), "none", RULES)) == [Stage(4, None, part) for part in PARTS]


def test_new_weights_of_a_part_leave_those_of_other_parts_alone():
    steward, stage = load("steward"), Stage(4, "sparta", "late")
    late = with_layer(steward, stage.layer(np.full(35, 2.0)))
    both = with_layer(late, stage._replace(part="early").layer(np.full(35, 3.0)))
    assert [layer.part for layer in both.layers if layer.city == "sparta"] == ["late", "early"]
    whole = with_layer(both, Stage(4, "sparta").layer(np.full(35, 4.0)))
    assert [layer.part for layer in whole.layers if layer.city == "sparta"] == [None]


def test_training_and_choosing_take_decisions_of_different_games():
    trial = Imitation(RULES, load(TEACHER), load("steward"), 2, 700_000, Backend("threads", 1))
    stage = Stage(4)
    trial.training(stage, [load("steward")], 0)
    trial.choosing(stage, [load("steward")], 0)
    trained, chosen = (set(trial.lessons[4, one].games["seed"].tolist()) for one in ("training", "choosing"))
    assert len(trained) == 2
    assert not trained & chosen


@pytest.mark.slow
def test_a_tuning_with_a_teacher_is_the_same_on_any_number_of_workers_and_after_a_stop(tmp_path, monkeypatch):
    monkeypatch.setattr("khora_sim.training.tune.GENERATIONS", 2)

    def run(name, workers, progress=None, **more):
        out = tmp_path / name / "pupil.toml"
        out.parent.mkdir(exist_ok=True)
        return COMMAND.ask(ASKED | more | {"out": out, "workers": workers}, progress or Progress())

    class Stops(Progress):
        def note(self, text):
            if text == "4 players, sparta, middle: generation 2 of 2":
                raise KeyboardInterrupt

    class Counts(Progress):
        counted: ClassVar[dict[str, int]] = {}

        def begin(self, what, total, done=0, unit="games"):
            self.now = f"{what}: {total} {unit}"

        def advance(self, count):
            self.counted[self.now] = self.counted.get(self.now, 0) + count

    first = run("one", 1, Counts())
    assert Counts.counted == {
        ": 4 games": 4,
        "4 players, sparta, early: 2 generations": 2,
        "4 players, sparta, middle: 2 generations": 2,
        "4 players, sparta, late: 2 generations": 2,
    }
    with pytest.raises(KeyboardInterrupt):
        run("two", 2, Stops())
    again = run("two", 2, resume=True)
    texts = [one.path.read_text().replace("/one/", "/two/") for one in (first, again)]
    assert texts[0] == texts[1]
    step = first.made.steps[-1]
    assert step.games == 4
    assert set(step.chosen) == {"sparta-4-early", "sparta-4-middle", "sparta-4-late"}
    assert any(parent.startswith(TEACHER) for parent in step.parents)
    assert load(str(first.path)).kind == "weights"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"teacher": "steward"},
            "--teacher steward: has no learned value to rate options by; name one that has: sage",
        ),
        ({"budget": "10min"}, "--budget 600s: with --teacher, expected a number of games: 1000games"),
    ],
)
def test_what_a_teacher_cannot_do_is_told_in_one_line(changes, message, tmp_path):
    with pytest.raises(UserError) as error:
        COMMAND.ask(ASKED | changes | {"out": tmp_path / "pupil.toml"}, Progress())
    assert str(error.value) == message
