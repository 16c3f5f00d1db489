"""Made-up studies whose truth is known."""

from itertools import combinations

import numpy as np
import polars as pl

from khora_sim.simulation.study_file import Study

CITY_TERMS = np.linspace(-0.4, 0.4, 7)
SEAT_TERMS = np.array([0.15, 0.05, -0.05, -0.15])


def rotated_study(rng: np.random.Generator, groups: int, same_luck: float = 0.7) -> pl.DataFrame:
    """Four of seven cities rotate over four seats; much of a seat's luck is the same in all four games.

    Each game on its own follows a Plackett-Luce model with CITY_TERMS and SEAT_TERMS (Gumbel luck).
    """
    line_up = np.argsort(rng.random((groups, 7)), axis=1)[:, :4]
    seat_luck = rng.gumbel(size=(groups, 1, 4))
    city = np.stack([np.roll(line_up, turn, axis=1) for turn in range(4)], axis=1)  # groups, games, seats
    shared = rng.random((groups, 4, 4)) < same_luck
    luck = np.where(shared, seat_luck, rng.gumbel(size=(groups, 4, 4)))
    power = CITY_TERMS[city] + SEAT_TERMS + luck
    place = (-power).argsort(axis=2).argsort(axis=2) + 1
    return players_table(city, place)


SETS = np.array(list(combinations(range(7), 4)))


def study_of_all_sets(rng: np.random.Generator, groups: int) -> pl.DataFrame:
    """Every set of four of seven cities in turn, each with a favourite of its own; seatings rotate."""
    turn = SETS[np.arange(groups) % len(SETS)]
    line_up = np.take_along_axis(turn, rng.random((groups, 4)).argsort(axis=1), axis=1)
    city = np.stack([np.roll(line_up, turn, axis=1) for turn in range(4)], axis=1)
    power = 2.5 * np.linspace(-1, 1, 7)[city] + rng.gumbel(size=city.shape)
    # Whom a city meets decides as much as the city itself.
    power += 3.0 * (city == turn[:, :1, None])
    return players_table(city, (-power).argsort(axis=2).argsort(axis=2) + 1)


def plan_of_all_sets(groups: int) -> Study:
    """The plan of such a study."""
    return Study(games=4 * groups, cities="all", rotate="cities", lineup="same", strategies=("any",))


def players_table(city: np.ndarray, place: np.ndarray) -> pl.DataFrame:
    """Rows of a players table from cities and places (groups by games by seats)."""
    groups, games, seats = city.shape
    ties = (place == 1).sum(axis=2, keepdims=True)
    return pl.DataFrame(
        {
            "game": np.repeat(np.arange(groups * games, dtype=np.uint64), seats),
            "rotation_group": np.repeat(np.arange(groups, dtype=np.uint64), games * seats),
            "seat": np.tile(np.arange(seats, dtype=np.uint8), groups * games),
            "city": [f"c{i}" for i in city.ravel()],
            "place": place.ravel().astype(np.uint8),
            "win_share": ((place == 1) / ties).ravel(),
        }
    )


def true_win_shares(rng: np.random.Generator, groups: int = 100_000) -> dict[str, float]:
    """Win shares of the cities in rotated studies, from very many games."""
    shares = rotated_study(rng, groups).group_by("city").agg(pl.col("win_share").mean()).sort("city")
    return dict(shares.iter_rows())
