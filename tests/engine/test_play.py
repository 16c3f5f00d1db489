"""The loop that plays games to their end, and batches of games stepped together."""

import numpy as np
import pytest

from khora_sim.common.options import Setting
from khora_sim.engine.agenda import YES, Phase, Task
from khora_sim.engine.cache import cache_folder
from khora_sim.engine.calling import RATE
from khora_sim.engine.compiling import ENGINE_SOURCES, address
from khora_sim.engine.kernels import kernels
from khora_sim.engine.ledger import LEDGER
from khora_sim.engine.machine import NO_OPTION, Until
from khora_sim.engine.match import GameBatch, Match, rules_array
from khora_sim.engine.play import Outcome
from khora_sim.engine.record import SEATS, new_records
from khora_sim.engine.seat import Player, options_of, ratings_of, shown
from tests.engine.random_games import play_at_random, set_ups, table
from tests.engine.scene import BASE, Scene
from tests.engine.walking import members, same

FOLDER = cache_folder(ENGINE_SOURCES)


def last_option(seat, tables):
    """A player that likes each option better than the one before."""
    ratings = ratings_of(seat)
    for place in range(seat.option_count):
        ratings[place] = place


def no_number(seat, tables):
    """A player whose rating of the last option is no number."""
    ratings = ratings_of(seat)
    for place in range(seat.option_count):
        ratings[place] = 0.0
    ratings[seat.option_count - 1] = np.nan


def player(rate=None, takes_first=False):
    return Player(address(RATE, rate, FOLDER) if rate else kernels().indifferent_address, takes_first)


def play(players, rate, takes_first=False, seeds=range(5)):
    games, ledgers = new_records(len(seeds)), new_records(len(seeds) + 1, LEDGER)
    around = table(player(rate, takes_first))
    ended = kernels().play_games(games, ledgers, rules_array(BASE), set_ups(seeds, players), *around)
    return games, ledgers, ended


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_best_rating_is_what_is_played(players):
    games, _, ended = play(players, last_option)
    assert ended == 5
    for seed in range(5):
        match = Match(BASE, players, seed)
        options = match.advance()
        while options:
            options = match.choose(options[-1])
        assert same(match.game, games[seed])


@pytest.mark.scenario
def test_equal_ratings_are_played_in_order_or_by_luck():
    games, _, _ = play(3, None, takes_first=True)
    match = Match(BASE, 3, 0)
    options = match.advance()
    while options:
        options = match.choose(options[0])
    assert same(match.game, games[0])
    by_luck, _, _ = play(3, None)
    assert not same(by_luck[0], games[0])


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("takes_first", [True, False])
def test_an_indifferent_player_that_is_not_asked_plays_the_games_of_one_that_is(players, takes_first):
    asked, written, _ = play(players, None, takes_first, range(20))
    around = table(Player(kernels().indifferent_address, takes_first, indifferent=True))
    games, ledgers = new_records(20), new_records(21, LEDGER)
    given = set_ups(range(20), players)
    assert kernels().play_games(games, ledgers, rules_array(BASE), given, *around) == 20
    assert games.tobytes() == asked.tobytes()
    assert ledgers.tobytes() == written.tobytes()


def test_luck_spreads_evenly_over_equal_options():
    _, ledgers = play_at_random(range(3000), 2)
    kept = np.zeros(5)
    for dealt, drafted in zip(ledgers.dealt[:, 0], ledgers.drafted[:, 0], strict=True):
        kept += [drafted >> card & 1 for card in members(dealt)]
    assert kept.sum() == pytest.approx(3000 * 3, rel=0.03)  # of 5 dealt cards, 3 are kept of the own pack
    assert kept.max() < 1.1 * kept.min()


@pytest.mark.scenario
def test_a_rating_that_is_no_number_stops_the_game_and_is_reported():
    _, _, ended = play(3, no_number)
    assert ended == 0
    games, ledgers, given = new_records(1), new_records(2, LEDGER), set_ups(range(1), 3)
    kernels().set_up(games, ledgers, rules_array(BASE), given, 0)
    around = table(player(no_number))
    outcome = kernels().play_on(games, ledgers, rules_array(BASE), given, 0, NO_OPTION, *around)
    assert outcome == -Outcome.BAD_RATING


@pytest.mark.scenario
def test_a_player_that_is_not_compiled_is_asked():
    games, ledgers, given = new_records(1), new_records(2, LEDGER), set_ups(range(1), 2)
    given.lineup[0] = [0, 1, 0, 0]
    tables = rules_array(BASE)
    kernels().set_up(games, ledgers, tables, given, 0)
    out, seats = table(player(), Player(None))
    asked = seats[SEATS + 1]
    option, decisions, lucks = NO_OPTION, 0, set()
    while (count := kernels().play_on(games, ledgers, tables, given, 0, option, out, seats)) > 0:
        assert count == kernels().run(games, ledgers, tables, 0, out.copy(), NO_OPTION, Until.OPTIONS)
        assert (asked.me, asked.option_count) == (1, count)
        assert options_of(asked).tolist() == out[:count].tolist()
        assert shown(asked).hand[0] == 0  # it sees no hand but its own
        option, decisions = int(out[0]), decisions + 1
        lucks.add(int(asked.luck))
    assert len(lucks) == decisions
    assert count == Outcome.OVER
    assert decisions > 20
    assert games[0].agenda_size == 0


@pytest.mark.scenario
@pytest.mark.parametrize("players", [2, 4])
def test_a_batch_plays_the_same_games_one_by_one(players):
    batch = GameBatch(BASE, np.arange(8), players, Setting.DRAFT)
    matches = [Match(BASE, players, seed) for seed in range(8)]
    lists = [match.advance() for match in matches]
    luck = np.random.default_rng(1)
    while not batch.over.all():
        chosen = np.zeros(8, np.int16)
        views = batch.views()
        for place, match in enumerate(matches):
            assert batch.options[place, : batch.counts[place]].tolist() == lists[place]
            if lists[place]:
                assert (batch.task[place], batch.seat[place]) == (match.task, match.seat)
                assert same(views[place], match.view(match.seat))
                chosen[place] = luck.choice(lists[place])
                lists[place] = match.choose(int(chosen[place]))
        batch.choose(chosen)
    assert all(same(match.game, batch.games[place]) for place, match in enumerate(matches))


def test_more_players_make_more_decisions_and_every_game_scores():
    decisions = []
    for players in (2, 3, 4):
        games, _ = play_at_random(range(400), players)
        decisions.append(games.step.mean())
        assert (games.vp[:, :players] >= 0).all()
        assert not games.vp[:, players:].any()
    assert decisions == sorted(decisions)


@pytest.mark.scenario
def test_look_ahead_goes_as_far_as_a_decision_leads_and_no_further():
    scene = Scene().give(0, city="olympia", development=3, drachmas=3, tokens="rrbggg", culture=2)
    scene.run(Phase.ACTION, (Task.DEVELOP, 0, 0), (Task.PROGRESS, 0, 0))
    assert scene.match._run(YES, Until.NESTED) == 0
    assert scene.changes(0)["vp"] == 6  # the three culture actions are done
    assert scene.match.task == Task.PROGRESS
    scene = Scene().give(0, city="sparta", development=2, drachmas=2, tokens="rbbbg", military=3)
    scene.run(Phase.ACTION, (Task.DEVELOP, 0, 0), (Task.PROGRESS, 0, 0))
    assert scene.match._run(YES, Until.NESTED) > 1  # what to explore must be decided first
    assert scene.match.task == Task.EXPLORE


@pytest.mark.scenario
def test_listing_options_and_single_steps_move_nothing_else():
    scene = Scene().give(0, drachmas=9, hand="gifts-from-the-west")
    scene.run(Phase.ACTION, (Task.ACTION, 0, 5), (Task.PROGRESS, 0, 0))
    before = scene.match.copy()
    assert scene.match.options() == before.options()
    assert same(scene.match.game, before.game)
    scene.match.apply(-1)
    assert scene.match.task == Task.PROGRESS
    assert scene.match.step() == []
    assert scene.match.task == Task.CLIMB
    assert len(scene.match.step()) == 4
    assert scene.match.task == Task.CLIMB
