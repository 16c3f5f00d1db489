"""The folder of a sweep or of a search for balance: what was asked for, sums of games, and the answer.

plan.json            the options, with the rules
sums/                the sums of everything that is played; what was stopped goes on with them
answer.json          the answer, for scripts; a page, figures and tables beside it
best.toml            of a sweep: the best value as a variant
proposal-2.toml      of a search for balance: the proposal with two changed numbers as a variant
"""

from pathlib import Path

from khora_sim import __version__
from khora_sim.analyses.answer_folder import begin_asked
from khora_sim.analyses.balance import Plan as BalancePlan
from khora_sim.analyses.sweep import Plan as SweepPlan
from khora_sim.rules import Rules

PLAN, SUMS = "plan.json", "sums"


def begin(out: Path, plan: SweepPlan | BalancePlan, base: Rules, *, resume: bool) -> Path:
    """Make a folder ready, or go on with the same question; gives the folder of sums."""
    played = {"khora": __version__, "rules": f"{base.hash} {base.version}"}
    begin_asked(out, PLAN, {**plan._asdict(), "rules_file": plan.rules, **played}, resume=resume)
    return out / SUMS
