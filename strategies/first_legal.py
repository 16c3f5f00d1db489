"""The first option of every list.

It never thinks and is never lucky: the same position gives the same move. Since options are listed in the
order of the rules, it plays low tiles, takes what it is offered and declines last, which is a plan of sorts.
"""

from khora_sim.strategy.toolkit import Traits, rule

TRAITS = Traits(
    name="first-legal",
    family="control",
    summary="Takes the first option it is offered.",
    deterministic=True,
    source="the usual null model",
)


@rule
def score(view, option):
    """All options are alike, and the first of equals is taken."""
    return 0.0
