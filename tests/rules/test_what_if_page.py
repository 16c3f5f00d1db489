"""The page on variants is true: its example loads and does what it says, and its lists of words are whole."""

import re
from pathlib import Path

import pytest

from khora_sim.cli.main import run
from khora_sim.rules.specials import Special
from khora_sim.rules.terms import Condition, Gain, Quantity, Trigger, word

PAGE = (Path(__file__).parents[2] / "docs" / "what-if.md").read_text(encoding="utf-8")


def fenced(language: str, containing: str) -> str:
    blocks = re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)
    return next(block for block in blocks if containing in block)


def test_the_worked_example_is_checked_with_exactly_that_output(tmp_path, monkeypatch, capsys):
    (tmp_path / "my-variant.toml").write_text(fenced("toml", "gentle-seas"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    command, *expected = fenced("console", "my-variant").splitlines()
    monkeypatch.setattr("sys.argv", command.removeprefix("$ ").split())
    with pytest.raises(SystemExit) as stop:
        run()
    assert stop.value.code == 0
    assert capsys.readouterr().out.splitlines() == expected


def test_the_mistake_on_the_page_is_reported_exactly_so(tmp_path, monkeypatch, capsys):
    (tmp_path / "broken.toml").write_text(fenced("toml", "lighthose"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    command, *expected = fenced("console", "broken").splitlines()
    monkeypatch.setattr("sys.argv", command.removeprefix("$ ").split())
    with pytest.raises(SystemExit) as stop:
        run()
    assert stop.value.code == 2
    assert capsys.readouterr().err.splitlines() == expected


@pytest.mark.parametrize("terms", [Trigger, Gain, Quantity, Condition, Special])
def test_every_word_is_on_the_page(terms):
    words = {word(term) for term in terms} - {"none", "one"}
    assert {known for known in words if f"`{known}`" not in PAGE} == set()
