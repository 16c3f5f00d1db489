"""`khora simulate` and `khora_sim.simulate`: play a study into a folder of Parquet files, and open it."""

from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self

from pydantic import model_validator

from khora_sim.common import commands
from khora_sim.common.command_options import WORK, Command, Flag
from khora_sim.common.progress import Progress
from khora_sim.errors import UserError
from khora_sim.rules import Rules
from khora_sim.simulation import study_words
from khora_sim.simulation.backend import Backend, backend_for
from khora_sim.simulation.experiment import Arm, plan_study, settled_plan
from khora_sim.simulation.manifest import NAME, plan_of, read_manifest
from khora_sim.simulation.run import Forecast, Outcome, forecast, run_study
from khora_sim.simulation.run_options import WorkerOptions
from khora_sim.simulation.study import OpenStudy, open_study
from khora_sim.simulation.study_file import Study, read_study, study_of

WHO = {"strategies", "by_city"}  # options that name who plays


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
        bool,
        Flag(
            "Continue the study in --out; name strategies that are not built in again.", WORK, planned=False
        ),
    ] = False
    dry_run: Annotated[
        bool, Flag("Print how many games, how long and how big, and play none.", WORK, planned=False)
    ] = False

    @model_validator(mode="after")
    def _someone_plays(self) -> Self:
        return self  # a study file or a folder may say who plays

    @property
    def asked(self) -> dict[str, Any]:
        """What is asked of the study itself, as far as it was given."""
        return {name: getattr(self, name) for name in self.model_fields_set & Study.model_fields.keys()}


class Simulated(NamedTuple):
    """A study that was played, or only planned."""

    arm: Arm
    backend: Backend
    out: Path | None
    outcome: Outcome | None = None
    forecast: Forecast | None = None


class Simulate(Command):
    """Plays studies."""

    Options = SimulateOptions

    def ask(self, given: dict[str, Any], progress: Progress) -> Simulated:
        """Check what is given, then play; the rules may be a `Rules` object from Python."""
        rules = given.get("rules")
        named = given if not isinstance(rules, Rules) else {**given, "rules": None}
        options = SimulateOptions.of({key: _text(value) for key, value in named.items()})
        return self.make(options, progress, rules if isinstance(rules, Rules) else None)

    def make(self, options: SimulateOptions, progress: Progress, rules: Rules | None = None) -> Simulated:
        """Play what the folder still lacks of the study."""
        if options.out is None and not options.dry_run:
            raise UserError("say where the results go: --out DIR")
        arm = arm_of(options, rules)
        backend = backend_for(arm, options.workers, options.backend, options.scheduler)
        if options.out is None or options.dry_run:
            return Simulated(arm, backend, options.out, forecast=forecast(arm, backend))
        progress.line(study_words.plan_in_words(arm))
        outcome = run_study(arm, options.out, backend, resume=options.resume, progress=progress)
        return Simulated(arm, backend, options.out, outcome)

    def returned(self, result: Simulated) -> OpenStudy | Forecast:
        """The opened study; of a dry run, how long and how big."""
        if result.outcome is None:
            assert result.forecast is not None
            return result.forecast
        assert result.out is not None
        return open_study(result.out)

    def brief(self, result: Simulated, *, full: bool = False) -> list[str]:
        """What came of it, or what it would take."""
        if result.forecast is not None:
            expected = study_words.forecast_in_words(result.forecast, result.backend.workers)
            return [study_words.plan_in_words(result.arm), expected]
        assert result.outcome is not None
        assert result.out is not None
        look = f"Look in with: {commands.showing_data(result.out)}"
        return [study_words.outcome_in_words(result.outcome, result.out), look]

    def data(self, result: Simulated) -> dict[str, Any]:
        """The same for a script."""
        if result.forecast is not None:
            plan = study_words.plan_data(result.arm)
            return plan | {"workers": result.backend.workers, **result.forecast._asdict()}
        assert result.outcome is not None
        return {"out": str(result.out), **study_words.outcome_data(result.outcome)}

    def stopped(self, given: dict[str, Any]) -> str:
        """What stays when it was stopped."""
        out = Path(given.get("out") or "")
        return study_words.stopped_in_words(out) if (out / NAME).exists() else "stopped; nothing was played"


def _text(value: Any) -> Any:
    return str(value) if isinstance(value, Path) else value


def arm_of(options: SimulateOptions, rules: Rules | None = None) -> Arm:
    """The study as it is asked for, or that of a folder that is resumed."""
    asked, out = options.asked, options.out
    if options.study_file is not None:
        study = read_study(options.study_file, **asked)
    elif options.resume and rules is None and _is_known_by_its_folder(asked, out):
        assert out is not None
        return plan_of(out, read_manifest(out), asked, commands.resuming(out))
    elif asked.keys() & WHO:
        study = study_of(asked)
    else:
        raise UserError(f"say who plays: --strategies NAME,… ({commands.listing_strategies()} shows them)")
    return plan_study(study) if rules is None else settled_plan(study, rules)


def _is_known_by_its_folder(asked: dict[str, Any], out: Path | None) -> bool:
    """Whether nothing is asked beyond what the folder of a study says, but its strategies named again."""
    return out is not None and (not asked or (asked.keys() <= WHO and (out / NAME).exists()))


COMMAND = Simulate()


def forecast_study(study_file: str | Path | None = None, **asked: Any) -> Forecast:
    """About how long a study takes (`seconds`) and how big it is (`bytes`), as `khora simulate --dry-run`."""
    played = COMMAND.ask({"study_file": study_file, **asked, "dry_run": True}, Progress())
    assert played.forecast is not None
    return played.forecast
