"""The page on the rules names what there is: its options, its numbers, its cards, cities and events."""

import re
from pathlib import Path

from khora_sim.analyses import REGISTRY
from khora_sim.cli.generate import made
from tests.records.games import BASE

PAGE = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")


def test_every_option_on_the_page_is_one_of_replay():
    replay = made(REGISTRY["replay"])
    known = {name for option in replay.params for name in (*option.opts, *option.secondary_opts)}
    assert {name for name in re.findall(r"`(--[a-z-]+)`", PAGE) if name not in known} == set()


def test_the_numbers_of_the_page_are_those_of_the_base_game():
    game = BASE.model
    for sentence in (
        f"{game.start.drachmas} drachmas and {game.start.citizens} citizens",
        f"The {len(game.cards)} cards are shuffled and {game.hand_dealt} dealt to each",
        f"Conquest of the Persians in round {game.rounds}",
        f"citizens (0-{game.limits.citizens}), tax (0-{game.limits.tax}), glory (0-{game.limits.glory})",
        f"{game.actions.legislation_citizens} citizens; draw {game.actions.legislation_cards} cards",
        f"economy level + {game.actions.trade_bonus}; then a minor token of any colour may be bought for "
        f"{game.prices.minor_token}",
        f"{game.prices.philosophy_per_need} philosophy tokens stand in for each",
        f"turned into {game.prices.citizens_per_philosophy} citizens",
        f"{game.achievements.victory_points} VP, {game.achievements.citizens} citizens, "
        f"{game.achievements.troops} troops, economy {game.achievements.economy}, "
        f"{game.achievements.politics} cards in play",
    ):
        assert sentence in PAGE, sentence
