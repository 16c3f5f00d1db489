"""A study in words: what is planned, what it will take, what came of it."""

import sys
from pathlib import Path
from typing import Any

from khora_sim.common.commands import resuming
from khora_sim.common.wording import counted, listed
from khora_sim.simulation.experiment import Arm, in_words
from khora_sim.simulation.manifest import Manifest, read_manifest, with_strategies
from khora_sim.simulation.run import Forecast, Outcome
from khora_sim.simulation.study_file import Study


def peak_megabytes() -> float | None:
    """Peak memory of this process alone; None where the system does not tell."""
    status = Path("/proc/self/status")
    if status.exists():  # getrusage also counts what the parent held when it forked
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    try:
        import resource
    except ImportError:
        return None
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


# A study in words: what is planned, what it will take, what came of it.


LINEUPS = {
    "same": "everyone plays {names}",
    "seats": "one strategy per seat: {names}",
    "pool": "drawn for each group from {names}",
    "combinations": "every line-up in turn of {names}",
}
CITIES = {
    "random": "random cities",
    "all": "all sets of cities in turn",
    "seatings": "all seatings of cities in turn",
}


def plan_in_words(arm: Arm) -> str:
    """What will be played, in a few lines."""
    study = arm.study
    more = f" ({study.games:,} asked for, rounded up to whole turns)" if arm.games != study.games else ""
    tables = listed([f"{section.games:,} with {section.players} players" for section in arm.sections])
    rules = arm.rules.name if arm.rules.name == "base" else f"{arm.rules.name} ({arm.rules.short_hash})"
    return "\n".join(
        [
            f"{arm.games:,} games{more}, {arm.groups:,} rotation groups: {tables}",
            f"{lineup_in_words(study)}; rules {rules}; seed {study.seed}",
            f"Rotation: {in_words(study)}.",
        ]
    )


def lineup_in_words(study: Study) -> str:
    """Who plays what, from the plan of a study."""
    names = ", ".join(study.strategies)
    cities = study.cities
    shown = CITIES[cities] if isinstance(cities, str) else "cities by seat: " + ", ".join(cities)
    who = [LINEUPS[study.lineup].format(names=names)] if names else []
    who += [f"{city} is played by {spec}" for city, spec in study.by_city.items()]
    return f"{', '.join(who)}; {shown}"


def plan_data(arm: Arm) -> dict[str, Any]:
    """The same for a script."""
    return {
        "games": arm.games,
        "groups": arm.groups,
        "parts": arm.chunks,
        "plan": arm.study.model_dump(mode="json", exclude={"rules"}),
        "rules": {"name": arm.rules.name, "hash": arm.rules.hash},
        "rotation": in_words(arm.study),
    }


def forecast_in_words(forecast: Forecast, workers: int) -> str:
    """How long and how big, about."""
    return (
        f"About {duration(forecast.seconds)} with {counted(workers, 'worker')}, about {size(forecast.bytes)}"
        f" (judged from {forecast.sampled:,} games)."
    )


def outcome_in_words(outcome: Outcome, folder: Path) -> str:
    """What came of a run."""
    if not outcome.played:
        return f"{folder} is complete: {outcome.games:,} games, nothing was left to play."
    speed = outcome.played / max(outcome.seconds, 1e-9)
    return (
        f"{outcome.played:,} games in {duration(outcome.seconds)}, {speed:,.0f} a second; "
        f"{outcome.games:,} games, {size(outcome.bytes)} in {folder}"
    )


def outcome_data(outcome: Outcome) -> dict[str, Any]:
    """The same for a script."""
    numbers = outcome._asdict()
    backend = numbers.pop("backend")
    return numbers | {"workers": backend.workers, "backend": backend.kind, "peak_megabytes": peak_megabytes()}


def finished_in_words(manifest: Manifest) -> str:
    """How much of a study is there."""
    parts = f"{len(manifest.parts)} of {manifest.chunks} parts"
    return f"{parts} ({manifest.finished_games:,} games) are finished"


def stopped_in_words(folder: Path) -> str:
    """What to say when a run was stopped from outside."""
    manifest = read_manifest(folder)
    return (
        f"stopped; {finished_in_words(manifest)} and stay. "
        f"Go on with: {with_strategies(resuming(folder), manifest.plan)}"
    )


def duration(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def size(count: float) -> str:
    """Bytes as people say them."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            return f"{count:.0f} {unit}" if count >= 10 or unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    raise AssertionError
