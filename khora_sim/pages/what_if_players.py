"""Who played a what-if, in words: the same players on both sides, others, or ones who know the rule."""

from khora_sim.analyses.what_if_answer import Adapted, Trained, Variant, Verdict, WhatIf
from khora_sim.common.wording import counted, listed
from khora_sim.pages.exploit_answer import published_exploit
from khora_sim.pages.wording import percent, seated
from khora_sim.stats import format_estimate

NOT_ADAPTED = (
    "The players did not adapt. They reckon with the new costs and effects, but what they value was settled "
    "in the base game; players who learn the changed game may gain more from it or lose less."
)
ADAPTED_ONLY = (
    "Only those called players who know the rule learned the changed game; all others play it with what they "
    "value in the base game."
)


def who(verdict: Verdict) -> str:
    """Who played: what is said holds for these players."""
    before = seated(verdict.strategies, verdict.lineup)
    if verdict.adapted is not None:
        return f"players who know the rule ({verdict.adapted.start} {_made(verdict.adapted)} for it)"
    if verdict.other_players:
        return f"{seated(verdict.after, verdict.lineup)} in place of {before}"
    return before


def _made(adapted: Adapted) -> str:
    return "tuned" if adapted.how == "tuned" else "taught"


def with_whom(answer: WhatIf, verdict: Verdict) -> str:
    """The beginning of a sentence: with whom it holds and, where there are several, at which tables."""
    table = f"At tables of {verdict.players}, with" if len(answer.players) > 1 else "With"
    return f"{table} {who(verdict)}"


def label(verdict: Verdict) -> str:
    """The players in a word or two, for a table."""
    if verdict.adapted is not None:
        return f"{verdict.adapted.start}, knowing the rule"
    before = ", ".join(dict.fromkeys(verdict.strategies))
    return f"{before} → {', '.join(dict.fromkeys(verdict.after))}" if verdict.other_players else before


def adaptation(verdict: Verdict, names: dict[str, str]) -> str:
    """How the players came to know the rule, and whether that made them better."""
    found = verdict.adapted
    assert found is not None
    cities = [names[city] for city in found.after.cities]
    where = f" in {listed(cities)}" if cities else ""
    how = (
        f"has its weights{where} tuned against a table of itself"
        if found.how == "tuned"
        else "goes on learning its value from its own games"
    )
    sides = {"changed": found.after, "base": found.before}
    won = listed([_won(one, game, 1 / verdict.players) for game, one in sides.items()])
    return (
        f"Players who know the rule: {found.start} {how} under the changed rules, in "
        f"{counted(found.after.games, 'game')}, and plays the changed game; trained in the same way under "
        f"the base rules, in {counted(found.before.games, 'game')}, it plays the base game, since training "
        f"alone makes other players. One of them at a table of {found.start} wins {won}; "
        f"{percent(1 / verdict.players)} is fair."
    )


def _won(trained: Trained, game: str, fair: float) -> str:
    """What a trained player wins, and whether the training is shown to have helped."""
    won = trained.won
    other = "it got worse" if won.high < fair else "no gain is shown"
    helped = "it learned something" if won.low > fair else other
    return f"{format_estimate(won, percent=True, with_n=False)} of the {game} game (n {won.n:,}; {helped})"


def adapted_or_not(answer: WhatIf, variant: Variant) -> list[str]:
    """How far the players know the change, and what that may hide."""
    if variant.rules.hash == answer.base.hash:
        return []
    if any(verdict.adapted for verdict in variant.verdicts):
        return [ADAPTED_ONLY]
    return [f"{NOT_ADAPTED} {_what_it_hides(answer)}"]


def _what_it_hides(answer: WhatIf) -> str:
    """What is known of how much better-suited players gain: for the base game only."""
    unknown = "How much that hides is not known for this change; --adapt 50000games measures some of it."
    found = published_exploit()
    if found is None or found.rules.hash != answer.base.hash:
        return unknown
    gains = [100 * city.gain.value for city in found.cities]
    margins = [100 * (city.gain.high - city.gain.low) / 2 for city in found.cities]
    low, high = (f"{gain:+.0f}".replace("-", "\N{MINUS SIGN}") for gain in (min(gains), max(gains)))
    return (
        f"{unknown} For scale: in the base game itself, players better suited to one city gained {low} to "
        f"{high} percentage points there (± {min(margins):.0f} to {max(margins):.0f}, n {found.games:,} "
        f"each) against {found.players - 1} of {found.strategy}, the strongest player."
    )
