"""How rules become machine code: our way gives the games of Numba's own, and no index is out of bounds."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from numba import types

from khora_sim.engine import codegen
from khora_sim.engine.compiling import UNCOMPILED
from tests.engine.random_games import digest, play_at_random
from tests.engine.walking import rules_of
from tests.strategy.plug_ins import plays, write_plug_in

pytestmark = pytest.mark.skipif(UNCOMPILED, reason="nothing is compiled")

#: Many games of all options and of variants; and of the players that most of the toolkit is made for.
GAMES = [(range(40), players, settings, None) for players in (2, 3, 4) for settings in (0, 1, 11, 15)]
GAMES += [(range(10), 4, variant % 16, variant) for variant in range(24)]
TABLES = (("steward", 40), ("merchant", 80), ("conqueror", 80))

#: Thebes' option to sell glory, a negative number, is handed to functions of the toolkit that want a card.
ASKS_ABOUT_SALES = """
@rule
def score(view, option):
    if is_card_to_play(view) or is_draft(view):
        return 3.0 + card_points_now(view, option) - missing_for_card(view, option)
    return 1.0 if option != -1 else 0.0
"""


def hashes() -> list[str]:
    """The games of random play, and the scores of tables of built-in players."""
    played = [
        digest(*play_at_random(seeds, players, settings, *([] if variant is None else [rules_of(variant)])))
        for seeds, players, settings, variant in GAMES
    ]
    with tempfile.TemporaryDirectory() as folder:
        tables = (*TABLES, (write_plug_in(Path(folder), "asks-about-sales", ASKS_ABOUT_SALES), 200))
        return played + [str(plays(name, games).vp.tolist()) for name, games in tables]


def hashes_with(way: str, cache: str = "") -> list[str]:
    """The same in another process that makes machine code in its own way."""
    environment = {**os.environ, "KHORA_CODEGEN": way, **({"KHORA_CACHE": cache} if cache else {})}
    done = subprocess.run(
        [sys.executable, "-m", "tests.engine.test_codegen"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("way", [codegen.PLAIN, codegen.CHECKED])
def test_other_ways_of_making_machine_code_give_the_same_games(way):
    """A process of the checked way ends at an index that is negative or too high."""
    assert hashes_with(way) == hashes()


def test_the_checked_way_ends_at_a_negative_index():
    code = """
import numba, numpy as np
from khora_sim.engine.codegen import EntryPipeline
numbers = np.zeros(3)
look = numba.njit("float64(float64[::1], int64)", pipeline_class=EntryPipeline)(lambda a, i: a[i])
print(look(numbers, 2), flush=True)
look(numbers, -1)
print("went on")
"""
    environment = {**os.environ, "KHORA_CODEGEN": codegen.CHECKED}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout == "0.0\n"
    assert done.returncode < 0


def test_the_self_test_passes_and_fails_where_an_index_is_read_wrongly(monkeypatch):
    def from_the_start(context, builder, kind, index, size):
        return context.get_constant(types.intp, 0)

    assert codegen.self_test()
    monkeypatch.setattr(codegen.arrayobj, "fix_integer_index", from_the_start)
    assert not codegen.self_test()


def test_an_author_may_count_from_the_end(tmp_path):
    from_the_end = """
    @rule
    def rate(view, options, scores):
        for place in range(1, len(options) + 1):
            scores[-place] = 1.0 * place
    """
    from_the_start = """
    @rule
    def rate(view, options, scores):
        for place in range(len(options)):
            scores[place] = 1.0 * (len(options) - place)
    """
    one, other = (
        plays(write_plug_in(tmp_path, name, body))
        for name, body in (("from-the-end", from_the_end), ("from-the-start", from_the_start))
    )
    assert np.array_equal(one.vp, other.vp)


def test_a_numba_that_was_not_tried_is_left_alone():
    code = "import numba; numba.__version__ = '0.99.0'\n"
    code += "from khora_sim.engine import codegen; print(codegen.way())"
    environment = {name: value for name, value in os.environ.items() if name != "KHORA_CODEGEN"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "plain\n"


def printed_with(way: str, code: str) -> str:
    """Text that a piece of code prints in a process that makes machine code in a way."""
    environment = {**os.environ, "KHORA_CODEGEN": way}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.parametrize(("way", "imported"), [(codegen.LEAN, "False\n"), (codegen.PLAIN, "True\n")])
def test_loading_machine_code_imports_no_scipy_to_look_for_blas(way, imported):
    code = "from khora_sim.engine.kernels import kernels; kernels().indifferent_address\n"
    assert printed_with(way, code + "import sys; print('scipy.linalg' in sys.modules)") == imported


def test_an_author_may_still_use_blas():
    code = """
from khora_sim.engine.kernels import kernels; kernels().indifferent_address
import numba, numpy as np
numbers = np.array([[1.0, 2.0], [3.0, 5.0]])
print(numba.njit(lambda one: np.dot(one, one))(numbers).tolist())
print(numba.njit(lambda one: np.cov(one))(numbers).tolist())
"""
    assert printed_with(codegen.LEAN, code) == "[[7.0, 12.0], [18.0, 31.0]]\n[[0.5, 1.0], [1.0, 2.0]]\n"


def test_where_the_self_test_fails_numba_is_left_alone_with_one_line(monkeypatch, capsys):
    monkeypatch.setattr(codegen, "_way", codegen.LEAN)
    monkeypatch.setattr(codegen, "self_test", lambda: False)
    codegen.check.__wrapped__()
    assert codegen.way() == codegen.PLAIN
    assert capsys.readouterr().err == (
        "Compiling in Numba's own way, which takes longer: its answers are wrong\n"
    )


if __name__ == "__main__":
    print("\n".join(hashes()))
