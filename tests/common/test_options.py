"""The options of the game are known in one place, and everything takes them from there."""

import re

import pytest

from khora_sim.analyses import REGISTRY
from khora_sim.cli.generate import made
from khora_sim.common.options import OPTIONS, ChosenOptions, Setting
from khora_sim.records.record_format import GameOptions
from khora_sim.rules import load_rules
from khora_sim.rules.schema import Options
from khora_sim.simulation.study_file import Study
from tests.common.sources import PACKAGE

DOCS = PACKAGE.parent / "docs"
NAMES = [option.name for option in OPTIONS]


def test_every_bit_but_that_of_open_dice_is_an_option():
    assert {option.setting for option in OPTIONS} == set(Setting) - {Setting.OPEN_DICE}


def test_options_are_fields_and_arguments_everywhere():
    assert list(ChosenOptions.__annotations__) == NAMES
    for model in (Study, GameOptions, Options):
        assert set(NAMES) <= set(model.model_fields)


def test_the_base_game_has_the_options_as_in_the_rulebook():
    usual = {option.name: option.usual for option in OPTIONS}
    assert load_rules().model.options.model_dump() == usual


@pytest.mark.parametrize("command", ["simulate", "replay", "what_if"])
@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_a_command_has_the_flags_of_an_option_with_its_help(command, option):
    flags = {one.name: one for one in made(REGISTRY[command]).params}
    found = flags[option.name]
    assert "/".join([*found.opts, *found.secondary_opts]) == option.flags
    assert found.help == rf"{option.help} \[default: as the rules say]"


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_the_pages_name_an_option(option):
    rules, records, studies = ((DOCS / f"{name}.md").read_text() for name in ("rules", "records", "studies"))
    assert any(f"`{flag}`" in rules for flag in option.flags.split("/"))
    assert f"`{option.name}`" in records
    (line,) = (line for line in studies.splitlines() if line.endswith("as the rules say unless given"))
    assert option.name in re.findall(r"\w+", line)
