"""Made-up studies on disk, in the shape of real ones, whose truth is planted and known.

A player's log-strength is the sum of a city, a strategy and a seat term, of what lucky dice and one lucky
card bring, and of chance; scores follow it. A group's cities rotate over the seats, which keep their luck.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from khora_sim.rules import Rules, load_rules
from khora_sim.simulation import column_buffers

CITY_TERMS = (0.5, 0.3, 0.3, 0.0, 0.0, -0.3, -0.8)  # in the order of the rules; further cities 0
STRATEGY_TERMS = {"strong": 0.4, "middling": 0.0, "weak": -0.4}
SEAT_TERMS = (0.15, 0.05, -0.05, -0.15)
LUCK_PER_PIP = 0.03
LUCKY_CARD, LUCKY_CARD_TERM = "gold-reserve", 0.6  # when dealt
RICH_EVENT, RICH_EVENT_POINTS = "prosperity", 6  # points it brings everyone
POINTS_PER_TERM = 8.0
SHARES = np.array([0.24, 0.12, 0.14, 0.12, 0.2, 0.08, 0.05, 0.05])  # of the sources in PART_NAMES
PART_NAMES = tuple(p for p in column_buffers.PARTS if p not in ("points_start", "points_events_lowest"))
PART_GAMES = 20_000


@dataclass(frozen=True)
class World:
    """What a made-up study is made of."""

    games: int = 2000
    players: tuple[int, ...] = (4,)
    strategies: tuple[str, ...] = ("strong", "middling", "weak")
    rounds: bool = True
    seed: int = 1
    rules: Rules = field(default_factory=load_rules)
    cities: tuple[str, ...] = ()  # the only ones there; all of the rules where none is named
    city_terms: tuple[float, ...] = CITY_TERMS
    own_city: bool = False  # strategy i always plays city i


def make_study(folder: Path, world: World | None = None, **changes: object) -> Path:
    """Write a made-up study into a folder."""
    world = world or World(**changes)  # type: ignore[arg-type]
    tables = ("games", "players", "rounds") if world.rounds else ("games", "players")
    for table in tables:
        (folder / table).mkdir(parents=True)
    parts, first_game, first_group = [], 0, 0
    per_count = -(-world.games // len(world.players))
    for players in world.players:
        left = -(-per_count // players)
        while left:
            groups = min(left, PART_GAMES // players)
            rng = np.random.default_rng((world.seed, first_group))
            frames = _part(world, rng, players, groups, first_game, first_group)
            number, entry = len(parts), {}
            for table in tables:
                path = folder / table / f"part-{number:05d}.parquet"
                frames[table].write_parquet(path, compression="zstd", compression_level=1)
                entry[table] = {"rows": len(frames[table]), "bytes": path.stat().st_size, "sha256": ""}
            parts.append(
                {"part": number, "first_game": first_game, "games": groups * players, "tables": entry}
            )
            left, first_group, first_game = left - groups, first_group + groups, first_game + groups * players
    manifest = _manifest(world, tables, parts, first_group)
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def change_table(folder: Path, table: str, change: Callable[[pl.DataFrame], pl.DataFrame]) -> None:
    """Change a table of a study that has one part."""
    path = folder / table / "part-00000.parquet"
    change(pl.read_parquet(path)).write_parquet(path)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    manifest["parts"][0]["tables"][table]["bytes"] = path.stat().st_size
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def change_manifest(folder: Path, **changes: object) -> None:
    """Change what a study says of itself."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(manifest | changes), encoding="utf-8")


def _manifest(world: World, tables: tuple[str, ...], parts: list[dict], groups: int) -> dict:
    rules = world.rules
    return {
        "schema_version": 2,
        "study": f"made-up {world.seed}",
        "plan": {
            "games": world.games,
            "players": list(world.players),
            "strategies": list(world.strategies),
            "lineup": "pool",
            "cities": list(world.cities) or "random",
            "rotate": "cities",
            "seed": world.seed,
            "first_player": "random",
            "reroll": False,
            "shared_dice": False,
            "progress_bonuses_stack": False,
            "draft": True,
            "rounds": world.rounds,
        },
        "games": sum(part["games"] for part in parts),
        "groups": groups,
        "group_size": {str(players): players for players in world.players},
        "rotation": "the cities move around the table; strategies, deals and dice stay at their seats",
        "tables": list(tables),
        "chunks": len(parts),
        "rules": {
            "name": rules.name,
            "file": None,
            "hash": rules.hash,
            "version": rules.version,
            "toml": rules.to_toml(),
        },
        "strategies": [
            {"name": name, "kind": "compiled", "family": "control", "digest": name, "parameters": {}}
            for name in world.strategies
        ],
        "versions": {"khora": "0.1.0", "python": "3.11", "numpy": "2", "numba": "0", "polars": "1"},
        "enums": {
            "cities": rules.city_ids,
            "cards": rules.card_ids,
            "events": rules.event_ids,
            "spaces": rules.space_ids,
            "strategies": list(world.strategies),
        },
        "parts": parts,
    }


def _part(
    world: World, rng: np.random.Generator, players: int, groups: int, first_game: int, first_group: int
) -> dict[str, pl.DataFrame]:
    rules, games = world.rules, groups * players
    shape = (games, players)

    def by_seat(of_groups: np.ndarray) -> np.ndarray:
        return np.repeat(of_groups, players, axis=0)

    city, strategy = _line_ups(world, rng, players, groups)
    dice = by_seat(rng.integers(18, 25, (groups, players)))
    luck = by_seat(rng.normal(0, 6, (groups, players)).round())
    dealt = _sets(rng, (groups, players), len(rules.card_ids), 5)
    events = _events(rng, rules, groups)
    terms = np.zeros(len(rules.city_ids))
    terms[: len(world.city_terms)] = world.city_terms[: len(terms)]
    lucky = (dealt >> np.uint64(rules.card_ids.index(LUCKY_CARD)) & np.uint64(1)).astype(float)
    strategy_terms = np.array([STRATEGY_TERMS.get(name, 0.0) for name in world.strategies])
    power = (
        terms[city]
        + strategy_terms[strategy]
        + np.array(SEAT_TERMS[:players])
        + LUCK_PER_PIP * luck
        + LUCKY_CARD_TERM * by_seat(lucky)
        + 0.5 * by_seat(rng.gumbel(size=(groups, players)))
        + rng.gumbel(size=shape)
    )
    rich = (events == rules.event_ids.index(RICH_EVENT)).any(axis=1)
    score = np.maximum(np.round(40 + POINTS_PER_TERM * power + RICH_EVENT_POINTS * by_seat(rich)[:, None]), 5)
    score = score.astype(np.int64)
    drachmas = rng.integers(0, 12, shape)
    parts, lowest = _points(rng, score, city)
    ended = parts[..., PART_NAMES.index("points_end_game_cards")] + parts[..., -1]
    vp = _growth(rng, score - ended, rules.model.rounds)
    place = _places(score * 100 + drachmas)
    won = place == 1
    leads = vp == vp.max(axis=2, keepdims=True)
    bits = (leads << np.arange(vp.shape[1])[:, None]).sum(axis=1)
    game = np.arange(first_game, first_game + games)
    group = first_group + np.arange(games) // players
    first_player = by_seat(rng.integers(0, players, (groups, 1)))
    best = np.sort(score, axis=1)[:, ::-1]
    kept = np.concatenate([leads, won[:, None]], axis=1)
    changes = (~(kept[:, 1:] & kept[:, :-1]).any(axis=2)).sum(axis=1)
    known = {
        "game": game,
        "rotation_group": group,
        "seed": group * 7919 + world.seed,
        "players": np.full(games, players),
        "first_seat": first_player[:, 0] + 1,
        "winner": won.argmax(axis=1) + 1,
        "winners": won.sum(axis=1),
        "winning_score": best[:, 0],
        "margin": best[:, 0] - best[:, 1],
        "by_drachmas": (score == best[:, :1]).sum(axis=1) > won.sum(axis=1),
        "lead_changes": changes,
        "decisions": rng.integers(80, 160, games),
        "explored": _sets(rng, (games,), len(rules.space_ids), 6),
        **{f"event_{i + 1}": by_seat(events[:, i]) for i in range(rules.model.rounds)},
    }
    seats = {
        "game": np.repeat(game, players),
        "rotation_group": np.repeat(group, players),
        "players": np.full(shape, players),
        "seat": np.broadcast_to(np.arange(1, players + 1), shape),
        "is_first": first_player == np.arange(players),
        "slot": np.broadcast_to(np.arange(1, players + 1), shape),
        "city": city,
        "strategy": strategy,
        "score": score,
        "place": place,
        "win_share": won / won.sum(axis=1, keepdims=True),
        "leading": bits,
        "points_start": np.zeros(shape),
        "points_events_lowest": -lowest,
        **{name: parts[..., i] for i, name in enumerate(PART_NAMES)},
        "points_development_2": parts[..., PART_NAMES.index("points_developments")],
        "drachmas": drachmas,
        "dealt": by_seat(dealt),
        "drafted": by_seat(dealt),
        "dice_rolled": dice,
        "pips": 3.5 * dice + luck,
        "dice_luck": luck,
    }
    seats |= _cards(rng, rules, parts, shape) | _deeds(rng, rules, power, shape)
    by_round = {
        "game": np.repeat(game, players * vp.shape[1]),
        "rotation_group": np.repeat(group, players * vp.shape[1]),
        "round": np.broadcast_to(np.arange(1, vp.shape[1] + 1)[:, None], vp.shape),
        "seat": np.broadcast_to(np.arange(1, players + 1), vp.shape),
        "city": np.broadcast_to(city[:, None], vp.shape),
        "strategy": np.broadcast_to(strategy[:, None], vp.shape),
        "win_share": np.broadcast_to(seats["win_share"][:, None], vp.shape),
        "place": _places(vp),
        "vp": vp,
        **{name: rng.integers(0, 7, vp.shape) for name in column_buffers.ROUND_COLUMNS if name != "vp"},
    }
    made = {"games": known, "players": seats, "rounds": by_round}
    names = list(world.strategies)
    return {
        table: _frame(column_buffers.columns(table, rules, names), columns) for table, columns in made.items()
    }


def _line_ups(
    world: World, rng: np.random.Generator, players: int, groups: int
) -> tuple[np.ndarray, np.ndarray]:
    """City and strategy by game and seat; the cities move on by one seat from game to game of a group."""
    ids = world.rules.city_ids
    there = np.array([ids.index(city) for city in world.cities] or range(len(ids)))
    line_up = there[np.argsort(rng.random((groups, len(there))), axis=1)[:, :players]]
    city = np.stack([np.roll(line_up, turn, axis=1) for turn in range(players)], axis=1).reshape(-1, players)
    if world.own_city:
        return city, city % len(world.strategies)
    strategy = rng.integers(0, len(world.strategies), (groups, players))
    return city, np.repeat(strategy, players, axis=0)


def _sets(rng: np.random.Generator, shape: tuple[int, ...], members: int, size: int) -> np.ndarray:
    """Sets of so many members, as bits."""
    chosen = np.argsort(rng.random((*shape, members)), axis=-1)[..., :size].astype(np.uint64)
    return (np.uint64(1) << chosen).sum(axis=-1, dtype=np.uint64)


def _events(rng: np.random.Generator, rules: Rules, groups: int) -> np.ndarray:
    """The events of each group by round: the first and the last are always the same."""
    slots = np.array([event.slot for event in rules.model.events.values()])
    middle = np.flatnonzero(slots == "middle")
    drawn = middle[np.argsort(rng.random((groups, len(middle))), axis=1)[:, : rules.model.rounds - 2]]
    ends = [np.full((groups, 1), np.flatnonzero(slots == slot)[0]) for slot in ("first", "last")]
    return np.concatenate([ends[0], drawn, ends[1]], axis=1)


def _points(rng: np.random.Generator, score: np.ndarray, city: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The score cut into its sources; the first city of the rules lives on its developments."""
    lowest = rng.integers(0, 3, score.shape)
    shares = np.broadcast_to(SHARES, (*score.shape, len(SHARES))).copy()
    developments = PART_NAMES.index("points_developments")
    shares[..., developments] += np.where(city == 0, 0.3, 0.0)
    shares /= shares.sum(axis=-1, keepdims=True)
    parts = np.floor((score + lowest)[..., None] * shares).astype(np.int64)
    parts[..., 0] += score + lowest - parts.sum(axis=-1)
    return parts, lowest


def _growth(rng: np.random.Generator, total: np.ndarray, rounds: int) -> np.ndarray:
    """Points after each round, by game, round and seat."""
    steps = rng.gamma(1.5, size=(len(total), rounds, total.shape[1])) * np.arange(1, rounds + 1)[:, None]
    return np.round(np.cumsum(steps, axis=1) / steps.sum(axis=1, keepdims=True) * total[:, None]).astype(
        np.int64
    )


def _places(standing: np.ndarray) -> np.ndarray:
    return (standing[..., None, :] > standing[..., :, None]).sum(axis=-1) + 1


def _cards(rng: np.random.Generator, rules: Rules, parts: np.ndarray, shape: tuple[int, int]) -> dict:
    """Two cards played by everyone, one of them an end-game card, which bring what the parts say."""
    end_game = np.array(column_buffers.is_end_game(rules))
    columns = {}
    for is_end, part in ((False, "points_cards"), (True, "points_end_game_cards")):
        own = np.flatnonzero(end_game == is_end)
        chosen = rng.choice(own, shape)
        for card in own:
            name = rules.card_ids[card].replace("-", "_")
            played = chosen == card
            columns[f"card_round_{name}"] = np.where(played, rng.integers(1, 10, shape), 0)
            columns[f"card_points_{name}"] = np.where(played, parts[..., PART_NAMES.index(part)], 0)
    return columns


def _deeds(rng: np.random.Generator, rules: Rules, power: np.ndarray, shape: tuple[int, int]) -> dict:
    """What was done: actions, levels that go with strength, achievements."""
    columns: dict[str, np.ndarray] = {}
    names = column_buffers.players_columns(rules, ["x"])
    for name in names:
        action = name.removeprefix("actions_")
        if action != name:
            columns[name] = rng.poisson(3, shape)
            columns[f"returns_{action}"] = columns[name] * 2
            columns[f"set_aside_{action}"] = rng.poisson(0.3, shape)
        elif name.startswith("level_"):
            columns[name] = np.clip(np.round(3 + power + rng.normal(0, 1, shape)), 1, 7)
        elif name.startswith("achieved_"):
            rounds = rng.integers(2, 10, (shape[0], 1))
            earned = rng.random(shape) < 0.3
            columns[name] = np.where(earned, rounds, 0)
            alone = earned & (earned.sum(axis=1, keepdims=True) == 1)
            columns[f"alone_{name.removeprefix('achieved_')}"] = alone
    columns["development"] = rng.integers(1, 5, shape)
    return columns


def _frame(columns: column_buffers.Columns, made: dict[str, np.ndarray]) -> pl.DataFrame:
    """A frame with exactly these columns; what was not made is zero."""
    rows = len(np.ravel(next(iter(made.values()))))
    series = []
    for name, kind in columns.items():
        values = np.ravel(made.get(name, np.zeros(rows)))
        if isinstance(kind, pl.Enum):
            series.append(
                pl.Series(name, kind.categories, dtype=kind).gather(values.astype(np.uint32)).alias(name)
            )
        else:
            numbers = values if values.dtype in (np.uint64, np.bool_) else values.astype(np.float64)
            series.append(pl.Series(name, numbers).cast(kind))
    return pl.DataFrame(series)
