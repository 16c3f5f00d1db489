"""`khora simulate` and `khora_sim.simulate`: play a study into a folder of Parquet files, and open it."""

import sys
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self

from pydantic import model_validator

from khora_sim.common import commands
from khora_sim.common.command_options import WORK, Command, Flag
from khora_sim.common.progress import Progress
from khora_sim.common.wording import counted, listed
from khora_sim.errors import UserError
from khora_sim.rules import Rules
from khora_sim.simulation.backend import Backend, backend_for
from khora_sim.simulation.experiment import Arm, in_words, plan_study, resolve_study
from khora_sim.simulation.manifest import NAME, Manifest, plan_of, read_manifest, with_strategies
from khora_sim.simulation.run import Forecast, Outcome, forecast, run_study
from khora_sim.simulation.run_dir import WorkerOptions
from khora_sim.simulation.study import OpenStudy, open_study
from khora_sim.simulation.study_file import WHO, Study, read_study, study_of

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


def plan_in_words(arm: Arm) -> str:
    """The games that will be played, in a few lines."""
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
    """Strategies and cities, from the plan of a study."""
    names = ", ".join(study.strategies)
    cities = study.cities
    shown = CITIES[cities] if isinstance(cities, str) else "cities by seat: " + ", ".join(cities)
    who = [LINEUPS[study.lineup].format(names=names)] if names else []
    who += [f"{city} is played by {spec}" for city, spec in study.by_city.items()]
    return f"{', '.join(who)}; {shown}"


def outcome_in_words(outcome: Outcome, folder: Path) -> str:
    """Games and time of a run."""
    if not outcome.played:
        return f"{folder} is complete: {outcome.games:,} games, nothing was left to play."
    speed = outcome.played / max(outcome.seconds, 1e-9)
    return (
        f"{outcome.played:,} games in {duration(outcome.seconds)}, {speed:,.0f} a second; "
        f"{outcome.games:,} games, {size(outcome.bytes)} in {folder}"
    )


def finished_in_words(manifest: Manifest) -> str:
    """The finished parts of a study."""
    parts = f"{len(manifest.parts)} of {manifest.chunks} parts"
    return f"{parts} ({manifest.finished_games:,} games) are finished"


def stopped_in_words(folder: Path) -> str:
    """The line to print when a run was stopped from outside."""
    manifest = read_manifest(folder)
    return (
        f"stopped; {finished_in_words(manifest)} and stay. "
        f"Go on with: {with_strategies(commands.resuming(folder), manifest.plan)}"
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


class SimulateOptions(Study, WorkerOptions):
    """What is finished stays, whatever happens; `--resume` continues."""

    study_file: Annotated[
        str | None,
        Flag(
            "A study file; options change what it says.", metavar="STUDY.toml", argument=True, planned=False
        ),
    ] = None
    out: Annotated[Path | None, Flag("A folder for the results.", metavar="DIR", planned=False)] = None
    resume: Annotated[
        bool, Flag("Continue the study in --out; name strategies that are not built in again.", WORK)
    ] = False
    dry_run: Annotated[bool, Flag("Print how many games, how long and how big, and play none.", WORK)] = False

    @model_validator(mode="after")
    def _someone_plays(self) -> Self:
        return self  # a study file or a folder may say who plays

    @property
    def given(self) -> dict[str, Any]:
        """The options of the study itself, as far as they were given."""
        return {name: getattr(self, name) for name in self.model_fields_set & Study.model_fields.keys()}


class Simulated(NamedTuple):
    """A study that was played, or only planned."""

    arm: Arm
    backend: Backend
    outcome: Outcome | Forecast  # a forecast where it was only planned
    out: Path = Path()


class Simulate(Command):
    """Plays studies."""

    Options = SimulateOptions

    def ask(self, given: dict[str, Any], progress: Progress) -> Simulated:
        """Check what is given, then play; the rules may be a `Rules` object from Python."""
        rules = given.get("rules")
        named = given if not isinstance(rules, Rules) else {**given, "rules": None}
        texts = {key: str(one) if isinstance(one, Path) else one for key, one in named.items()}
        options = SimulateOptions.of(texts)
        return self.make(options, progress, rules if isinstance(rules, Rules) else None)

    def make(self, options: SimulateOptions, progress: Progress, rules: Rules | None = None) -> Simulated:
        """Play what the folder still lacks of the study."""
        if options.out is None and not options.dry_run:
            raise UserError("say where the results go: --out DIR")
        arm = arm_of(options, rules)
        backend = backend_for(arm, options.workers, options.backend, options.scheduler)
        if options.out is None or options.dry_run:
            return Simulated(arm, backend, forecast(arm, backend))
        progress.line(plan_in_words(arm))
        outcome = run_study(arm, options.out, backend, resume=options.resume, progress=progress)
        return Simulated(arm, backend, outcome, options.out)

    def returned(self, result: Simulated) -> OpenStudy | Forecast:
        """The opened study; of a dry run, how long and how big."""
        return result.outcome if isinstance(result.outcome, Forecast) else open_study(result.out)

    def brief(self, result: Simulated, *, full: bool = False) -> list[str]:
        """Games and time of the run, or what it would take."""
        found = result.outcome
        if isinstance(found, Forecast):
            workers = counted(result.backend.workers, "worker")
            return [
                plan_in_words(result.arm),
                f"About {duration(found.seconds)} with {workers}, about {size(found.bytes)} "
                f"(judged from {found.sampled:,} games).",
            ]
        look = f"Look in with: {commands.showing_data(result.out)}"
        return [outcome_in_words(found, result.out), look]

    def data(self, result: Simulated) -> dict[str, Any]:
        """The same for a script."""
        arm, backend = result.arm, result.backend
        if isinstance(result.outcome, Forecast):
            return {
                "games": arm.games,
                "groups": arm.groups,
                "parts": arm.chunks,
                "plan": arm.study.model_dump(mode="json", exclude={"rules"}),
                "rules": {"name": arm.rules.name, "hash": arm.rules.hash},
                "rotation": in_words(arm.study),
                "workers": backend.workers,
                **result.outcome._asdict(),
            }
        numbers = {"out": str(result.out), **result.outcome._asdict(), "workers": backend.workers}
        return numbers | {"backend": backend.kind, "peak_megabytes": peak_megabytes()}

    def stopped(self, given: dict[str, Any]) -> str:
        """The parts that stay when it was stopped."""
        out = Path(given.get("out") or "")
        return stopped_in_words(out) if (out / NAME).exists() else "stopped; nothing was played"


def arm_of(options: SimulateOptions, rules: Rules | None = None) -> Arm:
    """The study that the options describe, or that of a folder that is resumed."""
    given, out = options.given, options.out
    if options.study_file is not None:
        study = read_study(options.study_file, **given)
    elif (  # the folder says everything, but strategies that are not built in are named again
        options.resume
        and rules is None
        and out is not None
        and (not given or (given.keys() <= WHO and (out / NAME).exists()))
    ):
        return plan_of(out, read_manifest(out), given, commands.resuming(out))
    else:
        study = study_of(given)
    return plan_study(study) if rules is None else resolve_study(study, rules)


COMMAND = Simulate()


def forecast_study(study_file: str | Path | None = None, **given: Any) -> Forecast:
    """About how long a study takes (`seconds`) and how big it is (`bytes`), as `khora simulate --dry-run`."""
    played = COMMAND.ask({"study_file": study_file, **given, "dry_run": True}, Progress())
    assert isinstance(played.outcome, Forecast)
    return played.outcome
