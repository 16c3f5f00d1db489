"""The manifest: what was played, by whom, under which rules, and which parts are finished.

It holds nothing that depends on when, where or by how many workers a study was played.
"""

import json
import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from khora_sim import __version__
from khora_sim.common import commands
from khora_sim.common.checking import first_problem, shown
from khora_sim.common.commands import as_typed
from khora_sim.common.files import MOST_BYTES_KEPT, parse_json, parse_toml, read_text
from khora_sim.common.options import as_arguments
from khora_sim.errors import UserError, printable
from khora_sim.rules import RULES_VERSION, read_rules
from khora_sim.simulation.experiment import SCHEMA_VERSION, Arm, in_words, resolve_study
from khora_sim.simulation.study_file import Study, study_of
from khora_sim.strategy.finding import is_built_in

NAME = "manifest.json"
PLAY_AGAIN = "play the study again, into another folder"
TABLES = ("games", "players", "rounds")


def _is_table(name: str) -> str:
    """Tables are also names of folders and files, so no others are taken."""
    if name not in TABLES:
        raise ValueError(f"{shown(name)} given; expected one of: {', '.join(TABLES)}")
    return name


Count = Annotated[int, Field(ge=0, strict=True)]
Table = Annotated[str, AfterValidator(_is_table)]


class _StrictTable(BaseModel):
    """A table of the manifest: no unknown keys; it may come from anywhere."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class PartFile(_StrictTable):
    """One table of a finished part."""

    rows: Count
    bytes: Count
    sha256: str


class FinishedPart(_StrictTable):
    """A part that was written."""

    part: Count
    first_game: Count
    games: Count
    tables: dict[Table, PartFile]


class PlayedRules(_StrictTable):
    """The rules that were played, with their whole text."""

    name: str
    file: str | None  # as it was typed; None for the base game
    hash: str
    version: str
    toml: str

    @property
    def version_note(self) -> str:
        """A sentence where this khora plays another version of the rules; else nothing."""
        if self.version == RULES_VERSION:
            return ""
        return (
            f"Played with rules version {self.version}; this khora plays version {RULES_VERSION}, in which "
            "the same seeds may give other games."
        )


class PlayedStrategy(_StrictTable):
    """A strategy of the plan."""

    name: str
    kind: str
    family: str
    digest: str
    parameters: dict[str, int | float | str]


class Versions(_StrictTable):
    """The versions that a study's bytes may depend on."""

    khora: str
    python: str
    numpy: str
    numba: str
    polars: str


class Enums(_StrictTable):
    """The names that columns hold, and the members of sets, in their order."""

    cities: list[str]
    cards: list[str]
    events: list[str]
    spaces: list[str]
    strategies: list[str]


class Manifest(_StrictTable):
    """Everything that a study says of itself, in the order in which it is written."""

    schema_version: Literal[2]
    study: str  # the digest of all that decides the bytes
    plan: Study
    games: Count
    groups: Count
    group_size: Annotated[dict[int, Count], Field(min_length=1)]  # by number of players
    rotation: str
    tables: list[Table]
    chunks: Count
    rules: PlayedRules
    strategies: list[PlayedStrategy]
    versions: Versions
    enums: Enums
    parts: list[FinishedPart]

    @field_validator("plan")
    @classmethod
    def _is_settled(cls, plan: Study) -> Study:
        for key in ("lineup", "rotate"):
            if getattr(plan, key) == "auto":
                raise ValueError(f"{key} should say what was played, not auto")
        return plan

    @field_validator("enums")
    @classmethod
    def _has_cities(cls, enums: Enums, known: ValidationInfo) -> Enums:
        plan = known.data.get("plan")
        if plan is not None and len(enums.cities) < max(plan.players):
            raise ValueError(f"{len(enums.cities)} cities are named for {max(plan.players)} players")
        return enums

    @field_validator("parts")
    @classmethod
    def _are_whole(cls, parts: list[FinishedPart], known: ValidationInfo) -> list[FinishedPart]:
        for part in parts:
            lacking = set(known.data.get("tables", ())) - set(part.tables)
            if lacking:
                raise ValueError(f"part {part.part} has no {', '.join(sorted(lacking))}")
        return parts

    @property
    def finished_games(self) -> int:
        """Games in the finished parts."""
        return sum(part.games for part in self.parts)


def manifest_of(arm: Arm) -> Manifest:
    """The manifest of a study of which nothing has been played yet."""
    rules = arm.rules
    return Manifest(
        schema_version=SCHEMA_VERSION,
        study=arm.digest,
        plan=arm.study,
        games=arm.games,
        groups=arm.groups,
        group_size={section.players: section.group_size for section in arm.sections},
        rotation=in_words(arm.study),
        tables=list(arm.tables),
        chunks=arm.chunks,
        rules=PlayedRules(
            name=rules.name, file=arm.rules_file, hash=rules.hash, version=rules.version, toml=rules.to_toml()
        ),
        strategies=[
            PlayedStrategy(
                name=one.name,
                kind=one.kind,
                family=one.family,
                digest=one.digest,
                parameters=dict(one.values),
            )
            for one in arm.strategies
        ],
        versions=versions(),
        enums=Enums(
            cities=rules.city_ids,
            cards=rules.card_ids,
            events=rules.event_ids,
            spaces=rules.space_ids,
            strategies=list(dict.fromkeys(strategy.name for strategy in arm.strategies)),
        ),
        parts=[],
    )


def versions() -> Versions:
    """The versions that are here."""
    libraries = {name: version(name) for name in ("numpy", "numba", "polars")}
    python = ".".join(platform.python_version_tuple()[:2])
    return Versions(khora=__version__, python=python, **libraries)


def made_elsewhere(manifest: Manifest) -> str:
    """Why no part of a study can be played again here: another version began it. Empty if none did."""
    for library, here in versions():
        there = getattr(manifest.versions, library)
        if there != here:
            return f"it was begun with {library} {there}, and this is {here}: the parts would not match"
    return ""


def as_data(manifest: Manifest) -> dict[str, Any]:
    """The manifest as plain data; the text of its rules takes the place of a path in the plan."""
    return manifest.model_dump(mode="json", exclude={"plan": {"rules"}})


def to_bytes(manifest: Manifest) -> bytes:
    """The manifest as it is written."""
    return (json.dumps(as_data(manifest), ensure_ascii=False, indent=1) + "\n").encode()


def difference(there: Manifest, here: Manifest) -> str:
    """The first thing that tells two studies apart, in a few words; empty for the same study."""
    if there.study == here.study:
        return ""
    changed = _changed_option(there.plan, here.plan, Study.model_fields)
    if changed:
        return changed
    if (there.rules.toml, there.rules.version) != (here.rules.toml, here.rules.version):
        theirs, ours = (
            f"{one.name} {one.hash[:12]} of rules version {one.version}" for one in (there.rules, here.rules)
        )
        return f"other rules: {theirs} there, {ours} here"
    for one, other in zip(there.strategies, here.strategies, strict=False):
        if one.digest != other.digest:
            return f"strategy {one.name} has changed since"
    return f"khora {there.versions.khora} there, {here.versions.khora} here"


def _changed_option(there: Study, here: Study, names: Iterable[str]) -> str:
    for name in names:
        theirs, ours = getattr(there, name), getattr(here, name)
        if theirs != ours:
            return f"{name}: {as_typed(theirs) or 'none'} there, {as_typed(ours) or 'none'} here"
    return ""


def simulating(plan: Study, rules: PlayedRules, out: str) -> str:
    """The command that plays a study from its beginning."""
    try:
        usual: dict[str, Any] = parse_toml(rules.toml, "rules")["options"]
    except (KeyError, TypeError, UserError):
        usual = {}
    given: dict[str, Any] = {"games": plan.games, "players": plan.players, **_who(plan), "seed": plan.seed}
    for option in ("lineup", "cities", "rotate", "first_player"):
        value = getattr(plan, option)
        given[option] = None if value in ("auto", "random") else value
    chosen = as_arguments(plan)
    given |= {name: on for name, on in chosen.items() if on is not None and on != usual.get(name)}
    given["rounds"] = plan.rounds or None
    given["rules"] = rules.file or (None if rules.name == "base" else "FILE")
    return commands.simulating(given, out)


def with_strategies(command: str, plan: Study) -> str:
    """A command on a study as it is typed: with its strategies where they are not all built in."""
    return command if all(map(is_built_in, plan.specs)) else commands.with_players(command, _who(plan))


def _who(plan: Study) -> dict[str, Any]:
    """The options that say who plays."""
    return {"strategies": plan.strategies, "by_city": plan.by_city}


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a folder, if it is one of ours and of this schema.

    It may come from anywhere: an error is one line, and nothing runs.
    """
    path = folder / NAME
    try:
        path.lstat()
    except FileNotFoundError:
        raise UserError(f"{folder}: holds no study ({NAME} is missing)") from None
    except NotADirectoryError:
        raise UserError(f"{folder}: is a file; a study is a folder") from None
    except OSError:
        pass  # it shows when it is read
    text = read_text(path, "the manifest of a study", most=MOST_BYTES_KEPT)
    try:
        found = parse_json(text, str(path))
    except UserError as problem:
        raise UserError(f"{problem}; {PLAY_AGAIN}") from None
    version = found.get("schema_version") if isinstance(found, dict) else None
    if type(version) is not int or "parts" not in found:
        raise UserError(f"{path}: is not the manifest of a study")
    if version != SCHEMA_VERSION:
        raise UserError(printable(_other_schema(folder, version, found)))
    try:
        return Manifest.model_validate(found)
    except ValidationError as problems:
        reason = printable(str(first_problem(Manifest, problems, found)))
        raise UserError(f"{path}: is not the manifest of a study: {reason}; {PLAY_AGAIN}") from None


def _other_schema(folder: Path, version: int, found: dict[str, Any]) -> str:
    """Advice for a study of another schema: update khora, or play it again with this command."""
    if version > SCHEMA_VERSION:
        return f"{folder}: has schema version {version}, and this khora reads {SCHEMA_VERSION}; update khora"
    versions = found.get("versions")
    made_by = versions.get("khora", "?") if isinstance(versions, dict) else "?"
    head = (
        f"{folder}: has schema version {version}, written by khora {made_by}, and this khora reads "
        f"{SCHEMA_VERSION}, in which columns have other names and seats count from 1"
    )
    try:
        plan = dict(found["plan"])
        if isinstance(plan.get("first_player"), int):
            plan["first_player"] += 1  # seats counted from 0
        study, rules = Study.model_validate(plan), PlayedRules.model_validate({"file": None} | found["rules"])
    except (UserError, ValidationError, KeyError, TypeError, ValueError):
        return f"{head}; {PLAY_AGAIN}"
    trusted = all(map(is_built_in, study.specs))
    advice = "play it again" if trusted else "if you trust its strategies, play it again"
    return f"{head}; {advice}: {simulating(study, rules, f'{folder}-again')}"


def plan_of(folder: Path, manifest: Manifest, named: Mapping[str, Any], command: str) -> Arm:
    """The arm of a study from its manifest, with its strategies loaded again.

    A folder may come from a stranger, and loading a plug-in runs it: a manifest alone asks for nothing but
    built-in strategies. All others the user has `named`, as `strategies` and `by_city` of a `command` to type
    again.
    """
    study = manifest.plan
    if not named:
        others = [spec for spec in dict.fromkeys(study.specs) if not is_built_in(spec)]
        if others:
            raise UserError(
                f"{folder}: its manifest names {', '.join(others)}, and what is not built in is read and run "
                "only when you name it; if you trust it, type: "
                f"{with_strategies(command, study)}"
            )
    else:
        changed = _changed_option(study, study_of(dict(named)), ("strategies", "by_city"))
        if changed:
            raise UserError(f"{folder}: holds another study ({changed})")
    rules = read_rules(manifest.rules.toml, "the rules in the manifest")
    return resolve_study(study, rules, manifest.rules.file)
