"""Put a page together: what was played, the verdict, the sections, and how to make it again."""

import shlex
import tomllib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from khora_sim.lab.words import lineup_in_words
from khora_sim.report.comparison import compare
from khora_sim.report.load import Material
from khora_sim.report.page import Page
from khora_sim.report.sections import MAKERS
from khora_sim.report.shapes import Section
from khora_sim.report.verdict import verdict
from khora_sim.report.words import FEW_GROUPS, company, listed, percent, plural

Told = Callable[[str], None]
INTERVALS = (
    "All intervals are 95 % and come from the spread between rotation groups, whose games share "
    "their luck; no more "
    "digits are shown than they support."
)
FLAGS = ("reroll", "shared_dice", "progress_bonuses_stack", "draft")


def study_page(material: Material, out: str, told: Told) -> Page:
    """The report of one study."""
    told("weighing the cities")
    judged = verdict(material)
    sections = []
    for maker in MAKERS:
        told(f"working out {maker.kinds[0]}")
        sections.append(_cautious(material, maker.make(material)))
    made_by = f"khora report {shlex.quote(material.folder)} --out {shlex.quote(out)}"
    return Page(
        kind="Balance report",
        title=title(material),
        facts=facts(material),
        headline=judged.headline,
        detail=judged.detail,
        ladder=judged.ladder,
        ladder_note=_ladder_note(material),
        fair_at=judged.fair_at,
        by_table=judged.by_table,
        sure=judged.sure,
        limits=judged.limits,
        tables=judged.tables,
        unlocked=judged.unlocked,
        habits=judged.habits,
        sections=sections,
        plot=f"khora plot {shlex.quote(material.folder)} {{kind}} --out {{kind}}.svg",
        made_by=made_by,
        origin=[*origin(material), INTERVALS],
        commands=[simulate_command(material), made_by],
    )


def _cautious(material: Material, section: Section) -> Section:
    """A section that says so where it rests on few games."""
    if material.group_count >= FEW_GROUPS or not section.figures:
        return section
    games = plural(material.game_count, "game")
    caution = f"Few games: this is what happened in {games}, not what to expect."
    return replace(section, notes=[caution, *section.notes])


def compare_page(first: Material, second: Material, out: str, told: Told) -> Page:
    """The comparison of two studies."""
    told("comparing the studies")
    found = compare(first, second)
    made_by = shlex.join(["khora", "report", "--compare", first.folder, second.folder, "--out", out])
    return Page(
        kind="Comparison of two studies",
        title=f"{first.folder} against {second.folder}",
        facts=[
            f"A: {first.folder}, {first.game_count:,} games",
            f"B: {second.folder}, {second.game_count:,} games",
        ],
        headline=_with_players(first, second, found.headline),
        detail=found.detail,
        sure=found.sure,
        limits=found.differences,
        limits_title="What is different between the studies",
        sections=found.sections,
        made_by=made_by,
        origin=[*origin(first), *origin(second), INTERVALS],
        commands=[simulate_command(first), simulate_command(second), made_by],
    )


def _with_players(first: Material, second: Material, headline: str) -> str:
    """A headline that names who played: what is said of cities holds for these players."""
    one, two = company(first), company(second)
    players = one if one == two else f"{one} in A, {two} in B"
    return f"With {players}, {headline[0].lower()}{headline[1:]}"


def title(material: Material) -> str:
    """What was studied, in a line."""
    tables = listed([str(players) for players in material.tables_of], "and")
    rules = material.manifest["rules"]["name"]
    under = "" if rules == "base" else f" under {rules}"
    return f"Khôra cities at {tables} players{under}, with {company(material)}"


def facts(material: Material) -> list[str]:
    """What was played, in a few words each."""
    plan, rules = material.manifest["plan"], material.manifest["rules"]
    tables = [f"{games:,} at {players}" for players, games in material.tables_of.items()]
    split = (
        f" ({listed(tables)} players)" if len(tables) > 1 else f" of {next(iter(material.tables_of))} players"
    )
    return [
        f"{plural(material.game_count, 'game')}{split}",
        lineup_in_words(plan),
        f"rules {rules['name']} {rules['hash'][:12]}",
        f"seed {plan['seed']}",
        f"khora {material.manifest['versions'].get('khora', '?')}",
    ]


def origin(material: Material) -> list[str]:
    """How the games came about."""
    rules = material.manifest["rules"]
    told = [
        f"{material.folder}: {material.game_count:,} games in "
        f"{plural(material.group_count, 'rotation group')}: "
        f"{material.manifest['rotation']}."
    ]
    if rules["name"] != "base" and not rules.get("file"):
        told.append(
            f"FILE in its command: the study does not say in which file its rules {rules['name']} were."
        )
    return told


def _ladder_note(material: Material) -> str:
    who = f"with {company(material)}"
    if material.only_players:
        return (
            f"Win share {who} and its 95 % interval; the dashed line is the fair share, "
            f"{percent(material.fair)}."
        )
    return f"Wins {who} against the fair share (dashed line, 1), 95 % intervals, over tables of all sizes."


def simulate_command(material: Material) -> str:
    """The command that plays the study again."""
    plan = material.manifest["plan"]
    parts = [
        "khora simulate",
        f"--games {plan['games']}",
        f"--players {_joined(plan['players'])}",
        f"--strategies {_joined(plan['strategies'])}",
        f"--seed {plan['seed']}",
    ]
    for option in ("lineup", "cities", "rotate", "first_player"):
        value = plan.get(option)
        if value not in (None, "auto", "random", []):
            parts.append(f"--{option.replace('_', '-')} {_joined(value)}")
    parts += _flags(material)
    parts += ["--rounds"] if plan.get("rounds") else []
    rules = material.manifest["rules"]
    # Manifests of khora 0.1.0 do not hold the file's name.
    file = shlex.quote(rules["file"]) if rules.get("file") else "" if rules["name"] == "base" else "FILE"
    parts += [f"--rules {file}"] if file else []
    return " ".join([*parts, f"--out {shlex.quote(material.folder)}"])


def _flags(material: Material) -> list[str]:
    """The options of the game that are not as the rules of the study say."""
    plan = material.manifest["plan"]
    try:
        usual: dict[str, Any] = tomllib.loads(material.manifest["rules"]["toml"])["options"]
    except (KeyError, TypeError, tomllib.TOMLDecodeError):
        usual = {}
    return [
        f"--{'' if plan[flag] else 'no-'}{flag.replace('_', '-')}"
        for flag in FLAGS
        if plan.get(flag) is not None and plan[flag] != usual.get(flag)
    ]


def _joined(value: object) -> str:
    """A value of a plan as it is typed; in a folder from elsewhere it may hold anything."""
    return shlex.quote(",".join(map(str, value)) if isinstance(value, list | tuple) else str(value))
