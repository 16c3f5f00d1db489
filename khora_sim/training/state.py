"""The state of a tuning that is not finished: what every generation scored, in a file beside the result."""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from khora_sim.common.checking import checked
from khora_sim.common.user_files import read_json
from khora_sim.common.writing import explain_write_errors, write_atomically
from khora_sim.errors import UserError

Score = Annotated[float, Field(ge=-2, le=2)]
Scores = Annotated[tuple[Score, ...], Field(min_length=2)]


class Progress(BaseModel):
    """How far a stage has come."""

    model_config = ConfigDict(extra="forbid")

    scores: Annotated[list[Scores], Field(description="lists of scores, one for each generation")] = []
    start: Annotated[int, Field(ge=0)] | None = None  # which of several starts it has taken
    chosen: Annotated[int, Field(ge=0)] | None = None  # the generation whose mean is taken


class State(BaseModel):
    """What has been done of a tuning."""

    model_config = ConfigDict(extra="forbid")

    asked: str  # a hash of all that decides the result
    generations: Annotated[int, Field(ge=1)] | None = None  # of each stage, once it is known
    seconds: Annotated[float, Field(ge=0)] = 0.0  # that the first stage has taken
    stages: Annotated[dict[str, Progress], Field(description="a table of stages with their scores")] = {}


def state_path(out: Path) -> Path:
    """Where the state of a tuning lies."""
    return out.with_name(f"{out.stem}.tuning.json")


def write_state(path: Path, state: State) -> None:
    """Write the state whole."""
    with explain_write_errors(path, "choose another --out"):
        write_atomically(path, state.model_dump_json().encode())


def read_state(path: Path, asked: str, population: int) -> State:
    """The state of a tuning that goes on, if it is the same tuning and makes sense."""
    state = checked(State, read_json(path, "the state of a tuning"), str(path))
    if state.asked != asked:
        raise UserError(
            f"{path}: belongs to a tuning with other options, rules or players; "
            "ask for the same again, or choose another --out"
        )
    for key, progress in state.stages.items():
        if any(len(scores) != population for scores in progress.scores):
            raise UserError(f"{path}: stages.{key}.scores: expected {population} in each generation")
        if (progress.chosen or 0) > len(progress.scores):
            raise UserError(f"{path}: stages.{key}.chosen: expected at most {len(progress.scores)}")
    return state
