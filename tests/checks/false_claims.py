"""How often a comparison claims something where there is nothing: same rules, same plan, other seeds.

    python -m tests.checks.false_claims --pages 200

Plays pairs of studies that differ in nothing but their seed, makes what a comparison page says (without its
pictures) and counts the pages that claim anything: a `p (Holm)` below 0.05, or a sentence that says that
something changes. Plans whose names begin with `what-if` are judged as `khora what-if` judges, both sides
with seeds of their own. At most 5 of 100 should. The check fails beyond 16 of 200 (8 %), which chance alone
exceeds in some 2 of 100 runs of a method that is right.
"""

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

from khora_sim.analyses.what_if.measure import PlayedSides, Rows, evaluate
from khora_sim.pages.comparison import NO_CHANGE, NO_CITY_SEEN
from khora_sim.pages.study_comparison import NO_COMMON_CITY, NO_GAME, StudyComparison, compare
from khora_sim.pages.study_data import load
from khora_sim.pages.wording import ALPHA, capital
from khora_sim.simulation.backend import backend_for
from khora_sim.simulation.experiment import Design, plan_study
from khora_sim.simulation.run import play, run_study
from khora_sim.simulation.study_file import study_of

NO_CLAIM = (NO_CHANGE, capital(f"{NO_CITY_SEEN}."), NO_COMMON_CITY, NO_GAME)
MOST = 16 / 200  # of the pages may claim something
WHAT_IF = "what-if"
PLANS = {
    "random": {"games": 400, "strategies": "random"},
    "all sets of cities": {"games": 420, "strategies": "random", "cities": "all"},
    "with rounds": {"games": 300, "strategies": "random", "rounds": True},
    "two strategies": {"games": 400, "strategies": "random,first-legal"},
    "three sizes of table": {"games": 600, "strategies": "random,idle", "players": "2,3,4"},
    "reroll without rotation": {"games": 300, "strategies": "random", "rotate": "none", "reroll": True},
    "few games": {"games": 40, "strategies": "random"},
    "archetypes": {"games": 400, "strategies": "merchant,patron", "lineup": "pool"},
    "steward": {"games": 200, "strategies": "steward"},
    f"{WHAT_IF}, random": {"games": 280, "strategies": "random", "cities": "all"},
    f"{WHAT_IF}, few games": {"games": 140, "strategies": "random", "cities": "all"},
    f"{WHAT_IF}, two strategies": {
        "games": 280,
        "strategies": "random,first-legal,random,first-legal",  # the same in each seat, whatever the seed
        "cities": "all",
    },
    f"{WHAT_IF}, three players": {"games": 315, "strategies": "random", "players": 3, "cities": "all"},
    f"{WHAT_IF}, merchant": {"games": 280, "strategies": "merchant", "cities": "all"},
}


def claims(found: StudyComparison) -> list[str]:
    """What a comparison claims: sentences that say that something changes, and tables with a p below 0.05."""
    said = (found.finding, *(one.lead for one in found.sections))
    told = [text for text in said if not any(silent in text for silent in NO_CLAIM)]
    for section in found.sections:
        for table in section.tables:
            sure = table.frame.filter(table.frame["p_holm"] < ALPHA)
            told += [f"{table.name}: p (Holm) {row['p_holm']:.3f}" for row in sure.to_dicts()]
    return told


def one_page(asked: dict, seed: int, folder: Path) -> list[str]:
    """Play two studies of one plan with different seeds; what their comparison claims."""
    for name, own in (("a", seed), ("b", seed + 1)):
        plan = plan_study(study_of(asked | {"seed": own}))
        run_study(plan, folder / name, backend_for(plan, 1))
    return claims(compare(load(folder / "a"), load(folder / "b")))


def what_if_claims(asked: dict, seed: int) -> list[str]:
    """What a what-if claims of two sides of the same rules that have seeds of their own."""
    sinks = []
    for own in (seed, seed + 1):
        sink = Rows(())
        design = Design((plan_study(study_of(asked | {"seed": own})),))
        play(design, sink, backend_for(design, 1))
        sinks.append(sink)
    one, two = sinks
    # A game has the same cities on both sides, in other seats.
    sides = PlayedSides(
        first=one.of(0), second=two.of(0), arms=(one.arms[0], two.arms[0]), city_keys=("game", "city")
    )
    found = evaluate(sides, ())
    told = [
        f"{name}: p (Holm) {p:.3f}"
        for name, table in found.tables.family.items()
        if len(table)
        for p in table["p_holm"]
        if p < ALPHA
    ]
    return told + ([f"fairness: p (Holm) {found.fairness_p:.3f}"] if found.fairer is not None else [])


def claims_of(name: str, seed: int) -> list[str]:
    """What a plan claims, by its name."""
    if name.startswith(WHAT_IF):
        return what_if_claims(PLANS[name], seed)
    with tempfile.TemporaryDirectory() as folder:
        return one_page(PLANS[name], seed, Path(folder))


def main() -> int:
    """Play, count, and say so; 1 where too many pages claim something."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--pages", type=int, default=18, help="pages to make (18)")
    options.add_argument("--seed", type=int, default=1, help="the first seed (1)")
    options.add_argument("--plans", help="only these, by name, with ; between: " + "; ".join(PLANS))
    given = options.parse_args()
    names = given.plans.split(";") if given.plans else list(PLANS)
    made, wrong = Counter[str](), Counter[str]()
    for page in range(given.pages):
        name = names[page % len(names)]
        told = claims_of(name, given.seed + 2 * page)
        made[name] += 1
        wrong[name] += bool(told)
        if told:
            print(f"page {page}, {name}: {'; '.join(told)}", flush=True)
    for name in made:
        print(f"{name:<24}{wrong[name]:>4} of {made[name]}")
    total = sum(wrong.values())
    print(f"{total} of {given.pages} pages claim something; at most {MOST:.0%} should")
    return int(total > MOST * given.pages)


if __name__ == "__main__":
    sys.exit(main())
