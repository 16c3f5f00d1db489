"""The ladder: shares, ratings, cycles, what cannot be distinguished, and the folder that keeps it."""

import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import khora_sim
from khora_sim.analyses.analysis import Run
from khora_sim.analyses.ladder import (
    COMMAND,
    Ladder,
    LadderOptions,
    Pairing,
    _short,
    _strength,
    arms_of,
    cell,
    contenders,
    cycles_in,
    evaluated,
    facts,
    figure,
    most_games,
)
from khora_sim.common.progress import Progress
from khora_sim.common.seed_ranges import JUDGING
from khora_sim.errors import UserError
from khora_sim.pages.publish import render
from khora_sim.rules import load_rules
from khora_sim.simulation.chunk import Chunk
from khora_sim.simulation.result import RulesPlayed
from khora_sim.simulation.sinks import Folders
from khora_sim.stats import Estimate
from tests.analyses.made_up import ladder_of, sums_of_all
from tests.pages.browser import look
from tests.simulation.folders import contents
from tests.strategy.plug_ins import write_plug_in

NAMES = ("random", "first-legal", "idle")
RING = {("a", "b"): 0.4, ("b", "c"): 0.4, ("c", "a"): 0.4, ("b", "a"): 0.1, ("c", "b"): 0.1, ("a", "c"): 0.1}


def played(options: LadderOptions) -> Ladder:
    return COMMAND.run(options, Run(options))


@pytest.fixture(scope="module")
def small() -> Ladder:
    return played(ladder_of(*NAMES, games=40, workers=1))


def test_every_ordered_pair_is_played_and_rated(small: Ladder):
    assert small.names[-1] == "idle"
    assert {(pairing.one, pairing.other) for pairing in small.pairings} == {
        (one, other) for one in NAMES for other in NAMES if one != other
    }
    assert {pairing.share.n for pairing in small.pairings} == {40}
    assert small.beats("random", "idle")
    assert not small.beats("idle", "random")


def test_ratings_are_reported_as_in_chess_around_1500(small: Ladder):
    assert sum(rung.rating.value for rung in small.rungs) / 3 == pytest.approx(1500)
    assert small.rungs[0].rating.n == 2 * 40 + 2 * 3 * 40


@pytest.mark.parametrize("backend", ["threads", "processes"])
def test_the_answer_does_not_depend_on_the_workers(backend: str):
    asked = {"games": 240, "backend": backend}
    one, two = (played(ladder_of("random", "idle", **asked, workers=workers)) for workers in (1, 2))
    assert one.data() == two.data()


def test_a_mirror_lands_on_the_null_exactly_and_is_not_distinguishable():
    mirror = played(ladder_of("merchant", "merchant:patience=3", games=80))
    assert [pairing.share.value for pairing in mirror.pairings] == [0.25, 0.25]
    assert [rung.rating.value for rung in mirror.rungs] == pytest.approx([1500, 1500])
    assert mirror.sentences == ["merchant and merchant:patience=3 are not distinguishable by their ratings."]
    assert mirror.cycles == mirror.mutual == []


def test_at_a_table_of_two_both_orders_are_the_same_games():
    options = ladder_of("random", "first-legal", "idle", players=2, games=40)
    assert len(arms_of(options)) == 3
    ladder = played(options)
    assert ladder.null == 0.5
    for one, other in (("random", "idle"), ("first-legal", "random")):
        there, back = ladder.shares[one, other], ladder.shares[other, one]
        assert there.value + back.value == pytest.approx(1)
        assert there.low + back.high == pytest.approx(1)


def test_a_pairing_does_not_depend_on_who_else_climbs(small: Ladder):
    alone = played(ladder_of("idle", "random", games=40))
    assert alone.shares["random", "idle"] == small.shares["random", "idle"]


def test_the_order_in_which_strategies_are_named_changes_nothing(small: Ladder):
    turned = played(ladder_of(*NAMES[::-1], games=40))
    assert (turned.rungs, turned.pairings) == (small.rungs, small.pairings)


def test_a_cycle_is_named_where_each_of_its_steps_is_certain():
    options = ladder_of("c", "a", "b")
    ladder = evaluated(options, sums_of_all(options, RING))
    assert ladder.cycles == [("a", "b", "c")]
    assert ladder.sentences[0] == (
        "a beats b, b beats c and c beats a: a cycle, so no order is right for all of them."
    )


def test_a_cycle_with_an_uncertain_step_is_not_named():
    options = ladder_of("a", "b", "c")
    assert evaluated(options, sums_of_all(options, RING | {("c", "a"): 0.2})).cycles == []


def test_two_that_beat_a_table_of_each_other_are_no_cycle_but_are_named():
    options = ladder_of("a", "b")
    ladder = evaluated(options, sums_of_all(options, {("a", "b"): 0.4, ("b", "a"): 0.4}))
    assert ladder.cycles == []
    assert ladder.sentences[0] == "a and b each win more than their share against a table of the other."


def test_the_stronger_stands_higher_and_in_a_tier_of_its_own():
    options = ladder_of("weak", "strong", "middle", "alike")
    beaten = {("strong", name): 0.6 for name in options.strategies} | {
        ("weak", name): 0.1 for name in options.strategies
    }
    ladder = evaluated(options, sums_of_all(options, beaten))
    assert (ladder.names[0], ladder.names[-1]) == ("strong", "weak")
    assert [rung.tier for rung in ladder.rungs] == [1, 2, 2, 3]
    assert [sorted(names) for names in ladder.unsettled] == [["alike", "middle"]]


def test_who_always_wins_has_a_rating_without_bounds():
    options = ladder_of("best", "b", "c")
    lost = {(name, "best"): 0.0 for name in "bc"}
    ladder = evaluated(options, sums_of_all(options, lost | {("best", name): 1.0 for name in "bc"}))
    assert ladder.names[0] == "best"
    assert ladder.rungs[0].tier is None
    assert ladder.data()["rungs"][0]["rating"]["high"] is None
    assert ladder.sentences[-1] == "No bounds on the rating of best: too few games won or lost."


def ladder_with(share: Estimate) -> Ladder:
    pairings = (Pairing(one="a", other="b", share=share),)
    asked = {"strategies": ("a", "b"), "players": 4, "games": 400, "precision": None, "seed": 0}
    return Ladder(rules=RulesPlayed.of(load_rules()), **asked, rungs=(), pairings=pairings)


@pytest.mark.parametrize(("low", "certain"), [(0.26, True), (0.25, False)])
def test_only_an_interval_above_the_null_beats(low: float, certain: bool):
    share = Estimate(0.30, low, 0.34, 400)
    assert ladder_with(share).beats("a", "b") is certain


def test_all_built_in_strategies_climb_but_examples():
    assert {"steward", "merchant", "random", "idle"} < set(contenders())
    assert not {"plain-example", "weights-example"} & set(contenders())


def test_seeds_are_those_kept_for_judging():
    assert ladder_of(*NAMES).judging_seed in JUDGING
    assert ladder_of(*NAMES, seed=7).judging_seed == JUDGING[7]


@pytest.mark.parametrize(
    ("strategies", "asked", "message"),
    [
        (("random",), {}, "a ladder needs two strategies or more"),
        (("random", "idle", "random"), {}, "random: named twice; name every strategy once"),
        (("random", "idel"), {}, "there is no strategy 'idel'; did you mean idle?"),
        (NAMES, {"players": 5}, "--players 5: expected 2, 3 or 4"),
        (NAMES, {"games": 0}, "--games 0: expected a whole number from 1, such as 20000 or 20k"),
        (NAMES, {"games": 9, "precision": 1}, "--games and --precision: give one of them"),
    ],
)
def test_what_cannot_be_played_is_reported_in_one_line(
    strategies: tuple[str, ...], asked: dict[str, Any], message: str, tmp_path: Path
):
    with pytest.raises(UserError, match=message) as problem:
        khora_sim.ladder(*strategies, **asked, out=tmp_path / "out")
    assert "\n" not in str(problem.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("players", [2, 4])
def test_a_precision_is_reached_in_every_pairing(players: int):
    ladder = khora_sim.ladder("random", "first-legal", players=players, precision=5, workers=2)
    assert all(pairing.share.margin <= 0.05 for pairing in ladder.pairings)
    assert all(pairing.share.n <= most_games(players, 5) for pairing in ladder.pairings)
    assert (ladder.games, ladder.precision) == (None, 5)


def test_a_variant_is_played_by_its_rules(tmp_path: Path):
    (tmp_path / "short.toml").write_text('name = "short"\nrounds = 3\n')
    short = ladder_of("random", "idle", games=8, rules=str(tmp_path / "short.toml"))
    assert {arm.rules.model.rounds for arm in arms_of(short)} == {3}
    ladder = played(short)
    assert (ladder.rules.name, ladder.rules.hash) == ("short", load_rules(short.rules).hash)
    assert facts(ladder)[-1] == "rules short"


def test_a_ladder_without_a_ring_has_no_cycle():
    assert cycles_in({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_a_ring_of_three_is_reported_once_from_its_first_name():
    assert cycles_in({"c": {"a"}, "a": {"b"}, "b": {"c"}, "d": {"a"}}) == [("a", "b", "c")]


def test_everyone_is_in_the_shortest_ring_that_holds_them():
    beaten = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"a"}}
    assert cycles_in(beaten) == [("a", "b", "c"), ("a", "b", "c", "d")]


# The folder: it continues where it was stopped, with the answer it would have had.


TWO: dict[str, Any] = {"games": 240, "workers": 1}  # three chunks a pairing
BODY = """
@rule
def score(view, option):
    return float(option) * {sign}
"""


class Counting(Progress):
    """Counts the games that were played."""

    def __init__(self) -> None:
        self.games = 0

    def advance(self, count: int) -> None:
        self.games += count


def kept(out: Path, *strategies: str, **asked: Any) -> tuple[Ladder, int]:
    """A ladder in a folder, and the games that were played for it."""
    counting = Counting()
    named = {"strategies": strategies} if strategies else {}
    return COMMAND.ask({**named, **asked, "out": out}, counting), counting.games


def stop_after(patch: pytest.MonkeyPatch, chunks: int, problem: type[BaseException]) -> None:
    keep, done = Folders.keep, []

    def stopping(sink: Folders, chunk: Chunk) -> None:
        keep(sink, chunk)
        done.append(chunk)
        if len(done) == chunks:
            raise problem

    patch.setattr(Folders, "keep", stopping)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ladder]:
    out = tmp_path_factory.mktemp("ladders") / "whole"
    return out, kept(out, "random", "idle", **TWO)[0]


def test_a_folder_changes_no_number(whole: tuple[Path, Ladder]):
    assert whole[1].data() == khora_sim.ladder("random", "idle", **TWO).data()


def test_a_stopped_ladder_continues_to_the_same_answer_and_the_same_bytes(
    whole: tuple[Path, Ladder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as patch:
        stop_after(patch, 2, KeyboardInterrupt)
        with pytest.raises(KeyboardInterrupt):
            kept(tmp_path / "out", "random", "idle", **TWO)
    ladder, games = kept(tmp_path / "out", resume=True, workers=1)
    assert ladder.data() == whole[1].data()
    assert games == 280  # of 480, in chunks of 100, 100 and 40
    assert contents(tmp_path / "out" / "studies") == contents(whole[0] / "studies")


@pytest.mark.slow
def test_a_killed_ladder_continues_to_the_same_answer(whole: tuple[Path, Ladder], tmp_path: Path):
    code = (
        "import os, signal, khora_sim.simulation.sinks as sinks\n"
        "from khora_sim.cli.main import run\n"
        "keep, kept = sinks.Folders.keep, []\n"
        "def dying(sink, chunk):\n"
        "    keep(sink, chunk)\n"
        "    kept.append(chunk)\n"
        "    if len(kept) == 3: os.kill(os.getpid(), signal.SIGKILL)\n"
        "sinks.Folders.keep = dying\n"
        "run()\n"
    )
    asked = ["ladder", "random", "idle", "--games", "240", "--workers", "1", "--out", str(tmp_path / "out")]
    killed = subprocess.run([sys.executable, "-c", code, *asked], check=False, capture_output=True)
    assert killed.returncode == -signal.SIGKILL
    assert kept(tmp_path / "out", resume=True, workers=2)[0].data() == whole[1].data()


def test_a_further_strategy_plays_its_own_pairings_only(whole: tuple[Path, Ladder], tmp_path: Path):
    kept(tmp_path / "out", "random", "idle", **TWO)
    ladder, games = kept(tmp_path / "out", "first-legal", resume=True, workers=1)
    assert games == 4 * 240
    assert ladder.strategies == ("random", "idle", "first-legal")
    assert ladder.shares["random", "idle"] == whole[1].shares["random", "idle"]
    assert ladder.data() == khora_sim.ladder("random", "idle", "first-legal", **TWO).data()
    assert kept(tmp_path / "out", resume=True) == (ladder, 0)


def test_a_strategy_that_was_changed_plays_again(tmp_path: Path):
    path = str(write_plug_in(tmp_path, "mine", BODY.format(sign="1.0")))
    first, _ = kept(tmp_path / "out", "idle", path, games=8)
    write_plug_in(tmp_path, "mine", BODY.format(sign="-1.0"))
    second, games = kept(tmp_path / "out", path, resume=True)
    assert games == 16
    assert second.data() == khora_sim.ladder("idle", path, games=8).data() != first.data()
    names = sorted(one.name for one in (tmp_path / "out" / "studies").iterdir())
    assert [name.rpartition("-")[0] for name in names] == [
        *["idle-vs-mine.py-4-players"] * 2,
        *["mine.py-vs-idle-4-players"] * 2,
    ]


def test_a_folder_has_the_answer_a_page_a_figure_and_every_pairing_as_a_study(whole: tuple[Path, Ladder]):
    out, ladder = whole
    assert json.loads((out / "answer.json").read_text()) == json.loads(json.dumps(ladder.data()))
    assert "has the highest rating" in (out / "index.html").read_text()
    assert (out / "figures" / "ladder.svg").read_text().startswith("<?xml")
    assert (out / "figures" / "ladder.png").read_bytes().startswith(b"\x89PNG")
    assert len(pl.read_parquet(out / "tables" / "shares.parquet")) == 2
    study = khora_sim.open_study(next((out / "studies").glob("random-vs-idle-*")))
    assert study.game_count == 240


@pytest.mark.slow
def test_the_page_fits_a_phone(whole: tuple[Path, Ladder], tmp_path: Path):
    shown = look(whole[0] / "index.html", tmp_path)
    assert (shown["problems"], shown["wide"]) == ([], [])
    assert shown["width"] <= 390


def test_a_damaged_part_is_played_again_and_the_answer_is_the_same(
    whole: tuple[Path, Ladder], tmp_path: Path
):
    shutil.copytree(whole[0], tmp_path / "out")
    part = next((tmp_path / "out" / "studies").glob("random-vs-idle-*")) / "players" / "part-00001.parquet"
    part.write_bytes(part.read_bytes()[:-40])
    ladder, games = kept(tmp_path / "out", resume=True, workers=1)
    assert (ladder.data(), games) == (whole[1].data(), 100)


def refused(problem: str, out: Path, *strategies: str, **asked: Any) -> None:
    with pytest.raises(UserError) as found:
        kept(out, *strategies, **asked)
    assert str(found.value).replace(str(out), "OUT") == problem


def test_a_finished_ladder_is_replaced_only_when_asked(whole: tuple[Path, Ladder], tmp_path: Path):
    shutil.copytree(whole[0], tmp_path / "out")
    refused(
        "OUT: holds a finished answer; show it again with --resume, begin anew with --replace, "
        "or choose another --out",
        tmp_path / "out",
        "random",
        "idle",
    )
    _, games = kept(tmp_path / "out", "random", "idle", games=8, replace=True)
    assert games == 16
    assert len(list((tmp_path / "out" / "studies").iterdir())) == 2


def test_a_ladder_continues_with_what_it_was_begun_with(whole: tuple[Path, Ladder]):
    refused(
        "OUT: --games differs from what it was begun with (ladder random idle --games 240), which cannot "
        "change; leave it out, or choose another --out",
        whole[0],
        resume=True,
        games=400,
    )


def test_a_folder_brings_no_code_along(whole: tuple[Path, Ladder], tmp_path: Path):
    plan = json.loads((whole[0] / "plan.json").read_text())
    plan["options"]["strategies"] = ["random", "./theirs.py"]
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    refused(
        "OUT: its plan names ./theirs.py, and what is not built in is read and run only when you name it; "
        "if you trust it, type: khora ladder random ./theirs.py --games 240 --out OUT --resume",
        tmp_path,
        resume=True,
    )


def test_a_linked_study_is_refused(whole: tuple[Path, Ladder], tmp_path: Path):
    shutil.copytree(whole[0], tmp_path / "out")
    study = next((tmp_path / "out" / "studies").glob("random-vs-idle-*"))
    study.rename(tmp_path / "elsewhere")
    study.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserError, match="is a link, and a study is written to no place but its folder"):
        kept(tmp_path / "out", resume=True)


def test_what_stays_is_reported_once_for_the_whole_ladder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    stop_after(monkeypatch, 2, UserError)
    with pytest.raises(UserError) as problem:
        kept(tmp_path / "out", "random", "idle", **TWO)
    where = tmp_path / "out" / "studies"
    assert str(problem.value).endswith(f"2 of 6 parts are finished and stay in {where}")


# The page and its figure.


OPTIONS = ladder_of("weak", "strong", "./ideas/mine.py")


def made_up() -> Ladder:
    return evaluated(OPTIONS, sums_of_all(OPTIONS, {("strong", "weak"): 0.6, ("weak", "strong"): 0.1}))


def test_every_share_is_a_number_and_every_strategy_a_row():
    ladder = made_up()
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", render(figure(ladder)).svg)
    for pairing in ladder.pairings:
        assert f"{100 * pairing.share.value:.0f}" in texts
    for name in ("weak", "strong", "mine.py"):
        assert texts.count(name) == 3  # a row, a column and a rating


def test_the_title_says_who_sits_at_the_table():
    assert figure(made_up()).title == "Won by the row against three of the column, in %"


def test_colours_reach_as_far_below_the_null_as_above():
    shares = [Estimate(value, 0, 1, 9) for value in (0.0, 0.25, 1.0)]
    assert [_strength(share, 0.25) for share in shares] == [-1, 0, 1]


def test_a_long_name_is_cut_and_a_path_goes_by_its_file():
    assert _short("./strategies/my_idea.py") == "my_idea.py"
    assert _short("merchant:patience=3,thrift=1") == "merchant:patience=3…"


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (Estimate(0.68, 0.64, 0.72, 400), "68 ±4"),
        (Estimate(0.0, 0.0, 0.037, 400), "0 +4"),
        (Estimate(1.0, 0.963, 1.0, 400), "100 −4"),
        (Estimate(0.5, 0.499, 0.501, 10**6), "50.00 ±0.10"),
    ],
)
def test_a_cell_shows_how_far_the_share_may_be_off(share: Estimate, shown: str):
    assert cell(ladder_with(share), "a", "b") == shown
