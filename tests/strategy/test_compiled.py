"""Compiled plug-ins: never stale, never mixed up, and as free as an author expects."""

import os
import subprocess
import sys

import numpy as np
import pytest

from khora_sim.rules import load_rules
from khora_sim.strategy import StrategyError, compiled, load, loading
from khora_sim.strategy.games import play_set_ups
from tests.strategy.plug_ins import FIRST, ROOT, plays, problem, set_ups, write_plug_in


def test_code_that_does_not_compile_is_reported_in_one_line(tmp_path):
    body = """
    @rule
    def score(view, option):
        return view.no_such_thing + 1.0
    """
    message = problem(write_plug_in(tmp_path, "uncompilable", body))
    assert message.startswith("uncompilable.py: does not compile: ")
    assert "no_such_thing" in message
    assert "\n" not in message


def test_a_changed_plug_in_is_never_served_from_the_cache(tmp_path):
    first = plays(write_plug_in(tmp_path, "changing", FIRST))
    path = write_plug_in(tmp_path, "changing", FIRST.replace("return 0.0", "return 1.0 * option"))
    os.utime(path, (0, 0))
    assert not np.array_equal(plays(path).vp, first.vp)


def test_a_changed_constant_of_an_imported_module_is_never_served_from_the_cache(tmp_path, monkeypatch):
    body = """
    import khora_test_taste

    TASTE = khora_test_taste.TASTE


    @rule
    def score(view, option):
        return TASTE * option
    """
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "khora_test_taste.py").write_text("TASTE = 1.0\n")
    path = write_plug_in(tmp_path, "tasteful", body)
    first = load(str(path))
    sys.modules.pop("khora_test_taste")
    (tmp_path / "khora_test_taste.py").write_text("TASTE = -1.25\n")
    os.utime(path, (1, 1))
    assert load(str(path)).digest != first.digest
    sys.modules.pop("khora_test_taste")


def test_libraries_of_an_environment_behind_a_symlink_are_not_the_authors(tmp_path, monkeypatch):
    library = tmp_path / "real" / "lib" / "library.py"
    library.parent.mkdir(parents=True)
    library.write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "link"))
    assert not compiled._is_users(tmp_path / "link" / "lib" / "library.py")
    assert not compiled._is_users(library)
    assert compiled._is_users(tmp_path / "mine.py")


def test_a_damaged_cache_is_compiled_again(tmp_path, monkeypatch):
    monkeypatch.setattr("khora_sim.strategy.compiled.cache_folder", lambda sources: tmp_path / "cache")
    path = write_plug_in(tmp_path, "fragile", FIRST)
    expected = plays(path).vp
    for file in (tmp_path / "cache").rglob("*.nb*"):
        file.write_bytes(b"not machine code")
    loading._load.cache_clear()
    assert np.array_equal(plays(path).vp, expected)


def test_a_plug_in_may_make_arrays_and_hand_them_on(tmp_path):
    body = """
    @rule
    def higher(numbers):
        numbers += 1.0
        return numbers


    @rule
    def counted(length):
        return higher(np.arange(1.0 * length))


    @rule
    def rate(view, options, scores):
        scores[:] = -higher(counted(len(options)))
    """
    expected, _ = play_set_ups(load_rules(), set_ups(4), [load("first-legal")])
    assert np.array_equal(plays(write_plug_in(tmp_path, "maker", body)).vp, expected.vp)


def test_a_function_that_the_author_compiled_with_options_stays_as_it_is(tmp_path):
    body = """
    import numba


    @numba.njit(boundscheck=True)
    def rate(view, options, scores):
        scores[len(options)] = 0.0
    """
    with pytest.raises(StrategyError, match="raised IndexError"):
        plays(write_plug_in(tmp_path, "careful", body))


PRICED = """
@rule
def rate(view, options, scores):
    rate_by_prices(view, options, scores, sensible_prices(view))
"""


def test_what_strategies_share_is_found_again_by_another_process(tmp_path):
    path = write_plug_in(tmp_path, "priced", PRICED)
    expected = plays(path).vp
    play = f"from tests.strategy.plug_ins import plays; print(plays({str(path)!r}).vp.tolist())"
    done = subprocess.run([sys.executable, "-c", play], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(expected.tolist())


@pytest.mark.slow
def test_plug_ins_that_were_compiled_apart_play_together_as_they_do_alone(tmp_path):
    """Each is the first thing that its process compiles, so the compiler counts both the same."""
    paths = [
        write_plug_in(tmp_path, name, FIRST.replace("return 0.0", f"return {worth} * option"))
        for name, worth in (("one-way", 1.0625), ("another-way", -1.0625))
    ]
    alone = "from tests.strategy.plug_ins import plays; [print(plays(path).vp.tolist()) for path in {}]"

    def output(*some) -> list[str]:
        line = alone.format([str(path) for path in some])
        done = subprocess.run(
            [sys.executable, "-c", line], cwd=ROOT, capture_output=True, text=True, check=True
        )
        return done.stdout.splitlines()

    apart = [*output(paths[0]), *output(paths[1])]
    assert output(*paths) == output(*reversed(paths))[::-1] == apart
    assert apart[0] != apart[1]


@pytest.mark.parametrize("scores", ["np.zeros((len(options), 2))[:, 0]", "scores[::-1]", "PRICES"])
def test_rate_by_prices_takes_no_numbers_that_do_not_lie_side_by_side(tmp_path, scores):
    body = f"""
    PRICES = np.ones(40)


    @rule
    def rate(view, options, scores):
        rate_by_prices(view, options, {scores}, sensible_prices(view))
    """
    message = problem(write_plug_in(tmp_path, "strided", body))
    assert "rate_by_prices wants the options and scores that rate was given" in message


@pytest.mark.slow
def test_looking_ahead_and_rating_by_prices_is_the_same_compiled_and_uncompiled(tmp_path):
    body = """
    @rule
    def rate(view, options, scores):
        for number in range(len(options)):
            after = look_ahead(view, np.int64(options[number]), 1)
            one = slice(number, number + 1)
            rate_by_prices(after, options[one], scores[one], sensible_prices(after))
    """
    path = write_plug_in(tmp_path, "ahead", body)
    games = plays(path, 1)
    expected = [games.vp.tolist(), games.step.tolist()]
    play = (
        f"from tests.strategy.plug_ins import plays; games = plays({str(path)!r}, 1); "
        "print([games.vp.tolist(), games.step.tolist()])"
    )
    done = subprocess.run(
        [sys.executable, "-c", play],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(expected)
