"""A tuned strategy as a weights file."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from khora_sim.common.wording import listed
from khora_sim.common.writing import explain_write_errors, write_atomically
from khora_sim.strategy.contract import Strategy
from khora_sim.strategy.made import Made
from khora_sim.strategy.traits import strategy_name
from khora_sim.strategy.weight_layers import Layer

HEAD = '''text = """
{text}
"""

[traits]
name = {name}
family = "own"
summary = {summary}
deterministic = true
source = {source}
'''


def write_weights(path: Path, tuned: Strategy, made: Made) -> None:
    """Write a tuned strategy to a file; it is named after the file."""
    with explain_write_errors(path, "choose another --out"):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, weights_text(strategy_name(path), tuned, made).encode())


def weights_text(name: str, tuned: Strategy, made: Made) -> str:
    """The file of a tuned strategy."""
    step = made.steps[-1]
    start, *_ = [parent.rpartition(" ")[0] for parent in step.parents]
    against = listed(list(dict.fromkeys(one.against for one in made.strength)))
    text = (
        f"The evaluator with the weights of {start}, tuned against {against}.\n\n"
        "Its numbers were found by search and chosen by the games they won, so they explain nothing by\n"
        "themselves; the table [made] says how to find them again."
    )
    head = HEAD.format(
        text=text,
        name=_value(name),
        summary=_value(f"Weights tuned from {start}"[:100]),
        source=_value("CMA-ES on games against other strategies"),
    )
    return "\n".join([head, *(_table(_place(layer), layer.weights) for layer in tuned.layers), *_made(made)])


def _place(layer: Layer) -> str:
    """The table of a weights file in which a layer stands."""
    where = f"cities.{layer.city}" if layer.city else "weights"
    table = where if layer.players is None else f"players.{layer.players}.{where}"
    return table if layer.part is None else f"{table}.{layer.part}"


def _made(made: Made) -> Iterator[str]:
    for step in made.steps:
        yield _table("made.steps", step.model_dump(), several=True)
    for strength in made.strength:
        yield _table("made.strength", strength.model_dump(), several=True)


def _table(name: str, values: Mapping[str, Any], *, several: bool = False) -> str:
    head = f"[[{name}]]" if several else f"[{name}]"
    return "\n".join([head, *(f"{key} = {_value(value)}" for key, value in values.items()), ""])


def _value(value: Any) -> str:
    """A value as TOML; of texts JSON's spelling is also TOML's."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_value(one)}" for key, one in value.items()) + " }"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
