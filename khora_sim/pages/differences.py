"""What is different between two studies: plan, strategies and rules, in words."""

from typing import Any

from khora_sim.common.wording import counted
from khora_sim.errors import UserError
from khora_sim.rules import read_rules
from khora_sim.rules.compare import changes
from khora_sim.simulation.manifest import Manifest, PlayedRules

MOST = 12  # changes of rules that are listed one by one


def differences(first: Manifest, second: Manifest) -> list[str]:
    """One line for each thing that differs; the studies are called A and B."""
    sentences = []
    for key, value in first.plan:
        other = getattr(second.plan, key)
        if other != value and key != "rounds":  # a table more or less changes no game
            name = key.replace("_", " ").capitalize()
            sentences.append(f"{name}: {_shown(value)} in A, {_shown(other)} in B.")
    sentences += _rules(first.rules, second.rules)
    digests = {one.name: one.digest for one in first.strategies}
    for one in second.strategies:
        if digests.get(one.name, one.digest) != one.digest:
            sentences.append(f"The strategy {one.name} was another version in A than in B.")
    if first.versions.khora != second.versions.khora:
        sentences.append(f"khora {first.versions.khora} in A, {second.versions.khora} in B.")
    return sentences or ["Nothing: the same plan, rules and strategies."]


def _rules(one: PlayedRules, two: PlayedRules) -> list[str]:
    if one.hash == two.hash:
        return []
    head = f"Rules: {one.name} in A, {two.name} in B."
    try:
        found = changes(read_rules(one.toml).model, read_rules(two.toml).model)
    except UserError:  # rules of another version of khora, which this one cannot read
        return [head]
    sentences = [f"{change.in_words()}" for change in found if change.key not in ("name", "text")]
    more = (
        [f"… and {counted(len(sentences) - MOST, 'more change')} of the rules."]
        if len(sentences) > MOST
        else []
    )
    return [head, *sentences[:MOST], *more]


def _shown(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "not set"}[value]
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
