"""Setting the scene: a game put into a chosen state, one thing done, and what it changed.

    scene = Scene().give(0, drachmas=3, tokens="r", hand="silver-mining")
    scene.play("silver-mining")
    assert scene.changes(0) == {"drachmas": -3, "tax": 2, "hand": -1, "in play": 1}

Everybody starts with nothing on level 1 and a city whose first development does not last, so that what
changes is what the rule did. Options are words; tokens are letters, small for minor and big for major.
"""

from types import SimpleNamespace
from typing import Any, NamedTuple

from khora_sim.common.options import Setting
from khora_sim.engine.agenda import NONE, SELL, Phase, Task
from khora_sim.engine.match import Match
from khora_sim.rules import Rules, load_rules
from khora_sim.rules.terms import Action, Colour, Track, word

BASE = load_rules()
PLAIN_CITIES = ("argos", "corinth", "miletus", "olympia")  # their first developments are immediate
AMOUNTS = ("drachmas", "vp", "citizens", "tax", "glory", "troops", "philosophy")
TRACKS = [word(track) for track in Track]
COLOURS = [word(colour) for colour in Colour]
ACTIONS = [word(action) for action in Action]
CARD_TASKS = (Task.PICK_CARD, Task.KEEP_CARD, Task.PLAY_CARD, Task.TAKE_BACK_CARD, Task.DISCARD)
NO_CARD = 63  # the base game has 40


class Payment(NamedTuple):
    """An option of PAY_CITIZENS."""

    dice: tuple[int, ...]  # whose tiles are paid for
    tokens: int  # spent
    left: int  # citizens


class Scene:
    """A game in a chosen state, in the middle of round 2 unless set otherwise."""

    def __init__(self, players: int = 3, settings: int = Setting.DRAFT, rules: Rules = BASE):
        cities = [rules.city_ids.index(city) for city in PLAIN_CITIES[:players]]
        self.rules, self.players = rules, players
        self.match = Match(rules, players, seed=1, settings=settings, cities=cities, first_player=0)
        self.game = self.match.game
        self._listed: list[int] = []
        self._blank()

    def _blank(self) -> None:
        """Clear the table: the set-up itself is tested where it belongs."""
        game = self.game
        game.agenda_size, game.round_number, game.phase = 0, 2, Phase.ACTION
        game.development[: self.players] = 1
        for name in (*AMOUNTS, "pack", "hand", "hand_size", "in_play"):
            game[name][:] = 0
        game.level[:] = 1
        self.deck(*self.rules.card_ids)
        for seat in range(self.players):
            self._refresh(seat)
        self._before = self._states()

    def _refresh(self, seat: int) -> None:
        """Let the engine work out what cards and developments change for good.

        Taking a card back does that; a card that does not exist leaves no other trace.
        """
        hand, count = int(self.game.hand[seat]), int(self.game.hand_size[seat])
        self._agenda((Task.TAKE_BACK_CARD, seat, NONE))
        self.match.apply(NO_CARD)
        self.game.hand[seat], self.game.hand_size[seat] = hand, count

    # setting the scene

    def give(
        self,
        seat: int,
        *,
        tokens: str | None = None,
        hand: str | None = None,
        in_play: str | None = None,
        city: str | None = None,
        development: int | None = None,
        dice: tuple[int, ...] = (),
        tiles: tuple[int, ...] = (),
        **amounts: int,
    ) -> "Scene":
        """Put a player into a state; cards are names with spaces between them."""
        game = self.game
        for name, amount in amounts.items():
            if name in TRACKS:
                game.level[seat, TRACKS.index(name)] = amount
            else:
                assert name in (*AMOUNTS, "dice_count"), name
                game[name][seat] = amount
        if tokens is not None:
            for place, letter in enumerate("rbg"):
                game.minor[seat, place] = tokens.count(letter)
                game.major[seat, place] = tokens.count(letter.upper())
        if hand is not None:
            game.hand[seat], game.hand_size[seat] = self._cards(hand), len(hand.split())
        if in_play is not None:
            game.in_play[seat] = self._cards(in_play)
        self._take_from_deck(f"{hand or ''} {in_play or ''}".split())
        if city is not None:
            game.city[seat] = self.rules.city_ids.index(city)
        if development is not None:
            game.development[seat] = development
        for die, pips in enumerate(dice):
            game.dice[seat, die] = pips
        for die, tile in enumerate(tiles):
            game.tile[seat, die] = tile
        self._refresh(seat)
        return self

    def _cards(self, names: str) -> int:
        return sum(1 << self.rules.card_ids.index(name) for name in names.split())

    def deck(self, *cards: str) -> "Scene":
        """Stack the deck, the first card on top."""
        game = self.game
        game.deck[:] = -1
        game.deck[: len(cards)] = [self.rules.card_ids.index(card) for card in cards]
        game.deck_top, game.deck_size = 0, len(cards)
        return self

    def _take_from_deck(self, cards: list[str]) -> None:
        if cards:
            self.deck(*[card for card in self.deck_cards() if card not in cards])

    def event(self, event: str, round_number: int = 2) -> "Scene":
        """Announce an event for this round."""
        self.game.round_number = round_number
        self.game.events[round_number - 1] = self.rules.event_ids.index(event)
        return self

    # doing one thing

    def _agenda(self, *tasks: tuple[int, int, int]) -> None:
        self.game.agenda_size = len(tasks)
        for place, task in enumerate(reversed(tasks)):
            self.game.agenda[place] = task

    def run(self, phase: Phase, *tasks: tuple[int, int, int]) -> "Scene":
        """Do these things and nothing after them, until somebody must decide or all is done."""
        self.game.phase = phase
        self._before = self._states()
        self._agenda(*tasks)
        self._listed = self.match.advance()
        return self

    def action(self, action: str, seat: int = 0) -> "Scene":
        """One action in phase D."""
        return self.run(Phase.ACTION, (Task.ACTION, seat, ACTIONS.index(action)))

    def play(self, card: str, *choices: Any, seat: int = 0) -> "Scene":
        """A politics action that plays a card, and what the player chooses then."""
        return self.action("politics", seat).choose(card, *choices)

    def develop(self, *choices: Any, seat: int = 0) -> "Scene":
        """A development action that is taken, and what the player chooses then."""
        return self.action("development", seat).choose("yes", *choices)

    def tax_phase(self) -> "Scene":
        """Phase B."""
        return self.run(Phase.TAX, (Task.TAX, 0, 0))

    def after_the_roll(self) -> "Scene":
        """Phase C from where the dice lie as given."""
        return self.run(Phase.DICE, (Task.ROLLED, 0, 0))

    def reveal(self) -> "Scene":
        """Phase C from where the tiles lie as given."""
        return self.run(Phase.DICE, (Task.REVEAL, 0, 0))

    def all_actions(self) -> "Scene":
        """The whole of phase D with tiles as given; they are paid for first, dice not given are sixes."""
        game = self.game
        game.dice[(game.tile >= 0) & (game.dice == 0)] = 6
        return self.run(Phase.DICE, (Task.REVEAL, 0, 0), (Task.ACTIONS, 0, 0))

    def progress(self) -> "Scene":
        """Phase E."""
        return self.run(Phase.PROGRESS, (Task.PROGRESS, 0, 0))

    def resolve(self, event: str, round_number: int = 2) -> "Scene":
        """Phase F."""
        self.event(event, round_number)
        return self.run(Phase.EVENT_RESOLUTION, (Task.EVENT, 0, 0))

    def achievements(self) -> "Scene":
        """Phase G."""
        return self.run(Phase.ACHIEVEMENT, (Task.ACHIEVEMENTS, 0, 0))

    def end_of_round(self, round_number: int) -> "Scene":
        """What comes after the achievements."""
        self.game.round_number = round_number
        return self.run(Phase.ACHIEVEMENT, (Task.END_ROUND, 0, 0))

    def end_of_game(self) -> "Scene":
        """What comes after the achievements of the last round."""
        return self.end_of_round(9)

    # deciding

    def choose(self, *choices: Any) -> "Scene":
        """Decide, once for each choice, in the words of `options`."""
        for choice in choices:
            assert choice in self.options, f"{choice} is not among {self.options} of {self.asked}"
            self._listed = self.match.choose(self._listed[self.options.index(choice)])
        return self

    @property
    def asked(self) -> tuple[int, str] | None:
        """Who must decide, and what, or None."""
        return (self.match.seat, word(self.match.task)) if self._listed else None

    @property
    def options(self) -> list[Any]:
        """The options of the decision at hand, in words."""
        return [self._word(option) for option in self._listed]

    def _word(self, option: int) -> Any:
        task, seat = self.match.task, self.match.seat
        special = {NONE: "none", SELL: "sell"}
        if option < 0:
            return special[option]
        if task in CARD_TASKS:
            return self.rules.card_ids[option]
        if task == Task.PAY_CITIZENS:
            return Payment(tuple(die for die in range(3) if option >> die & 1), option >> 8, option >> 3 & 31)
        if task == Task.PLACE_TILES:
            return tuple(option // 7**die % 7 for die in range(3) if self.game.dice[seat, die] > 0)
        if task == Task.TELL_DICE:
            return tuple(1 + option // 6**die % 6 for die in range(3) if self.match.value >> die & 1)
        if task == Task.REROLL:
            return tuple(die for die in range(3) if option >> die & 1)
        if task in (Task.CHOOSE_GAIN,):
            return option
        words = {
            Task.EXPLORE: self.rules.space_ids,
            Task.BUY_TOKEN: COLOURS,
            Task.GAIN_TOKEN: COLOURS,
            Task.LOSE_TOKEN: [f"{size} {colour}" for size in ("minor", "major") for colour in COLOURS],
            Task.CLIMB: TRACKS,
            Task.CLIMB_CHEAPER: TRACKS,
            Task.CHOOSE_TRACK: TRACKS,
            Task.CHOOSE_ACTION: ACTIONS,
            Task.TAX_OR_GLORY: ["tax", "glory"],
            Task.DEVELOP: ["", "yes"],
        }
        return words[task][option]

    # reading the result

    def changes(self, seat: int) -> dict[str, int]:
        """Everything that is not as it was before for a player, as differences."""
        now, before = self._states()[seat], self._before[seat]
        return {name: now[name] - before[name] for name in now if now[name] != before[name]}

    def player(self, seat: int) -> SimpleNamespace:
        """How a player stands."""
        return SimpleNamespace(**self._states()[seat])

    def _states(self) -> list[dict[str, int]]:
        game, states = self.game, []
        for seat in range(self.players):
            state = {name: int(game[name][seat]) for name in AMOUNTS}
            state |= {track: int(game.level[seat, place]) for place, track in enumerate(TRACKS)}
            for place, colour in enumerate(COLOURS):
                state[f"minor {colour}"] = int(game.minor[seat, place])
                state[f"major {colour}"] = int(game.major[seat, place])
            state["dice"] = int(game.dice_count[seat])
            state["development"] = int(game.development[seat])
            state["hand"] = int(game.hand_size[seat])
            state["in play"] = int(game.in_play[seat]).bit_count()
            states.append(state)
        return states

    def hand(self, seat: int) -> set[str]:
        """The cards in hand."""
        return self._names(int(self.game.hand[seat]))

    def in_play(self, seat: int) -> set[str]:
        """The cards in play."""
        return self._names(int(self.game.in_play[seat]))

    def _names(self, members: int) -> set[str]:
        return {card for place, card in enumerate(self.rules.card_ids) if members >> place & 1}

    def deck_cards(self) -> list[str]:
        """The deck from top to bottom."""
        game = self.game
        places = [(int(game.deck_top) + place) % len(game.deck) for place in range(int(game.deck_size))]
        return [self.rules.card_ids[game.deck[place]] for place in places]
