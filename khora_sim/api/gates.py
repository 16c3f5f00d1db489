"""Whether a game is still as it was."""

from pathlib import Path
from typing import TYPE_CHECKING

from khora_sim.api.studies import Folder, Several
from khora_sim.progress_display import announcing_waits, display

if TYPE_CHECKING:
    from khora_sim.analyses.gate_answer import Gate


def gate(
    baseline: str | Path,
    *,
    write: bool = False,
    city_share: str | None = None,
    seat_share: str | None = None,
    change: float = 2.0,
    strategies: Several | None = None,
    players: int | None = None,
    games: int | None = None,
    precision: float | None = None,
    seed: int | None = None,
    rules: str | Path | None = None,
    cards: bool | None = None,
    summary: Folder | None = None,
    workers: int | None = None,
    progress: bool = False,
) -> "Gate":
    """The present game against a stored baseline, as `khora gate` tells: see docs/gate.md.

    With `write` the baseline is played and written first, and the game is judged against that. What is not
    named is as in the baseline that is there. Limits are ranges of percentages (`"20..30"`); `summary` is a
    file that a short summary in Markdown is added to.
    """
    from khora_sim.analyses import baseline as files
    from khora_sim.analyses import gate as ask
    from khora_sim.analyses.gate_judging import compared
    from khora_sim.analyses.gate_verdict import limits_of
    from khora_sim.pages.gate_words import add_summary, check_summary
    from khora_sim.simulation.study_file import split_list

    path = Path(baseline)
    limits = limits_of(city_share, seat_share, change)
    stored = files.to_be_renewed(path) if write else files.read_baseline(path)
    if stored is not None and not write:
        ask.check_comparable(stored, players or stored.players, bool(cards), path)
    check_summary(summary)
    asked = {
        "strategies": None if strategies is None else tuple(split_list(strategies)),
        "players": players,
        "games": games,
        "precision": precision,
        "seed": seed,
        "rules": None if rules is None else str(rules),
        "cards": cards,
    }
    plan = ask.plan_for(asked, stored, path)
    with announcing_waits(progress), display(progress) as shown:
        now = ask.played(plan, workers, shown)
    if write or stored is None:
        stored = ask.baseline_of(now)
        files.write_baseline(path, stored)
    found = compared(stored, now, limits)
    add_summary(found, summary)
    return found
