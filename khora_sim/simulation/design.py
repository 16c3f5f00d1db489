"""A design: arms times rotation groups. A group meets the same luck in every arm."""

from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from khora_sim.simulation.arm import Arm


class Place(NamedTuple):
    """Where a chunk lies in a design."""

    arm: int
    number: int  # of the chunk in its arm


@dataclass(frozen=True)
class Design:
    """The arms of a question, all played with one seed."""

    arms: tuple[Arm, ...]

    def __post_init__(self) -> None:
        if len({arm.study.seed for arm in self.arms}) != 1:
            raise ValueError("the arms of a design should have one seed, which is their luck")

    @property
    def games(self) -> int:
        """Games of all arms."""
        return sum(arm.games for arm in self.arms)

    @property
    def compiled(self) -> bool:
        """Whether every strategy is machine code, so that threads can share the work."""
        return all(arm.compiled for arm in self.arms)

    def rows(self) -> list[list[Place]]:
        """All chunks in the order in which they are played: the first of every arm, then the second.

        After a row every arm has played equally far, and arms can be compared.
        """
        columns = [[Place(one, number) for number in range(arm.chunks)] for one, arm in enumerate(self.arms)]
        return [[place for place in row if place is not None] for row in zip_longest(*columns)]
