"""How good players are, what they do, and where they lose."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from khora_sim.api.studies import Folder
from khora_sim.progress_display import announcing_waits, display

if TYPE_CHECKING:
    from khora_sim.analyses.check import Verdict
    from khora_sim.analyses.ladder import Ladder


def ladder(
    *strategies: str,
    players: int | None = None,
    games: int | None = None,
    seed: int | None = None,
    workers: int | None = None,
    out: Folder | None = None,
    resume: bool = False,
    progress: bool = False,
) -> "Ladder":
    """Strategies against each other, one against all others of another: win shares, and ratings of all.

    Without names all built-in ones play but examples, with 4 players and 400 games a pairing. The folder
    `out` keeps every game and a figure; `resume` goes on there, and plays what is missing.
    """
    with announcing_waits(progress):
        return play_ladder(strategies, players, games, seed, workers, out, resume=resume, progress=progress)


def play_ladder(
    strategies: Sequence[str],
    players: int | None,
    games: int | None,
    seed: int | None,
    workers: int | None,
    out: Folder | None,
    *,
    resume: bool = False,
    progress: bool = False,
) -> "Ladder":
    """Play what is missing of a ladder; where there is a folder, write the answer and its figure there."""
    from khora_sim.analyses.ladder import climb, design_of
    from khora_sim.analyses.ladder_folder import plan_for, sink_in, write_answer
    from khora_sim.pages.ladder_figure import write_figures
    from khora_sim.simulation.backend import crew_for

    folder = None if out is None else Path(out)
    asked = {"players": players, "games": games, "seed": seed}
    plan = plan_for(tuple(strategies), asked, folder, resume=resume)
    design = design_of(plan)
    sink = None if folder is None else sink_in(folder, plan, design)
    with display(progress) as shown:
        climbed = climb(plan, design, sink, crew_for(design, workers), shown)
    if folder is not None:
        write_answer(folder, climbed)
        write_figures(folder, climbed)
    return climbed


def check_strategy(strategy: str) -> "list[Verdict]":
    """Run the conformance suite on a strategy: what each line claims, and its `problem`, or None."""
    from khora_sim.analyses.check import check_strategy

    with announcing_waits(False):
        return list(check_strategy(strategy))
