"""What a page shows of a command's output is found again when its figures, or its verdicts, have changed."""

import pytest

from tests.checks.numbers import printed_again

NOW = """\
With steward in every seat, Argos wins more.
  Argos wins 28.2 % ± 0.9.
City      Before    After
Argos     21.2 %   28.2 %
Sparta    31.0 %   29.9 %

With players who know the rule, Thebes wins less.
  One of them wins 27.4 % ± 0.9 of the changed game.
City      Before    After
Argos     34.9 %   40.1 %
Sparta    28.8 %   26.6 %""".splitlines()


def test_pieces_that_begin_with_the_same_word_are_told_apart_by_the_words_that_follow():
    shown = [
        "…",
        "With players who know the rule, Argos wins more.",
        "  One of them wins 27.0 % ± 0.9 of the changed game.",
        "…",
    ]
    assert printed_again("khora", shown, NOW) == ["…", *NOW[6:8], "…"]


def test_the_row_of_a_table_is_the_first_one_with_its_name_whatever_its_figures():
    shown = ["With steward in every seat, Argos wins less.", "…", "Sparta    28.8 %   26.6 %", "…"]
    assert printed_again("khora", shown, NOW) == [NOW[0], "…", NOW[4], "…"]


def test_a_piece_is_looked_for_behind_the_piece_before_it():
    shown = ["With players who know the rule, Argos wins more.", "…", "Argos     21.2 %   28.2 %"]
    assert printed_again("khora", shown, NOW) == [NOW[6], "…", NOW[9]]


def test_a_piece_that_is_no_longer_printed_is_an_error():
    with pytest.raises(SystemExit, match="error: khora prints no line for: Seat"):
        printed_again("khora", ["…", "Seat   Share"], NOW)


def test_without_an_ellipsis_all_that_is_printed_is_shown():
    assert printed_again("khora", ["Argos wins more."], NOW) == NOW
