"""Plays by what sage has taught it: a learned policy scores every option, and nothing is looked ahead.

A small net sees the position and what each option is and does: cards, developments, events and spaces by
their effects, so that it plays any variant. It was trained on decisions for which sage, a search with a
learned value, gave the win chance of every option. It plays nearly as well as sage at a small part of the
cost; `docs/players.md` shows how it was made.
"""

from khora_sim.strategy.toolkit import Traits, rate_by_policy, rule

TRAITS = Traits(
    name="adept",
    family="balanced",
    summary="Scores every option with a learned policy that imitates sage; no search.",
    deterministic=True,
    source="a policy net distilled from sage's search",
    learned_policy="adept.npz",
)


@rule
def rate(view, options, scores):
    """Rate all options by the learned policy."""
    rate_by_policy(view, options, scores)
