"""What a strategy's file declares of itself, and what is refused."""

from dataclasses import dataclass
from pathlib import Path

from khora_sim.errors import UserError, nearest

#: The families a strategy may declare.
FAMILIES = ("control", "archetype", "balanced", "specialist", "example", "wrapper", "own")
SUMMARY_LENGTH = 100
MAX_MEMORY = 1_000_000
MAX_SPARES = 10_000


@dataclass(frozen=True)
class Traits:
    """What a plug-in declares of itself."""

    name: str  # the file's name, with - for _
    family: str  # one of FAMILIES
    summary: str  # one line
    deterministic: bool  # equal ratings: True takes the first of them, False lets the player's luck decide
    source: str  # where the idea comes from
    memory: int = 0  # numbers that it keeps from one decision to the next of a game
    spares: int = 9  # games beside the one at hand, for looking ahead
    policies: tuple[str, ...] = ()  # other strategies that it asks, by name or path
    learned: str = ""  # the file of its learned value, beside its own


def strategy_name(path: Path) -> str:
    """The name of the strategy in a file: `first_legal.py` holds `first-legal`."""
    return path.stem.replace("_", "-")


def check_traits(traits: Traits, path: Path) -> None:
    """Refuse traits that say nothing or the wrong thing."""
    for one in ("name", "family", "summary", "source"):
        value = getattr(traits, one)
        if not isinstance(value, str) or not value.strip():
            raise UserError(f"{path.name}: trait {one} should be a text that is not empty")
    if traits.name != strategy_name(path):
        raise UserError(
            f"{path.name}: trait name is {traits.name!r}; by its file it is {strategy_name(path)!r}"
        )
    if traits.family not in FAMILIES:
        raise UserError(
            f"{path.name}: there is no family {traits.family!r}; {nearest(traits.family, FAMILIES)}"
        )
    if "\n" in traits.summary or len(traits.summary) > SUMMARY_LENGTH:
        raise UserError(
            f"{path.name}: trait summary should be one line of at most {SUMMARY_LENGTH} characters"
        )
    if not isinstance(traits.deterministic, bool):
        raise UserError(f"{path.name}: trait deterministic should be True or False")
    for one, most in (("memory", MAX_MEMORY), ("spares", MAX_SPARES)):
        value = getattr(traits, one)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
            raise UserError(
                f"{path.name}: trait {one} is {value!r}; it should be a whole number, 0 to {most:,}"
            )
    if not isinstance(traits.learned, str):
        raise UserError(f'{path.name}: trait learned should be the name of a file: learned="sage.npz"')
    policies = traits.policies
    if not isinstance(policies, (tuple, list)) or not all(isinstance(one, str) and one for one in policies):
        raise UserError(f'{path.name}: trait policies should be names of strategies: policies=("steward",)')
