"""What things are worth: nothing is exactly nothing, a planted gain is found, deals and swaps agree."""

import json
import pickle
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import khora_sim
from khora_sim.analyses.analysis import Run
from khora_sim.analyses.power import PowerOptions, play_and_count
from khora_sim.analyses.power.counts import NOTHING, WINS, Parts, things_of, without_event
from khora_sim.analyses.power.worth import ALL, DEALT, GIVEN, Power
from khora_sim.common.seed_ranges import JUDGING
from khora_sim.engine.setup import Swap
from khora_sim.errors import UserError
from khora_sim.rules import load_rules
from khora_sim.rules.describe import toml_text
from khora_sim.simulation.chunk import ChunkContents, play_chunk
from khora_sim.simulation.experiment import ChunkId, Swapped, resolve_study
from khora_sim.simulation.run_dir import RunOptions
from khora_sim.simulation.study_file import study_of
from khora_sim.stats import holm

FEW = {"strategies": "random", "games": 140, "seed": 5, "workers": 1}
ALONE = Run(RunOptions(workers=1))
CARDS = load_rules().card_ids
UNPLAYABLE, POINTS = 99, 30


def power(kind: str = "cards", **changes: object) -> Power:
    """The power of things in a few games of random players."""
    return khora_sim.power(kind, **{**FEW, **changes})


def variant(folder: Path, **changes: object) -> str:
    """The file of a variant."""
    file = folder / "variant.toml"
    file.write_text(toml_text({"name": "variant", "text": "for a test", **changes}), encoding="utf-8")
    return str(file)


def of_cards(folder: Path, *, gift: str | None = None) -> str:
    """A game whose cards cannot be played, but for one that gives points for nothing, if it is named."""
    cards: dict[str, dict] = {card: {"cost": UNPLAYABLE} for card in CARDS}
    if gift is not None:
        free = {"kind": "immediate", "cost": 0, "needs": {}, "text": "Points."}
        cards[gift] = {**free, "effects": [{"on": "at-once", "gain": {"vp": POINTS}}]}
    return variant(folder, cards=cards)


@pytest.fixture(scope="module")
def gift(tmp_path_factory) -> Power:
    """A planted gain among cards that do nothing."""
    rules = of_cards(tmp_path_factory.mktemp("gift"), gift="bank")
    return power(games=2800, rules=rules)


def test_a_planted_gain_is_found_with_its_points(gift: Power):
    for way in (DEALT, GIVEN):
        first, *others = gift.overall(way)
        assert first.thing == "bank"
        assert first.p_wins < 0.001
        assert first.label == "must-have"
        # Random players play the card in some games only; nobody gets more than its points.
        assert 2 < first.points.low < first.points.high < POINTS
        assert all(row.label not in ("must-have", "strong") for row in others)
    assert gift.of("bank", way=GIVEN).points.value > gift.of("bank", way=DEALT).points.value


def test_cards_that_do_nothing_are_worth_the_same(gift: Power):
    """None stands out among them, and intervals miss their common worth as rarely as they say."""
    others = [row for row in gift.rows if row.thing != "bank" and row.way == GIVEN and row.city == ALL]
    values = np.array([row.points.value for row in others])
    margins = np.array([row.points.margin for row in others])
    missed = np.abs(values - values.mean()) > margins
    assert missed.sum() <= 7  # of 39: 2 are expected, and 8 or more come in 1 of 1,000 cases


def test_a_deal_tells_the_same_as_a_swap_before_the_draft(gift: Power, tmp_path: Path):
    """The same worth from swaps alone, game by game: a card that came counts for, one that went against."""
    study = {
        "strategies": ("random",),
        "games": 2800,
        "cities": "all",
        "rotate": "cities",
        "seed": JUDGING[5],
    }
    base = resolve_study(study_of({**study, "players": 4}), load_rules(of_cards(tmp_path, gift="bank")))
    bit, changes = np.uint64(1 << CARDS.index("bank")), []
    for seat in range(4):
        before, after = (
            pl.concat(
                play_chunk(arm, ChunkId(0, number), ChunkContents(columns={"players": ("score", "dealt")}))
                .frames["players"]
                .gather_every(4, seat)
                for number in range(arm.chunks)
            )
            for arm in (base, replace(base, swapped=Swapped(Swap.DEALT, seat)))
        )
        held = [(side["dealt"].to_numpy() & bit > 0).astype(int) for side in (before, after)]
        change = (after["score"].cast(pl.Int64) - before["score"].cast(pl.Int64)).to_numpy()
        changes.append(((held[1] - held[0]) * change)[held[0] != held[1]])
    swaps = np.concatenate(changes)
    found = gift.of("bank", way=DEALT).points
    error = np.hypot(swaps.std() / np.sqrt(len(swaps)), found.margin / 1.96)
    assert len(swaps) > 400
    assert abs(swaps.mean() - found.value) < 4 * error


def test_an_event_that_does_nothing_is_exactly_zero(tmp_path: Path):
    nothing = {"scope": "all", "effect": NOTHING, "text": "Nothing."}
    found = power("events", rules=variant(tmp_path, events={"drought": nothing}))
    rows = [row for row in found.rows if row.thing == "drought"]
    assert {row.points.value for row in rows} == {0.0}
    assert {row.wins.value for row in rows} == {0.0}
    assert found.of("drought").label == "dead"
    assert found.of("supplies-from-lydia").points.value != 0
    came = found.of("drought").wins.n / (4 * 140)
    assert 0.3 < came < 0.7  # only games in which it comes are counted: 7 of 14 events come
    assert found.of("growing-population").wins.n == 4 * 140


def test_an_event_that_is_struck_leaves_its_place_in_the_rules():
    struck = without_event(load_rules(), "drought")
    assert struck.event_ids == load_rules().event_ids
    assert [change.key for change in struck.changes()] == ["events.drought.effect"]


def test_barring_an_action_that_nobody_takes_changes_nothing():
    found = power("actions", strategies="restricted:bar_action=trade:base=random")
    rows = [row for row in found.rows if row.thing == "trade"]
    assert {row.points.value for row in rows} == {row.wins.value for row in rows} == {0.0}
    assert {row.p_wins for row in rows} == {1.0}
    assert found.of("culture").points.value != 0


def test_a_card_that_few_were_dealt_with_a_city_is_not_weak_because_they_never_won():
    counts = play_and_count(PowerOptions(kind="cards", strategies=("random",), games=280), (DEALT,), ALONE)
    wins = counts.effects(DEALT, WINS)
    assert (counts.tallies[DEALT][WINS].changed.sum(axis=2) == 0).any()  # there are some
    assert holm(wins.p_values().ravel()).min() > 0.05


@pytest.mark.parametrize("kind", ["developments", "tracks", "spaces"])
def test_every_thing_has_a_row_over_all_cities_and_with_each(kind: str):
    found = power(kind)
    things = things_of(kind, load_rules())
    assert len(found.rows) == len(things) * 8
    assert {row.thing for row in found.overall()} == set(things)
    assert found.of(next(iter(things))).wins.n == 140
    assert found.games == 140
    assert found.sides == len(things) + 1


def test_a_space_that_is_barred_is_explored_by_nobody_who_is_barred_from_it():
    barred = "restricted:bar_space=minor-red-1:base=random"
    arm = resolve_study(study_of({"strategies": (barred,), "games": 140, "seed": 5}), load_rules())
    wanted = ChunkContents(columns={"games": ("explored",)})
    explored = play_chunk(arm, ChunkId(0, 0), wanted).frames["games"]["explored"].to_numpy()
    bits = [np.uint64(1 << load_rules().space_ids.index(name)) for name in ("minor-red-1", "minor-red-2")]
    assert [int((explored & bit > 0).sum()) > 0 for bit in bits] == [False, True]


def test_the_number_of_workers_changes_nothing():
    one, two = (json.dumps(power(workers=workers).data()) for workers in (1, 2))
    assert one == two


def test_a_swap_travels_to_other_processes_with_its_arm():
    arm = resolve_study(study_of({"strategies": ("random",), "games": 140, "seed": 5}), load_rules())
    swapped = replace(arm, swapped=Swapped(Swap.DRAFTED, 2, 1))
    assert swapped.digest != arm.digest
    wanted = ChunkContents(columns={"players": ("score", "drafted")})
    here, there = (
        play(ChunkId(0, 0), wanted).frames["players"]
        for play in (partial(play_chunk, swapped), partial(play_chunk, pickle.loads(pickle.dumps(swapped))))
    )
    assert here.equals(there)
    assert not here.equals(play_chunk(arm, ChunkId(0, 0), wanted).frames["players"])


@pytest.mark.slow
def test_a_run_continues_where_it_was_stopped(tmp_path: Path):
    whole = power(games=560, out=tmp_path / "whole")
    answer = (tmp_path / "whole" / "answer.json").read_bytes()
    parts = sorted((tmp_path / "whole" / "parts").iterdir())
    for part in parts[::3]:
        part.unlink()
    kept = {part: part.stat().st_mtime_ns for part in parts[1::3]}
    again = khora_sim.power(out=tmp_path / "whole", resume=True, workers=1)
    assert again.data() == whole.data()
    assert (tmp_path / "whole" / "answer.json").read_bytes() == answer
    assert sorted((tmp_path / "whole" / "parts").iterdir()) == parts
    assert {part: part.stat().st_mtime_ns for part in kept} == kept


def test_chunks_are_counted_in_their_order_whatever_an_earlier_run_has_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    power("tracks", games=560, out=tmp_path / "a")
    parts = sorted((tmp_path / "a" / "parts").iterdir())
    first = [part for part in parts if "-000000-" in part.name]
    assert 0 < len(first) < len(parts)
    for part in first:
        part.unlink()
    seen = []

    class Watched(Parts):
        def take(self, place: ChunkId, kept: pl.DataFrame) -> None:
            super().take(place, kept)
            seen.append((place.number, self.counts.games))

    monkeypatch.setattr("khora_sim.analyses.power.Parts", Watched)
    khora_sim.power(out=tmp_path / "a", resume=True, workers=1)
    assert {games for number, games in seen if number > 0} == {0}
    assert seen[-1] == (0, 560)


def test_a_wanted_precision_is_reached_and_the_games_it_took_are_told():
    found = power(games=None, precision=20.0, workers=2)
    assert found.reached() <= 20 < power(games=140).reached()
    assert found.games % 140 == 0


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"kind": "card"}, 'unknown kind "card"; did you mean cards'),
        ({"kind": "tracks", "strategies": ("random", "idle")}, "name one strategy"),
        ({"strategies": ()}, "--strategies: nobody is named; say who plays, such as adept"),
        ({"players": 5}, "--players 5: expected 2, 3 or 4"),
        ({"games": 0}, "--games 0: expected a whole number from 1"),
        ({"precision": 0.001}, "--precision 0.001: expected 0.05 to 25 percentage points"),
    ],
)
def test_what_cannot_be_asked_is_said_in_one_line(changes: dict, words: str):
    with pytest.raises(UserError, match=words):
        PowerOptions.of({"kind": "cards", **changes})


def test_without_a_deck_there_is_nothing_to_swap(tmp_path: Path):
    rules = variant(tmp_path, remove={"cards": CARDS[20:]})
    with pytest.raises(UserError, match="4 hands take all 20 cards of variant"):
        power(rules=rules)


def test_a_folder_continues_with_its_own_kind_only(tmp_path: Path):
    power("tracks", out=tmp_path / "a")
    with pytest.raises(UserError, match=r"KIND differs from what it was begun with \(power tracks "):
        khora_sim.power("events", out=tmp_path / "a", resume=True)
    assert khora_sim.power("tracks", out=tmp_path / "a", resume=True, workers=1).kind == "tracks"


def test_a_card_is_compared_with_games_in_which_nobody_was_dealt_it():
    counts = play_and_count(PowerOptions(kind="cards", strategies=("random",), games=140), (DEALT,), ALONE)
    tally = counts.tallies[DEALT][WINS]
    dealt, not_dealt = (found.sum(axis=(1, 2)) for found in (tally.n, tally.control_n))
    # Each of 140 deals counts with the swap and without it: the card is in one hand, or in nobody's.
    assert dealt.min() > 0
    assert (dealt + not_dealt / 4).tolist() == [280] * len(CARDS)


def test_what_helps_is_worth_more_than_nothing_to_those_who_may_do_it():
    found = power("actions", strategies="steward", games=280)
    assert found.of("development").points.low > 0
