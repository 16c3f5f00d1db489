"""A whole tuning, small: the same file on any number of workers, after any stop, and errors in one line."""

import json
import tomllib

import pytest

import khora_sim
from khora_sim.common.progress import Progress
from khora_sim.errors import UserError
from khora_sim.strategy import load
from khora_sim.strategy.value.features import FEATURES, Feature
from khora_sim.strategy.weight_layers import weights_at
from khora_sim.training import tune
from khora_sim.training.tune import COMMAND, write_state
from tests.strategy.test_weights import DELPHI

SMALL = {"games": 4, "population": 4, "players": 2, "against": "steward", "workers": 1, "seed": 3}


def tuned(out, **changed):
    return khora_sim.tune(**(SMALL | {"cities": "sparta,argos", "budget": "70games", "out": out} | changed))


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def problem(out="odd.toml", **changed) -> str:
    with pytest.raises(UserError) as error:
        tuned(out, **changed)
    return str(error.value)


def test_workers_change_nothing(here):
    (here / "one").mkdir()
    (here / "two").mkdir()
    written = [tuned(f"{folder}/new.toml", workers=many).path for folder, many in (("one", 1), ("two", 2))]
    first, second = (path.read_text().replace(path.parent.name, "") for path in written)
    assert first == second


def test_the_file_is_a_strategy_that_says_how_it_was_made(here):
    found = tuned("new.toml")
    strategy = load("./new.toml")
    assert strategy.made == found.made
    step = found.made.steps[-1]
    assert (step.games, step.generations, step.rules) == (64, 2, khora_sim.load_rules().hash)
    assert (step.first_seed, step.last_seed) == (1_000_300_000, 1_000_300_003)
    assert step.parents == tuple(f"steward {load('steward').digest}" for _ in range(2))
    assert set(step.chosen) == {"sparta-2", "argos-2"}
    assert step.command == (
        "khora tune --start steward --against steward --players 2 --cities sparta,argos --budget 64games "
        "--games 4 --population 4 --seed 3 --out new.toml"
    )
    (strength,) = found.made.strength
    assert (strength.players, strength.against, strength.games) == (2, "steward", 40)
    assert strength.seed == 3_000_000_003


def test_weights_stand_where_they_were_tuned(here):
    tuned("new.toml", budget="200games")
    data = tomllib.loads((here / "new.toml").read_text())
    assert set(data["players"]["2"]["cities"]) <= {"sparta", "argos"}
    assert data["weights"]["tax"] == load("steward").values["tax"]
    assert len(data["players"]["2"]["cities"]["sparta"]) == FEATURES


def test_a_stopped_tuning_goes_on_to_the_same_file(here, monkeypatch):
    whole = tuned("new.toml").path.read_text()
    (here / "new.toml").unlink()
    kept = []

    def stop_in_the_third(path, state):
        write_state(path, state)
        kept.append(state)
        if len(kept) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(tune, "write_state", stop_in_the_third)
    with pytest.raises(KeyboardInterrupt):
        tuned("new.toml")
    assert not (here / "new.toml").exists()
    monkeypatch.setattr(tune, "write_state", write_state)
    assert tuned("new.toml", resume=True).path.read_text() == whole
    assert not COMMAND.aside(here / "new.toml").exists()


def test_time_ends_the_first_stage_and_the_others_get_as_many_generations(here):
    found = tuned("timed.toml", budget="0.01s")
    step = found.made.steps[-1]
    assert (step.generations, step.games) == (1, 32)
    assert "--budget 32games" in step.command
    again = tuned("again.toml", budget="32games")
    assert again.made.strength == found.made.strength


def test_general_weights_come_first_and_a_city_starts_from_the_best(here, monkeypatch):
    monkeypatch.setattr(tune, "SNAPSHOTS", 1)
    found = tuned("new.toml", cities="all", budget="272games", start="steward,weights-example")
    assert list(found.made.steps[-1].chosen)[:2] == ["general-2", f"{khora_sim.load_rules().city_ids[0]}-2"]
    assert len(found.made.steps[-1].chosen) == 8


def test_steps_of_all_starts_are_kept_once(here):
    tuned("first.toml")
    second = tuned("second.toml", start="./first.toml", against="./first.toml", seed=4)
    assert [step.command.rpartition(" ")[2] for step in second.made.steps] == ["first.toml", "second.toml"]
    assert second.made.strength[0].against == "./first.toml"
    third = tuned("third.toml", start="./first.toml,./second.toml", cities="argos", seed=5)
    made = [step.command.rpartition(" ")[2] for step in third.made.steps]
    assert made == ["first.toml", "second.toml", "third.toml"]


def test_a_new_city_of_a_variant_is_tuned_like_any_other(here):
    (here / "delphi.toml").write_text(DELPHI, encoding="utf-8")
    found = tuned("new.toml", cities="delphi", rules="delphi.toml", budget="64games")
    rules = khora_sim.load_rules("delphi.toml")
    assert found.made.steps[-1].rules == rules.hash
    assert "--rules delphi.toml" in found.made.steps[-1].command
    strategy = load("./new.toml")
    own, general = (weights_at(strategy.layers, city, 2) for city in ("delphi", "sparta"))
    assert own[Feature.POINTS] == general[Feature.POINTS]
    assert khora_sim.check_strategy("./new.toml")[0].problem is None


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"out": "new.json"}, "--out new.json: expected a file for the weights that ends in .toml"),
        ({"start": "merchant"}, "--start merchant: not made of weights; name one that is, such as steward"),
        (
            {"against": "plain-example"},
            "--against plain-example: plain Python; name one that is compiled or made of weights",
        ),
        ({"against": ","}, "--against: 0 are named; expected 1 to 126 strategies"),
        ({"players": "5"}, "--players 5: expected one or several of 2, 3, 4"),
        ({"players": "two"}, "--players two: expected numbers such as 4 or 4,3,2"),
        ({"cities": "spata"}, '--cities: no city is called "spata"; did you mean sparta?'),
        ({"budget": "much"}, "--budget much: expected games or time: 700000games, 90s, 10min or 2h"),
        (
            {"budget": "20games"},
            "--budget 20games: one generation of every stage takes 32 games; "
            "allow more, or tune fewer cities, with fewer --games or a smaller --population",
        ),
        ({"games": 0}, "--games 0: expected a whole number from 1, such as 20000 or 20k"),
        ({"population": 3}, "--population 3: expected a whole number from 4"),
        ({"seed": -1}, "--seed -1: expected a whole number from 0 to 9999"),
        ({"seed": 10_000}, "--seed 10000: expected a whole number from 0 to 9999"),
        ({"workers": 0}, "--workers 0: expected 1 or more"),
        ({"rules": "none.toml"}, "none.toml: no such file; expected the path of a variant in TOML"),
    ],
)
def test_what_cannot_be_tuned_is_told_in_one_line(here, changed, message):
    assert problem(**changed) == message


def test_a_file_that_is_there_is_written_over_only_if_it_was_tuned_and_may_be_replaced(here):
    (here / "odd.toml").write_text("mine")
    assert problem() == (
        "--out odd.toml: already exists; write over it with --replace, or choose another --out"
    )
    assert problem(replace=True) == (
        "--out odd.toml: was not made by khora tune, and is not replaced; choose another --out"
    )
    assert (here / "odd.toml").read_text() == "mine"
    first = tuned("new.toml").path.read_text()
    assert tuned("new.toml", seed=4, replace=True).path.read_text() != first
    assert tuned("new.toml", replace=True).path.read_text() == first


def unfinished(here, monkeypatch, **changed):
    """The state of a tuning that stopped after its first generation."""

    def stop(path, state):
        write_state(path, state)
        raise KeyboardInterrupt

    monkeypatch.setattr(tune, "write_state", stop)
    with pytest.raises(KeyboardInterrupt):
        tuned("odd.toml", **changed)
    return COMMAND.aside(here / "odd.toml")


def test_an_unfinished_tuning_is_not_begun_again_unless_it_is_replaced(here, monkeypatch):
    unfinished(here, monkeypatch)
    assert problem() == (
        "odd.tuning.json: is unfinished work for odd.toml; continue it with --resume, begin anew with "
        "--replace, or choose another --out"
    )
    monkeypatch.setattr(tune, "write_state", write_state)
    found = tuned("odd.toml", seed=4, replace=True)
    assert "--seed 4" in found.made.steps[-1].command
    assert not COMMAND.aside(here / "odd.toml").exists()


def test_a_tuning_takes_its_options_up_and_refuses_others_by_name(here, monkeypatch):
    unfinished(here, monkeypatch)
    monkeypatch.setattr(tune, "write_state", write_state)
    assert problem(resume=True, seed=4) == (
        "odd.toml: --seed differs from what it was begun with (tune --against steward --players 2 "
        "--cities sparta,argos --budget 70games --games 4 --population 4 --seed 3), which cannot "
        "change; leave it out, or choose another --out"
    )
    found = khora_sim.tune(out="odd.toml", resume=True, workers=2)
    assert found.path.read_text().replace("odd", "new") == tuned("new.toml").path.read_text()


def test_a_plug_in_that_only_the_state_names_is_not_loaded(here, monkeypatch):
    (here / "mine.toml").write_text(
        (here / tuned("mine_first.toml").path).read_text().replace("mine-first", "mine")
    )
    unfinished(here, monkeypatch, start="./mine.toml")
    with pytest.raises(
        UserError, match=r"its plan names ./mine.toml, and what is not built in .* type: khora tune"
    ):
        khora_sim.tune(out="odd.toml", resume=True)


def test_a_tuning_is_not_continued_with_another_version_of_a_strategy(here, monkeypatch):
    path = unfinished(here, monkeypatch)
    state = json.loads(path.read_text())
    state["asked"]["version of steward"] = "another"
    path.write_text(json.dumps(state))
    assert problem(resume=True) == (
        "odd.tuning.json: not as it was begun: version of steward; begin anew with --replace, or choose "
        "another --out"
    )


@pytest.mark.parametrize(("made", "why"), [(False, "nothing was begun for it"), (True, "is finished")])
def test_nothing_is_resumed_where_nothing_is_unfinished(here, made, why):
    if made:
        tuned("odd.toml")
    assert problem(resume=True) == f"--out odd.toml: {why}, so there is nothing to resume; leave --resume out"


def test_a_state_of_an_earlier_version_is_refused(here):
    (here / "odd.tuning.json").write_text('{"asked": "0123", "stages": {}}')
    assert problem(resume=True).startswith("odd.tuning.json: was begun by an earlier version of khora; ")


def test_nothing_is_written_through_a_link(here):
    (here / "odd.tuning.json").symlink_to(here / "elsewhere.json")
    assert problem() == "odd.tuning.json: is a link, and nothing is written through it; remove it"


class Noted(Progress):
    """Notes what a tuning reports."""

    def __init__(self):
        self.totals, self.notes, self.games = [], [], 0

    def begin(self, what, total, done=0, unit="games"):
        self.totals.append(total)

    def advance(self, count):
        self.games += count

    def note(self, text):
        self.notes.append(text)


def test_progress_counts_the_games_of_training_alone_and_names_the_stage(here):
    noted = Noted()
    options = SMALL | {"cities": "sparta,argos", "budget": "70games", "out": "new.toml"}
    found = COMMAND.ask(options, noted)
    assert noted.totals == [64]
    assert noted.games == found.games == 64
    assert noted.notes[:3] == [
        "2 players, sparta: generation 1 of 2",
        "2 players, sparta: generation 2 of 2",
        "2 players, sparta: choosing",
    ]
    assert noted.notes[-1] == "2 players: measuring the result"


def test_the_end_is_unknown_where_time_decides(here):
    noted = Noted()
    COMMAND.ask(SMALL | {"cities": "sparta,argos", "budget": "0.01s", "out": "new.toml"}, noted)
    assert noted.totals == [None, 32]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: text[:-9], "odd.tuning.json: not valid JSON: "),
        (lambda text: text.replace('"stages"', '"stagse"'), "odd.tuning.json: stagse: unknown key; "),
        (
            lambda text: json.dumps(json.loads(text) | {"stages": {"sparta-2": {"scores": [["x"]]}}}),
            "odd.tuning.json: stages: a table given; expected a table of stages with their scores",
        ),
        (
            lambda text: json.dumps(json.loads(text) | {"stages": {"sparta-2": {"scores": [[0.1, 0.2]]}}}),
            "odd.tuning.json: stages.sparta-2.scores: expected 4 in each generation",
        ),
        (
            lambda text: json.dumps(json.loads(text) | {"stages": {"sparta-2": {"chosen": 7}}}),
            "odd.tuning.json: stages.sparta-2.chosen: expected at most 0",
        ),
    ],
)
def test_a_damaged_state_is_told_in_one_line(here, monkeypatch, damage, message):
    state = unfinished(here, monkeypatch)
    state.write_text(damage(state.read_text()))
    told = problem(resume=True)
    assert told.startswith(message)
    assert "\n" not in told
