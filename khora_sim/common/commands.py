"""Commands as they are typed, for messages that say what to do next.

A test tries every one of them on the command line, and finds commands that are spelled anywhere else.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

Folder = str | Path


def as_typed(value: Any) -> str:
    """A value of an option: `a,b` for a list, `athens=a,sparta=b` for a table."""
    if isinstance(value, dict):
        value = [f"{key}={one}" for key, one in value.items()]
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _typed(command: str, *arguments: object, **options: Any) -> str:
    """A command with its arguments and options, quoted for a shell."""
    return " ".join(["khora", command, *(shlex.quote(str(one)) for one in arguments), *_options(options)])


def _options(options: Mapping[str, Any]) -> Iterator[str]:
    """Options by their names, but for those that are None or empty; True and False are flags."""
    for name, value in options.items():
        flag = name.replace("_", "-")
        if isinstance(value, bool):
            yield f"--{'' if value else 'no-'}{flag}"
        elif value not in (None, (), [], {}):
            yield f"--{flag} {shlex.quote(as_typed(value))}"


def simulating(plan: Mapping[str, Any], out: Folder) -> str:
    """The command that plays a study from its beginning; the plan has options by their names."""
    return _typed("simulate", **plan, out=out)


def resuming(folder: Folder) -> str:
    """The command that goes on with a study, but for its strategies."""
    return _typed("simulate", resume=True, out=folder)


def repairing(folder: Folder) -> str:
    """The command that plays damaged parts again, but for the strategies."""
    return _typed("data check", folder, repair=True)


def with_players(command: str, who: Mapping[str, Any]) -> str:
    """A command with the options that say who plays."""
    return " ".join([command, *_options(who)])


def checking_data(folder: Folder) -> str:
    """The command that finds damaged parts."""
    return _typed("data check", folder)


def showing_data(folder: Folder) -> str:
    """The command that looks into a study."""
    return _typed("data show", folder)


def reporting(folder: Folder, out: Folder | None = None) -> str:
    """The command that writes a study up as a page."""
    return _typed("report", folder, out=out)


def comparing(first: Folder, second: Folder, out: Folder | None = None) -> str:
    """The command that compares two studies on a page."""
    return _typed("report --compare", first, second, out=out)


def plotting(folder: Folder, kind: str, out: Folder | None = None) -> str:
    """The command that draws one figure into a file, `KIND.svg` unless another is named."""
    return _typed("plot", folder, kind, out=out or f"{kind}.svg")


def replaying(
    seed: int,
    strategies: Sequence[str],
    cities: Sequence[str],
    first_player: int | None,
    options: Mapping[str, bool],
    rules: str | None,
) -> str:
    """The command that tells a game again; `options` are those that are not as the rules say."""
    table = {"players": len(strategies), "strategies": strategies, "cities": cities}
    return _typed("replay", seed=seed, **table, first_player=first_player, **options, rules=rules)


def writing_baseline(file: Folder) -> str:
    """The command that writes the baseline of a gate."""
    return _typed("gate", file, write=True)


def recording(file: Folder = "FILE") -> str:
    """The command that writes a game down."""
    return _typed("replay", record=file)


def replaying_one() -> str:
    """The command that plays a single game."""
    return _typed("replay")


def verifying(file: Folder) -> str:
    """The command that plays a record again."""
    return _typed("verify", file)


def measuring_cities(rules: str | None = None) -> str:
    """The command that measures the cities along a ladder of players."""
    return _typed("cities", precision=1, rules=rules, out="DIR")


def showing_strategy(name: str | None = None) -> str:
    """The command that shows how a strategy plays."""
    return _typed("strategies show", *([name] if name else []))


def starting_strategy(name: str | None = None) -> str:
    """The command that writes a strategy to start from."""
    return _typed("strategies new", *([name] if name else []))


def checking_strategy(file: Folder) -> str:
    """The command that checks whether a strategy is sound."""
    return _typed("strategies check", file)


def learning(out: Folder, options: Mapping[str, Any] | None = None) -> str:
    """The command that learns what positions are worth, with its options by their names."""
    return _typed("learn", **(options or {}), out=out)


def making_panel() -> str:
    """The command that makes a panel."""
    return _typed("strategies panel", out="FILE.npz")


def listing_rules(section: str) -> str:
    """The command that lists what the game is made of."""
    return _typed("rules list", section)


def exporting_cache(file: Folder = "FILE") -> str:
    """The command that writes machine code to a file."""
    return _typed("doctor", export_cache=file)
