"""The folder of a what-if: what was asked for, what is finished of it, in the end the page and the answer.

plan.json        what is asked, with the rules and the players
parts/           finished games, a row for each player, by the digest of what is played
adapted/         players that were made for the changed rules
variant.toml     the change as a file, where it was typed
answer.json      the answer, for scripts; with it index.html, figures/, tables/ and summary.md
"""

import json
import shutil
from pathlib import Path
from typing import Any

from khora_sim import __version__
from khora_sim.analyses.answer_folder import OTHER_OUT, write_json
from khora_sim.analyses.what_if_plan import NOBODY, Plan, variants_of
from khora_sim.common import commands
from khora_sim.common.files import explain_write_errors, read_json, write_atomically
from khora_sim.errors import UserError
from khora_sim.rules import load_rules
from khora_sim.rules.assignments import variant_text
from khora_sim.strategy import load

PLAN, PARTS, ADAPTED, ANSWER, TYPED = "plan.json", "parts", "adapted", "answer.json", "variant.toml"


def begin(out: Path, plan: Plan, *, resume: bool) -> None:
    """Make a folder ready, before anything is played; one that holds something else is refused."""
    asked = _asked(plan)
    if resume:
        _check_same(out, asked)
    else:
        _check_free(out)
    with explain_write_errors(out, OTHER_OUT):
        if not resume:  # a finished answer makes room for another one
            for name in (PARTS, ADAPTED):
                shutil.rmtree(out / name, ignore_errors=True)
            (out / ANSWER).unlink(missing_ok=True)
        (out / PARTS).mkdir(parents=True, exist_ok=True)
        write_json(out / PLAN, asked)
        if plan.assignments:
            write_atomically(out / TYPED, variant_text(plan.assignments).encode())


def _asked(plan: Plan) -> dict[str, Any]:
    """What is asked, with all that decides the games: the rules, the players and the version."""
    base = load_rules()
    names = dict.fromkeys(
        (*plan.strategies, *plan.against, *([] if plan.beside == NOBODY else [plan.beside]))
    )
    played = {
        "khora": __version__,
        "rules": [f"{one.hash} {one.version}" for one in (base, *(v.rules for v in variants_of(plan, base)))],
        "digests": [load(name).digest for name in names],
    }
    found: dict[str, Any] = json.loads(json.dumps({**plan._asdict(), **played}))
    return found


def _check_free(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise UserError(f"{out}: is a file; --out should name a folder")
    if not out.exists() or (out / ANSWER).exists() or not any(out.iterdir()):
        return
    if (out / PLAN).exists() and (out / PARTS).is_dir():
        raise UserError(f"{out}: holds an answer that is not finished; go on with --resume, or {OTHER_OUT}")
    raise UserError(f"{out}: is not empty and holds no answer; {OTHER_OUT}")


def _check_same(out: Path, asked: dict[str, Any]) -> None:
    """Refuse to go on with something else than what was begun."""
    path = out / PLAN
    if not path.exists():
        raise UserError(f"{out}: holds nothing to go on with ({PLAN} is missing); leave --resume out")
    begun = read_json(path, "what was asked for")
    known = begun if isinstance(begun, dict) else {}
    other = {"digests": "other players", "rules": "other rules"}
    for name, value in asked.items():
        if known.get(name) != value:
            was = commands.as_typed(known.get(name)) or "none"
            what = other.get(name, f"{name} {was}")
            raise UserError(f"{out}: was begun with {what}; ask for the same again, or {OTHER_OUT}")
