"""How line-ups and cities move around the table, and how many of them take turns.

A rotation group is played with one luck. In its game r the player of slot s, or the city that was first at
seat s, sits at seat s + r. Where strategies and cities both move, they do so independently: every strategy
then plays every city in every seat exactly once.
"""

from math import comb, perm

import numpy as np

from khora_sim.simulation.study_file import Study


def group_size(study: Study, players: int) -> int:
    """Games of a rotation group."""
    return {"none": 1, "both": players * players}.get(study.rotate, players)


def city_choices(study: Study, cities: int, players: int) -> int:
    """How many sets or seatings of cities take turns; 1 where they do not."""
    return {"all": comb(cities, players), "seatings": perm(cities, players)}.get(str(study.cities), 1)


def lineup_choices(study: Study, players: int) -> int:
    """How many line-ups take turns; 1 where they do not."""
    count = len(study.strategies)
    if study.lineup != "combinations":
        return 1
    return comb(count, players) if count >= players else comb(count + players - 1, players)


def slots(study: Study, players: int) -> np.ndarray:
    """For each game of a group and each seat: the slot of the line-up that sits there."""
    return shifted(players, turns(study, players)[0])


def turns(study: Study, players: int) -> tuple[np.ndarray, np.ndarray]:
    """For each game of a group: by how many seats the strategies and the cities have moved on."""
    games = np.arange(group_size(study, players))
    if study.rotate == "both":
        return games // players, games % players
    still = np.zeros_like(games)
    return (games, still) if study.rotate == "strategies" else (still, games)


def shifted(players: int, turns: np.ndarray) -> np.ndarray:
    """For each game and seat: the seat that its occupant came from."""
    return (np.arange(players) - turns[:, None]) % players


def in_words(study: Study) -> str:
    """What rotates, for people."""
    words = {
        "strategies": "the strategies move around the table; cities, deals and dice stay at their seats",
        "cities": "the cities move around the table; strategies, deals and dice stay at their seats",
        "both": "strategies and cities move around the table independently; deals and dice stay",
        "none": "nothing moves; every game has its own luck",
    }[study.rotate]
    return f"{words}; a strategy that is tied to a city goes with it" if study.by_city else words
