"""Whether a game of the right shape can be played: enough of everything, nothing out of reach."""

from collections.abc import Iterator

from khora_sim.common.checking import Problem
from khora_sim.rules.effect_checks import LEVEL_GAINS, effect_problems
from khora_sim.rules.schema import Development, Game
from khora_sim.rules.terms import MAX_CARDS, MAX_CITIES, MAX_EVENTS, MAX_PLAYERS, MAX_SPACES, Track, word

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
    counts = {
        "cards": (len(game.cards), MAX_PLAYERS * game.hand_dealt, MAX_CARDS),
        "cities": (len(game.cities), MAX_PLAYERS, MAX_CITIES),
        "events": (len(game.events), 0, MAX_EVENTS),  # too few of them: see the slots
        "spaces": (len(game.spaces), 1, MAX_SPACES),
    }
    why = {
        "cards": f"{game.hand_dealt} each for {MAX_PLAYERS} players",
        "cities": "one for each player",
        "events": "",
        "spaces": "one to explore",
    }
    for section, (count, least, most) in counts.items():
        if count < least:
            yield Problem(section, f"{count} are too few; expected at least {least}, {why[section]}")
        if count > most:
            yield Problem(section, f"{count} are too many; expected at most {most}")


def _slot_problems(game: Game) -> Iterator[Problem]:
    """Every round needs its event."""
    slots = [event.slot for event in game.events.values()]
    for slot, round_name in (("first", "first"), ("last", "last")):
        if slots.count(slot) != 1:
            given = f'{slots.count(slot)} events with slot = "{slot}"'
            yield Problem("events", f"{given}; expected exactly one, for the {round_name} round")
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
    """What nobody could ever have, or nobody could ever meet."""
    limits = game.limits
    for name in ("citizens", "troops", "tax", "glory"):
        start, limit = getattr(game.start, name), getattr(limits, name)
        if start > limit:
            yield Problem(f"start.{name}", f"{start} is above limits.{name}; expected at most {limit}")
    for track in Track:
        start = getattr(game.start, word(track))
        if start > limits.level:
            yield Problem(
                f"start.{word(track)}", f"{start} is above limits.level; expected at most {limits.level}"
            )
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
