"""Writing a game down while it is played."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from khora_sim.common.files import explain_write_errors, write_atomically
from khora_sim.engine.agenda import Task
from khora_sim.engine.match import Match
from khora_sim.records.decision_words import KINDS
from khora_sim.records.record_format import FORMAT, Decision, GameOptions, Record, RulesUsed, State, plain
from khora_sim.records.set_up import spell_out
from khora_sim.records.state import Step, city_ids, final_scores, state_of
from khora_sim.rules import Rules, load_rules


class Recorder:
    """Notes every step of a game; `record` is whole once the game is over."""

    def __init__(
        self, match: Match, options: GameOptions, strategies: Sequence[str | None] = (), states: bool = False
    ):
        self._match = match
        self._states = states
        players = int(match.game.players)
        self.record = Record(
            format=FORMAT,
            rules=rules_used(match.rules),
            options=options.model_copy(update={"players": players}),
            seed=int(match.game.seed),
            set_up=spell_out(match, strategies),
            decisions=[],
        )

    def note(self, step: Step) -> None:
        """Write down what happened if somebody decided it, and the scores once they are there."""
        rules, decisions = self._match.rules, self.record.decisions
        if step.number is not None:
            self._note_state(step.before)
            player = city_ids(rules, step.before)[step.seat]
            decisions.append(
                Decision(step=step.number, player=player, kind=KINDS[step.task], option=str(step.option))
            )
        if step.task == Task.FINAL_SCORING:
            self._note_state(self._match.game)
            self.record.scores = final_scores(self._match, step)

    def _note_state(self, game: Any) -> None:
        """The state that the last decision led to: as the next one finds it."""
        if not self._states:
            return
        state = State.model_validate(state_of(self._match.rules, game))
        if self.record.decisions:
            self.record.decisions[-1].state = state
        else:
            self.record.start = state


def rules_used(rules: Rules) -> RulesUsed:
    """The rules a record names; other than the base game they are written out, so that it can be verified."""
    used = RulesUsed(name=rules.name, hash=rules.hash, version=rules.version)
    if rules.hash != load_rules().hash:
        used.toml = rules.to_toml()
    return used


def write_record(record: Record, path: str | Path) -> None:
    """Write a record to a file."""
    with explain_write_errors(Path(path), "name another file"):
        write_atomically(Path(path), record_text(record).encode())


def record_text(record: Record) -> str:
    """A record as JSON, a line for each thing that people look for."""
    data = plain(record)
    parts = []
    for key, value in data.items():
        if key in ("decisions", "scores"):
            inner = _lines([_line(item) for item in value])
        elif key == "set_up":
            inner = _set_up_text(value)
        else:
            inner = _line(value)
        parts.append(f'"{key}": {inner}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _set_up_text(set_up: dict[str, Any]) -> str:
    parts = []
    for key, value in set_up.items():
        by_line = key in ("players", "dice", "rerolls")
        inner = _lines([_line(item) for item in value], 4) if by_line else _line(value)
        parts.append(f'  "{key}": {inner}')
    return "{\n" + ",\n".join(parts) + "\n}"


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _lines(items: list[str], indent: int = 2) -> str:
    inner = ",\n".join(" " * indent + item for item in items)
    return f"[\n{inner}\n{' ' * (indent - 2)}]" if items else "[]"
