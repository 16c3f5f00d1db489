"""How often a gate raises an alarm where there is nothing: same rules, same players, another seed.

    python -m tests.checks.false_alarms --gates 400

Writes a baseline and plays the same game against it with another seed, again and again, and counts the gates
that say anything but PASS; at most 5 of 100 should. Limits are set where the least and the most successful
city really are, as a long study finds them: at most 5 of 100 should then fail, the changes included. The
check fails beyond 8 %.
"""

import argparse
import sys

from khora_sim.analyses.analysis import Run
from khora_sim.analyses.gate.baseline import Plan, Played, baseline_of, played
from khora_sim.analyses.gate.verdict import Limits, Range, Word, compared
from khora_sim.simulation.run_dir import RunOptions

ALONE = Run(RunOptions(workers=1))
MOST = 0.08  # of the gates may raise an alarm


def one_gate(plan: Plan, seed: int, limits: Limits) -> list[Word]:
    """The verdicts, without limits and with them, on a game that differs from its baseline by luck alone."""
    first, second = (played(plan._replace(seed=own), ALONE) for own in (seed, seed + 1))
    return [compared(baseline_of(first), second, one).verdict for one in (Limits(), limits)]


def true_range(found: Played) -> Range:
    """The least and the largest share of a city."""
    shares = [one.value for (kind, _), one in found.shares().items() if kind == "city"]
    return Range(min(shares), max(shares))


def main() -> int:
    """Play, count, and say so; 1 where too many gates raise an alarm."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--gates", type=int, default=100, help="gates to play, of each kind (100)")
    options.add_argument("--games", type=int, default=280, help="of each baseline and gate (280)")
    options.add_argument("--strategies", default="random", help="who plays (random)")
    options.add_argument("--cards", action="store_true", help="judge the power of cards, too")
    options.add_argument("--seed", type=int, default=1, help="the first seed (1)")
    given = options.parse_args()
    plan = Plan(tuple(given.strategies.split(",")), games=given.games, cards=given.cards)
    limits = Limits(city_share=true_range(played(plan._replace(games=400 * given.games, cards=False), ALONE)))
    seeds = [given.seed + 2 * number for number in range(given.gates)]
    changed, limited = zip(*(one_gate(plan, seed, limits) for seed in seeds), strict=True)
    alarms = sum(word != Word.PASS for word in changed), sum(word == Word.FAIL for word in limited)
    print(f"{given.strategies}, {given.games} games: {alarms[0]} of {given.gates} gates warn or fail")
    print(f"with limits of {limits.city_share}: {alarms[1]} of {given.gates} gates fail")
    return int(max(alarms) > MOST * given.gates)


if __name__ == "__main__":
    sys.exit(main())
