"""A learned policy: weights by what things do, their origin, and the nets they become for some rules.

Its file is like that of a learned value (`value.py`): NumPy arrays, the origin as JSON, and no code.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from khora_sim.common.commands import learning
from khora_sim.rules import Rules
from khora_sim.rules.terms import MAX_SPACES
from khora_sim.strategy.learned.facts import (
    EVENT_LENGTH,
    SOURCE_LENGTH,
    SPACE_NEEDS,
    card_vectors,
    development_vectors,
    event_vectors,
)
from khora_sim.strategy.learned.files import Learned, LearnedFile, Weights, read_weights, write_weights
from khora_sim.strategy.learned.policy_net import FIRST, GROUPS, POLICY_NET, SECOND
from khora_sim.strategy.learned.sight import OPTION, STATE, TASKS, columns_of

#: What describes a space: that it is one, troops, tokens and gains, then some of these by the troops needed.
SPACE_LENGTH = 12 + 3 * len(SPACE_NEEDS)
#: How many numbers describe each kind of thing.
LENGTHS = {
    "cards": SOURCE_LENGTH,
    "developments": SOURCE_LENGTH,
    "events": EVENT_LENGTH,
    "spaces": SPACE_LENGTH,
}
#: Columns of things that are known by what they do: the weights that they share, and what they are.
STATE_THINGS = {
    "in_play": ("in_force", "cards"),
    "in_play_by_round": ("in_force_by_round", "cards"),
    "in_hand": ("in_hand", "cards"),
    "in_hand_by_round": ("in_hand_by_round", "cards"),
    "ready": ("ready", "cards"),
    "unlocked": ("in_force", "developments"),
    "unlocked_by_round": ("in_force_by_round", "developments"),
    "next": ("next", "developments"),
    "next_by_round": ("next_by_round", "developments"),
    "next_ready": ("next_ready", "developments"),
    "later": ("later", "developments"),
    "later_by_round": ("later_by_round", "developments"),
    "event": ("event", "events"),
    "space": ("space", "spaces"),
}
OPTION_THINGS = {
    "picked": ("picked", "cards"),
    "picked_ready": ("picked_ready", "cards"),
    "kept": ("kept", "cards"),
    "kept_by_round": ("kept_by_round", "cards"),
    "kept_ready": ("kept_ready", "cards"),
    "played": ("put_in_force", "cards"),
    "played_by_round": ("put_in_force_by_round", "cards"),
    "discarded": ("discarded", "cards"),
    "discarded_by_round": ("discarded_by_round", "cards"),
    "discarded_ready": ("discarded_ready", "cards"),
    "taken_back": ("taken_back", "cards"),
    "taken_back_by_round": ("taken_back_by_round", "cards"),
    "developed": ("put_in_force", "developments"),
    "developed_by_round": ("put_in_force_by_round", "developments"),
    "explored": ("explored", "spaces"),
}


def _plain_columns(kind: np.dtype, things: dict[str, tuple[str, str]]) -> np.ndarray:
    """The columns that have weights of their own."""
    spans = [columns_of(kind, name) for name in kind.names or () if name not in things]
    return np.concatenate([np.arange(one.start, one.stop) for one in spans])


PLAIN_STATE, PLAIN_OPTION = _plain_columns(STATE, STATE_THINGS), _plain_columns(OPTION, OPTION_THINGS)
#: The parts of a net that are learned, with their shapes.
SHAPES: dict[str, tuple[int, ...]] = {
    "bias": (FIRST,),
    "state": (len(PLAIN_STATE), FIRST),
    **{name: (LENGTHS[kind], FIRST) for name, kind in STATE_THINGS.values()},
    "second": (len(GROUPS), FIRST, SECOND),
    "second_bias": (TASKS, SECOND),
    "option": (len(PLAIN_OPTION), SECOND),
    **{name: (LENGTHS[kind], SECOND) for name, kind in OPTION_THINGS.values()},
    "out": (TASKS, SECOND),
}


def space_vectors(rules: Rules) -> np.ndarray:
    """The spaces of the rules, a row each."""
    rows = np.zeros((MAX_SPACES, SPACE_LENGTH), np.float32)
    for number in range(int(rules.tables["space_count"])):
        space = rules.tables["spaces"][number]
        minor, major = (np.asarray(space[name], np.float32) for name in ("minor", "major"))
        gains = [1, space["needed"], space["lost"], *minor, *major, space["drachmas"], space["vp"]]
        rows[number, : len(gains)] = gains
        rows[number, len(gains)] = number == rules.tables["persepolis"]
        bin_ = int(np.searchsorted(SPACE_NEEDS, space["needed"]))
        if bin_ < len(SPACE_NEEDS):
            rows[number, 12 + 3 * bin_ : 15 + 3 * bin_] = (1, minor.sum(), major.sum())
    return rows


@dataclass(frozen=True)
class Things:
    """The things of some rules as rows of what they do: by this a policy knows them."""

    described: dict[str, np.ndarray]

    def rows(self, weights: Weights, kind: np.dtype, things: dict[str, tuple[str, str]]) -> np.ndarray:
        """The rows of all columns, from weights of plain columns and of what things do."""
        plain, name = (PLAIN_STATE, "state") if kind is STATE else (PLAIN_OPTION, "option")
        rows = np.zeros((kind.itemsize // 4, weights[name].shape[1]), np.float32)
        rows[plain] = weights[name]
        for field, (shared, of) in things.items():
            rows[columns_of(kind, field)] = self.described[of] @ weights[shared]
        return rows

    def gradients(self, rows: np.ndarray, kind: np.dtype, things: dict[str, tuple[str, str]]) -> Weights:
        """The gradients of weights, from those of the rows of all columns."""
        plain, name = (PLAIN_STATE, "state") if kind is STATE else (PLAIN_OPTION, "option")
        found: Weights = {name: rows[plain]}
        for field, (shared, of) in things.items():
            part = self.described[of].T @ rows[columns_of(kind, field)]
            found[shared] = found[shared] + part if shared in found else part
        return found


def things_of(rules: Rules) -> Things:
    """The things of some rules, described."""
    return Things(
        {
            "cards": card_vectors(rules),
            "developments": development_vectors(rules).reshape(-1, SOURCE_LENGTH),
            "events": event_vectors(rules),
            "spaces": space_vectors(rules),
        }
    )


class LearnedPolicy(Learned):
    """A learned policy: how good options are."""

    def prepare(self, weights: list[Weights], rules: Rules) -> np.recarray:
        """Work out the nets for some rules."""
        things = things_of(rules)
        nets = np.zeros(len(weights), POLICY_NET).view(np.recarray)
        for net, one in zip(nets, weights, strict=True):
            net["state"] = things.rows(one, STATE, STATE_THINGS)
            net["option"] = things.rows(one, OPTION, OPTION_THINGS)
            for name in ("bias", "second", "second_bias", "out"):
                net[name] = one[name]
        return nets


FILE = LearnedFile("a learned policy", SHAPES, learning("policy.npz", {"policy": True}))


def write_policy(policy: LearnedPolicy, path: Path) -> None:
    """Write a learned policy to a file."""
    write_weights(FILE, policy.weights, policy.origin, path)


def read_policy(path: Path) -> LearnedPolicy:
    """A learned policy from a file; one that is damaged or of another kind is refused."""
    return LearnedPolicy(*read_weights(FILE, path))
