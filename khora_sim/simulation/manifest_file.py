"""Reading a manifest, which may come from anywhere: an error is one line, and nothing runs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from khora_sim.common.checking import first_problem
from khora_sim.common.commands import as_typed
from khora_sim.common.user_files import MOST_BYTES_KEPT, parse_json, read_text
from khora_sim.errors import UserError, printable
from khora_sim.simulation.arm import SCHEMA_VERSION, Arm
from khora_sim.simulation.manifest import NAME, Manifest, PlayedRules
from khora_sim.simulation.plan import plan_again
from khora_sim.simulation.study_commands import simulating, with_strategies
from khora_sim.simulation.study_file import study_of
from khora_sim.strategy.finding import is_built_in

PLAY_AGAIN = "play the study again, into another folder"


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a folder, if it is one of ours and of this schema."""
    path = folder / NAME
    _check_there(folder, path)
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


def _check_there(folder: Path, path: Path) -> None:
    """Whether a folder has a manifest; whether it can be read shows when it is read."""
    try:
        path.lstat()
    except FileNotFoundError:
        raise UserError(f"{folder}: holds no study ({NAME} is missing)") from None
    except NotADirectoryError:
        raise UserError(f"{folder}: is a file; a study is a folder") from None
    except OSError:
        return


def _other_schema(folder: Path, version: int, found: dict[str, Any]) -> str:
    """What to do with a study of another schema: update khora, or play it again with this command."""
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
        study, rules = study_of(plan), PlayedRules.model_validate({"file": None} | found["rules"])
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
        asked = study_of(dict(named))
        for key in ("strategies", "by_city"):
            there, here = (getattr(one, key) for one in (study, asked))
            if there != here:
                difference = f"{key}: {as_typed(there) or 'none'} there, {as_typed(here) or 'none'} here"
                raise UserError(f"{folder}: holds another study ({difference})")
    return plan_again(study, manifest.rules.toml, manifest.rules.file)
