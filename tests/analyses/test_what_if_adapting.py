"""Players who know a changed rule: who is tuned for what, and how it is reported."""

import json
from pathlib import Path
from tempfile import gettempdir

import pytest

import khora_sim
from khora_sim import UserError
from khora_sim.analyses.what_if import COMMAND, WhatIfOptions, adapting
from khora_sim.analyses.what_if.adapting import Adapting, cities_of, trained
from khora_sim.analyses.what_if.measure import Adapted, Trained
from khora_sim.analyses.what_if.page import adaptation
from khora_sim.analyses.what_if.things import things_of
from khora_sim.common.progress import Progress
from khora_sim.rules import load_rules, set_rules
from khora_sim.simulation.backend import Backend
from khora_sim.stats import Estimate
from khora_sim.strategy import load

ARGOS = "cities.argos.developments.3.effects.1.gain.glory=1"


def touched(strategy: str, *assignments: str) -> tuple[str, ...]:
    rules = set_rules(assignments)
    return cities_of(things_of(rules.changes(), load_rules(), rules), strategy, rules)


def test_only_the_cities_that_a_change_touches_are_tuned():
    assert touched("expert", ARGOS) == ("argos",)
    assert touched("steward", ARGOS, "cities.athens.developments.2.cost=1") == ("argos", "athens")


def test_a_change_for_all_is_learned_everywhere():
    assert touched("steward", "cards.lighthouse.cost=2") == ()  # one general vector
    every = tuple(load_rules().city_ids)
    assert touched("expert", "cards.lighthouse.cost=2") == every  # it has weights of each city


@pytest.mark.parametrize(
    ("strategy", "budget", "problem"),
    [
        ("merchant", "90s", "--adapt: merchant can be neither tuned nor taught; name a player made of"),
        (
            "expert",
            "1000games",
            "--adapt 1000games: tuning 3 sets of weights of expert takes 6,000 games or more for each side",
        ),
        (
            "sage",
            "9000games",
            "--adapt 9000games: sage learns from its own games after 10,000 of",
        ),
        ("steward,random", "90s", "--adapt: players of one kind learn the changed rules"),
    ],
)
def test_players_that_cannot_learn_are_refused_before_a_game_is_played(strategy, budget, problem):
    with pytest.raises(UserError, match=problem):
        khora_sim.what_if(set=ARGOS, strategies=strategy, also_with="none", adapt=budget)


@pytest.mark.slow
def test_who_knows_the_rule_gives_a_verdict_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(adapting, "GAMES", 12)
    monkeypatch.setattr(adapting, "POPULATION", 4)
    monkeypatch.setitem(adapting.CONFIRMING, "tuned", 40)
    asked = {
        "set": ARGOS,
        "strategies": "steward",
        "also_with": "none",
        "games": 140,
        "seed": 5,
        "workers": 1,
    }
    out = tmp_path / "answer"
    answer = khora_sim.what_if(**asked, adapt="100games", out=out)
    alone = khora_sim.what_if(**asked)
    usual, knowing = answer.variants[0].verdicts
    assert usual.tables.city_wins.equals(alone.variants[0].main.tables.city_wins)
    made = knowing.adapted
    assert made is not None
    assert (made.start, made.how, made.budget) == ("steward", "tuned", "100games")
    assert made.before.cities == made.after.cities == ("argos",)
    assert made.after.strategy == str(out / "adapted" / "steward_changed_4_players.toml")
    assert knowing.line_ups == ((made.before.strategy,), (made.after.strategy,))
    assert f"--rules {out / 'variant.toml'}" in made.after.command
    assert "--rules" not in made.before.command
    options = WhatIfOptions.of({**asked, "adapt": "100games", "out": out})
    (notes,) = [section.notes for section in COMMAND.page(answer, options).sections if section.id == "skill"]
    assert notes[0].startswith("Players who know the rule: steward has its weights in Argos tuned against ")
    assert notes[1] == f"Made with: {made.before.command} ; {made.after.command}"
    adapted = answer.data()["variants"][0]["verdicts"][1]["adapted"]
    assert (adapted["after"]["games"], adapted["after"]["won"]["n"]) == (made.after.games, made.after.won.n)


@pytest.mark.parametrize(
    ("strategy", "how", "words"),
    [
        ("expert", "tuned", "expert has its weights tuned against a table of itself"),
        ("sage", "learned", "sage continues to learn its value from its own games"),
        ("adept", "taught", "adept continues to learn from the decisions of sage"),
    ],
)
def test_how_a_player_adapts_is_told_in_its_own_words(strategy: str, how: str, words: str, tmp_path: Path):
    asked = Adapting(strategy, load_rules(), None, (), 4, "40games", tmp_path / "made")
    made = Trained(strategy, (), 40, "khora learn", Estimate(0.25, 0.2, 0.3, 40))
    told = adaptation(Adapted(strategy, asked.how, asked.budget, made, made), 4, {})
    assert asked.how == how
    assert told.startswith(f"Players who know the rule: {words} under the changed rules, in 40 games")


@pytest.mark.slow
def test_a_player_with_a_learned_value_goes_on_learning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(adapting.CONFIRMING, "learned", 4)
    rules = set_rules([ARGOS])
    asked = Adapting("sage:worlds=2", rules, "argos.toml", (), 4, "40games", tmp_path / "taught")
    made = trained(asked, Backend("threads", 1), Progress())
    assert made.strategy == f"sage:learned={tmp_path / 'taught.npz'}:worlds=2"
    learned = load(made.strategy).learned
    assert learned is not None
    assert (learned.origin["rules"], made.games, made.won.n) == (rules.hash, 40, 4)
    assert "--rules argos.toml" in made.command


@pytest.mark.slow
def test_trained_players_are_not_mistaken_for_a_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Under rules that are the same, both sides are trained alike, and nothing differs."""
    monkeypatch.setattr(adapting, "GAMES", 12)
    monkeypatch.setattr(adapting, "POPULATION", 4)
    monkeypatch.setitem(adapting.CONFIRMING, "tuned", 40)
    asked = {"set": "cards.lighthouse.cost=1", "strategies": "steward", "also_with": "none", "games": 140}
    answer = khora_sim.what_if(**asked, seed=5, workers=1, adapt="120games", out=tmp_path)
    _, knowing = answer.variants[0].verdicts
    assert knowing.same


@pytest.mark.slow
def test_without_a_folder_trained_players_are_named_by_what_their_commands_write(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(adapting, "GAMES", 12)
    monkeypatch.setattr(adapting, "POPULATION", 4)
    monkeypatch.setitem(adapting.CONFIRMING, "tuned", 40)
    asked = {"set": ARGOS, "strategies": "steward", "also_with": "none", "games": 140, "seed": 5}
    answer = khora_sim.what_if(**asked, workers=1, adapt="100games")
    knowing = answer.variants[0].verdicts[1]
    made = knowing.adapted
    assert made is not None
    assert knowing.after == (made.after.strategy,) == ("steward_changed_4_players.toml",)
    assert "--out steward_changed_4_players.toml" in made.after.command
    assert {name for game in knowing.changed_games for name in game.strategies[0]} <= {made.before.strategy}
    assert gettempdir() not in json.dumps(answer.data())


def test_players_are_trained_where_the_games_are_played(monkeypatch: pytest.MonkeyPatch):
    class StopError(Exception):
        """Ends the run before anything is trained."""

    def stop(player: Adapting, backend: Backend, progress: Progress) -> None:
        raise StopError(backend.kind, backend.workers)

    monkeypatch.setattr(adapting, "trained", stop)
    with pytest.raises(StopError, match=r"'processes', 3"):
        khora_sim.what_if(
            set=ARGOS, strategies="steward", also_with="none", adapt="9s", workers=3, backend="processes"
        )
