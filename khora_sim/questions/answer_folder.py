"""Folders that questions keep games and answers in: what may be written there, and what is run again."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

from khora_sim.common.writing import write_whole
from khora_sim.errors import UserError
from khora_sim.strategy.finding import is_built_in

OTHER_OUT = "choose another --out"


def refuse_used(out: Path | None, plan: str, what: str, to_go_on: str) -> None:
    """Refuse a folder that holds something already; one with a plan of this kind can be gone on with."""
    if out is None or not out.exists():
        return
    if not out.is_dir():
        raise UserError(f"{out}: is a file; --out should name a folder that is new or empty")
    if (out / plan).exists():
        raise UserError(f"{out}: holds {what} already; go on with: {to_go_on}")
    if any(out.iterdir()):
        raise UserError(f"{out}: is not empty and holds no {what.split()[-1]}; {OTHER_OUT}")


def not_built_in(strategies: Sequence[str]) -> list[str]:
    """The strategies that a user has to name again before they are run."""
    return [name for name in strategies if not is_built_in(name)]


def safe_name(spec: str) -> str:
    """A strategy in letters that any disk takes in a file's name."""
    return re.sub(r"[^\w.=,-]+", "_", Path(spec).name)[:40]


def write_json(path: Path, data: object) -> None:
    """Write data as a whole file."""
    write_whole(path, (json.dumps(data, ensure_ascii=False, indent=1) + "\n").encode())
