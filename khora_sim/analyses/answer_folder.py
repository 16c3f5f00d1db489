"""Folders that questions keep games and answers in: what may be written there, and what is run again."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from khora_sim.common.checking import Model, checked
from khora_sim.common.commands import as_typed
from khora_sim.common.files import explain_write_errors, read_json, write_atomically
from khora_sim.errors import UserError
from khora_sim.strategy.finding import is_built_in

OTHER_OUT = "choose another --out"


def refuse_used(out: Path | None, plan: str, what: str, to_go_on: str) -> None:
    """Refuse a folder that holds something already; one with a plan of this kind can be gone on with."""
    if out is None or not out.exists():
        return
    if (out / plan).exists():
        raise UserError(f"{out}: holds {what} already; go on with: {to_go_on}")
    _refuse_foreign(out, what.split()[-1])


def _refuse_foreign(out: Path, what: str) -> None:
    """Refuse a file, and a folder that holds something else."""
    if out.exists() and not out.is_dir():
        raise UserError(f"{out}: is a file; --out should name a folder that is new or empty")
    if out.exists() and any(out.iterdir()):
        raise UserError(f"{out}: is not empty and holds no {what}; {OTHER_OUT}")


def begin_asked(out: Path, plan: str, asked: Mapping[str, object], *, resume: bool, free: str = "") -> None:
    """Make a folder ready for what is asked, or go on with the same; the key `free` may differ then."""
    asked = json.loads(json.dumps(asked))
    if resume:
        _check_same(out, plan, asked, free)
    elif (out / plan).exists():
        raise UserError(f"{out}: already exists; go on with --resume, or {OTHER_OUT}")
    else:
        _refuse_foreign(out, "answer")
    with explain_write_errors(out, OTHER_OUT):
        out.mkdir(parents=True, exist_ok=True)
        write_json(out / plan, asked)


def _check_same(out: Path, plan: str, asked: Mapping[str, object], free: str) -> None:
    """Refuse to go on with something else."""
    path = out / plan
    if not path.exists():
        _refuse_foreign(out, "answer")
        raise UserError(f"{out}: holds nothing to go on with ({plan} is missing); leave --resume out")
    begun = read_json(path, "what was asked for")
    for name, value in asked.items():
        if name != free and (not isinstance(begun, dict) or begun.get(name) != value):
            was = begun.get(name) if isinstance(begun, dict) else None
            other = {"digest": "another version of the strategy", "rules": "other rules"}
            what = other.get(name, f"{name} {as_typed(was)}")
            raise UserError(f"{out}: was begun with {what}; ask for the same again, or {OTHER_OUT}")


def read_begun(out: Path, plan: str, model: type[Model], what: str) -> Model:
    """The plan that a folder was begun with, of `an answer about power` or the like."""
    path = out / plan
    if not path.exists():
        kind = what.split()[1]
        raise UserError(f"{out}: holds no {kind} to go on with ({plan} is missing); leave --resume out")
    return checked(model, read_json(path, f"the plan of {what}"), str(path))


def refuse_unnamed(out: Path, others: Sequence[str], named: Collection[str], again: str) -> None:
    """A folder may come from a stranger, and loading a plug-in runs it: the user has to name what is run."""
    if not set(others) <= set(named):
        raise UserError(
            f"{out}: its plan names {', '.join(others)}, and what is not built in is read and run only when "
            f"you name it; if you trust it, type: {again}"
        )


def not_built_in(strategies: Sequence[str]) -> list[str]:
    """The strategies that a user has to name again before they are run."""
    return [name for name in strategies if not is_built_in(name)]


def safe_name(spec: str) -> str:
    """A strategy in letters that any disk takes in a file's name."""
    return re.sub(r"[^\w.=,-]+", "_", Path(spec).name)[:40]


def write_json(path: Path, data: object) -> None:
    """Write data as a whole file."""
    write_atomically(path, (json.dumps(data, ensure_ascii=False, indent=1) + "\n").encode())
