"""The options of the game: their bits, their flags and their words.

Rules files, studies, records, commands, the Python API and reports take them from here. A new option is a bit
of `Setting`, a line of `OPTIONS` and of `ChosenOptions`, its value in `rules/base.toml`, and the rule that it
changes.
"""

from enum import IntEnum
from typing import Annotated, NamedTuple

from khora_sim.common.command_options import GAME, Flag


class Setting(IntEnum):
    """Options of the game, as bits."""

    DRAFT = 1
    REROLL = 2
    SHARED_DICE = 4
    PROGRESS_BONUSES_STACK = 8
    OPEN_DICE = 16  # dice are not drawn from the seed but set by whoever runs the game


class Option(NamedTuple):
    """An option that a user may choose."""

    setting: Setting
    usual: bool  # as in the rulebook
    help: str  # what it does when it is on
    unusual: str  # what a report says of games in which it is not as in the rulebook

    @property
    def name(self) -> str:
        """Its key in files and in Python."""
        return self.setting.name.lower()

    @property
    def flags(self) -> str:
        """Its two flags on the command line, on and off."""
        flag = self.name.replace("_", "-")
        return f"--{flag}/--no-{flag}"

    def in_words(self, on: bool) -> str:
        """The option itself, on or off."""
        return f"{'' if on else 'no '}{self.name.replace('_', ' ')}"


#: In the order in which they are listed wherever there are several.
OPTIONS = (
    Option(Setting.REROLL, False, "Each player may reroll own dice once.", "dice may be rerolled once"),
    Option(Setting.SHARED_DICE, False, "All use the same two dice.", "all use the same two dice"),
    Option(
        Setting.PROGRESS_BONUSES_STACK,
        usual=False,
        help="Extra levels add up: Reformists and Corinth 3.",
        unusual="progress bonuses add up",
    ),
    Option(
        Setting.DRAFT,
        usual=True,
        help="Draft the first hand; without it the hands dealt are kept.",
        unusual="hands are dealt without the draft",
    ),
)


def _flag(name: str) -> Flag:
    """The flag of an option, on and off."""
    option = next(one for one in OPTIONS if one.name == name)
    return Flag(option.help, GAME, default="as the rules say")


class ChosenOptions:
    """The options as fields of a model that is checked; None: as the rules say."""

    reroll: Annotated[bool | None, _flag("reroll")] = None
    shared_dice: Annotated[bool | None, _flag("shared_dice")] = None
    progress_bonuses_stack: Annotated[bool | None, _flag("progress_bonuses_stack")] = None
    draft: Annotated[bool | None, _flag("draft")] = None


def settings_of(**chosen: bool | None) -> int:
    """Options of the game as a set of bits; one that is not named, or None, is as in the rulebook."""
    usual = {option.name: option.usual for option in OPTIONS}
    on = usual | {name: value for name, value in chosen.items() if value is not None}
    return sum(option.setting for option in OPTIONS if on[option.name])


def as_arguments(chosen: ChosenOptions) -> dict[str, bool | None]:
    """The options of a model as named arguments."""
    return {option.name: getattr(chosen, option.name) for option in OPTIONS}


def as_assignments(chosen: ChosenOptions) -> list[str]:
    """The options that are given, as values of the rules that a variant sets."""
    given = {name: value for name, value in as_arguments(chosen).items() if value is not None}
    return [f"options.{name}={'true' if value else 'false'}" for name, value in given.items()]


def left_open(chosen: ChosenOptions, rules: ChosenOptions) -> dict[str, bool | None]:
    """The values that the rules have for options that somebody left open."""
    return {name: getattr(rules, name) for name, value in as_arguments(chosen).items() if value is None}


def differing(settings: int, usual: int | None = None) -> dict[Option, bool]:
    """The options that are not as usual, which is as in the rulebook, and whether they are on."""
    others = settings ^ (settings_of() if usual is None else usual)
    return {option: bool(settings & option.setting) for option in OPTIONS if others & option.setting}
