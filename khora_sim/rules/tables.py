"""The rules as integers: one fixed-size record that compiled code reads, whatever the variant.

Words become numbers by the lists in `terms`; ids become positions. Text stays behind in `Rules`.
"""

import numpy as np

from khora_sim.rules.terms import (
    ACHIEVEMENTS,
    COLOURS,
    DEVELOPMENTS,
    GAINS,
    MAX_CARDS,
    MAX_CHOICES,
    MAX_CITIES,
    MAX_EFFECTS,
    MAX_EVENTS,
    MAX_LEVEL,
    MAX_SPACES,
    MAX_TROOPS,
    TRACKS,
    Trigger,
)

#: One effect: a trigger and a gain, or a named special effect.
EFFECT = np.dtype(
    [
        ("on", "i2"),  # Trigger
        ("special", "i2"),  # Special
        ("condition", "i2"),  # Condition
        ("per", "i2"),  # Quantity the gain is counted by
        ("every", "i2"),  # how many of that quantity bring one gain, 1 or more
        ("number", "i2"),  # the number a special effect or condition works with
        ("action", "i2"),  # Action, for TAKE_ACTIONS
        ("track", "i2"),  # Track, for CHEAPER_STEP; -1: any
        ("gain", "i2", (GAINS,)),  # by Gain
        ("gain_kinds", "i2"),  # set of those that are not 0
        ("choice_count", "i2"),  # for CHOOSE_GAIN
        ("choices", "i2", (MAX_CHOICES, GAINS)),
        ("choice_kinds", "i2", (MAX_CHOICES,)),
    ]
)

#: What a card or development asks for and does.
SOURCE = np.dtype(
    [
        ("kind", "i2"),  # Kind
        ("cost", "i2"),  # drachmas
        ("needs", "i2", (COLOURS,)),  # knowledge tokens by Colour
        ("opens", "i2"),  # 1: it gives actions, or tokens at once
        ("effect_count", "i2"),
        ("effects", EFFECT, (MAX_EFFECTS,)),
    ]
)

#: An event: what it does to all, or to those with the most and with the least troops.
EVENT = np.dtype(
    [
        ("slot", "i2"),  # Slot
        ("by_troops", "i2"),  # 1: `effect` for the most troops, `lowest` for the least; 0: for all
        ("has_lowest", "i2"),
        ("effect", EFFECT),
        ("lowest", EFFECT),
    ]
)

#: A space of the exploration zone.
SPACE = np.dtype(
    [
        ("needed", "i2"),  # troops to have
        ("lost", "i2"),  # troops to lose
        ("minor", "i2", (COLOURS,)),  # tokens lying there
        ("major", "i2", (COLOURS,)),
        ("drachmas", "i2"),
        ("vp", "i2"),
    ]
)

#: The whole game as one record.
TABLES = np.dtype(
    [
        ("rounds", "i2"),
        ("hand_dealt", "i2"),
        ("start_drachmas", "i2"),
        ("start_citizens", "i2"),
        ("start_tax", "i2"),
        ("start_glory", "i2"),
        ("start_troops", "i2"),
        ("start_vp", "i2"),
        ("start_level", "i2", (TRACKS,)),  # by Track
        ("start_dice", "i2"),
        ("max_citizens", "i2"),
        ("max_troops", "i2"),
        ("max_tax", "i2"),
        ("max_glory", "i2"),
        ("max_level", "i2"),  # of the progress tracks, at most MAX_LEVEL
        ("philosophy_tokens", "i2"),  # of a philosophy action
        ("legislation_citizens", "i2"),  # of a legislation action
        ("legislation_cards", "i2"),  # drawn in a legislation action, one is kept; at most MAX_DRAWN
        ("trade_bonus", "i2"),  # drachmas of a trade action beyond the economy level
        ("token_price", "i2"),
        ("citizens_per_philosophy", "i2"),
        ("philosophy_per_need", "i2"),
        ("philosophy_per_level", "i2"),
        ("achievement_needs", "i2", (ACHIEVEMENTS,)),  # by Achievement
        ("level_cost", "i2", (TRACKS, MAX_LEVEL + 1)),  # drachmas to enter a level
        ("level_gain", "i2", (TRACKS, MAX_LEVEL + 1, GAINS)),  # no levels, cards or tokens among them
        ("level_gain_kinds", "i2", (TRACKS, MAX_LEVEL + 1)),  # set of those that are not 0
        ("card_count", "i2"),
        ("cards", SOURCE, (MAX_CARDS,)),
        ("cards_on", "i8", (len(Trigger),)),  # the set of cards with an effect on a trigger
        ("cards_wanting_low", "i8", (TRACKS,)),  # the set of cards that reward being low on a track
        ("card_digest", "u8", (MAX_CARDS,)),  # of each id, by which chance knows a card in every variant
        ("city_count", "i2"),
        ("new_cities", "i2"),  # the last ones, which the base game does not have
        ("missing_cities", "i2"),  # of the base game; their digests follow those of the others
        ("city_digest", "u8", (2 * MAX_CITIES,)),
        ("developments", SOURCE, (MAX_CITIES, DEVELOPMENTS)),
        ("event_count", "i2"),
        ("new_events", "i2"),  # as for cities
        ("missing_events", "i2"),
        ("event_digest", "u8", (2 * MAX_EVENTS,)),
        ("events", EVENT, (MAX_EVENTS,)),
        ("space_count", "i2"),
        ("spaces", SPACE, (MAX_SPACES,)),
        ("spaces_within", "i8", (MAX_TROOPS + 1,)),  # the set of spaces that so many troops reach
        ("persepolis", "i2"),  # its position among the spaces; -1: not in this variant
    ],
    align=True,
)
