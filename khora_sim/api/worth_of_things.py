"""What a card, an event, a development, an action, a track or a space is worth."""

from typing import TYPE_CHECKING

from khora_sim.api.studies import Folder, Several

if TYPE_CHECKING:
    from khora_sim.questions.power_answer import Power


def power(
    kind: str,
    *,
    strategies: Several = "expert",
    players: int = 4,
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

    `kind` is cards, events, developments, actions, tracks or spaces. The folder `out` keeps games, page,
    tables and answer; with `resume` a run goes on where it was stopped.
    """
    raise NotImplementedError
