"""What a change of the rules does."""

from pathlib import Path
from typing import TYPE_CHECKING

from khora_sim.api.studies import Folder, Several
from khora_sim.errors import UserError
from khora_sim.progress_display import display, status, waiting_told

if TYPE_CHECKING:
    from collections.abc import Sequence

    from khora_sim.questions.what_if_answer import WhatIf


def what_if(
    *variants: str | Path,
    set: "str | Sequence[str] | None" = None,
    strategies: Several = "expert",
    beside: str | None = "steward",
    players: int = 4,
    games: int | None = None,
    precision: float | None = None,
    seed: int | None = None,
    workers: int | None = None,
    out: Folder | None = None,
    progress: bool = False,
) -> "WhatIf":
    """What changes of the rules do, as `khora what-if` tells: see docs/what-if.md.

    `variants` are files; `set` holds paths into the rules with values (`cards.lighthouse.cost=2`), all of
    them one variant. `beside` are players of another skill, or None. The folder `out` keeps page, tables and
    answer.
    """
    from khora_sim.lab.study_file import split_list
    from khora_sim.questions.what_if import GAMES, NOBODY, SEED, Plan
    from khora_sim.questions.what_if import what_if as ask
    from khora_sim.report import what_if_page

    if games is not None and precision is not None:
        raise UserError("--games and --precision: give one of them")
    folder = None if out is None else Path(out)
    if folder is not None:
        what_if_page.check_out(folder)
    plan = Plan(
        files=tuple(str(file) for file in variants),
        assignments=(set,) if isinstance(set, str) else tuple(set or ()),
        strategies=tuple(split_list(strategies)),
        beside=beside or NOBODY,
        players=players,
        games=None if precision is not None else GAMES if games is None else games,
        precision=precision,
        seed=SEED if seed is None else seed,
    )
    with waiting_told(progress), display(progress) as watch:
        answer = ask(plan, workers, watch)
    if folder is not None:
        with status(progress) as told:
            what_if_page.write(answer, folder, told)
    return answer
