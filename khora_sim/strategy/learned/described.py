"""Cards, developments and events as vectors of what they ask for and do.

A learned value knows them by these alone, so that a card, city or event that nobody has played with has a
value at once, and a changed one another value than before.
"""

from typing import Any

import numpy as np

from khora_sim.rules import Rules
from khora_sim.rules.specials import Special
from khora_sim.rules.terms import (
    ACTIONS,
    COLOURS,
    DEVELOPMENTS,
    GAINS,
    MAX_CARDS,
    MAX_CITIES,
    MAX_EVENTS,
    Condition,
    Kind,
    Quantity,
    Trigger,
)

#: What describes an effect, in this order, with the length of each.
EFFECT_PARTS = {
    "gain": GAINS,  # whatever sets it off
    "gain_on": len(Trigger) * GAINS,
    "at_the_end_per": len(Quantity),  # points of the final scoring by what they are counted by
    "otherwise_per": len(Quantity),
    "condition": len(Condition),
    "special": len(Special),
    "special_number": len(Special),
    "taken_action": ACTIONS,
    "choice": GAINS,  # the mean of gains to choose from
}
EFFECT_LENGTH = sum(EFFECT_PARTS.values())
SOURCE_LENGTH = 1 + COLOURS + 1 + len(Kind) + EFFECT_LENGTH  # cost, needs, all needs, kind, effects
EVENT_LENGTH = 2 + 2 * EFFECT_LENGTH  # by troops, hurts the lowest, both effects


def effect_vector(effect: Any) -> np.ndarray:
    """One effect of the tables as a vector."""
    parts = {name: np.zeros(length, np.float32) for name, length in EFFECT_PARTS.items()}
    gain = np.asarray(effect["gain"], np.float32)
    if effect["per"] != Quantity.ONE:
        ends = effect["on"] == Trigger.FINAL_SCORING
        parts["at_the_end_per" if ends else "otherwise_per"][effect["per"]] = gain.sum() / effect["every"]
    else:
        parts["gain"] += gain
        parts["gain_on"][effect["on"] * GAINS : (effect["on"] + 1) * GAINS] = gain
    parts["condition"][effect["condition"]] = effect["condition"] != Condition.NONE
    if effect["special"] != Special.NONE:
        parts["special"][effect["special"]] = 1
        parts["special_number"][effect["special"]] = effect["number"]
    if effect["special"] == Special.TAKE_ACTIONS:
        parts["taken_action"][effect["action"]] = effect["number"]
    if effect["choice_count"] > 0:
        choices = np.asarray(effect["choices"], np.float32)[: effect["choice_count"]]
        parts["choice"] += choices.mean(axis=0)
    return np.concatenate(list(parts.values()))


def source_vector(source: Any) -> np.ndarray:
    """A card or development of the tables as a vector."""
    needs = np.asarray(source["needs"], np.float32)
    kind = np.zeros(len(Kind), np.float32)
    kind[source["kind"]] = 1
    effects = np.zeros(EFFECT_LENGTH, np.float32)
    for place in range(source["effect_count"]):
        effects += effect_vector(source["effects"][place])
    return np.concatenate([[source["cost"]], needs, [needs.sum()], kind, effects]).astype(np.float32)


def event_vector(event: Any) -> np.ndarray:
    """An event of the tables as a vector."""
    head = np.array([event["by_troops"], event["has_lowest"]], np.float32)
    lowest = effect_vector(event["lowest"]) * event["has_lowest"]
    return np.concatenate([head, effect_vector(event["effect"]), lowest]).astype(np.float32)


def card_vectors(rules: Rules) -> np.ndarray:
    """The cards of the rules, a row each; rows past the last card are 0."""
    tables = rules.tables
    rows = np.zeros((MAX_CARDS, SOURCE_LENGTH), np.float32)
    for card in range(tables["card_count"]):
        rows[card] = source_vector(tables["cards"][card])
    return rows


def development_vectors(rules: Rules) -> np.ndarray:
    """The developments of all cities: cities x developments, a row each."""
    tables = rules.tables
    rows = np.zeros((MAX_CITIES, DEVELOPMENTS, SOURCE_LENGTH), np.float32)
    for city in range(tables["city_count"]):
        for step in range(DEVELOPMENTS):
            rows[city, step] = source_vector(tables["developments"][city, step])
    return rows


def event_vectors(rules: Rules) -> np.ndarray:
    """The events of the rules, a row each."""
    tables = rules.tables
    rows = np.zeros((MAX_EVENTS, EVENT_LENGTH), np.float32)
    for event in range(tables["event_count"]):
        rows[event] = event_vector(tables["events"][event])
    return rows
