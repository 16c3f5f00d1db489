"""What a study will take, judged from a small sample of its games."""

import time
from typing import NamedTuple

from khora_sim.lab.chunk import place_of, play_into
from khora_sim.lab.crew import Crew
from khora_sim.lab.frames import frames, parquet
from khora_sim.lab.plan import Plan
from khora_sim.lab.seating import set_ups
from khora_sim.lab.sheets import Sheets

SAMPLE_SECONDS = 1.0
SAMPLE_GAMES = 4096


class Forecast(NamedTuple):
    """About how long and how big."""

    seconds: float
    bytes: int
    sampled: int  # games


def forecast(plan: Plan, crew: Crew) -> Forecast:
    """Play ever larger samples for a second or so, and scale up."""
    _, _, most = place_of(plan, 0)
    _sample(plan, 1)  # whatever has to be compiled first is
    groups = 1
    seconds, games, size = _sample(plan, groups)
    while groups < most and seconds < SAMPLE_SECONDS / 4 and games < SAMPLE_GAMES:
        groups = min(groups * 4, most)
        seconds, games, size = _sample(plan, groups)
    _, few, least = _sample(plan, 1)  # a part has a size of its own, however few its games
    each = (size - least) / (games - few) if games > few else size / games
    whole = plan.chunks * (least - few * each) + plan.games * each
    alone = seconds / games * plan.games
    return Forecast(alone / min(crew.workers, plan.chunks), round(whole), games)


def _sample(plan: Plan, groups: int) -> tuple[float, int, int]:
    """Seconds, games and bytes of the first groups of a study."""
    began = time.perf_counter()
    section = plan.sections[0]
    sheets = Sheets(plan, section, set_ups(plan, section, 0, groups), 0)
    play_into(sheets)
    size = sum(len(parquet(frame)) for frame in frames(sheets).values())
    return time.perf_counter() - began, len(sheets.set_ups), size
