"""From the records of played games to the frames of the dataset, all columns at a time."""

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from khora_sim.engine.ledger import Column
from khora_sim.errors import UserError
from khora_sim.lab import schema
from khora_sim.lab.seating import slots

if TYPE_CHECKING:
    from khora_sim.lab.plan import Plan, Section

NUMPY: dict[Any, Any] = {
    pl.UInt8: np.uint8,
    pl.UInt16: np.uint16,
    pl.UInt32: np.uint32,
    pl.UInt64: np.uint64,
    pl.Int16: np.int16,
}


class Sheets:
    """The numbers of a chunk, filled in block by block while its games are played.

    Every column is an array by game and seat; a table's column is that array laid flat.
    """

    def __init__(self, plan: "Plan", section: "Section", set_ups: np.recarray, first_game: int):
        self.plan, self.section, self.set_ups = plan, section, set_ups
        self.first_game = first_game
        games, seats, rounds = len(set_ups), section.players, plan.rules.model.rounds
        self.fields = schema.player_fields(plan.rules)
        self.by_field = [
            np.empty((len(field.columns), games, seats), NUMPY[field.type]) for field in self.fields
        ]
        self.decisions = np.empty(games, np.uint16)
        self.explored = np.empty(games, np.uint64)
        self.events = np.empty((rounds, games), np.uint8)
        kept = len(Column) if plan.study.rounds else 1  # points by round are always needed, to know who led
        self.by_round = np.empty((kept, games, rounds, seats), np.int16)

    def put(self, first: int, games: np.ndarray, ledgers: np.ndarray) -> None:
        """Take over a block of games that were just played."""
        block = slice(first, first + len(games))
        seats, rounds = self.section.players, self.plan.rules.model.rounds
        records = {"game": games, "ledger": ledgers[: len(games)]}
        for field, sheet in zip(self.fields, self.by_field, strict=True):
            numbers = records[field.record][field.field][:, :seats]
            if numbers.ndim == 2:
                numbers = numbers[..., None]
            by_column = numbers[..., field.first : field.first + len(sheet)].transpose(2, 0, 1).copy()
            if field.type != schema.SET:  # the highest bit of a set is the sign of a record's number
                check_kept(field.columns, by_column, sheet.dtype, self.first_game + first)
            sheet[:, block] = by_column
        check_kept(("decisions",), games["step"][None], self.decisions.dtype, self.first_game + first)
        self.decisions[block] = games["step"]
        self.explored[block] = games["explored"]
        self.events[:, block] = games["events"][:, :rounds].T
        after_round = records["ledger"]["after_round"][:, :rounds, :seats, : len(self.by_round)]
        self.by_round[:, block] = after_round.transpose(3, 0, 1, 2)


def check_kept(columns: Sequence[str], numbers: np.ndarray, kind: np.dtype, first_game: int) -> None:
    """A number (by column and game) that a study cannot keep is told, never cut off."""
    held = np.iinfo(kind)
    if held.min <= numbers.min() and numbers.max() <= held.max:
        return
    column, game, *rest = np.argwhere((numbers < held.min) | (numbers > held.max))[0]
    raise UserError(
        f"game {first_game + game}: {columns[column]} is {numbers[column, game, *rest]:,}, and a study keeps "
        f"{held.min:,} to {held.max:,}; let the rules give less, or play single games with khora replay"
    )


class Standings:
    """Places and leads, worked out of points and drachmas."""

    def __init__(self, score: np.ndarray, drachmas: np.ndarray, vp_by_round: np.ndarray):
        self.place = places(score, drachmas)
        self.won = self.place == 1
        self.winners = self.won.sum(axis=1, dtype=np.uint8)
        self.win_share = self.won / self.winners[:, None]
        self.leads = vp_by_round == vp_by_round.max(axis=2, keepdims=True)  # by game, round and seat

    def leading(self) -> np.ndarray:
        """The set of rounds after which each player led."""
        rounds = np.arange(self.leads.shape[1], dtype=np.uint16)
        return (self.leads << rounds[:, None]).sum(axis=1, dtype=np.uint16)

    def lead_changes(self) -> np.ndarray:
        """How often the sole lead passed to someone else, the end of the game included."""
        changes = np.zeros(len(self.won), np.uint8)
        last = np.full(len(self.won), -1)  # who led alone last
        for leads in (*self.leads.transpose(1, 0, 2), self.won):
            leader = np.where(leads.sum(axis=1) == 1, leads.argmax(axis=1), last)
            changes += (leader != last) & (last >= 0)
            last = leader
        return changes


def places(points: np.ndarray, drachmas: np.ndarray) -> np.ndarray:
    """The place of each seat (last axis) by points and then drachmas; equals share the better place."""
    standing = points.astype(np.int32) * 65536 + drachmas
    better = standing[..., None, :] > standing[..., :, None]
    return better.sum(axis=-1, dtype=np.uint8) + np.uint8(1)


def frames(sheets: Sheets) -> dict[str, pl.DataFrame]:
    """The tables of a chunk whose games have all been played."""
    plan, section = sheets.plan, sheets.section
    by_name = {
        column: sheet[place]
        for field, sheet in zip(sheets.fields, sheets.by_field, strict=True)
        for place, column in enumerate(field.columns)
    }
    standings = Standings(by_name["score"], by_name["drachmas"], sheets.by_round[Column.VP])
    games = len(sheets.set_ups)
    numbers = np.arange(sheets.first_game, sheets.first_game + games, dtype=np.uint32)
    groups = (numbers - np.uint32(section.first_game)) // section.group_size + section.first_group
    identity = {"game": numbers, "rotation_group": groups.astype(np.uint32)}
    tables = {
        "games": _games(sheets, identity, by_name, standings),
        "players": _players(sheets, identity, by_name, standings),
    }
    if plan.study.rounds:
        tables["rounds"] = _rounds(sheets, identity, standings)
    names = [strategy.name for strategy in plan.strategies]
    return {
        table: _frame(schema.columns(table, plan.rules, names), made, sheets.first_game, games)
        for table, made in tables.items()
    }


def _seats(places: np.ndarray) -> np.ndarray:
    """Seats as people count them, from 1; records count from 0."""
    return (places + 1).astype(np.uint8)


def _games(
    sheets: Sheets, identity: dict[str, np.ndarray], by_name: dict[str, np.ndarray], standings: Standings
) -> dict[str, np.ndarray]:
    best = np.sort(by_name["score"], axis=1)[:, ::-1]
    top = (by_name["score"] == best[:, :1]).sum(axis=1)
    return {
        **identity,
        "seed": sheets.set_ups["seed"],
        "players": np.full(len(best), sheets.section.players, np.uint8),
        "first_seat": _seats(sheets.set_ups["first_player"]),
        "winner": _seats(standings.won.argmax(axis=1)),
        "winners": standings.winners,
        "winning_score": best[:, 0],
        "margin": best[:, 0] - best[:, 1],
        "by_drachmas": top > standings.winners,
        "lead_changes": standings.lead_changes(),
        "decisions": sheets.decisions,
        "explored": sheets.explored,
        **{f"event_{number + 1}": events for number, events in enumerate(sheets.events)},
    }


def _players(
    sheets: Sheets, identity: dict[str, np.ndarray], by_name: dict[str, np.ndarray], standings: Standings
) -> dict[str, np.ndarray]:
    plan, section = sheets.plan, sheets.section
    shape = standings.place.shape
    here = np.arange(section.players)
    slot = np.tile(_seats(slots(plan.study, section.players)), (shape[0] // section.group_size, 1))
    cards = np.stack([by_name[column] for column in schema.card_columns("card_points", plan.rules)])
    developments = np.stack([by_name[name] for name in schema.SOURCES[: schema.DEVELOPMENTS]])
    end_game = np.array(schema.is_end_game(plan.rules))
    achieved = {name: rounds for name, rounds in by_name.items() if name.startswith("achieved_")}
    alone = {
        f"alone_{name.removeprefix('achieved_')}": (rounds > 0) & ((rounds > 0).sum(axis=1) == 1)[:, None]
        for name, rounds in achieved.items()
    }
    return (
        by_name
        | alone
        | {
            **{name: np.repeat(column, section.players) for name, column in identity.items()},
            "players": np.full(shape, section.players, np.uint8),
            "seat": np.broadcast_to(_seats(here), shape),
            "is_first": here == sheets.set_ups["first_player"][:, None],
            "slot": slot,
            "city": sheets.set_ups["cities"][:, : section.players],
            "strategy": strategy_codes(plan)[sheets.set_ups["lineup"][:, : section.players]],
            "place": standings.place,
            "win_share": standings.win_share,
            "leading": standings.leading(),
            "points_start": np.full(shape, plan.rules.model.start.vp, np.int16),
            "points_cards": cards[~end_game].sum(axis=0, dtype=np.int32),
            "points_end_game_cards": cards[end_game].sum(axis=0, dtype=np.int32),
            "points_developments": developments.sum(axis=0, dtype=np.int32),
            "cards_in_play": np.bitwise_count(by_name["in_play"]),
            "dice_luck": by_name["pips"] - np.float32(3.5) * by_name["dice_rolled"],
        }
    )


def _rounds(sheets: Sheets, identity: dict[str, np.ndarray], standings: Standings) -> dict[str, np.ndarray]:
    plan, section = sheets.plan, sheets.section
    by_round = sheets.by_round
    shape = by_round.shape[1:]  # game, round, seat

    def spread(by_seat: np.ndarray) -> np.ndarray:
        return np.broadcast_to(by_seat[:, None, :], shape)

    return {
        **{name: np.repeat(column, shape[1] * shape[2]) for name, column in identity.items()},
        "round": np.broadcast_to(np.arange(1, shape[1] + 1, dtype=np.uint8)[:, None], shape),
        "seat": np.broadcast_to(_seats(np.arange(shape[2])), shape),
        "city": spread(sheets.set_ups["cities"][:, : section.players]),
        "strategy": spread(strategy_codes(plan)[sheets.set_ups["lineup"][:, : section.players]]),
        "win_share": spread(standings.win_share),
        "place": places(by_round[Column.VP], by_round[Column.DRACHMAS]),
        **{name: by_round[place] for place, name in enumerate(schema.ROUND_COLUMNS)},
    }


def strategy_codes(plan: "Plan") -> np.ndarray:
    """For each place in the list of strategies: its number among the different names."""
    names = [strategy.name for strategy in plan.strategies]
    different = schema.strategy_names(names)
    return np.array([different.index(name) for name in names], np.uint8)


def _frame(columns: schema.Columns, made: dict[str, np.ndarray], first_game: int, games: int) -> pl.DataFrame:
    """A frame with exactly these columns; names are given as their numbers."""
    for name, kind in columns.items():
        if kind in NUMPY and made[name].dtype != NUMPY[kind] and kind != schema.SET:
            check_kept((name,), made[name].reshape(1, games, -1), np.dtype(NUMPY[kind]), first_game)
    return pl.DataFrame([_series(name, kind, made[name].reshape(-1)) for name, kind in columns.items()])


def _series(name: str, kind: type[pl.DataType] | pl.DataType, values: np.ndarray) -> pl.Series:
    if isinstance(kind, pl.Enum):
        return pl.Series(name, kind.categories, dtype=kind).gather(values.astype(np.uint32)).alias(name)
    if kind in NUMPY:
        values = values.astype(NUMPY[kind], copy=False)
    return pl.Series(name, values, dtype=kind)


def parquet(frame: pl.DataFrame) -> bytes:
    """A frame as the bytes of a Parquet file; the same frame gives the same bytes."""
    written = io.BytesIO()
    frame.write_parquet(
        written, compression="zstd", compression_level=1, statistics=False, row_group_size=max(len(frame), 1)
    )
    return written.getvalue()
