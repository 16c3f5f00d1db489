"""Conformance of strategies."""

from typing import TYPE_CHECKING

from khora_sim.progress_display import announcing_waits

if TYPE_CHECKING:
    from khora_sim.analyses.check import Verdict


def check_strategy(strategy: str) -> "list[Verdict]":
    """Run the conformance suite on a strategy: what each line claims, and its `problem`, or None."""
    from khora_sim.analyses.check import check_strategy

    with announcing_waits(False):
        return list(check_strategy(strategy))
