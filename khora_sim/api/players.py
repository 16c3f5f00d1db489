"""How good players are, what they do, and where they lose."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from khora_sim.api.studies import Folder, Several
from khora_sim.errors import UserError
from khora_sim.progress_display import announcing_waits, display, exploiting_display

if TYPE_CHECKING:
    from khora_sim.analyses.check import Verdict
    from khora_sim.analyses.exploit_answer import Exploit
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


def exploit(
    strategy: str,
    *,
    city: Several | None = None,
    players: int = 4,
    games: int = 800,
    budget: str | None = None,
    force: Several | None = None,
    also: Several | None = None,
    seed: int = 0,
    workers: int | None = None,
    out: Folder | None = None,
    resume: bool = False,
    progress: bool = False,
) -> "Exploit":
    """How much better-suited players still gain against a table of a strategy, city by city.

    As `khora strategies exploit` does: see docs/players.md. The folder `out` keeps the answer of each city as
    it comes, and players that were trained; `resume` goes on there. `also` names players to try, too.
    """
    from khora_sim.analyses import exploit_folder as folder
    from khora_sim.analyses.exploit import Plan, settled, whole
    from khora_sim.analyses.exploit import exploit as answers
    from khora_sim.simulation.backend import worker_count
    from khora_sim.simulation.study_file import split_list

    at_once = worker_count(workers)
    if resume and out is None:
        raise UserError("--resume goes on in a folder; name it with --out")
    cities, forced, named = (tuple(split_list(given or ())) for given in (city, force, also))
    asked = Plan(strategy, cities, players, games, budget, forced, seed, named)
    with announcing_waits(progress), exploiting_display(progress) as shown:
        plan, rules, loaded = settled(asked)
        kept = None if out is None else Path(out)
        known = {} if kept is None else folder.begin(kept, plan, rules, loaded, resume=resume)
        found = []
        for answer in answers(plan, out=kept, known=known, workers=at_once, progress=shown):
            found.append(answer)
            if kept is not None:
                folder.keep_city(kept, answer)
        result = whole(plan, rules, loaded, found)
        if kept is not None:
            folder.write_answer(kept, result)
    return result


def check_strategy(strategy: str) -> "list[Verdict]":
    """Run the conformance suite on a strategy: what each line claims, and its `problem`, or None."""
    from khora_sim.analyses.check import check_strategy

    with announcing_waits(False):
        return list(check_strategy(strategy))
