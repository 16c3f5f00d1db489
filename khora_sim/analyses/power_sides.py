"""The sides of a question about power: the games as they are, and the same games with one thing changed.

| kind | what is changed |
|---|---|
| cards | a random card of a seat and a random card of the deck change places, before or after the draft |
| events | the event does nothing when its round comes |
| developments | one seat never unlocks this development or later ones |
| actions, tracks | one seat never takes the action, or never climbs the track, where it has another choice |
| spaces | one seat never explores the space |
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from khora_sim.analyses.power_answer import GIVEN
from khora_sim.common.files import parse_toml
from khora_sim.engine.swap import Swap
from khora_sim.rules import Rules, read_rules
from khora_sim.rules.describe import toml_text
from khora_sim.rules.terms import DEVELOPMENTS, Action, Track, word
from khora_sim.simulation.experiment import Arm, Swapped, settled_plan
from khora_sim.simulation.study_file import Study

SWAPS = 2  # of each seat after the draft, each with cards of its own: all share the games without a swap
BARRED_SEAT = 0  # the first player is drawn, so all seats are alike
RESTRICTED = "restricted"
BARS = {"developments": "bar_development", "actions": "bar_action", "tracks": "bar_track"}
#: An event that never does anything: no dice sum to 0.
NOTHING = {"on": "dice-phase", "if": "low-dice", "number": 0, "gain": {"philosophy": 1}}
ORDINALS = {2: "second", 3: "third", 4: "fourth"}


class Side(NamedTuple):
    """One side of the question: an arm, and whose rows of it are wanted."""

    arm: Arm
    thing: str | None = None  # that is taken away; None: the games as they are, or with a swap
    seat: int | None = None  # counted from 0; None: all seats


def things_of(kind: str, rules: Rules) -> dict[str, str]:
    """The things of a kind: their names by id."""
    found = {
        "cards": (rules.card_ids, rules.card_names),
        "events": (rules.event_ids, rules.event_names),
        "spaces": (rules.space_ids, rules.space_names),
        "developments": (
            [str(number) for number in range(2, DEVELOPMENTS + 1)],
            [f"{ORDINALS[number]} development" for number in range(2, DEVELOPMENTS + 1)],
        ),
        "actions": ([word(one) for one in Action],) * 2,
        "tracks": ([word(one) for one in Track],) * 2,
    }[kind]
    return dict(zip(*found, strict=True))


def sides_of(kind: str, study: Study, rules: Rules, file: str | None, ways: Sequence[str]) -> list[Side]:
    """All sides, the games as they are first; of cards, those of the ways that are asked about."""
    base = settled_plan(study, rules, file)
    if kind == "cards":
        return [Side(base), *_swaps(base, ways)]
    if kind == "events":
        struck = {event: without_event(rules, event) for event in rules.event_ids}
        return [Side(base), *(Side(settled_plan(study, one, file), event) for event, one in struck.items())]
    (strategy,) = study.strategies
    barred = [(thing, _barred(kind, thing, strategy, study, rules, file)) for thing in things_of(kind, rules)]
    return [Side(base), *(Side(arm, thing, BARRED_SEAT) for thing, arm in barred)]


def _swaps(base: Arm, ways: Sequence[str]) -> Sequence[Side]:
    """One swap before the draft, of which all seats are wanted, and some of every seat after it."""
    dealt = Side(replace(base, swapped=Swapped(Swap.DEALT, 0)))
    if GIVEN not in ways:
        return [dealt]
    seats = range(base.sections[0].players)
    drafted = [Swapped(Swap.DRAFTED, seat, number) for number in range(SWAPS) for seat in seats]
    return [dealt, *(Side(replace(base, swapped=one), seat=one.seat) for one in drafted)]


def _barred(kind: str, thing: str, strategy: str, study: Study, rules: Rules, file: str | None) -> Arm:
    bar = "bar_space" if kind == "spaces" else BARS[kind]
    (players,) = study.players
    line_up = (f"{RESTRICTED}:{bar}={thing}:base={strategy}", *(strategy,) * (players - 1))
    changed = {"strategies": line_up, "lineup": "seats", "rotate": "cities"}
    return settled_plan(study.model_copy(update=changed), rules, file)


def without_event(rules: Rules, event: str) -> Rules:
    """The same rules with an event that comes as before, and does nothing."""
    data = parse_toml(rules.to_toml(), "the rules")
    kept = {key: data["events"][event][key] for key in ("name", "slot")}
    data["events"][event] = {**kept, "scope": "all", "effect": NOTHING}
    return read_rules(toml_text(data), f"the rules without {event}")
