"""The manifest: what was played, by whom, under which rules, and which parts are finished.

It holds nothing that depends on when, where or by how many workers a study was played.
"""

import json
import platform
import shlex
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, ValidationError

from khora_sim import __version__
from khora_sim.errors import UserError
from khora_sim.lab.plan import SCHEMA_VERSION, Plan, plan_again
from khora_sim.lab.seating import in_words
from khora_sim.lab.study_file import listed, study_of
from khora_sim.strategy.loading import is_built_in

NAME = "manifest.json"
Manifest = dict[str, Any]

Count = Annotated[int, Field(ge=0, strict=True)]
Table = Literal["games", "players", "rounds"]  # also names of folders and files, so no others are taken


class _File(BaseModel):
    rows: Count
    bytes: Count
    sha256: str


class _Part(BaseModel):
    part: Count
    games: Count
    tables: dict[Table, _File]


class _Strategy(BaseModel):
    name: str
    digest: str


class _Plan(BaseModel):
    strategies: list[str] = Field(min_length=1)
    players: list[int] = Field(min_length=1)


class _Rules(BaseModel):
    name: str
    hash: str
    file: str | None = None  # as it was typed; studies of khora 0.1.0 do not say


class _Shape(BaseModel):
    """What every reader of a manifest counts on; it may come from anywhere."""

    study: str
    plan: _Plan
    games: Count
    groups: Count
    group_size: dict[str, Count]
    rotation: str
    tables: list[Table]
    chunks: Count
    rules: _Rules
    strategies: list[_Strategy]
    versions: dict[str, str]
    enums: dict[str, list[str]]
    parts: list[_Part]


def manifest_of(plan: Plan) -> Manifest:
    """The manifest of a study of which nothing has been played yet."""
    rules = plan.rules
    return {
        "schema_version": SCHEMA_VERSION,
        "study": plan.digest,
        "plan": plan.study.model_dump(mode="json", exclude={"rules"}),
        "games": plan.games,
        "groups": plan.groups,
        "group_size": {str(section.players): section.group_size for section in plan.sections},
        "rotation": in_words(plan.study),
        "tables": list(plan.tables),
        "chunks": plan.chunks,
        "rules": {
            "name": rules.name,
            "file": plan.rules_file,
            "hash": rules.hash,
            "version": rules.version,
            "toml": rules.to_toml(),
        },
        "strategies": [
            {
                "name": strategy.name,
                "kind": strategy.kind,
                "family": strategy.family,
                "digest": strategy.digest,
                "parameters": strategy.values,
            }
            for strategy in plan.strategies
        ],
        "versions": versions(),
        "enums": {
            "cities": rules.city_ids,
            "cards": rules.card_ids,
            "events": rules.event_ids,
            "spaces": rules.space_ids,
            "strategies": list(dict.fromkeys(strategy.name for strategy in plan.strategies)),
        },
        "parts": [],
    }


def versions() -> dict[str, str]:
    """The versions that a study's bytes may depend on."""
    import numba
    import numpy
    import polars

    return {
        "khora": __version__,
        "python": ".".join(platform.python_version_tuple()[:2]),
        "numpy": numpy.__version__,
        "numba": numba.__version__,
        "polars": polars.__version__,
    }


def to_bytes(manifest: Manifest) -> bytes:
    """The manifest as it is written."""
    return (json.dumps(manifest, ensure_ascii=False, indent=1) + "\n").encode()


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a folder, if it is one of ours and of this schema."""
    path = folder / NAME
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{folder}: holds no study ({NAME} is missing)") from None
    except NotADirectoryError:
        raise UserError(f"{folder}: is a file; a study is a folder") from None
    except OSError as problem:
        raise UserError(f"{path}: cannot be read: {problem.strerror}") from None
    except (ValueError, RecursionError):
        raise UserError(
            f"{path}: is damaged: it is no JSON; play the study anew into another folder"
        ) from None
    version = manifest.get("schema_version") if isinstance(manifest, dict) else None
    if not isinstance(version, int) or "parts" not in manifest:
        raise UserError(f"{path}: is no manifest of a study")
    if version != SCHEMA_VERSION:
        made_by = manifest.get("versions")
        raise UserError(
            f"{folder}: has schema version {version}, and this khora reads {SCHEMA_VERSION}; "
            "play the study anew, or use khora "
            f"{made_by.get('khora', 'of that time') if isinstance(made_by, dict) else 'of that time'}"
        )
    try:
        _Shape.model_validate(manifest)
    except ValidationError as problems:
        first = problems.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise UserError(f"{path}: is no manifest of a study: {where}: {first['msg'].lower()}") from None
    return manifest


def plan_of(folder: Path, manifest: Manifest, named: str | None, command: str) -> Plan:
    """The plan of a study from its manifest, with its strategies loaded again.

    A folder may come from a stranger, and loading a plug-in runs it: a manifest alone asks for nothing but
    built-in strategies. All others the user has `named`, as `--strategies` of a `command` to type again.
    """
    study = study_of(manifest["plan"], f"{folder / NAME}: plan: ")
    if named is None:
        others = [spec for spec in dict.fromkeys(study.strategies) if not is_built_in(spec)]
        if others:
            raise UserError(
                f"{folder}: its manifest names {', '.join(others)}, and what is not built in is read and run "
                f"only when you name it; if you trust it, type: {with_strategies(command, manifest)}"
            )
    elif listed(named) != list(study.strategies):
        there = _short(list(study.strategies))
        raise UserError(f"{folder}: holds another study (strategies: {there} there, {named} here)")
    rules = manifest["rules"]
    return plan_again(study, rules["toml"], rules.get("file"))


def with_strategies(command: str, manifest: Manifest) -> str:
    """A command on a study as it is typed: with its strategies where they are not all built in."""
    strategies = manifest["plan"]["strategies"]
    if all(is_built_in(spec) for spec in strategies):
        return command
    return f"{command} --strategies {shlex.quote(','.join(strategies))}"


def resuming(folder: Path) -> str:
    """The command that goes on with a study, but for its strategies."""
    return f"khora simulate --resume --out {shlex.quote(str(folder))}"


def repairing(folder: Path) -> str:
    """The command that plays damaged parts again, but for the strategies."""
    return f"khora data check {shlex.quote(str(folder))} --repair"


def difference(there: Manifest, here: Manifest) -> str:
    """What tells two studies apart, in a few words; empty for the same study."""
    if there["study"] == here["study"]:
        return ""
    for key, value in here["plan"].items():
        if there["plan"].get(key) != value:
            return f"{key}: {_short(there['plan'].get(key))} there, {_short(value)} here"
    if (
        there["rules"]["toml"] != here["rules"]["toml"]
        or there["rules"]["version"] != here["rules"]["version"]
    ):
        return f"other rules: {_rules(there)} there, {_rules(here)} here"
    for one, other in zip(there["strategies"], here["strategies"], strict=True):
        if one["digest"] != other["digest"]:
            return f"strategy {one['name']} has changed since"
    return f"khora {there['versions']['khora']} there, {here['versions']['khora']} here"


def _short(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _rules(manifest: Manifest) -> str:
    rules = manifest["rules"]
    return f"{rules['name']} {rules['hash'][:12]} of rules version {rules['version']}"
