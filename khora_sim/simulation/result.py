"""Answers as data: models whose JSON is an answer file."""

import math
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, PlainSerializer

from khora_sim.rules import Rules
from khora_sim.stats import Estimate

EstimateJson = Annotated[Estimate, PlainSerializer(lambda one: one.data(), return_type=dict[str, Any])]
KnownNumber = Annotated[
    float, PlainSerializer(lambda one: one if math.isfinite(one) else None, return_type=float | None)
]


class Result(BaseModel):
    """An answer; its JSON is the answer file."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    def data(self) -> dict[str, Any]:
        """The answer for a script."""
        return self.model_dump(mode="json")


class RulesPlayed(Result):
    """The game that was played."""

    name: str
    hash: str
    version: str

    @classmethod
    def of(cls, rules: Rules) -> "RulesPlayed":
        """The rules as an answer names them."""
        return cls(name=rules.name, hash=rules.hash, version=rules.version)
