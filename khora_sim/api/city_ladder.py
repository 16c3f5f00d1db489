"""Which cities are strong, along a ladder of players."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from khora_sim.api.studies import Folder, Several
from khora_sim.errors import UserError
from khora_sim.progress_display import announcing_waits, display

if TYPE_CHECKING:
    from khora_sim.analyses.cities_answer import CitiesAnswer


def cities(
    *strategies: str,
    peers: Several = (),
    players: int | str | Sequence[int] | None = None,
    games: int | None = None,
    precision: float | None = None,
    seed: int | None = None,
    rules: str | None = None,
    workers: int | None = None,
    out: Folder | None = None,
    resume: bool = False,
    published: bool = False,
    progress: bool = False,
) -> "CitiesAnswer":
    """How strong each city is with each player of a ladder, as `khora cities` measures it.

    `strategies` are the ladder, weakest first. `published` plays nothing and gives the verdict that comes
    with khora.
    """
    if published:
        return published_cities(players)
    asked = {"strategies": strategies, "peers": peers, "players": players, "games": games}
    more = {"precision": precision, "seed": seed, "rules": rules}
    with announcing_waits(progress):
        return play_cities({**asked, **more}, workers, out, resume=resume, progress=progress)


def play_cities(
    asked: dict[str, Any],
    workers: int | None,
    out: Folder | None,
    *,
    resume: bool = False,
    progress: bool = False,
) -> "CitiesAnswer":
    """Play what is missing of an answer about cities; a folder keeps studies, the answer and pictures."""
    from tempfile import TemporaryDirectory

    from khora_sim.analyses.cities import played
    from khora_sim.analyses.cities_answer import write_answer
    from khora_sim.analyses.cities_folder import ANSWER, begin, plan_for, study_folder
    from khora_sim.pages.city_ladder_figure import write_figures
    from khora_sim.simulation.study_file import split_list

    folder = None if out is None else Path(out)
    lists = {"peers": tuple(split_list(asked["peers"] or ())), "players": _sizes(asked["players"])}
    plan = plan_for({**asked, **lists}, folder, resume=resume)
    with TemporaryDirectory(prefix="khora-cities-") as aside, display(progress) as shown:
        home = folder or Path(aside)
        begin(home, plan)
        answer = played(plan, lambda arm: study_folder(home, arm), workers, shown)
    if folder is not None:
        write_answer(folder / ANSWER, answer)
        write_figures(folder, answer)
    return answer


def published_cities(players: int | str | Sequence[int] | None = None) -> "CitiesAnswer":
    """The verdict on the cities that comes with khora, at all sizes of table or at some."""
    from khora_sim.pages.published_cities import published_at

    return published_at(_sizes(players))


def _sizes(players: int | str | Sequence[int] | None) -> tuple[int, ...]:
    """Sizes of table, of which the command line knows the text."""
    from khora_sim.simulation.study_file import split_list

    found = split_list(players or ())
    try:
        return tuple(int(one) for one in found)
    except ValueError:
        raise UserError(f"--players {players}: should be numbers, such as 4,3,2") from None
