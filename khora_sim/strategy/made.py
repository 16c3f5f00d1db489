"""How a weights file was made, as the file says it itself: read, checked, shown, and otherwise ignored."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from khora_sim.common.checking import checked
from khora_sim.rules.terms import MAX_PLAYERS

Share = Annotated[float, Field(ge=0, le=1)]
Whole = Annotated[int, Field(ge=0)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Step(_Table):
    """One command that had a part in it."""

    command: str
    khora: str  # version
    rules: str  # hash
    parents: tuple[str, ...]  # what it started from, then whom it played against; each with its digest
    first_seed: Whole  # of training; every generation took the next one
    last_seed: Whole
    games: Whole  # of training
    generations: Whole  # of each stage
    chosen: Annotated[
        dict[str, Whole], Field(description="a table of whole numbers, the generation taken from each stage")
    ] = {}


class Strength(_Table):
    """What it won, one against all others of a kind, on seeds that had no part in making it."""

    players: Annotated[int, Field(ge=2, le=MAX_PLAYERS)]
    against: str
    won: Share
    low: Share  # of the 95 % interval
    high: Share
    games: Whole
    seed: Whole


class Made(_Table):
    """The table `[made]` of a weights file."""

    steps: tuple[Step, ...] = ()
    strength: tuple[Strength, ...] = ()

    def lines(self) -> list[str]:
        """For people."""
        made = [f"Made with: {step.command} ({step.games:,} games)" for step in self.steps]
        return made + [
            f"Measured: {one.won:.1%} ({one.low:.1%} to {one.high:.1%}) of {one.games:,} games won, "
            f"{one.players} players, all others {one.against}, seed {one.seed}"
            for one in self.strength
        ]


UNSAID = Made()  # of a file that says nothing of it


class _File(BaseModel):
    """A weights file as far as this module reads it, so that an error names the full key."""

    made: Made = UNSAID


def made_of(data: dict[str, Any], where: str) -> Made:
    """What a weights file says of how it was made."""
    return checked(_File, {"made": data.get("made", {})}, where).made
