"""Commands on a study as they are typed, for those who are told what to do next."""

import shlex
import tomllib
from pathlib import Path
from typing import Any

from khora_sim.lab.arm import OPTIONS
from khora_sim.lab.manifest import PlayedRules, short
from khora_sim.lab.study_file import Study
from khora_sim.strategy.finding import is_built_in


def simulating(plan: Study, rules: PlayedRules, out: str) -> str:
    """The command that plays a study from its beginning."""
    parts = [
        "khora simulate",
        f"--games {plan.games}",
        f"--players {_quoted(plan.players)}",
        *_who(plan),
        f"--seed {plan.seed}",
    ]
    for option in ("lineup", "cities", "rotate", "first_player"):
        value = getattr(plan, option)
        if value not in ("auto", "random", ()):
            parts.append(f"--{option.replace('_', '-')} {_quoted(value)}")
    parts += _flags(plan, rules)
    parts += ["--rounds"] if plan.rounds else []
    file = shlex.quote(rules.file) if rules.file else "" if rules.name == "base" else "FILE"
    parts += [f"--rules {file}"] if file else []
    return " ".join([*parts, f"--out {shlex.quote(out)}"])


def _flags(plan: Study, rules: PlayedRules) -> list[str]:
    """The options of the game that are not as the rules of the study say."""
    try:
        usual: dict[str, Any] = tomllib.loads(rules.toml)["options"]
    except (KeyError, TypeError, tomllib.TOMLDecodeError):
        usual = {}
    return [
        f"--{'' if getattr(plan, flag) else 'no-'}{flag.replace('_', '-')}"
        for flag in OPTIONS
        if getattr(plan, flag) is not None and getattr(plan, flag) != usual.get(flag)
    ]


def _quoted(value: object) -> str:
    """A value of a plan as it is typed; in a folder from elsewhere it may hold anything."""
    return shlex.quote(short(value))


def resuming(folder: Path) -> str:
    """The command that goes on with a study, but for its strategies."""
    return f"khora simulate --resume --out {shlex.quote(str(folder))}"


def repairing(folder: Path) -> str:
    """The command that plays damaged parts again, but for the strategies."""
    return f"khora data check {shlex.quote(str(folder))} --repair"


def with_strategies(command: str, plan: Study) -> str:
    """A command on a study as it is typed: with its strategies where they are not all built in."""
    return command if all(map(is_built_in, plan.specs)) else " ".join([command, *_who(plan)])


def _who(plan: Study) -> list[str]:
    """The options that say who plays."""
    named = {"--strategies": plan.strategies, "--by-city": plan.by_city}
    return [f"{option} {_quoted(value)}" for option, value in named.items() if value]
