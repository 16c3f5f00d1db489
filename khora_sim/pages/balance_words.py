"""The answer of a search for balance in sentences, for the terminal and for the page."""

from khora_sim.analyses.balance_answer import Balance, Confirmed, Proposal
from khora_sim.analyses.balance_search import Change
from khora_sim.common.commands import balancing
from khora_sim.common.wording import counted, listed
from khora_sim.pages.sweep_words import target_typed, who
from khora_sim.pages.wording import NOT_ADAPTED, POINTS, in_points

__all__ = ["NOT_ADAPTED", "POINTS", "who"]
FRESH = (
    "Proposals were searched on choosing seeds and confirmed on judging seeds, luck that had no part in "
    "finding them."
)


def changed(count: int) -> str:
    """`2 changed numbers`."""
    return counted(count, "changed number")


def change_in_words(change: Change) -> str:
    """A number with its value before and after."""
    return f"{change.path} {change.before} → {change.after}"


def changes_in_words(proposal: Proposal) -> str:
    """All changes of a proposal."""
    return listed([change_in_words(one) for one in proposal.changes]) or "the base game"


def headline(answer: Balance) -> str:
    """What the best proposal brings, and for whom."""
    best, players = answer.best, f"With {who(answer.base.main)}"
    if not best.changes:
        if best.reached:
            return f"{players}, the base game itself reaches {target(answer)}."
        return f"{players}, no change that was tried brings the cities nearer to {target(answer)}."
    every = len(answer.target.cities) == len(answer.names)
    what = "the spread between the best and the worst city" if every else "the distance from the target"
    before, after = (one.main.spread if every else one.main.distance for one in (answer.base, best))
    reach = "reach" if best.reached else "do not reach"
    if len(best.changes) == 1:
        reach = "reaches" if best.reached else "does not reach"
    bring = "brings" if len(best.changes) == 1 else "bring"
    first, last = (in_points(one, signed=False) for one in (before, after))
    return (
        f"{players}, {changed(len(best.changes))} {bring} {what} "
        f"from {first} to {last} {POINTS}, and {reach} {target(answer)}."
    )


def target(answer: Balance) -> str:
    """What was wanted."""
    return answer.target.in_words(answer.names)


def detail(answer: Balance) -> str:
    """The changes of the best proposal, and what other players make of them."""
    best = answer.best
    if not best.changes:
        return confirmed_in_words(answer.base.main)
    return " ".join([f"{changes_in_words(best)}.", *(confirmed_in_words(one) for one in best.confirmed)])


def confirmed_in_words(found: Confirmed) -> str:
    """What a proposal does with some players."""
    return (
        f"With {who(found)} the spread is {in_points(found.spread, signed=False)} {POINTS} "
        f"({in_points(found.spread_change)}), a city's typical distance from the target "
        f"{in_points(found.distance, signed=False)} ({in_points(found.distance_change)}), and "
        f"{found.within} of {len(found.cities)} cities are near enough (n {found.games:,} games)."
    )


def searched(answer: Balance) -> str:
    """How the proposals were found."""
    raced = sum(stage.variants for stage in answer.stages)
    return (
        f"{counted(len(answer.effects), 'single change')} of {counted(len(answer.numbers), 'number')} played "
        f"with {answer.screened:,} games each; {counted(raced, 'set')} of changes raced in "
        f"{counted(len(answer.stages), 'stage')}."
    )


def proposal_text(answer: Balance, proposal: Proposal) -> str:
    """What the variant file of a proposal says of itself."""
    found = proposal.main
    spread = in_points(found.spread, signed=False)
    return (
        f"{changed(len(proposal.changes))}: best and worst city {spread} {POINTS} apart with {who(found)}, "
        f"{answer.players} players, {found.games:,} games"
    )


def facts(answer: Balance) -> list[str]:
    """What was played, in a few words each."""
    return [
        *(f"{one.games:,} games of each proposal with {who(one)}" for one in answer.base.confirmed),
        f"{answer.players} players",
        f"seed {answer.seed}",
        f"rules {answer.rules.short_hash}",
    ]


def command(answer: Balance, out: str | None = None) -> str:
    """The command that asks again."""
    beside = [one.strategies[0] for one in answer.base.confirmed[1:]]
    extent = {"games": answer.games} if answer.precision is None else {"precision": f"{answer.precision:g}"}
    return balancing(
        answer.typed,
        {
            "numbers": answer.numbers_file,
            "target": [target_typed(answer.target, answer.names)],
            "changes": answer.most,
            "strategies": answer.strategies,
            "beside": beside[0] if beside else "none",
            "players": answer.players,
            **extent,
            "rules": answer.rules_file,
            "seed": answer.seed,
            "out": out,
        },
    )
