"""The frozen hash of 1,000 games for each number of players, so that no change of behaviour goes unnoticed.

python -m tests.engine.frozen_games     writes it again, once RULES_VERSION has changed
"""

import json
import sys
from pathlib import Path

from khora_sim.rules import RULES_VERSION
from tests.engine.random_games import digest, play_at_random

FROZEN = Path(__file__).with_name("frozen_games.json")
GAMES = range(1000)
PLAYERS = (2, 3, 4)


def hashes() -> dict[str, str]:
    """The hash of all games for each number of players."""
    return {f"{players} players": digest(*play_at_random(GAMES, players)) for players in PLAYERS}


def frozen() -> dict[str, str]:
    """What the file holds."""
    return json.loads(FROZEN.read_text(encoding="utf-8")) if FROZEN.exists() else {}


def renew() -> str:
    """Write the file again, unless games changed and the version did not."""
    before, now = frozen(), {"rules_version": RULES_VERSION} | hashes()
    if before == now:
        return "Nothing has changed."
    if before.get("rules_version") == RULES_VERSION:
        return f"The games have changed; first give RULES_VERSION, which is {RULES_VERSION!r}, a new value."
    FROZEN.write_text(json.dumps(now, indent=4) + "\n", encoding="utf-8")
    return f"Wrote {FROZEN.name} for version {RULES_VERSION}."


if __name__ == "__main__":
    message = renew()
    print(message)
    sys.exit(message.startswith("The games"))
