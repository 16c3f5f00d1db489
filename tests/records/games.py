"""What the tests of records share: games to record, described and played by plain random choice."""

import random
from collections.abc import Iterable, Iterator

from khora_sim.common.options import Setting
from khora_sim.engine.match import Match
from khora_sim.records.record_format import GameOptions, Record
from khora_sim.records.recording import Recorder
from khora_sim.records.set_up import options_of, seeded_match
from khora_sim.records.state import steps
from khora_sim.rules import Rules, load_rules
from khora_sim.strategy.table import Choose

BASE = load_rules()


def any_option(seed: int) -> Choose:
    """Takes any option, each as likely as the others."""
    luck = random.Random(seed)
    return lambda match, options: luck.choice(options)


def recorded_game(
    seed: int,
    players: int = 2,
    states: bool = False,
    rules: Rules = BASE,
    choose: Choose | None = None,
    **options: object,
) -> Record:
    """The record of a game of random choices."""
    chosen = options_of(rules, GameOptions.model_validate(options))
    match = seeded_match(rules, players, seed, chosen)
    recorder = Recorder(match, chosen, states=states)
    for step in steps(match, choose or any_option(seed)):
        recorder.note(step)
    return recorder.record


def rich_games(seeds: Iterable[int]) -> Iterator[tuple[Match, list[int]]]:
    """Every decision of games in which everybody can pay for everything, so that all kinds come up."""
    everything = Setting.DRAFT | Setting.REROLL | Setting.OPEN_DICE
    for seed in seeds:
        match = Match(BASE, 2 + seed % 3, seed, everything)
        players = int(match.game.players)
        luck = random.Random(seed)
        options = match.advance()
        while options:
            yield match, options
            options = match.choose(luck.choice(options))
            match.game.minor[:players] = 1 + seed % 3
            match.game.major[:players] = seed % 2
            match.game.drachmas[:players] += 2
            match.game.troops[:players] = 15
            match.game.glory[:players] = 3
            options = match.options() if options else []


def generous_variant() -> str:
    """A variant in which everything is free, so that random play unlocks and plays everything."""
    free = [f"[cards.{card}]\ncost = 0\nneeds = {{}}\n" for card in BASE.card_ids]
    free += [
        f"[cities.{city}.developments.{number}]\ncost = 0\nneeds = {{}}\n"
        for city in BASE.city_ids
        for number in (2, 3, 4)
    ]
    start = 'name = "generous"\nhand_dealt = 8\n[start]\ndrachmas = 30\ntroops = 15\nglory = 4\n'
    return start + "[spaces.persepolis]\nneeded = 1\nlost = 0\n" + "".join(free)
