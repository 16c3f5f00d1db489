"""What the tests of the lab share: small studies, and folders compared byte by byte."""

import hashlib
from pathlib import Path
from typing import Any

from khora_sim.simulation.backend import backend_for
from khora_sim.simulation.experiment import Arm, plan_study
from khora_sim.simulation.run import Outcome, run_study
from khora_sim.simulation.study_file import study_of

SMALL: dict[str, Any] = {"games": 400, "strategies": "random,first-legal,idle,random", "seed": 7}


def plan_for(**asked: Any) -> Arm:
    """The plan of a small study, changed as asked."""
    return plan_study(study_of(SMALL | asked))


def run(folder: Path, workers: int = 1, backend: str = "auto", **asked: Any) -> Outcome:
    """Play a small study."""
    plan = plan_for(**asked)
    return run_study(plan, folder, backend_for(plan, workers, backend))


def contents(folder: Path) -> dict[str, str]:
    """The checksum of every file below a folder."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
