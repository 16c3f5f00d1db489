"""How far the making of a panel has come, kept beside it so that a stop loses no finished block."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from khora_sim.analyses.panel import Frozen
from khora_sim.analyses.panel_balance import Balance
from khora_sim.analyses.panel_file import UNFINISHED, read_panel, write_panel
from khora_sim.common.commands import making_panel
from khora_sim.errors import UserError


@dataclass
class Progress:
    """What a panel has after some blocks."""

    kept: list[Frozen] = field(default_factory=list)
    steps: list[dict[str, int]] = field(default_factory=list)  # task, city and round of each
    balance: Balance = field(default_factory=Balance)
    blocks: int = 0
    met: Counter[str] = field(default_factory=Counter)  # decisions in all games, by kind


def keep(progress: Progress, origin: dict[str, Any], path: Path) -> None:
    """Write down how far it has come."""
    state = {
        "blocks": progress.blocks,
        "met": progress.met,
        "in_vain": progress.balance.in_vain,
        "steps": progress.steps,
    }
    write_panel(progress.kept, {**origin, UNFINISHED: state}, path)


def kept_in(path: Path, origin: dict[str, Any]) -> Progress:
    """How far it had come, if the same panel was asked for."""
    if not path.exists():
        return Progress()
    panel = read_panel(path, unfinished=True)
    kept_origin = dict(panel.origin)
    state = kept_origin.pop(UNFINISHED, None)
    differing = [key for key in origin if kept_origin.get(key) != origin[key]]
    if state is None or differing:
        what = f"another {differing[0]}" if differing else "another kind of file"
        raise UserError(f"{path}: belongs to {what}; remove it and start again: {making_panel()}")
    try:
        return _progress(list(panel.decisions), state)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise UserError(f"{path}: is damaged; remove it and start again: {making_panel()}") from None


def _progress(kept: list[Frozen], state: dict[str, Any]) -> Progress:
    balance = Balance()
    balance.in_vain.update({int(kind): int(number) for kind, number in state["in_vain"].items()})
    for step in state["steps"]:
        balance.add(step)
    return Progress(kept, state["steps"], balance, int(state["blocks"]), Counter(state["met"]))
