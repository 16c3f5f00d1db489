"""What a card, an event, a development, an action, a track or a space is worth."""

from pathlib import Path
from typing import TYPE_CHECKING

from khora_sim.api.studies import Folder, Several
from khora_sim.progress_display import announcing_waits, display, status

if TYPE_CHECKING:
    from khora_sim.analyses.power_answer import Power


def power(
    kind: str,
    *,
    strategies: Several = (),
    players: int | None = None,
    games: int | None = None,
    precision: float | None = None,
    seed: int | None = None,
    rules: str | None = None,
    workers: int | None = None,
    out: Folder | None = None,
    resume: bool = False,
    progress: bool = False,
) -> "Power":
    """What each thing of a kind is worth, by intervention, as `khora power` tells: see docs/power.md.

    `kind` is cards, events, developments, actions, tracks or spaces; `strategies` play, `expert` unless
    others are named. The folder `out` keeps games, page, tables and answer; with `resume` a run goes on where
    it was stopped.
    """
    from khora_sim.analyses.power import power as ask
    from khora_sim.analyses.power_folder import begin, plan_for, write_answer
    from khora_sim.pages import power_page
    from khora_sim.simulation.study_file import split_list

    folder = None if out is None else Path(out)
    asked = {
        "kind": kind,
        "strategies": tuple(split_list(strategies)),
        "players": players,
        "games": games,
        "precision": precision,
        "seed": seed,
        "rules": rules,
    }
    plan = plan_for(asked, folder, resume=resume)
    if folder is not None:
        begin(folder, plan)
    with announcing_waits(progress), display(progress) as watch:
        answer = ask(plan, workers, folder, watch)
    if folder is not None:
        write_answer(folder, answer)
        with status(progress) as announce:
            power_page.write(answer, plan, folder, announce)
    return answer
