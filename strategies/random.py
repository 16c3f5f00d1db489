"""Any legal option, each as likely as the others.

The zero of every scale: it knows nothing, so whatever cannot beat it by far has a flaw. All options are
alike to it, and its luck decides, which is drawn from the game's seed: the same seed is the same game.
"""

from khora_sim.strategy.toolkit import Traits

TRAITS = Traits(
    name="random",
    family="control",
    summary="Takes any legal option.",
    deterministic=False,
    source="the usual null model",
    indifferent=True,
)
