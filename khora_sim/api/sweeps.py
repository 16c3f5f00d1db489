"""Numbers of the rules over ranges, and small changes that balance the cities."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from khora_sim.api.studies import Folder, Several, as_tuple
from khora_sim.errors import UserError
from khora_sim.progress_display import announcing_waits, exploiting_display, status

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from khora_sim.analyses.balance_answer import Balance
    from khora_sim.analyses.sweep_answer import Sweep

Answer = TypeVar("Answer", "Sweep", "Balance")


def sweep(
    *,
    vary: "str | Sequence[str] | None" = None,
    target: "str | Sequence[str] | None" = None,
    strategies: Several = "expert",
    players: int = 4,
    games: int | None = None,
    precision: float | None = None,
    rules: str | None = None,
    seed: int = 0,
    workers: int | None = None,
    out: Folder | None = None,
    resume: bool = False,
    progress: bool = False,
) -> "Sweep":
    """Numbers of the rules over ranges, as `khora sweep` plays them: see docs/sweep.md.

    `vary` holds paths into the rules with values (`cards.lighthouse.cost=0..4`), `target` win shares in per
    cent (`argos=25`); without one it is the fair share of every city. The folder `out` keeps page, tables and
    answer; `resume` goes on there.
    """
    from khora_sim.analyses.games_asked import games_asked
    from khora_sim.analyses.sweep import GAMES, Plan, grid_of
    from khora_sim.analyses.sweep import sweep as ask
    from khora_sim.simulation.study_file import split_list

    plan = Plan(
        vary=as_tuple(vary),
        target=as_tuple(target),
        strategies=tuple(split_list(strategies)),
        players=players,
        games=games_asked(games, precision, GAMES),
        precision=precision,
        rules=None if rules is None else str(rules),
        seed=seed,
    )
    folder = folder_of(out, resume)
    grid = grid_of(plan)
    answer = _played(ask, plan, grid, folder, resume=resume, workers=workers, progress=progress)
    if folder is not None:
        from khora_sim.pages import sweep_page

        with status(progress) as announce:
            sweep_page.write(answer, folder, announce)
    return answer


def balance(
    *,
    vary: "str | Sequence[str] | None" = None,
    numbers: str | None = None,
    target: "str | Sequence[str] | None" = None,
    changes: int = 4,
    strategies: Several = "expert",
    beside: str | None = "steward",
    players: int = 4,
    games: int | None = None,
    precision: float | None = None,
    rules: str | None = None,
    seed: int = 0,
    workers: int | None = None,
    out: Folder | None = None,
    resume: bool = False,
    progress: bool = False,
) -> "Balance":
    """Small sets of changes that balance the cities, as `khora balance` finds them: see docs/sweep.md.

    `vary` holds the numbers that may change with their values, or `numbers` a file that lists them; without
    both it is the costs and amounts of all developments. `target` holds win shares in per cent (`25+-2`).
    """
    from khora_sim.analyses.balance import GAMES, Plan, asked_of
    from khora_sim.analyses.balance import balance as ask
    from khora_sim.analyses.games_asked import games_asked
    from khora_sim.common.command_options import NOBODY
    from khora_sim.simulation.study_file import split_list

    plan = Plan(
        vary=as_tuple(vary),
        numbers=None if numbers is None else str(numbers),
        target=as_tuple(target),
        changes=changes,
        strategies=tuple(split_list(strategies)),
        beside=beside or NOBODY,
        players=players,
        games=games_asked(games, precision, GAMES),
        precision=precision,
        rules=None if rules is None else str(rules),
        seed=seed,
    )
    folder = folder_of(out, resume)
    asked = asked_of(plan)
    answer = _played(ask, plan, asked, folder, resume=resume, workers=workers, progress=progress)
    if folder is not None:
        from khora_sim.pages import balance_page

        with status(progress) as announce:
            balance_page.write(answer, folder, announce)
    return answer


def _played(
    ask: "Callable[..., Answer]",
    plan: Any,
    asked: Any,
    folder: Path | None,
    *,
    resume: bool,
    workers: int | None,
    progress: bool,
) -> "Answer":
    """The answer to a plan that is checked; a folder keeps the sums of what is played."""
    from khora_sim.analyses.variants_folder import begin

    sums = None if folder is None else begin(folder, plan, asked.base, resume=resume)
    with announcing_waits(progress), exploiting_display(progress) as shown:
        return ask(plan, asked, workers=workers, folder=sums, progress=shown)


def folder_of(out: Folder | None, resume: bool) -> Path | None:
    """The folder of an answer; going on needs one."""
    if out is None and resume:
        raise UserError("--resume: goes on in a folder; name it with --out")
    return None if out is None else Path(out)
