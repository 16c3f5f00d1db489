"""From a baseline and the present game to a word for every city, seat and card.

With the seed of the baseline both met the same luck, and are paired by bundle of rotation groups; otherwise
they are compared as two studies with luck of their own.
"""

from collections.abc import Callable, Iterator

from khora_sim import __version__
from khora_sim.analyses.baseline import WIN, Baseline, tallies
from khora_sim.analyses.gate import Played, check_same_table, strategies_of
from khora_sim.analyses.gate_answer import Gate, Row
from khora_sim.analyses.gate_cards import card_rows
from khora_sim.analyses.gate_verdict import Limits, joint_level, judged
from khora_sim.simulation.result import RulesPlayed
from khora_sim.stats import Estimate
from khora_sim.stats.paired import share_change, share_difference


def compared(baseline: Baseline, now: Played, limits: Limits) -> Gate:
    """The present game against a baseline."""
    check_same_table(baseline, now.players)
    before, cards = (baseline.cards or {}, now.cards or {})
    changes = sum(key in baseline.items for key in now.items) + sum(card in before for card in cards)
    intervals = changes + sum(limits.of(kind) is not None for kind, _ in now.items)
    level, same_plan = joint_level(intervals), _same_plan(baseline, now)
    rows = [*_rows(baseline, now, limits, level)]
    if now.cards is not None:
        units = min(len(baseline.units.unit), len(now.sums.units))
        rows += card_rows(before, cards, limits.change, level, units, same_plan)
    return Gate(
        khora=__version__,
        baseline=baseline,
        rules=RulesPlayed.of(now.arm.rules),
        strategies=strategies_of(now.arm),
        players=now.players,
        seed=now.arm.study.seed,
        games=now.games,
        limits=limits,
        same_luck=same_luck(baseline, now),
        same_plan=same_plan,
        level=level,
        intervals=intervals,
        rows=tuple(rows),
    )


def same_luck(baseline: Baseline, now: Played) -> bool:
    """Whether every rotation group met the luck that it met for the baseline."""
    study = now.arm.study
    return (
        baseline.seed == study.seed
        and list(baseline.cities) == now.arm.rules.city_ids
        and len(baseline.names) == len(study.strategies)
        and (len(set(baseline.names)) > 1) == (len(set(study.strategies)) > 1)  # what moves around the table
        and baseline.unit_table.equals(now.sums.units)
    )


def _same_plan(baseline: Baseline, now: Played) -> bool:
    rules = RulesPlayed.of(now.arm.rules)
    same_rules = (baseline.rules.hash, baseline.rules.version) == (rules.hash, rules.version)
    return same_rules and baseline.strategies == strategies_of(now.arm) and same_luck(baseline, now)


def _rows(baseline: Baseline, now: Played, limits: Limits, level: float) -> Iterator[Row]:
    """Everything that is in the game, then what was in the baseline only."""
    change_of = _changes(baseline, now, level)
    known, joint = now.shares(), now.shares(level)
    for item, name in now.items.items():
        old = baseline.items.get(item)
        change = None if old is None else change_of(*item)
        finding = judged(change, limits.change, joint[item], limits.of(item[0]))
        before = None if old is None else old.estimate
        yield Row(*item, name, before, known[item], change, finding)
    for item, old in baseline.items.items():
        if item not in now.items:
            finding = judged(None, limits.change, None, None)
            yield Row(*item, old.name, old.estimate, None, None, finding)


def _changes(baseline: Baseline, now: Played, level: float) -> Callable[[str, str], Estimate]:
    """How far the share of a city or a seat moved from the baseline."""
    rows = now.arm.sections[0].group_size
    paired, same = same_luck(baseline, now), _same_plan(baseline, now)

    def change(kind: str, id: str) -> Estimate:
        first, second = baseline.sums(kind, id), now.of(kind, id)
        before, after = tallies(first), tallies(second)
        if same and before == after:
            return Estimate(0.0, 0.0, 0.0, first.rows)  # the same games: there is nothing that was not seen
        pairs = paired and all(before[name] == after[name] for name in ("unit", "games"))
        return (share_change if pairs else share_difference)(first, second, WIN, rows, level)

    return change
