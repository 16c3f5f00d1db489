"""The same source gives the same games compiled and uncompiled: 96 games, and 24 of random variants.

Uncompiled, a game takes about a quarter of a second: three processes of 40 games each, all options twice.
"""

import os
import subprocess
import sys

import pytest

from tests.engine.random_games import digest, play_at_random
from tests.engine.walking import ALL_SETTINGS, rules_of

SEEDS_EACH = 2 * len(ALL_SETTINGS)  # for each number of players
VARIANTS = range(24)


def hashes(players: int) -> list[str]:
    """The hashes of games of all options of the game, and of a game of each of some variants."""
    games = [play_at_random(range(seed, seed + 1), players, seed % 16) for seed in range(SEEDS_EACH)]
    games += [
        play_at_random(range(variant, variant + 1), players, variant % 16, rules_of(variant))
        for variant in VARIANTS
        if variant % 3 == players - 2
    ]
    return [digest(*game) for game in games]


@pytest.fixture(scope="module")
def uncompiled():
    """Three processes that play uncompiled at the same time, by number of players."""
    command = [sys.executable, "-m", "tests.engine.test_compiled_and_uncompiled"]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    processes = {
        players: subprocess.Popen(
            [*command, str(players)], env=environment, stdout=subprocess.PIPE, text=True
        )
        for players in (2, 3, 4)
    }
    yield processes
    for process in processes.values():
        process.kill()
        process.wait()


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
def test_compiled_and_uncompiled_play_give_the_same_games(players, uncompiled):
    if os.environ.get("NUMBA_DISABLE_JIT"):
        pytest.skip("compares compiled play with uncompiled play")
    compiled = hashes(players)
    output, _ = uncompiled[players].communicate(timeout=600)
    assert uncompiled[players].returncode == 0
    assert output.split() == compiled
    assert len(set(compiled)) == len(compiled) == SEEDS_EACH + 8


if __name__ == "__main__":
    print("\n".join(hashes(int(sys.argv[1]))))
