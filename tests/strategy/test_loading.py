"""Finding and loading plug-ins; what is wrong with one is told in one line, with its file and line."""

import os
import shutil
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

from khora_sim.errors import UserError
from khora_sim.rules import load_rules
from khora_sim.strategy import StrategyError, available, finding, load, loading
from khora_sim.strategy.games import play_set_ups
from tests.strategy.plug_ins import HEAD, set_ups, write_plug_in

ROOT = Path(__file__).parents[2]
FIRST = """
@rule
def score(view, option):
    return 0.0
"""


def problem(spec) -> str:
    with pytest.raises(UserError) as error:
        load(str(spec))
    return str(error.value)


def test_built_in_strategies_are_found_from_any_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert {"random", "idle", "first-legal", "weights-example", "plain-example"} <= set(available())
    assert load("first-legal").deterministic is True
    assert load("first_legal").kind == "compiled"


def test_a_built_in_name_means_the_built_in_whatever_lies_in_the_folder(tmp_path, monkeypatch):
    (tmp_path / "strategies").mkdir()
    own = write_plug_in(tmp_path / "strategies", "random", FIRST)
    (tmp_path / "strategies" / "steward.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    for name, file in (
        ("random", "random.py"),
        ("steward", "steward.toml"),
        ("first_legal", "first_legal.py"),
    ):
        assert finding.find(name) == ROOT / "strategies" / file
    assert finding.find("./strategies/random.py") == own


@pytest.mark.parametrize("name", ["my-idea", "my_idea"])
def test_a_file_in_the_folder_of_strategies_is_asked_for_by_path(tmp_path, monkeypatch, name):
    (tmp_path / "strategies").mkdir()
    write_plug_in(tmp_path / "strategies", "my-idea", FIRST)
    monkeypatch.chdir(tmp_path)
    assert problem(name) == (
        f"there is no strategy {name!r}; for the file in ./strategies, type its path: ./strategies/my_idea.py"
    )
    assert finding.find("./strategies/my_idea.py") == tmp_path / "strategies" / "my_idea.py"


def test_in_a_checkout_the_folder_of_strategies_is_that_of_the_built_in_ones(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert finding.local() == {}
    assert finding.find("steward") == finding.find("./strategies/steward.toml")


def test_a_strategy_is_found_by_path(tmp_path):
    path = write_plug_in(tmp_path, "by-path", FIRST)
    assert load(str(path)).path == path


def test_a_strategy_of_an_installed_package_is_found_by_its_entry_point(tmp_path, monkeypatch):
    (tmp_path / "khora_extras").mkdir()
    (tmp_path / "khora_extras" / "__init__.py").write_text("")
    plug_in = write_plug_in(tmp_path / "khora_extras", "visitor", FIRST)
    monkeypatch.syspath_prepend(str(tmp_path))
    point = EntryPoint("visitor", "khora_extras.visitor", finding.ENTRY_POINTS)
    monkeypatch.setattr(finding, "entry_points", lambda group: [point] if group == "khora.strategies" else [])
    assert finding.find("visitor") == plug_in


def test_an_installed_package_replaces_no_built_in_and_does_not_run_when_names_are_looked_up(
    tmp_path, monkeypatch
):
    (tmp_path / "khora_trap").mkdir()
    (tmp_path / "khora_trap" / "__init__.py").write_text("raise SystemExit('was run')")
    (tmp_path / "khora_trap" / "inner").mkdir()
    (tmp_path / "khora_trap" / "inner" / "__init__.py").write_text("raise SystemExit('was run')")
    plug_in = write_plug_in(tmp_path / "khora_trap" / "inner", "visitor", FIRST)
    monkeypatch.syspath_prepend(str(tmp_path))
    values = {
        "visitor": "khora_trap.inner.visitor",
        "steward": "khora_trap.inner.visitor",
        "nowhere": "khora_trap.no.such",
    }
    points = [EntryPoint(name, value, finding.ENTRY_POINTS) for name, value in values.items()]
    monkeypatch.setattr(finding, "entry_points", lambda group: points)
    assert finding.available()["visitor"] == plug_in
    assert finding.find("steward") == ROOT / "strategies" / "steward.toml"
    assert "nowhere" not in finding.available()
    assert not any(name.startswith("khora_trap") for name in sys.modules)


def test_text_that_is_not_utf_8_is_told(tmp_path):
    (tmp_path / "odd.py").write_bytes(b'"""\xff"""')
    assert problem(tmp_path / "odd.py") == (
        "odd.py: not UTF-8 text; expected a strategy, a .py or .toml file, saved as UTF-8"
    )


def test_the_layout_of_a_wheel_finds_the_built_in_strategies(tmp_path):
    shutil.copytree(ROOT / "khora_sim", tmp_path / "khora_sim", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "strategies", tmp_path / "khora_sim" / "builtin_strategies")
    code = "from khora_sim.strategy.finding import find; print(find('first-legal'))"
    (tmp_path / "elsewhere").mkdir()
    found = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path / "elsewhere",
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(found.stdout.strip()) == tmp_path / "khora_sim" / "builtin_strategies" / "first_legal.py"


def test_an_unknown_name_offers_the_nearest():
    assert problem("first-leagal") == "there is no strategy 'first-leagal'; did you mean first-legal?"


def test_a_path_that_is_not_there_is_told():
    assert (
        problem("./nowhere.py")
        == "./nowhere.py: no such file; expected the path of a strategy, a .py or .toml file"
    )


def test_an_empty_file_is_told(tmp_path):
    (tmp_path / "empty.py").write_text("\n")
    assert problem(tmp_path / "empty.py") == (
        "empty.py: the file is empty; khora strategies new writes one to start from"
    )


def test_a_syntax_error_is_told_with_its_line(tmp_path):
    (tmp_path / "typo.py").write_text('"""Typo."""\n\ndef score(view, option)\n    return 0\n')
    assert problem(tmp_path / "typo.py") == "typo.py, line 3: expected ':'"


def test_a_plug_in_that_raises_when_read_is_told_with_its_line(tmp_path):
    (tmp_path / "early.py").write_text('"""Early."""\n\nLIMIT = 1 / 0\n')
    assert problem(tmp_path / "early.py") == "early.py, line 3: ZeroDivisionError: division by zero"


def test_a_plug_in_without_traits_is_told(tmp_path):
    (tmp_path / "nobody.py").write_text('"""Nobody."""\n\ndef score(view, option):\n    return 0.0\n')
    assert problem(tmp_path / "nobody.py").startswith("nobody.py: declares no traits; add TRAITS = Traits(")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"""A plug-in made for a test."""', "", "odd.py: has no docstring; begin with how it plays and why"),
        ('name="{name}"', 'name="other"', "odd.py: trait name is 'other'; by its file it is 'odd'"),
        (
            'family="own"',
            'family="archetipe"',
            "odd.py: there is no family 'archetipe'; did you mean archetype?",
        ),
        ('source="a test"', 'source=" "', "odd.py: trait source should be a text that is not empty"),
        ("deterministic=True", "deterministic=1", "odd.py: trait deterministic should be True or False"),
        (
            'summary="For a test."',
            'summary="x" * 101',
            "odd.py: trait summary should be one line of at most 100 characters",
        ),
    ],
)
def test_traits_that_say_nothing_or_the_wrong_thing_are_refused(tmp_path, old, new, message):
    assert old in HEAD
    path = write_plug_in(tmp_path, "odd", FIRST, head=HEAD.replace(old, new))
    assert problem(path) == message


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "x = 1",
            "odd.py: a compiled strategy has one function, score(view, option) or "
            "rate(view, options, scores); this one has neither",
        ),
        (
            "def score(view, option):\n    return 0.0\n\n\ndef rate(view, options, scores):\n    pass\n",
            "odd.py: a compiled strategy has one function, score(view, option) or "
            "rate(view, options, scores); this one has score and rate",
        ),
        ("def score(view):\n    return 0.0\n", "odd.py: score should be a function score(view, option)"),
        ("class Player:\n    pass\n", "odd.py: class Player has no choose(self, view, options)"),
    ],
)
def test_a_plug_in_without_its_one_function_is_told(tmp_path, body, message):
    assert problem(write_plug_in(tmp_path, "odd", body)) == message


def test_code_that_does_not_compile_is_told_in_one_line(tmp_path):
    body = """
    @rule
    def score(view, option):
        return view.no_such_thing + 1.0
    """
    told = problem(write_plug_in(tmp_path, "uncompilable", body))
    assert told.startswith("uncompilable.py: does not compile: ")
    assert "no_such_thing" in told
    assert "\n" not in told


def plays(path, count: int = 4) -> np.recarray:
    games, _ = play_set_ups(load_rules(), set_ups(count), [load(str(path))])
    return games


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
    play = f"from tests.strategy.test_loading import plays; print(plays({str(path)!r}).vp.tolist())"
    done = subprocess.run([sys.executable, "-c", play], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(expected.tolist())


@pytest.mark.slow
def test_plug_ins_that_were_compiled_apart_play_together_as_they_do_alone(tmp_path):
    """Each is the first thing that its process compiles, so the compiler counts both the same."""
    paths = [
        write_plug_in(tmp_path, name, FIRST.replace("return 0.0", f"return {worth} * option"))
        for name, worth in (("one-way", 1.0625), ("another-way", -1.0625))
    ]
    alone = "from tests.strategy.test_loading import plays; [print(plays(path).vp.tolist()) for path in {}]"

    def told(*some) -> list[str]:
        line = alone.format([str(path) for path in some])
        done = subprocess.run(
            [sys.executable, "-c", line], cwd=ROOT, capture_output=True, text=True, check=True
        )
        return done.stdout.splitlines()

    apart = [*told(paths[0]), *told(paths[1])]
    assert told(*paths) == told(*reversed(paths))[::-1] == apart
    assert apart[0] != apart[1]


@pytest.mark.parametrize("scores", ["np.zeros((len(options), 2))[:, 0]", "scores[::-1]", "PRICES"])
def test_rate_by_prices_takes_no_numbers_that_do_not_lie_side_by_side(tmp_path, scores):
    body = f"""
    PRICES = np.ones(40)


    @rule
    def rate(view, options, scores):
        rate_by_prices(view, options, {scores}, sensible_prices(view))
    """
    told = problem(write_plug_in(tmp_path, "strided", body))
    assert "rate_by_prices wants the options and scores that rate was given" in told


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
        f"from tests.strategy.test_loading import plays; games = plays({str(path)!r}, 1); "
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


def test_a_base_takes_the_place_of_the_first_policy_and_all_others_are_still_asked():
    names = [one.name for one in load("sage").policies]
    based = [one.name for one in load("sage:base=merchant").policies]
    assert (based[0], sorted(based)) == ("merchant", sorted(names))
    assert load("sage:base=expert").digest == load("sage").digest != load("sage:base=merchant").digest


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("merchant:base=steward", "merchant builds on no other strategy; ask for merchant alone"),
        ("restricted:base=plain-example", "restricted: base plain-example is plain Python; name one that is"),
        ("restricted:base=stewart", "there is no strategy 'stewart'; did you mean steward?"),
        ("restricted:base=", "restricted:base=: no base is named; name a strategy: restricted:base=steward"),
    ],
)
def test_a_base_that_cannot_be_is_told_in_one_line(spec, message):
    with pytest.raises(UserError) as error:
        load(spec)
    assert str(error.value).startswith(message)


def test_a_strategy_on_a_file_of_a_stranger_is_not_built_in():
    assert finding.is_built_in("restricted:base=sage:base=merchant")
    assert not finding.is_built_in("restricted:base=sage:base=./mine.py")
