"""Checks of a game: triggers, conditions and special effects that fit together, and nothing out of reach."""

from collections.abc import Iterator
from dataclasses import dataclass

from khora_sim.common.checking import Problem
from khora_sim.rules.schema import Development, Effect, Event, Game
from khora_sim.rules.specials import AT_SET_UP, BY_WORD, STANDING, takers
from khora_sim.rules.terms import MAX_CARDS, MAX_CITIES, MAX_EVENTS, MAX_PLAYERS, MAX_SPACES, Track, word

MAX_COUNTED_GAIN = 10  # of a gain that is counted by something
MAX_GAIN_PER_HOARD = 3  # of a gain that is counted by what has no upper limit
HOARDS = ("drachmas", "philosophy")
MAX_ASKING = 6  # effects on one trigger that ask the player something
RESOURCES = ("vp", "drachmas", "citizens", "troops", "tax", "glory", "philosophy")
LEVEL_GAINS = (*RESOURCES, "dice")
ACTIONS = ("philosophy", "legislation", "culture", "trade", "military")
REPEATED = (*ACTIONS, "tax-phase", "progress-end", "card-played", "development")
PLACES = {"no-progress": "progress-end", "low-dice": "dice-phase"}  # conditions of one trigger only


@dataclass(frozen=True)
class EffectAt:
    """An effect and where it stands."""

    key: str
    effect: Effect
    owner: str  # card, development, first development or event


def effect_problems(game: Game) -> Iterator[Problem]:
    """Everything about effects that no game could make sense of."""
    for key, card in game.cards.items():
        yield from _source_problems(f"cards.{key}", card, "card")
    for key, city in game.cities.items():
        for number, development in enumerate(city.developments.in_order(), start=1):
            owner = "first development" if number == 1 else "development"
            yield from _source_problems(f"cities.{key}.developments.{number}", development, owner)
    for key, event in game.events.items():
        yield from _event_problems(f"events.{key}", event)
    yield from _asking_problems(game)


def _source_problems(key: str, source: Development, owner: str) -> Iterator[Problem]:
    yield from _kind_problems(key, source)
    specials = [effect.special for effect in source.effects if effect.special != "none"]
    for special in sorted({special for special in specials if specials.count(special) > 1}):
        yield Problem(f"{key}.effects", f'special = "{special}" twice; expected once')
    if owner == "first development" and (source.cost or source.needs):
        yield Problem(key, "the first development is free at set-up; expected cost = 0 and needs = {}")
    for number, effect in enumerate(source.effects, start=1):
        yield from _one_effect_problems(EffectAt(f"{key}.effects[{number}]", effect, owner))


def _kind_problems(key: str, source: Development) -> Iterator[Problem]:
    """The kind printed on a card must tell what its effects do."""
    triggers = {effect.on for effect in source.effects}
    fitting = {"at-once": "immediate", "final-scoring": "end-game"}
    kind = fitting.get(next(iter(triggers)), "ongoing") if len(triggers) == 1 else "ongoing"
    if source.kind != kind:
        listed = ", ".join(f'on = "{trigger}"' for trigger in sorted(triggers))
        yield Problem(f"{key}.kind", f'"{source.kind}" given, but effects {listed}; expected "{kind}"')


def _event_problems(key: str, event: Event) -> Iterator[Problem]:
    yield from _one_effect_problems(EffectAt(f"{key}.effect", event.effect, "event"))
    if event.effect.on == "dice-phase" and event.scope == "troops":
        yield Problem(f"{key}.scope", 'an event on = "dice-phase" is for everyone; expected scope = "all"')
    if event.lowest is None:
        return
    if event.scope != "troops":
        yield Problem(f"{key}.lowest", 'only events with scope = "troops" have a lowest; expected none')
    if event.lowest.on == "dice-phase":
        yield Problem(f"{key}.lowest.on", '"dice-phase" for the least troops; expected "at-once"')
    yield from _one_effect_problems(EffectAt(f"{key}.lowest", event.lowest, "event"))


def _one_effect_problems(at: EffectAt) -> Iterator[Problem]:
    yield from _trigger_problems(at)
    yield from _condition_problems(at)
    yield from _special_problems(at)
    yield from _stray_problems(at)
    yield from _gain_problems(at)


def _trigger_problems(at: EffectAt) -> Iterator[Problem]:
    on = at.effect.on
    if at.owner == "event" and on not in ("at-once", "dice-phase"):
        yield Problem(f"{at.key}.on", f'"{on}" for an event; expected "at-once" or "dice-phase"')
    if at.owner != "event" and on == "dice-phase":
        yield Problem(f"{at.key}.on", f'"dice-phase" for a {at.owner}; expected an event')
    if on == "always" and at.effect.special == "none":
        yield Problem(f"{at.key}.on", f'"always" asks for a special of: {", ".join(STANDING)}')


def _condition_problems(at: EffectAt) -> Iterator[Problem]:
    condition, on = at.effect.condition, at.effect.on
    if on == "always" and condition != "none":
        yield Problem(f"{at.key}.if", 'no condition can hold "always"; expected none')
    if condition in PLACES and on != PLACES[condition]:
        yield Problem(f"{at.key}.if", f'"{condition}" with on = "{on}"; expected on = "{PLACES[condition]}"')


def _special_problems(at: EffectAt) -> Iterator[Problem]:
    effect, special = at.effect, at.effect.special
    key = f"{at.key}.special"
    facts = BY_WORD.get(special)
    if facts and facts.on == "actions":
        if effect.on not in ("at-once", *REPEATED):
            yield Problem(key, f'"{special}" with on = "{effect.on}"; expected on = "at-once" or an action')
    elif facts and effect.on != facts.on:
        yield Problem(key, f'"{special}" with on = "{effect.on}"; expected on = "{facts.on}"')
    if at.owner == "first development" and special not in AT_SET_UP:
        yield Problem(key, f'"{special}" cannot happen at set-up; expected one of: {", ".join(AT_SET_UP)}')
    if facts and facts.number:
        low, high = facts.number
        if effect.number is None or not low <= effect.number <= high:
            given = "missing" if effect.number is None else f"{effect.number} given"
            yield Problem(f"{at.key}.number", f'{given}; "{special}" expects {low} to {high}')
    if effect.condition == "low-dice" and effect.number is None:
        yield Problem(f"{at.key}.number", 'missing; "low-dice" expects the highest sum that counts')
    if special == "take-actions" and effect.action is None:
        yield Problem(f"{at.key}.action", 'missing; "take-actions" expects the action, such as "culture"')
    if special == "choose-gain" and (len(effect.choices) < 2 or not all(effect.choices)):
        yield Problem(f"{at.key}.choices", '"choose-gain" expects 2 to 4 gains to choose from')


def _stray_problems(at: EffectAt) -> Iterator[Problem]:
    """Keys that would do nothing, so that nobody believes they do."""
    effect, special = at.effect, at.effect.special
    facts = BY_WORD.get(special)
    takes = facts.takes if facts else ("gain",)
    numbered = effect.condition == "low-dice" or (facts and facts.number)
    if effect.number is not None and not numbered:
        yield Problem(f"{at.key}.number", "has no meaning here; expected none")
    for name, given in (("action", effect.action), ("track", effect.track), ("choices", effect.choices)):
        if given and name not in takes:
            only = " and ".join(f'"{taker}"' for taker in takers(name))
            yield Problem(
                f"{at.key}.{name}", f"only {only} has {'them' if name == 'choices' else 'one'}; expected none"
            )
    if special != "none" and (effect.per != "one" or effect.every != 1):
        yield Problem(f"{at.key}.per", f'"{special}" is not counted by anything; expected none')
    if effect.every != 1 and effect.per == "one":
        yield Problem(f"{at.key}.every", "nothing is counted without per; expected per as well")
    if "gain" in takes and not effect.gain and special != "lose-token":
        yield Problem(f"{at.key}.gain", "missing; expected what the effect gives, such as { vp = 3 }")
    if "gain" not in takes and effect.gain:
        yield Problem(f"{at.key}.gain", f'"{special}" has no gain; expected none')


def _gain_problems(at: EffectAt) -> Iterator[Problem]:
    effect, key = at.effect, f"{at.key}.gain"
    for gain in (effect.gain, *effect.choices):
        for name, amount in gain.items():
            if amount < 0 and name not in RESOURCES:
                yield Problem(f"{key}.{name}", f"{amount} given, but it cannot be lost; expected 1 or more")
            if effect.special == "sells-glory" and (
                name in ("tax", "glory") or name not in RESOURCES or amount < 0
            ):
                yield Problem(
                    f"{key}.{name}", "not for sold glory; expected VP, drachmas, citizens, troops, philosophy"
                )
            if effect.on == "final-scoring" and name != "vp":
                yield Problem(f"{key}.{name}", "only VP count at the final scoring; expected vp")
            if effect.on == "dice-phase" and name == "tokens":
                yield Problem(
                    f"{key}.{name}", "no tokens are chosen in the dice phase; expected another gain"
                )
            yield from _counted_problems(f"{key}.{name}", name, amount, effect.per)


def _counted_problems(key: str, name: str, amount: int, per: str) -> Iterator[Problem]:
    """A gain counted by something must not grow out of all bounds."""
    most = MAX_GAIN_PER_HOARD if per in HOARDS else MAX_COUNTED_GAIN
    if per == "one":
        return
    if name in ("tokens", "dice"):
        yield Problem(key, "not to be had for each of something; expected no per")
    elif per in HOARDS and name in HOARDS and amount > 0:
        yield Problem(key, f"{name} per {per} would grow without end; expected another gain or another per")
    elif abs(amount) > most:
        yield Problem(key, f"{amount} per {per}; expected at most {most}")


def _asking_problems(game: Game) -> Iterator[Problem]:
    """A trigger that asks a player about very many things at once would overflow the agenda."""
    for trigger in REPEATED:
        asking = [
            f"cards.{key}"
            for key, card in game.cards.items()
            if any(effect.on == trigger and _asks(effect) for effect in card.effects)
        ]
        if len(asking) > MAX_ASKING:
            text = f'{len(asking)} cards ask for a choice on "{trigger}"; expected at most {MAX_ASKING}'
            yield Problem(asking[MAX_ASKING], text)


def _asks(effect: Effect) -> bool:
    return effect.special == "choose-gain" or "tokens" in effect.gain


MAX_NEED = 9  # tokens of one colour: more than anyone gathers in a game, one bought in each round


def sense_problems(game: Game) -> list[Problem]:
    """Everything that would keep a game from being played as it is written."""
    return [
        *_count_problems(game),
        *_slot_problems(game),
        *_level_problems(game),
        *_reach_problems(game),
        *_name_problems(game),
        *_take_back_problems(game),
        *effect_problems(game),
    ]


def _count_problems(game: Game) -> Iterator[Problem]:
    hands = f"{game.hand_dealt} each for {MAX_PLAYERS} players"
    bounds = {
        "cards": (MAX_PLAYERS * game.hand_dealt, hands, MAX_CARDS),
        "cities": (MAX_PLAYERS, "one for each player", MAX_CITIES),
        "events": (0, "", MAX_EVENTS),  # too few of them: see the slots
        "spaces": (1, "one to explore", MAX_SPACES),
    }
    for section, (least, why, most) in bounds.items():
        count = len(getattr(game, section))
        if count < least:
            yield Problem(section, f"{count} are too few; expected at least {least}, {why}")
        if count > most:
            yield Problem(section, f"{count} are too many; expected at most {most}")


def _slot_problems(game: Game) -> Iterator[Problem]:
    """Every round needs its event."""
    slots = [event.slot for event in game.events.values()]
    for slot in ("first", "last"):
        if slots.count(slot) != 1:
            given = f'{slots.count(slot)} events with slot = "{slot}"'
            yield Problem("events", f"{given}; expected exactly one, for the {slot} round")
    if slots.count("middle") < game.rounds - 2:
        given = f'{slots.count("middle")} events with slot = "middle"'
        yield Problem("events", f"{given}; expected at least {game.rounds - 2}, for {game.rounds} rounds")


def _level_problems(game: Game) -> Iterator[Problem]:
    for track in Track:
        levels = getattr(game.tracks, word(track))
        for number in range(2, game.limits.level + 1):
            if str(number) not in levels:
                yield Problem(f"tracks.{word(track)}.{number}", "missing; expected its cost and gain")
        for number, level in levels.items():
            for name in level.gain:
                if name not in LEVEL_GAINS:
                    key = f"tracks.{word(track)}.{number}.gain.{name}"
                    yield Problem(key, f"no gain of a level; expected one of: {', '.join(LEVEL_GAINS)}")


def _reach_problems(game: Game) -> Iterator[Problem]:
    """Problems of what nobody could ever have, or nobody could ever meet."""
    limits = game.limits
    ends = {name: name for name in ("citizens", "troops", "tax", "glory")} | {
        word(track): "level" for track in Track
    }
    for name, end in ends.items():
        start, limit = getattr(game.start, name), getattr(limits, end)
        if start > limit:
            yield Problem(f"start.{name}", f"{start} is above limits.{end}; expected at most {limit}")
    reachable = {
        "citizens": limits.citizens,
        "troops": limits.troops,
        "economy": limits.level,
        "politics": len(game.cards),
    }
    for name, most in reachable.items():
        need = getattr(game.achievements, name)
        if need > most:
            yield Problem(f"achievements.{name}", f"nobody can reach {need}; expected at most {most}")
    most_troops = limits.troops + limits.level
    for key, space in game.spaces.items():
        if space.needed > most_troops:
            text = f"nobody can have {space.needed} troops; expected at most {most_troops}"
            yield Problem(
                f"spaces.{key}.needed", f"{text} ({limits.troops}, and {limits.level} in the action)"
            )
    yield from _need_problems(game)


def _need_problems(game: Game) -> Iterator[Problem]:
    sources: dict[str, Development] = {f"cards.{key}": card for key, card in game.cards.items()} | {
        f"cities.{key}.developments.{number}": development
        for key, city in game.cities.items()
        for number, development in enumerate(city.developments.in_order(), start=1)
    }
    for key, source in sources.items():
        for colour, need in source.needs.items():
            if need > MAX_NEED:
                text = f"nobody can gather {need} {colour} tokens; expected at most {MAX_NEED}"
                yield Problem(f"{key}.needs.{colour}", text)


def _name_problems(game: Game) -> Iterator[Problem]:
    """Names are how people call things, so each is given once."""
    for section in ("cards", "cities", "events", "spaces"):
        owner: dict[str, str] = {}
        for key, entry in getattr(game, section).items():
            if entry.name is None:
                continue
            first = owner.setdefault(entry.name.casefold(), key)
            if first != key:
                text = f'"{entry.name}" is the name of "{first}" already; expected a name of its own'
                yield Problem(f"{section}.{key}.name", text)


def _take_back_problems(game: Game) -> Iterator[Problem]:
    """Two cards that take each other back could be played without end."""
    takers = [
        key
        for key, card in game.cards.items()
        if any(effect.special == "take-back-card" for effect in card.effects)
    ]
    for key in takers[1:]:
        text = f'"take-back-card" is on "{takers[0]}" already; expected on one card, or turns might never end'
        yield Problem(f"cards.{key}.effects", text)
