"""Loading plug-ins; what is wrong with one is reported in one line, with its file and line."""

import pytest

from tests.strategy.plug_ins import FIRST, HEAD, plays, problem, write_plug_in


def test_text_that_is_not_utf_8_is_reported(tmp_path):
    (tmp_path / "odd.py").write_bytes(b'"""\xff"""')
    assert problem(tmp_path / "odd.py") == (
        "odd.py: not UTF-8 text; expected a strategy, a .py or .toml file, saved as UTF-8"
    )


def test_an_empty_file_is_reported(tmp_path):
    (tmp_path / "empty.py").write_text("\n")
    assert problem(tmp_path / "empty.py") == (
        "empty.py: the file is empty; khora strategies new writes one to start from"
    )


def test_a_syntax_error_is_reported_with_its_line(tmp_path):
    (tmp_path / "typo.py").write_text('"""Typo."""\n\ndef score(view, option)\n    return 0\n')
    assert problem(tmp_path / "typo.py") == "typo.py, line 3: expected ':'"


def test_a_plug_in_that_raises_when_read_is_reported_with_its_line(tmp_path):
    (tmp_path / "early.py").write_text('"""Early."""\n\nLIMIT = 1 / 0\n')
    assert problem(tmp_path / "early.py") == "early.py, line 3: ZeroDivisionError: division by zero"


def test_a_plug_in_without_traits_is_reported(tmp_path):
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
        ("{declared}", "indifferent=1", "odd.py: trait indifferent should be True or False"),
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
def test_a_plug_in_without_its_one_function_is_reported(tmp_path, body, message):
    assert problem(write_plug_in(tmp_path, "odd", body)) == message


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (FIRST, "score"),
        ("class Player:\n    def choose(self, view, options):\n        return options[0]\n", "Player"),
    ],
)
def test_a_plug_in_to_which_all_is_alike_has_nothing_that_decides(tmp_path, body, found):
    path = write_plug_in(tmp_path, "odd", body, "indifferent=True")
    assert problem(path) == (
        f"odd.py: declares that all options are alike to it, and has {found}, which would never be asked; "
        "remove one of them"
    )


def test_a_plug_in_to_which_all_is_alike_takes_the_first_option_or_any(tmp_path):
    first = write_plug_in(tmp_path, "alike", "", "indifferent=True")
    asked = write_plug_in(tmp_path, "asked", FIRST)
    assert plays(first).tobytes() == plays(asked).tobytes()
    by_luck = HEAD.replace("deterministic=True", "deterministic=False")
    asked = write_plug_in(tmp_path, "asked-luck", FIRST, head=by_luck)
    assert plays("random").tobytes() == plays(asked).tobytes()
    assert plays("random").tobytes() != plays(first).tobytes()
