"""A number that nothing depends on is flat at exactly zero, a planted effect comes first."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from khora_sim.analyses import sweep, variants
from khora_sim.analyses.balance import WITHIN
from khora_sim.analyses.sweep import ALIKE, COMMAND, Sweep, SweepOptions
from khora_sim.analyses.variants import target_of
from khora_sim.common.progress import Progress
from khora_sim.errors import UserError
from khora_sim.rules import load_rules
from khora_sim.simulation.chunk import Chunk
from khora_sim.simulation.sinks import ArmSums

FEW: dict[str, Any] = {"strategies": ("random",), "games": 280}
POINTS = "cities.argos.developments.1.effects.1.gain.vp"  # nobody has to do anything for it
NEVER = "cities.argos.developments.4.cost"  # random players never unlock it


def swept(*vary: str, workers: int = 1, **changes: Any) -> Sweep:
    return COMMAND.ask({**FEW, "vary": vary, "workers": workers, **changes}, Progress())


@pytest.fixture
def few_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stages begin with more than three variants."""
    monkeypatch.setattr(sweep, "ALL_EVALUATED", 3)
    monkeypatch.setattr(sweep, "LEADERS", 2)


def test_a_number_that_nothing_depends_on_gives_a_flat_curve_at_exactly_zero():
    found = swept(f"{NEVER}=0..4")
    assert found.flat
    assert set(found.cities["change"]) == {0.0}
    assert set(found.variants["change"]) == {0.0}
    assert found.is_base(found.best)
    assert len(found.alike) == 4


def test_a_planted_gain_moves_its_city_and_is_told_first():
    found = swept(f"{POINTS}=0,10", target=("argos=100",))
    assert found.concerned[0] == "argos"
    assert found.assignments(found.best) == (f"{POINTS}=10",)
    argos = found.share(found.best, "argos")
    assert argos["change_low"] > 0.2
    assert found.variants["status"].to_list() == ["best", "worse"]


def test_the_value_that_meets_a_target_is_found_in_the_middle_of_a_range():
    found = swept(f"{POINTS}=0..20:5", target=("argos=60",))
    shares = {found.values(row)[0]: found.share(row, "argos")["value"] for row in found.variants.to_dicts()}
    assert list(found.values(found.best)) == [min(shares, key=lambda value: abs(shares[value] - 0.6))]
    assert found.values(found.best)[0] in (5, 10, 15)
    ends = {found.values(row)[0]: row["status"] for row in found.variants.to_dicts()}
    assert (ends[0], ends[20]) == ("worse", "worse")


@pytest.mark.usefixtures("few_judged")
def test_stages_drop_the_hopeless_and_confirm_a_planted_best_on_fresh_luck():
    found = swept(f"{POINTS}=0,6,12", f"{NEVER}=1..2", target=("argos=100",))
    assert found.stages[0].variants == 5
    assert sum(stage.worse for stage in found.stages) >= 1
    assert found.values(found.best)[0] == 12
    assert found.best["stage"] is None
    assert found.judging_seed == 3_000_000_000
    assert {stage.seed for stage in found.stages} <= set(range(2_000_000_001, 2_000_000_100))
    assert found.variants["stage"].null_count() == 3  # two leaders and the base game
    twins = [row for row in found.alike if found.values(row)[0] == 12]
    assert len(twins) == 1  # the other leader differs in what nobody unlocks


@pytest.mark.usefixtures("few_judged")
def test_who_was_left_behind_is_not_called_worse():
    found = swept(f"{NEVER}=0..6")
    assert sum(stage.worse for stage in found.stages) == 0
    dropped = found.variants.filter(status=variants.LEFT)
    assert len(dropped) == 6 - 2
    assert found.variants.filter(status=ALIKE)["stage"].null_count() == 2


@pytest.mark.usefixtures("few_judged")
def test_a_stage_adds_its_games_to_those_of_the_stages_before():
    found = swept(f"{NEVER}=0..12")
    played = [stage.games for stage in found.stages]
    assert len(played) > 1
    dropped = found.variants.filter(pl.col("stage").is_not_null())
    assert dropped["stage"].max() > 1
    assert dropped["games"].to_list() == [sum(played[:stage]) for stage in dropped["stage"]]


@pytest.mark.usefixtures("few_judged")
def test_the_answer_is_the_same_on_two_workers_and_when_it_goes_on_from_kept_sums(tmp_path: Path):
    asked, out = (f"{POINTS}=0..4",), tmp_path / "sweep"
    one = swept(*asked, out=out)
    kept = {file: file.read_bytes() for file in (out / "parts").iterdir()}
    gone, damaged, *_ = sorted(kept)
    gone.unlink()
    damaged.write_bytes(kept[damaged][:-9])
    again = swept(*asked, out=out, resume=True)
    two = swept(*asked, workers=2)
    assert json.dumps(one.data()) == json.dumps(again.data()) == json.dumps(two.data())
    assert {file: file.read_bytes() for file in (out / "parts").iterdir()} == kept


def test_a_precision_ends_the_games_when_it_is_reached():
    found = swept(f"{POINTS}=0,3", games=None, precision=6.0)
    margins = (found.cities["change_high"] - found.cities["change_low"]) / 2
    assert margins.max() <= 0.06
    assert found.games < 5_000


class Chunks:
    """Counts the chunks that are played; ends a run from within after some of them, as Ctrl-C does."""

    def __init__(self, patch: pytest.MonkeyPatch, most: int | None = None):
        self.played = 0
        keep = ArmSums.keep

        def kept(sink: ArmSums, chunk: Chunk) -> None:
            keep(sink, chunk)
            self.played += 1
            if self.played == most:
                raise KeyboardInterrupt

        patch.setattr(ArmSums, "keep", kept)


@pytest.mark.parametrize("played", [1, 4, 7], ids=["in the first row", "after a row", "in a later row"])
def test_a_sweep_to_a_precision_goes_on_where_it_was_stopped(tmp_path: Path, played: int):
    def ask(**more: Any) -> str:
        changes = {"games": None, "precision": 7.0, **more}
        return json.dumps(swept(f"{POINTS}=0,2,4,6", **changes).data())

    with pytest.MonkeyPatch.context() as patch:
        whole = Chunks(patch)
        one = ask()
    assert whole.played == 12  # three rows of four arms
    with pytest.MonkeyPatch.context() as patch:
        Chunks(patch, most=played)
        with pytest.raises(KeyboardInterrupt):
            ask(out=tmp_path)
    assert len(list((tmp_path / "parts").iterdir())) == played
    with pytest.MonkeyPatch.context() as patch:
        rest = Chunks(patch)
        assert ask(out=tmp_path, resume=True, workers=2) == one
    assert rest.played == whole.played - played
    min((tmp_path / "parts").iterdir()).unlink()  # of the first row: what follows is no answer without it
    assert ask(out=tmp_path, resume=True) == one


def test_a_variant_can_be_what_is_changed(tmp_path: Path):
    file = tmp_path / "mine.toml"
    file.write_text("[cities.argos.developments.1]\neffects = [{ on = 'at-once', gain = { vp = 7 } }]\n")
    options = SweepOptions.of({**FEW, "vary": f"{POINTS}=5,7", "rules": file})
    assert options.subject.numbers[0].base == 7
    (other,) = options.combinations.values()
    assert other.model.cities["argos"].developments.first.effects[0].gain == {"vp": 5}


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({}, "no number is named; give --vary"),
        ({"vary": ("rounds=8", "rounds=7")}, "rounds is given twice"),
        ({"vary": ("cards.lighthose.cost=0..4",)}, 'no card is called "lighthose"; did you mean lighthouse?'),
        ({"vary": ("cards.lighthouse.cots=0..4",)}, 'no "cots" in cards.lighthouse; did you mean cost?'),
        ({"vary": ("start=0..4",)}, "start is a table; name a whole number in it, such as start.drachmas"),
        ({"vary": ("cards.bank.name=0..4",)}, "cards.bank.name is not a whole number"),
        ({"vary": ("options.draft=0..1",)}, "options.draft is not a whole number"),
        ({"vary": ("rounds=nine",)}, "'nine' is not a range of whole numbers; try 0..4, 0..6:2 or 0,2,4"),
        ({"vary": ("rounds=9..7",)}, "9..7 runs downwards; try 7..9"),
        ({"vary": ("cards.bank.cost=0..99", "cards.diolkos.cost=0..99")}, "10,000 variants; at most 1,000"),
        ({"vary": ("rounds=20",)}, "--vary rounds=20: rounds: 20 given; expected"),
        ({"vary": ("rounds=8",), "target": ("argo=25",)}, 'no city is called "argo"; did you mean argos'),
        (
            {"vary": ("rounds=8",), "target": ("argos=many",)},
            "should be a win share in per cent, such as argos=25",
        ),
        (
            {"vary": ("rounds=8",), "target": ("argos=0.25",)},
            "--target argos=0.25: a win share is given in per cent; try argos=25",
        ),
        ({"vary": ("rounds=8",), "target": ("0.3+-2",)}, "try 30+-2"),
        ({"vary": ("rounds=8",), "strategies": ()}, "--strategies: nobody is named; say who plays"),
        ({"vary": ("rounds=8",), "players": 5}, "--players 5: expected 2, 3 or 4"),
    ],
)
def test_what_cannot_be_swept_is_refused_before_a_game_is_played(changes: dict, problem: str):
    with pytest.raises(UserError) as told:
        SweepOptions.of(FEW | changes)
    assert problem in str(told.value)
    assert "\n" not in str(told.value)


def test_a_target_is_read_for_some_cities_or_for_all():
    rules = load_rules()
    every = target_of((), rules, 4)
    assert every.fair
    assert set(every.shares) == {0.25}
    some = target_of(("argos=20+-2,sparta=30",), rules, 4)
    assert {city: (one.share, one.within) for city, one in some.cities.items()} == {
        "sparta": (0.3, None),
        "argos": (0.2, 0.02),
    }
    assert some.cities["argos"].holds(0.22)
    assert not some.cities["argos"].holds(0.221)
    mixed = target_of(("25+-2", "olympia=30"), rules, 4)
    assert mixed.cities["olympia"].share == 0.3
    assert mixed.cities["olympia"].within is None
    assert mixed.cities["argos"].within == 0.02
    assert target_of(("argos=18..22",), rules, 4).data() == target_of(("argos=20+-2",), rules, 4).data()


@pytest.mark.parametrize(
    ("typed", "players", "problem"),
    [
        (
            ("30",),
            4,
            "--target 30: the win shares of all cities average 25 % at tables of 4, not 30 %; try 25",
        ),
        (("25", "olympia=90"), 4, "--target 25,olympia=90: the win shares"),
        (("25+-2",), 3, "average 33.3 % at tables of 3, not 25 %; try 33.3"),
    ],
)
def test_shares_of_all_cities_that_cannot_come_together_are_refused(typed, players, problem):
    with pytest.raises(UserError) as refused:
        target_of(typed, load_rules(), players)
    assert problem in str(refused.value)
    assert len(target_of(("olympia=90",), load_rules(), players).cities) == 1


def test_a_search_for_balance_knows_what_is_near_enough_where_nobody_says_so():
    rules = load_rules()
    found = target_of(("25", "argos=20", "sparta=30+-1"), rules, 4, WITHIN)
    assert {city: found.cities[city].within for city in ("thebes", "argos", "sparta")} == {
        "thebes": 0.02,
        "argos": 0.02,
        "sparta": 0.01,
    }
