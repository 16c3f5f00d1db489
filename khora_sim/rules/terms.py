"""The closed lists of the game: every word the rules may use, and the integer the tables use for it."""

from enum import IntEnum

MAX_PLAYERS = 4
PLAYER_COUNTS = tuple(range(2, MAX_PLAYERS + 1))
MAX_CARDS = 64
MAX_EVENTS = 32
MAX_SPACES = 60
MAX_CITIES = 16
MAX_ROUNDS = 12
MAX_LEVEL = 7
MAX_LIMIT = 30  # of citizens, troops, tax and glory
MAX_TROOPS = MAX_LIMIT + MAX_LEVEL  # a military action adds a level's worth before the limit holds
MAX_EFFECTS = 3  # of one card, development or event half
MAX_CHOICES = 4  # gains to choose from in one effect
MAX_DEALT = 8  # cards dealt to one player
MAX_DRAWN = 4  # cards drawn in one legislation action
DICE = 3
DEVELOPMENTS = 4


class Track(IntEnum):
    """The three progress tracks of a city board."""

    ECONOMY = 0
    CULTURE = 1
    MILITARY = 2


class Colour(IntEnum):
    """The three colours of knowledge tokens."""

    RED = 0
    BLUE = 1
    GREEN = 2


class Action(IntEnum):
    """The seven action tiles, by the number printed on them."""

    PHILOSOPHY = 0
    LEGISLATION = 1
    CULTURE = 2
    TRADE = 3
    MILITARY = 4
    POLITICS = 5
    DEVELOPMENT = 6


class Achievement(IntEnum):
    """The five achievements of the central board."""

    VICTORY_POINTS = 0
    CITIZENS = 1
    TROOPS = 2
    ECONOMY = 3
    POLITICS = 4


class Gain(IntEnum):
    """Things that an effect can give (or, below zero, take)."""

    VP = 0
    DRACHMAS = 1
    CITIZENS = 2
    TROOPS = 3
    TAX = 4
    GLORY = 5
    PHILOSOPHY = 6
    ECONOMY = 7  # free levels
    CULTURE = 8
    MILITARY = 9
    DICE = 10
    CARDS = 11  # drawn into hand
    TOKENS = 12  # minor knowledge tokens of the player's choice


class Trigger(IntEnum):
    """Triggers that set an effect off."""

    ALWAYS = 0  # a standing modifier, while the card or development is in play
    AT_ONCE = 1  # when the card is played, the development unlocked, the event resolved
    TAX_PHASE = 2
    DICE_PHASE = 3  # events only: right after the roll
    PROGRESS_END = 4  # when the progress phase ends
    FINAL_SCORING = 5
    CARD_PLAYED = 6  # another card is played
    PHILOSOPHY = 7  # the player takes that action
    LEGISLATION = 8
    CULTURE = 9
    TRADE = 10
    MILITARY = 11
    DEVELOPMENT = 12  # a development is really unlocked


class Quantity(IntEnum):
    """Quantities that a gain is counted by (`per`)."""

    ONE = 0  # the gain as it stands
    DRACHMAS = 1
    HAND_CARDS = 2
    CITIZENS = 3
    LOWEST_TRACK = 4
    CARDS_IN_PLAY = 5
    ECONOMY = 6
    CULTURE = 7
    MILITARY = 8
    TAX = 9
    GLORY = 10
    TROOPS = 11
    PHILOSOPHY = 12
    KNOWLEDGE = 13  # all tokens, minor and major
    MINOR_TOKENS = 14
    MAJOR_TOKENS = 15
    RED_TOKENS = 16
    BLUE_TOKENS = 17
    GREEN_TOKENS = 18
    DEVELOPMENTS = 19


class Condition(IntEnum):
    """Conditions that must hold for an effect to happen (`if`)."""

    NONE = 0
    LOWEST_CULTURE = 1  # no other player has a lower culture level
    HIGHEST_ECONOMY = 2  # no other player has a higher economy level
    WEAKEST_MILITARY = 3  # every other player has a higher military level
    NO_PROGRESS = 4  # the player moved up on no track in this progress phase
    LOW_DICE = 5  # the player's dice sum to `number` or less
    PERSEPOLIS_EXPLORED = 6  # anyone has explored Persepolis


#: The conditions that want a player to be low on a track, and the track.
WANTS_LOW = {Condition.LOWEST_CULTURE: Track.CULTURE, Condition.WEAKEST_MILITARY: Track.MILITARY}


class Slot(IntEnum):
    """Rounds in which an event may come."""

    FIRST = 0
    MIDDLE = 1
    LAST = 2


class Kind(IntEnum):
    """The three kinds of cards and developments."""

    IMMEDIATE = 0
    ONGOING = 1
    END_GAME = 2


#: How many there are of each, as plain numbers for compiled code.
TRACKS = len(Track)
COLOURS = len(Colour)
ACTIONS = len(Action)
ACHIEVEMENTS = len(Achievement)
GAINS = len(Gain)


def word(member: IntEnum) -> str:
    """The word the TOML files use for a member: `END_GAME` is written `end-game`."""
    return member.name.lower().replace("_", "-")
