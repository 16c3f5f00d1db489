# ruff: noqa: F401 - this file is the list of what authors import
"""The toolkit: what authors of strategies import, small named functions that read like advice to a player.

Everything here is compiled and works on a view, on a position looked ahead to, and in another player's place.
"""

from khora_sim.engine.agenda import NONE, SELL, YES, Phase, Task
from khora_sim.engine.bits import has, lowest, size, without_lowest
from khora_sim.engine.chance import random_below
from khora_sim.engine.machine import MAX_OPTIONS
from khora_sim.engine.memory import scratch
from khora_sim.rules.specials import Special
from khora_sim.rules.terms import (
    ACHIEVEMENTS,
    ACTIONS,
    COLOURS,
    DEVELOPMENTS,
    DICE,
    TRACKS,
    Achievement,
    Action,
    Colour,
    Condition,
    Gain,
    Kind,
    Quantity,
    Track,
    Trigger,
)
from khora_sim.strategy.contract import Traits
from khora_sim.strategy.decorators import authors_rule as rule
from khora_sim.strategy.decorators import macro
from khora_sim.strategy.learned.net import win_chance
from khora_sim.strategy.learned.policy_net import rate_by_policy
from khora_sim.strategy.parameters import (
    action_parameter,
    city_parameter,
    parameter,
    space_parameter,
    track_parameter,
)
from khora_sim.strategy.player_view import View
from khora_sim.strategy.reading.costs import (
    best_space,
    can_develop,
    can_play,
    can_reach,
    card_cost,
    development_cost,
    has_next_development,
    is_top_level,
    is_unexplored,
    level_gain,
    level_price,
    misses_for_city,
    misses_for_development,
    misses_for_hand,
    missing_for_card,
    missing_for_development,
    most_wanted_colour,
    playable_cards,
    space_majors,
    space_minors,
    space_wanted,
    space_worth,
    token_price,
    troops_after_muster,
    troops_lost,
)
from khora_sim.strategy.reading.decisions import (
    GLORY,
    TAX,
    choice_after,
    citizens_left,
    declines,
    in_spare,
    is_card_to_keep,
    is_card_to_play,
    is_card_to_take_back,
    is_development,
    is_discard,
    is_draft,
    is_exploration,
    is_free_action,
    is_free_level,
    is_gain,
    is_glory_sale,
    is_level_to_pay,
    is_payment,
    is_reroll,
    is_sale_for_achievement,
    is_tax_or_glory,
    is_tiles,
    is_token_to_buy,
    is_token_to_gain,
    is_token_to_lose,
    look_ahead,
    look_ahead_action,
    loses_major,
    lost_colour,
    needs_philosophy_to_climb,
    paid_dice,
    player,
    sells_glory,
    tokens_spent,
)
from khora_sim.strategy.reading.gains import (
    action_trigger,
    card_gain,
    card_points_now,
    development_gain,
    gain_on,
    has_special,
    is_end_game_card,
    is_ongoing_card,
    next_development_points,
)
from khora_sim.strategy.reading.holdings import (
    best_rival_points,
    cards_in_play,
    citizens,
    city,
    culture,
    culture_points,
    developments,
    dice_next_round,
    drachmas,
    economy,
    event_looks_at_troops,
    glory,
    hand,
    hand_size,
    has_in_play,
    holds_card,
    income,
    is_achievement_open,
    is_last_round,
    knowledge,
    least_troops_of_others,
    level,
    majors,
    military,
    minors,
    missing_for_achievement,
    most_troops_of_others,
    philosophy,
    points,
    points_if_over,
    rank,
    round_number,
    rounds_left,
    table_size,
    tax,
    trade_income,
    troops,
)
from khora_sim.strategy.reading.playouts import (
    End,
    advise,
    determinize,
    keep_trail,
    leave_trail,
    memory,
    place_hidden_tiles,
    play_on,
    weights,
)
from khora_sim.strategy.reading.tiles import (
    citizens_for,
    citizens_for_tile,
    citizens_within_reach,
    die,
    die_under,
    is_unpaid,
    pays_for,
    places,
    rate_placements,
    tile_on,
    unpaid_dice,
)
from khora_sim.strategy.shared_rating import rate_by_prices
from khora_sim.strategy.value.prices import sensible_prices
