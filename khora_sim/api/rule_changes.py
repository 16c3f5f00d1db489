"""What a change does, of the rules or of who plays."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from khora_sim.api.studies import Folder, Several, as_tuple, spelled_out
from khora_sim.common.options import NamedOptions, as_assignments
from khora_sim.errors import UserError
from khora_sim.progress_display import announcing_waits, display, learning_display, status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from khora_sim.analyses.what_if_answer import Adapted, WhatIf
    from khora_sim.analyses.what_if_plan import Plan


@spelled_out(NamedOptions)
def what_if(
    *variants: str | Path,
    set: "str | Sequence[str] | None" = None,
    strategies: Several = "expert",
    against: Several | None = None,
    beside: str | None = "steward",
    players: "int | str | Sequence[int]" = "4",
    games: int | None = None,
    precision: float | None = None,
    adapt: str | None = None,
    seed: int | None = None,
    workers: int | None = None,
    out: Folder | None = None,
    resume: bool = False,
    progress: bool = False,
    **options: Unpack[NamedOptions],
) -> "WhatIf":
    """What changes of the rules, or of who plays, do, as `khora what-if` tells: see docs/what-if.md.

    `variants` are files; `set` holds paths into the rules with values (`cards.lighthouse.cost=2`), which with
    options of the game (`reroll=True`) are one more variant. `against` are others who play the changed side,
    `beside` players of another skill, or None. `adapt` is what players may take to learn the rules of each
    side. The folder `out` keeps what is finished, page, tables and answer; `resume` goes on there.
    """
    from khora_sim.analyses import what_if_folder
    from khora_sim.analyses.games_asked import games_asked
    from khora_sim.analyses.what_if import what_if as ask
    from khora_sim.analyses.what_if_adapting import check_adapting
    from khora_sim.analyses.what_if_plan import GAMES, NOBODY, SEED, Plan, check_plan
    from khora_sim.pages import what_if_page
    from khora_sim.simulation.study_file import split_list

    if resume and out is None:
        raise UserError("--resume goes on in a folder; name it with --out")
    plan = Plan(
        files=tuple(str(file) for file in variants),
        assignments=(*as_tuple(set), *as_assignments(options)),
        strategies=tuple(split_list(strategies)),
        against=tuple(split_list(against or ())),
        beside=beside or NOBODY,
        players=_sizes(players),
        games=games_asked(games, precision, GAMES),
        precision=precision,
        adapt=adapt,
        seed=SEED if seed is None else seed,
    )
    check_plan(plan)
    if plan.adapt is not None:
        check_adapting(plan)
    folder = None if out is None else Path(out)
    with announcing_waits(progress):
        if folder is not None:
            what_if_folder.begin(folder, plan, resume=resume)
        parts = None if folder is None else folder / what_if_folder.PARTS
        with _adapted(plan, folder, workers, progress) as adapted, display(progress) as shown:
            answer = ask(plan, workers, shown, parts=parts, adapted=adapted)
    if folder is not None:
        with status(progress) as announce:
            what_if_page.write(answer, folder, announce)
    return answer


def _sizes(players: "int | str | Sequence[int]") -> tuple[int, ...]:
    from khora_sim.simulation.study_file import split_list

    given = split_list(players)
    if not all(str(one).isdigit() for one in given):
        raise UserError(f"--players {players}: expected sizes of table, such as 4 or 4,3,2")
    return tuple(int(one) for one in given)


@contextmanager
def _adapted(
    plan: "Plan", folder: Path | None, workers: int | None, progress: bool
) -> "Iterator[dict[tuple[int, int], Adapted]]":
    """Players who know the changed rules, by size of table and variant; without a folder they do not last."""
    if plan.adapt is None:
        yield {}
        return
    from tempfile import TemporaryDirectory

    from khora_sim.analyses.what_if_adapting import adapted, all_to_adapt, trained
    from khora_sim.analyses.what_if_folder import ADAPTED
    from khora_sim.simulation.backend import worker_count

    with TemporaryDirectory() as aside:
        home = Path(aside) if folder is None else folder / ADAPTED
        made = {}
        for key, sides in all_to_adapt(plan, home, folder).items():
            done = []
            for asked in sides:
                with learning_display(progress) as shown:
                    done.append(trained(asked, worker_count(workers), shown))
            made[key] = adapted(sides, *done)
        yield made
