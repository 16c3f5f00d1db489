"""Whatever is written in a variant, the answer is a game or a clear error, never a traceback."""

import random
from typing import Any

import pytest

from khora_sim.common.files import parse_toml
from khora_sim.errors import UserError
from khora_sim.rules.describe import toml_text
from khora_sim.rules.variant import base_data, checked_game, lay_over
from tests.rules.random_variants import random_variant

JUNK = [0, -1, 1, 99, 10**30, 1.5, True, "", "trade", "x\ny", [], [1], ["a"], {}, {"a": 1}, [{}], {"vp": {}}]
KEYS = ["1", "vp", "on", "if", "name", "cards", "effects", "gain", "x" * 50, "lowest", "per"]


def mangle(value: Any, luck: random.Random) -> Any:
    """The data with something in it replaced, dropped or put in that does not belong there."""
    if isinstance(value, dict) and value and luck.random() < 0.9:
        key = luck.choice(list(value))
        what = luck.random()
        if what < 0.05:
            return {inner: entry for inner, entry in value.items() if inner != key}
        if what < 0.1:
            return value | {luck.choice(KEYS): luck.choice(JUNK)}
        return value | {key: mangle(value[key], luck)}
    if isinstance(value, list) and value and luck.random() < 0.9:
        place = luck.randrange(len(value))
        return [*value[:place], mangle(value[place], luck), *value[place + 1 :]]
    return luck.choice(JUNK)


def refusal(data: Any) -> list[str]:
    """The lines of the error that a variant's data or text gives; none if it can be played."""
    try:
        variant = parse_toml(data, "v.toml") if isinstance(data, str) else data
        checked_game(lay_over(base_data(), variant, "v.toml"), "v.toml")
    except UserError as error:
        return str(error).splitlines()
    return []


@pytest.mark.parametrize("seed", range(60))
def test_mangled_data_is_played_or_refused_line_by_line(seed):
    luck = random.Random(seed)
    data = random_variant(seed % 10)
    for _ in range(luck.randint(1, 4)):
        mangled = mangle(data, luck)
        data = mangled if isinstance(mangled, dict) else data
    assert all(line.startswith("v.toml: ") and len(line) > 12 for line in refusal(data))


@pytest.mark.parametrize("seed", range(60))
def test_mangled_text_is_played_or_refused(seed):
    luck = random.Random(seed)
    text = list(toml_text({"cards": dict(list(base_data()["cards"].items())[:3])}))
    for _ in range(3):
        text[luck.randrange(len(text))] = luck.choice('\0\n"[]{}=.#ü9 \\')
    assert all(line.startswith("v.toml: ") for line in refusal("".join(text)))
