"""Any legal option, each as likely as the others.

The zero of every scale: it knows nothing, so whatever cannot beat it by far has a flaw. It rates all options
alike and leaves the choice to its luck, which is drawn from the game's seed: the same seed is the same game.
"""

from khora_sim.strategy.toolkit import Traits, rule

TRAITS = Traits(
    name="random",
    family="control",
    summary="Takes any legal option.",
    deterministic=False,
    source="the usual null model",
)


@rule
def score(view, option):
    """All options are alike."""
    return 0.0
