"""The page on the dice variants says in its verdict what its commands print."""

import re
from pathlib import Path

from tests.test_readme import CONSOLE, FILE, commands_of

PAGE = (Path(__file__).parents[1] / "docs" / "dice-variants.md").read_text(encoding="utf-8")
FIGURE = re.compile(r"[+−]?\d+(?:\.\d+)? ± \d+(?:\.\d+)?")
VERDICT = PAGE.partition("## The verdict")[2].partition("\n## ")[0]


def test_every_figure_of_the_verdict_is_printed_by_a_command_of_the_page():
    printed = "\n".join(CONSOLE.findall(PAGE))
    quoted = FIGURE.findall(VERDICT)
    assert len(quoted) >= 8
    assert [figure for figure in quoted if figure not in printed] == []


def test_the_games_of_the_verdict_are_those_of_the_commands():
    asked = [command for block in CONSOLE.findall(PAGE) for command, _ in commands_of(block)]
    played = {f"{int(games):,}" for command in asked for games in re.findall(r"--games (\d+)", command)}
    assert set(re.findall(r"([\d,]+) games of each rule", VERDICT)) <= played


def test_its_variants_switch_one_option_on_each():
    assert [name for name, _ in FILE.findall(PAGE)] == ["reroll.toml", "shared-dice.toml"]
    assert ["reroll = true" in text or "shared_dice = true" in text for _, text in FILE.findall(PAGE)] == [
        True
    ] * 2
