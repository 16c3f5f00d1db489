"""How good players are, what they do, and where they lose."""

from pathlib import Path
from typing import TYPE_CHECKING

from khora_sim.api.studies import Folder, Several, load_rules
from khora_sim.errors import UserError
from khora_sim.progress_display import announcing_waits, counting_display, display, exploiting_display

if TYPE_CHECKING:
    from khora_sim.analyses.check import Verdict
    from khora_sim.analyses.exploit_answer import Exploit
    from khora_sim.analyses.grade import Grade
    from khora_sim.analyses.habits import Habits
    from khora_sim.analyses.panel import Panel
    from khora_sim.analyses.shown_decision import ShownDecision


def habits(
    strategy: str,
    *,
    games: int = 2800,
    players: int = 4,
    seed: int = 3_000_000_000,
    workers: int | None = None,
    progress: bool = False,
) -> "Habits":
    """What a strategy does in each city, and what it never does, as `khora strategies habits` tells."""
    with announcing_waits(progress):
        return play_habits(strategy, games, players, seed, workers, progress=progress)


def play_habits(
    strategy: str, games: int, players: int, seed: int, workers: int | None, *, progress: bool = False
) -> "Habits":
    """Let a strategy play itself, and tell what it does."""
    from khora_sim.analyses.habits import arm_of, habits
    from khora_sim.simulation.backend import crew_for

    arm = arm_of(strategy, players, games, seed)
    with display(progress) as shown:
        return habits(arm, crew_for(arm, workers), shown)


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


def grade(strategy: str, *, panel: Folder | None = None, progress: bool = False) -> "Grade":
    """What a strategy loses at the decisions of a panel, as `khora strategies grade` tells.

    `panel` is the file of another panel than the built-in one.
    """
    from khora_sim.analyses.grade import grade
    from khora_sim.analyses.panel_file import read_panel
    from khora_sim.strategy.loading import load

    found = read_panel(None if panel is None else Path(panel))
    with announcing_waits(progress):
        player = load(strategy)
        with counting_display(progress, len(found.decisions), "decisions") as on_progress:
            return grade(player, found, load_rules(), on_progress)


def show_decision(strategy: str, decision: int, panel: Folder | None = None) -> "ShownDecision":
    """One decision of a panel in full, and what a strategy chooses there."""
    from khora_sim.analyses.panel_file import read_panel
    from khora_sim.analyses.shown_decision import show_decision
    from khora_sim.strategy.loading import load

    found = read_panel(None if panel is None else Path(panel))
    with announcing_waits(False):
        return show_decision(load(strategy), found, load_rules(), decision)


def panel(
    *,
    out: Folder,
    decisions: int = 1000,
    worlds: int = 64,
    seed: int = 0,
    workers: int | None = None,
    resume: bool = False,
    progress: bool = False,
) -> "Panel":
    """Make a panel of decisions and write it, as `khora strategies panel` does: see docs/players.md."""
    from khora_sim.analyses.panel_file import read_panel
    from khora_sim.analyses.panel_making import Making, make
    from khora_sim.simulation.backend import Crew, worker_count

    at_once = worker_count(workers)
    with announcing_waits(progress), counting_display(progress, decisions, "decisions") as on_progress:
        making = Making(load_rules(), decisions, worlds, seed, Crew("threads", at_once))
        make(making, Path(out), resume=resume, on_progress=on_progress)
    return read_panel(Path(out))


def check_strategy(strategy: str) -> "list[Verdict]":
    """Run the conformance suite on a strategy: what each line claims, and its `problem`, or None."""
    from khora_sim.analyses.check import check_strategy

    with announcing_waits(False):
        return list(check_strategy(strategy))
