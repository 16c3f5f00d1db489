"""The conformance suite names what is wrong with a plug-in; built-in ones pass it in tests/strategies."""

from khora_sim.analyses.check import check_strategy
from tests.strategy.plug_ins import write_plug_in

CLAIMS = [
    "loads, and declares what it is",
    "plays 2, 3 and 4 players with every city, and finishes",
    "plays the same game for the same seed",
    "gives the same answer whatever is hidden from it",
    "plays with every option of the game",
    "survives variants of the rules",
]


def problems(spec) -> dict[str, str]:
    return {one.claim: one.problem for one in check_strategy(str(spec)) if one.problem}


def test_a_plug_in_that_does_not_load_has_one_line(tmp_path):
    (tmp_path / "blank.py").write_text("")
    assert problems(tmp_path / "blank.py") == {
        CLAIMS[0]: "blank.py: the file is empty; khora strategies new writes one to start from"
    }


def test_chance_of_its_own_is_found_out(tmp_path):
    body = """
    import random


    class Player:
        def choose(self, view, options):
            return random.choice(options)
    """
    assert CLAIMS[2] in problems(write_plug_in(tmp_path, "gambler", body))


def test_memory_from_game_to_game_is_found_out(tmp_path):
    body = """
    SEEN = []


    class Player:
        def choose(self, view, options):
            SEEN.append(view.round_number)
            return options[len(SEEN) % len(options)]
    """
    assert CLAIMS[2] in problems(write_plug_in(tmp_path, "rememberer", body))


def test_a_card_number_taken_for_granted_is_found_out_by_a_variant(tmp_path):
    body = """
    class Player:
        def choose(self, view, options):
            view.rules.card_ids.index("bank")
            return options[0]
    """
    failed = problems(write_plug_in(tmp_path, "banker", body))
    assert list(failed) == [CLAIMS[5]]
    assert "raised ValueError: 'bank' is not in list" in failed[CLAIMS[5]]


def test_a_player_that_fails_with_three_only_is_found_out(tmp_path):
    body = """
    @rule
    def score(view, option):
        return np.nan if view.game.players == 3 and view.game.round_number == 9 else 0.0
    """
    failed = problems(write_plug_in(tmp_path, "no-trio", body))
    assert "rated an option with something that is not a finite number" in failed[CLAIMS[1]]
