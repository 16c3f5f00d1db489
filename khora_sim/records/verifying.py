"""Playing a record again: it is confirmed, or the first step that differs is named."""

import json
import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from khora_sim.common.commands import recording
from khora_sim.common.wording import listed
from khora_sim.engine.agenda import Phase, Task
from khora_sim.engine.match import Match
from khora_sim.errors import UserError
from khora_sim.records.decision_words import KINDS, option_from_words, options_in_words
from khora_sim.records.record_format import GameOptions, Record, SetUp, State, plain
from khora_sim.records.set_up import has_dice, open_dice, open_match, options_of, seeded_match, spell_out
from khora_sim.records.state import city_ids, differences, final_scores, state_of, steps
from khora_sim.rules import Rules, load_rules, read_rules
from khora_sim.rules.terms import word


@dataclass(frozen=True)
class Confirmed:
    """All that was recorded is what the rules give."""

    decisions: int
    rounds: int
    states: int  # how many were compared
    over: bool
    scores: bool  # whether they were recorded
    seeded: bool  # whether a seed gave the set-up

    def in_words(self) -> str:
        """One sentence for people."""
        parts = [f"{self.decisions} decisions"]
        parts += [f"{self.states} states"] if self.states else []
        parts += ["the final scores"] if self.scores else []
        parts += ["the set-up by its seed"] if self.seeded else []
        end = "the game is over" if self.over else f"the record ends in round {self.rounds}"
        return f"confirmed: {listed(parts)}; {end}"


class DiffersError(Exception):
    """The first thing that differs: where, what was recorded, and what the rules give."""

    def __init__(self, where: str, recorded: str, given: str):
        super().__init__(f"{where}: recorded {recorded}; the rules give {given}")


class _RecordEndsError(Exception):
    """The record ends before the game does."""


def verify(record: Record, rules_file: str | None = None) -> Confirmed:
    """Play a record again; raises DiffersError where it differs, UserError where it cannot be played."""
    rules = _rules(record, rules_file)
    options = options_of(rules, record.options)
    set_up = _set_up(record, rules, options)
    player = _Player(record, set_up)
    match = open_match(rules, options, set_up)
    try:
        scoring = None
        for step in steps(match, player.choose):
            scoring = step if step.task == Task.FINAL_SCORING else scoring
    except _RecordEndsError:
        if record.scores is not None:
            raise DiffersError("the end", "final scores", f"a game that is not over: {_at(match)}") from None
        return player.confirmed(match)
    player.compare_state(match)
    if player.done < len(record.decisions):
        extra = record.decisions[player.done]
        raise DiffersError(f"step {player.done + 1}", f"{extra.player} {extra.option}", "the end of the game")
    assert scoring is not None
    _compare_scores(record, [plain(score) for score in final_scores(match, scoring)])
    return player.confirmed(match)


def _rules(record: Record, rules_file: str | None) -> Rules:
    used = record.rules
    if used.toml is not None and rules_file is None:
        rules = read_rules(used.toml, "rules.toml")
    else:
        rules = load_rules(rules_file)
    hint = "" if rules_file or used.toml else "; name the rules it was played with: --rules FILE"
    if used.version not in (None, rules.version):
        raise UserError(
            f"rules.version: the game was recorded with version {used.version} of the rules, in which the "
            "same seed and decisions give another game, and this khora plays version "
            f"{rules.version}; record it again ({recording()})"
        )
    for key, recorded, given in (("hash", used.hash, rules.hash), ("name", used.name, rules.name)):
        if recorded is not None and recorded != given:
            raise DiffersError(f"rules.{key}", str(recorded), f"{given}{hint}")
    return rules


def _set_up(record: Record, rules: Rules, options: GameOptions) -> SetUp:
    """The set-up that was recorded; if a seed is given, it must be what the seed gives."""
    set_up = record.set_up
    if set_up is None and record.seed is None:
        raise UserError("set_up: is missing, and no seed is given; one of them is needed")
    players = len(set_up.players) if set_up else options.players
    if players is None:
        raise UserError("options.players: is missing; a seed alone does not say how many play")
    if options.players not in (None, players):
        raise DiffersError("options.players", str(options.players), f"{players} by set_up.players")
    if record.seed is None:
        assert set_up is not None
        return set_up
    drawn = spell_out(seeded_match(rules, players, record.seed, options))
    _compare_set_up(record, drawn)
    return set_up or drawn


def _compare_set_up(record: Record, drawn: SetUp) -> None:
    if record.set_up is None:
        return
    recorded = plain(record.set_up)
    for player in recorded["players"]:
        player.pop("strategy", None)
    for where, old, new in differences(recorded, plain(drawn)):
        rolled = re.fullmatch(r"(dice|rerolls)\[(\d+)\]\[(\d+)\]\[(\d+)\]", where)
        if rolled:
            round_, seat, die = (int(place) for place in rolled.groups()[1:])
            city = record.set_up.players[seat].city
            where = f"{rolled[1]}, round {round_ + 1}, {city}, die {die + 1}"
        raise DiffersError(f"set_up.{where}", _shown(old), f"{_shown(new)} for seed {record.seed}")


def _compare_scores(record: Record, actual: list[dict[str, Any]]) -> None:
    by_player = {score["player"]: score for score in actual}
    if record.scores is None:
        return
    for player in by_player.keys() - {score.player for score in record.scores}:
        raise DiffersError("scores", f"none for {player}", f"{by_player[player]['score']}")
    for score in record.scores:
        if score.player not in by_player:
            raise DiffersError("scores", f"a player {score.player}", f"the players {', '.join(by_player)}")
        recorded, given = plain(score), by_player[score.player]
        for parts in ("final_scoring", "points"):  # a part that is not recorded is one that is wrong
            if parts in recorded:
                recorded[parts] = {**dict.fromkeys(given[parts], 0), **recorded[parts]}
        for where, old, new in differences(recorded, given):
            raise DiffersError(f"scores, {score.player}, {where}", _shown(old), _shown(new or 0))


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _at(match: Match) -> str:
    """Player who must decide, and the decision."""
    city = city_ids(match.rules, match.game)[match.seat]
    return f"{city} decides {KINDS[match.task]} in round {match.game.round_number}"


class _Player:
    """Decides as recorded, and compares what was recorded on the way."""

    def __init__(self, record: Record, set_up: SetUp):
        self._decisions = record.decisions
        self._start = record.start
        self._set_up = set_up
        self._seeded = record.seed is not None
        self._scored = record.scores is not None
        self.done = 0
        self.states = 0

    def choose(self, match: Match, options: list[int]) -> int:
        """The option that was recorded, if it is one."""
        ends = self.done == len(self._decisions)
        if match.task == Task.TELL_DICE and not (ends and not has_dice(match, self._set_up)):
            return open_dice(match, self._set_up)
        self.compare_state(match)
        if ends:
            raise _RecordEndsError
        decision = self._decisions[self.done]
        self.done += 1
        phase = word(Phase(int(match.game.phase)))
        where = f"step {self.done} (round {match.game.round_number}, {phase})"
        if decision.step is not None and decision.step != self.done:
            raise DiffersError(where, f"step {decision.step}", f"step {self.done}")
        city = city_ids(match.rules, match.game)[match.seat]
        if (decision.player, decision.kind) != (city, KINDS[match.task]):
            recorded = f'{decision.player} {decision.kind} "{decision.option}"'
            raise DiffersError(where, recorded, _choice(match, options, decision.option))
        option = option_from_words(match, options, decision.option)
        if option is None:
            raise DiffersError(where, f'"{decision.option}"', _choice(match, options, decision.option))
        return option

    def compare_state(self, match: Match) -> None:
        """Compare the state that was recorded with the last decision, if one was."""
        recorded: State | None = self._decisions[self.done - 1].state if self.done else self._start
        if recorded is None:
            return
        self.states += 1
        for where, old, new in differences(plain(recorded), state_of(match.rules, match.game)):
            step = f"step {self.done}, state after it" if self.done else "start"
            raise DiffersError(f"{step}, {where}", _shown(old), _shown(new))

    def confirmed(self, match: Match) -> Confirmed:
        """The parts of the record that were confirmed."""
        over = match.game.agenda_size == 0
        rounds = int(match.game.round_number)
        return Confirmed(self.done, rounds, self.states, over, self._scored, self._seeded)


def _choice(match: Match, options: list[int], recorded: str) -> str:
    """Options of the decision; of many options those that read most like the recorded one."""
    words = options_in_words(match, options)
    near = words if len(words) <= 5 else get_close_matches(recorded, words, n=3, cutoff=0) or words[:3]
    shown = " or ".join(f'"{said}"' for said in near)
    more = f" or one of {len(words) - len(near)} more" if len(near) < len(words) else ""
    return f"{city_ids(match.rules, match.game)[match.seat]} {KINDS[match.task]}: {shown}{more}"
