"""Answers as data: models whose JSON is an answer file."""

import math
from typing import Annotated, Any

import polars as pl
from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer

from khora_sim.rules import Rules
from khora_sim.stats import Estimate

UNKNOWN = {"value": math.nan, "low": -math.inf, "high": math.inf}  # JSON has none of these: they are null


def _from_json(found: Any) -> Any:
    if not isinstance(found, dict):
        return found
    return {name: UNKNOWN.get(name) if one is None else one for name, one in found.items()}


EstimateJson = Annotated[
    Estimate,
    BeforeValidator(_from_json),
    PlainSerializer(lambda one: one.data(), return_type=dict[str, Any]),
]
KnownNumber = Annotated[
    float, PlainSerializer(lambda one: one if math.isfinite(one) else None, return_type=float | None)
]


def _rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame for JSON, which has no infinity."""
    floats = [name for name, kind in frame.schema.items() if kind.is_float()]
    finite = [pl.when(pl.col(name).is_finite()).then(pl.col(name)).alias(name) for name in floats]
    return frame.with_columns(finite).to_dicts()


FrameJson = Annotated[pl.DataFrame, PlainSerializer(_rows, return_type=list[dict[str, Any]])]


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


RulesJson = Annotated[
    Rules, PlainSerializer(lambda rules: RulesPlayed.of(rules).data(), return_type=dict[str, str])
]


def estimate_columns(name: str, estimate: Estimate) -> dict[str, float]:
    """An estimate as columns of a frame."""
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
