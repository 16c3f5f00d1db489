"""What `compare_speed` runs inside each of the two trees: games and analyses, timed and hashed.

    python speed_driver.py answer    one JSON request a line on stdin, one JSON answer a line on stdout
    python speed_driver.py compile   load engine and evaluator and stop

`khora_sim` is whichever tree PYTHONPATH names, so nothing of it is imported before it is asked for.
"""

import hashlib
import inspect
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

#: Kinds of play: strategies at the table, and games of a slice (0.3 to 0.8 s in version 0.2).
PLAYS = {
    "random": ("random", 12_000),
    "archetypes": ("merchant,conqueror,merchant,conqueror", 4_000),
    "steward": ("steward", 1_000),
    "expert": ("expert", 1_600),
    "sage": ("sage", 12),
    "plain Python": ("plain-example,random,random,random", 1_600),
}
#: Analyses: a function of `khora_sim` and what it is called with, with one worker and without a folder.
#: Random players take about a fifth of the 1.7 s of this `what-if` and a tenth of the 1.2 s of `habits`
#: (version 0.2), so that chunks, columns and statistics count, not only the engine.
ANALYSES: dict[str, tuple[str, tuple[str, ...], dict[str, Any]]] = {
    "what-if, 2 x 7,000 games of random": (
        "what_if",
        (),
        {"set": "cards.lighthouse.cost=2", "strategies": "random", "games": 7_000},
    ),
    "habits, 2,800 games of random": ("habits", ("random",), {"games": 2_800}),
}
BLOCK = 1000  # games in one call, as in a study: their records fit a processor's cache
Play = Callable[[Any], dict[str, Any]]


def adapter(strategies: str, games: int, seed: int) -> tuple[Play, list[Any]]:
    """How this tree plays: a function that plays a block of set-ups, and the blocks.

    The function gives the facts of its games that are hashed. A tree with another API needs a branch here.
    """
    try:
        from khora_sim.simulation.experiment import plan_study
        from khora_sim.simulation.seating import set_ups
        from khora_sim.simulation.study_file import study_of
    except ModuleNotFoundError:  # their names in version 0.2
        from khora_sim.lab.plan import plan_study
        from khora_sim.lab.seating import set_ups
        from khora_sim.lab.study_file import study_of
    try:
        from khora_sim.strategy.games import play_set_ups
    except ModuleNotFoundError:
        from khora_sim.strategy.match import play_set_ups  # its name before rules version 3

    plan = plan_study(study_of({"games": games, "players": 4, "strategies": strategies, "seed": seed}))
    section = plan.sections[0]
    to_play = set_ups(plan, section, 0, section.groups)

    def play(block: Any) -> dict[str, Any]:
        played, ledgers = play_set_ups(plan.rules, block, plan.strategies)
        names = {"seeds": "seed", "cities": "city", "scores": "vp", "decisions": "step"}
        points = ledgers["points"]
        used = points.any(axis=(0, 1))  # trees may differ in sources that nothing ever comes from
        return {fact: played[field] for fact, field in names.items()} | {"points": points[..., used]}

    return play, [to_play[at : at + BLOCK].view(np.recarray) for at in range(0, len(to_play), BLOCK)]


def compile_all() -> None:
    """Load engine and evaluator; a tree that compiles lazily must compile all entry points here."""
    from khora_sim.engine.kernels import kernels
    from khora_sim.strategy.loading import load

    engine = kernels()
    engine.compile_all() if hasattr(engine, "compile_all") else list(engine)
    load("steward")


def play_slice(strategies: str, games: int, seed: int) -> dict[str, Any]:
    """Play some games: their number, the processor seconds of playing alone, and their hash."""
    play, blocks = adapter(strategies, games, seed)
    digest = hashlib.sha256()
    seconds = 0.0
    for block in blocks:
        began = time.process_time()
        facts = play(block)
        seconds += time.process_time() - began
        add_facts(digest, facts)
    return {"games": sum(map(len, blocks)), "seconds": seconds, "hash": digest.hexdigest()}


def analyse(analysis: str) -> dict[str, Any]:
    """Call an analysis: the processor seconds of the call, and the hash of its main numbers."""
    import khora_sim

    name, given, options = ANALYSES[analysis]
    function = getattr(khora_sim, name)
    if name == "what_if":
        named = inspect.signature(function).parameters
        options = options | {"also_with" if "also_with" in named else "beside": "none"}  # beside: version 0.2
    began = time.process_time()
    answer = function(*given, **options, workers=1)
    seconds = time.process_time() - began
    return {"seconds": seconds, "hash": hashlib.sha256(json.dumps(main_numbers(answer)).encode()).hexdigest()}


def main_numbers(answer: Any) -> list[float]:
    """Numbers of an answer by which two trees are compared, without what rounding may leave."""
    if hasattr(answer, "variants"):
        verdict = answer.variants[0].verdicts[0]
        estimates = [
            verdict.winner_changed,
            verdict.result_changed,
            verdict.fairness.before,
            verdict.fairness.after,
        ]
        found = [number for one in estimates for number in (one.value, one.low, one.high)]
    else:
        found = [
            number for row in answer.rates.actions.select("value", "low", "high").rows() for number in row
        ]
    return [round(number, 9) for number in found]


def add_facts(digest: Any, facts: dict[str, Any]) -> None:
    """Add facts of games to a hash by their values, however wide a tree stores them."""
    for fact in sorted(facts):
        digest.update(fact.encode())
        digest.update(np.ascontiguousarray(facts[fact]).astype("<i8").tobytes())


def study_hash(folder: Path) -> str:
    """The hash of the games in a study's Parquet files: seeds, decisions, cities and scores."""
    import polars as pl

    games = pl.scan_parquet(folder / "games" / "*.parquet").select("game", "seed", "decisions")
    players = pl.scan_parquet(folder / "players" / "*.parquet").select("game", "seat", "city", "score")
    digest = hashlib.sha256()
    for table in (games.sort("game"), players.sort("game", "seat").drop("seat")):
        frame = table.collect()
        for column in frame.columns:
            values = frame[column]
            if column == "city":  # by its name: the order of an Enum's names is the storage's own
                digest.update("\n".join(values.cast(pl.String)).encode())
            else:
                add_facts(digest, {column: values.to_numpy()})
    return digest.hexdigest()


def main() -> None:
    """Do what the first argument says."""
    if sys.argv[1] == "compile":
        compile_all()
        return
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(analyse(**request) if "analysis" in request else play_slice(**request)), flush=True)


if __name__ == "__main__":
    main()
