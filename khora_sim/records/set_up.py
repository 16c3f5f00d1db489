"""The set-up of a game spelled out: read off a seed, or written into a game without one."""

from collections.abc import Iterable, Sequence
from typing import Any

from khora_sim.common.options import Setting, as_arguments, left_open, settings_of
from khora_sim.engine.agenda import Task
from khora_sim.engine.bits import BIT
from khora_sim.engine.dice import PIPS
from khora_sim.engine.match import Match
from khora_sim.engine.record import UNKNOWN
from khora_sim.engine.setup import RANDOM
from khora_sim.errors import UserError, nearest
from khora_sim.records.record_format import GameOptions, PlayerSetUp, SetUp
from khora_sim.records.state import city_ids, deck_of, members
from khora_sim.rules import Rules
from khora_sim.rules.terms import DICE


def options_of(rules: Rules, given: GameOptions) -> GameOptions:
    """The options of a game, with those not given as the rules have them."""
    return given.model_copy(update=left_open(given, rules.model.options))


def seeded_match(rules: Rules, players: int, seed: int, options: GameOptions) -> Match:
    """A game set up from a seed."""
    fixed = (options.fixed_cities or [])[:players]
    cities = [RANDOM if city is None else _place(city, rules.city_ids, "city", "cities") for city in fixed]
    first = options.fixed_first_seat
    if first is not None and first > players:
        raise UserError(f"first player {first}: with {players} players the seats are 1 to {players}")
    if len(set(cities) - {RANDOM}) < len([city for city in cities if city != RANDOM]):
        raise UserError(
            f"cities {', '.join(str(city) for city in fixed)}: every player has a city of its own"
        )
    settings = settings_of(**as_arguments(options))
    return Match(rules, players, seed, settings, cities, RANDOM if first is None else first - 1)


def spell_out(match: Match, strategies: Sequence[str | None] = ()) -> SetUp:
    """The set-up of a game that has not begun."""
    rules, game = match.rules, match.game
    names = list(strategies) or [None] * game.players
    dice, rerolls = _all_dice(match)
    return SetUp(
        players=[
            PlayerSetUp(
                city=city,
                strategy=names[seat],
                hand=[rules.card_ids[card] for card in members(game.pack[seat])],
            )
            for seat, city in enumerate(city_ids(rules, game))
        ],
        first_player=city_ids(rules, game)[game.first_player],
        deck=[rules.card_ids[card] for card in deck_of(game)],
        events=[rules.event_ids[event] for event in game.events[: rules.model.rounds]],
        dice=dice,
        rerolls=rerolls,
    )


def _all_dice(match: Match) -> tuple[list[Any], list[Any] | None]:
    """Dice that every seat would roll in every round with three dice, and roll again: chance is addressed."""
    scratch = match.copy()
    game = scratch.game
    dice, rerolls = [], []
    game.dice_count[: game.players] = DICE
    for round_number in range(1, match.rules.model.rounds + 1):
        game.round_number = round_number
        _put_alone(game, Task.ROLL, 0)
        scratch.step()
        dice.append(game.dice[: game.players].tolist())
        again = []
        for seat in range(game.players):
            _put_alone(game, Task.REROLL, seat)
            own = scratch.options()[0]  # all the dice that are the player's own
            scratch.apply(own)
            again.append([int(game.dice[seat, die]) if own >> die & 1 else None for die in range(DICE)])
        rerolls.append(again)
    return dice, rerolls if game.settings & Setting.REROLL else None


def _put_alone(game: Any, task: Task, seat: int) -> None:
    game.agenda[0] = (task, seat, 0)
    game.agenda_size = 1


def open_match(rules: Rules, options: GameOptions, set_up: SetUp) -> Match:
    """A game with the set-up as written; its dice come from `open_dice`."""
    cities = [
        _place(player.city, rules.city_ids, "city", f"set_up.players[{seat}].city")
        for seat, player in enumerate(set_up.players)
    ]
    names = [player.city for player in set_up.players]
    _all_different(names, "set_up.players", "city")
    first = _place(set_up.first_player, names, "player", "set_up.first_player")
    match = Match(
        rules, len(cities), 0, settings_of(**as_arguments(options)) | Setting.OPEN_DICE, cities, first
    )
    _lay_cards(match, set_up)
    _lay_events(match, set_up)
    return match


def _lay_cards(match: Match, set_up: SetUp) -> None:
    """Deal the hands; cards the deck does not name lie behind those it names, in the order of the rules."""
    game, ledger, rules = match.game, match.ledger, match.rules
    dealt = rules.model.hand_dealt
    named = [card for player in set_up.players for card in player.hand] + set_up.deck
    for seat, player in enumerate(set_up.players):
        where = f"set_up.players[{seat}].hand"
        if len(player.hand) != dealt:
            raise UserError(f"{where}: {dealt} cards are dealt, {len(player.hand)} are named")
        cards = [_place(card, rules.card_ids, "card", where) for card in player.hand]
        game.pack[seat] = ledger.dealt[seat] = sum(int(BIT[card]) for card in cards)
    _all_different(named, "set_up", "card")
    order = [_place(card, rules.card_ids, "card", "set_up.deck") for card in named]
    order += [card for card in range(len(rules.card_ids)) if card not in order]
    game.deck[:] = UNKNOWN
    game.deck[: len(order)] = order
    game.deck_top = dealt * len(set_up.players)
    game.deck_size = len(order) - game.deck_top


def _lay_events(match: Match, set_up: SetUp) -> None:
    """Put the events on their rounds; rounds without one must not be reached."""
    rules, rounds = match.rules, match.rules.model.rounds
    if len(set_up.events) > rounds:
        raise UserError(f"set_up.events: {len(set_up.events)} are named for {rounds} rounds")
    _all_different(set_up.events, "set_up.events", "event")
    match.game.events[:] = UNKNOWN
    for place, event in enumerate(set_up.events):
        known = _place(event, rules.event_ids, "event", f"set_up.events[{place}]")
        slot = rules.model.events[event].slot
        wanted = "first" if place == 0 else "last" if place == rounds - 1 else "middle"
        if slot != wanted:
            raise UserError(f"set_up.events[{place}]: {event} is not an event for round {place + 1}")
        match.game.events[place] = known


def has_dice(match: Match, set_up: SetUp) -> bool:
    """Tell if dice are named for the round that is played."""
    return bool(len(set_up.dice) >= match.game.round_number)


def open_dice(match: Match, set_up: SetUp) -> int:
    """Dice of the set-up for this moment, as an option of TELL_DICE."""
    game, seat, round_number = match.game, match.seat, int(match.game.round_number)
    again = game.dice[seat, 0] > 0
    table: Sequence[Any] = (set_up.rerolls or []) if again else set_up.dice
    where = f"set_up.{'rerolls' if again else 'dice'}: round {round_number}, {set_up.players[seat].city}"
    if len(set_up.events) < round_number:
        raise UserError(f"set_up.events: round {round_number} has no event, and the game goes that far")
    if len(table) < round_number or len(table[round_number - 1]) <= seat:
        raise UserError(f"{where}: no dice are named, and the game goes that far")
    pips = table[round_number - 1][seat]
    option = 0
    for die in members(match.value):
        if die >= len(pips) or pips[die] is None:
            raise UserError(f"{where}: die {die + 1} is rolled and not named")
        option += (pips[die] - 1) * PIPS**die
    if game.settings & Setting.SHARED_DICE and not again:
        first = set_up.dice[round_number - 1][0][:2]
        if pips[:2] != first:
            raise UserError(f"{where}: the first two dice are shared; {set_up.players[0].city} has {first}")
    return option


def _place(name: str, known: Sequence[str], kind: str, where: str) -> int:
    if name not in known:
        raise UserError(f'{where}: unknown {kind} "{name}"; {nearest(name, known)}')
    return list(known).index(name)


def _all_different(names: Iterable[str], where: str, kind: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise UserError(f"{where}: {kind} {name} is there twice")
        seen.add(name)
