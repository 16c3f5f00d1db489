"""The folder of a sweep: what was asked for, sums of finished variants, and in the end the answer.

plan.json     the options, with the rules
sums/         the sums of every variant that is played, by stage; a sweep that was stopped goes on with them
answer.json   the answer, for scripts; a page, figures and tables beside it
"""

from pathlib import Path

from khora_sim import __version__
from khora_sim.questions.answer_folder import begin_asked
from khora_sim.questions.sweep import Plan
from khora_sim.rules import Rules

PLAN, SUMS = "plan.json", "sums"


def begin(out: Path, plan: Plan, base: Rules, *, resume: bool) -> Path:
    """Make a folder ready, or go on with the same sweep; gives the folder of sums."""
    played = {"khora": __version__, "rules": f"{base.hash} {base.version}"}
    begin_asked(out, PLAN, {**plan._asdict(), "rules_file": plan.rules, **played}, resume=resume)
    return out / SUMS
