"""One player against all others of a kind: an arm of rotation groups, and the share of games that it won."""

from khora_sim.simulation.arm import Arm
from khora_sim.simulation.plan import settled_plan
from khora_sim.simulation.study_file import study_of
from khora_sim.simulation.summing import Summing
from khora_sim.rules import Rules
from khora_sim.stats import Estimate, Sums, estimates, shares

SUMMING = Summing(("slot",))


def one_against(one: str, other: str, players: int, games: int, seed: int, rules: Rules) -> Arm:
    """An arm with the one in slot 1, moving around the table, and the other in all other seats."""
    table = (one, *[other] * (players - 1))
    asked = {"games": games, "players": players, "strategies": table, "seed": seed}
    return settled_plan(study_of(asked | {"lineup": "seats", "rotate": "strategies"}), rules)


def share_won(sums: Sums, players: int, slot: int = 1) -> Estimate:
    """The share of games won from a slot, as an opened study gives it for the same games."""
    table = shares(sums.only(slot=slot), ["slot"], "win_share", rows_per_group=players * players)
    return estimates(table)[0]
