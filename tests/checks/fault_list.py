"""The faults that `make faults` plants: mistakes of the kind that a refactoring or a tired programmer makes.

A fault is a piece of source that occurs once in `khora_sim`, in whatever file, and what takes its place. So
the same list runs on trees whose files have other names. Where code is rewritten, add the new text to `also`:
the first piece that is found once is used. A fault must change what the program does.
"""

from dataclasses import dataclass

#: Folders of `tests` by area, in all layouts; those that exist are run.
AREAS = {
    "rules": ("engine", "rules"),
    "statistics": ("stats", "statistics"),
    "simulation": ("lab", "simulation"),
    "strategy": ("strategy", "strategies", "records", "training"),
    "analyses": ("questions", "analyses"),
    "pages": ("report", "pages", "cli"),
}
UNCOMPILED = ("rules",)  # areas whose scenarios run first, as plain Python
COMPILED = ("rules", "strategy")  # areas whose sources become machine code


@dataclass(frozen=True)
class Fault:
    """A mistake to plant."""

    name: str
    breaks: str
    snippet: str
    replacement: str
    first: str = ""  # names of the test files to run first, as globs
    also: tuple[tuple[str, str], ...] = ()  # other snippets with their replacements
    area: str = ""

    @property
    def edits(self) -> tuple[tuple[str, str], ...]:
        """All snippets with their replacements, the preferred one first."""
        return ((self.snippet, self.replacement), *self.also)


RULES = (
    Fault(
        "first-player-tie",
        "equal dice: the first player is the farthest clockwise, not the closest",
        "if dice_sum(game, player) < dice_sum(game, first):",
        "if dice_sum(game, player) <= dice_sum(game, first):",
        "test_dice_phase*",
    ),
    Fault(
        "achievement-needs-more",
        "an achievement needs one more than it says",
        "if reached(game, player, achievement) >= tables.achievement_needs[achievement]:",
        "if reached(game, player, achievement) > tables.achievement_needs[achievement]:",
        "test_achievements*",
    ),
    Fault(
        "shared-achievement-glory",
        "of several who reach an achievement together one may take glory, the others get nothing",
        "if earned == 1:",
        "if earned >= 1:",
        "test_achievements*",
    ),
    Fault(
        "spared-troops-come-back",
        "a card that spares troops gives troops where a space costs fewer",
        "lost = max(space.lost - game.spared_troops[player], 0)",
        "lost = space.lost - game.spared_troops[player]",
        "test_spaces* test_cards_ongoing*",
    ),
    Fault(
        "space-needs-more",
        "a space is out of reach with exactly the troops it needs",
        "_set_of(space.needed <= troops for space in game.spaces.values())",
        "_set_of(space.needed < troops for space in game.spaces.values())",
        "test_spaces* test_actions*",
    ),
    Fault(
        "tie-by-fewer-drachmas",
        "equal scores: the player with fewer drachmas wins",
        "points.astype(np.int32) * 65536 + drachmas",
        "points.astype(np.int32) * 65536 - drachmas",
        "test_rulings* test_play*",
    ),
    Fault(
        "glory-counts-minor-tokens",
        "the final scoring multiplies glory by all tokens, not by major ones",
        "majors = tokens(game, player, 0, 1)",
        "majors = tokens(game, player, 1, 1)",
        "test_cards_end_game* test_worked_examples*",
    ),
    Fault(
        "lowest-culture-tie",
        "a card for the lowest culture level pays nothing when tied",
        "game.level[other, Track.CULTURE] < game.level[player, Track.CULTURE]",
        "game.level[other, Track.CULTURE] <= game.level[player, Track.CULTURE]",
        "test_rulings* test_events*",
    ),
    Fault(
        "rivalry-tie",
        "Rivalry pays when another player has the same military level",
        "game.level[other, Track.MILITARY] <= game.level[player, Track.MILITARY]",
        "game.level[other, Track.MILITARY] < game.level[player, Track.MILITARY]",
        "test_rulings* test_events*",
    ),
    Fault(
        "draft-skips-a-player",
        "in the draft the pack of the last player is not handed on to the first",
        "game.pack[0] = last",
        "game.pack[0] = game.pack[1]",
        "test_draft_and_setup*",
    ),
    Fault(
        "level-price-of-this-level",
        "a step up costs the price of the level one is at",
        "tables.level_cost[track, game.level[player, track] + 1] - game.discount[player]",
        "tables.level_cost[track, game.level[player, track]] - game.discount[player]",
        "test_progress_phase* test_tracks*",
    ),
    Fault(
        "progress-levels-without-end",
        "the free levels of the progress phase are never used up",
        "push(game, Task.CLIMB, player, max(left - 1, 0))",
        "push(game, Task.CLIMB, player, max(left, 0))",
        "test_progress_phase*",
    ),
    Fault(
        "philosophy-in-events",
        "philosophy replaces knowledge outside the action phase, too",
        "return game.phase == Phase.ACTION and missing * tables.philosophy_per_need",
        "return missing * tables.philosophy_per_need",
        "test_rulings* test_events*",
    ),
    Fault(
        "gain-per-rounded-up",
        "a gain for every two of a thing counts the odd one, too",
        "times = quantity(game, player, effect.per) // effect.every",
        "times = (quantity(game, player, effect.per) + effect.every - 1) // effect.every",
        "test_cards_end_game* test_cards_immediate*",
    ),
    Fault(
        "ostracism-takes-itself",
        "Ostracism may take itself back",
        "if card != source:",
        "if card >= 0:",
        "test_rulings* test_cards_immediate*",
    ),
    Fault(
        "event-hurts-the-most",
        "an event hurts the players with the most troops, not those with the fewest",
        "least = min(least, game.troops[player])",
        "least = max(least, game.troops[player])",
        "test_events*",
    ),
    Fault(
        "event-losses-first",
        "an event deals out its losses before its gains",
        "_push_half(game, 1, least)\n    _push_half(game, 0, most)",
        "_push_half(game, 0, most)\n        most = least\n    _push_half(game, int(event.has_lowest), most)",
        "test_events*",
    ),
    Fault(
        "card-lost-under-the-deck",
        "a card put under the deck overwrites the last one",
        "game.deck[(game.deck_top + game.deck_size) % MAX_CARDS] = card",
        "game.deck[(game.deck_top + game.deck_size - 1) % MAX_CARDS] = card",
        "test_actions* test_properties*",
    ),
    Fault(
        "payable-tile-set-aside",
        "a tile may be set aside with exactly the citizens that it costs",
        "if citizens >= 0 and citizens < number:",
        "if citizens >= 0 and citizens <= number:",
        "test_payments*",
    ),
    Fault(
        "useless-philosophy-offered",
        "a philosophy token may be spent where there is no room for its citizens",
        "more = (numbers & (limit - 1)) << each",
        "more = numbers << each",
        "test_payments*",
    ),
    Fault(
        "discounts-do-not-add-up",
        "of two discounts on levels only the last one counts",
        "game.discount[player] += effect.number",
        "game.discount[player] = effect.number",
        "test_cards_price* test_cards_ongoing*",
    ),
    Fault(
        "hidden-hands-seen",
        "a player sees the hands of the others",
        "seen.hand[other] = 0",
        "seen.hand[other] = game.hand[other]",
        "test_views*",
    ),
    Fault(
        "unfair-shuffle",
        "a shuffle never leaves an item in its place",
        "other = draw(seed, stream, 0, 0, last, last + 1)",
        "other = draw(seed, stream, 0, 0, last, last)",
        "test_chance*",
    ),
    Fault(
        "last-of-equals-never-taken",
        "of equally rated options the last one is never taken",
        "skip = random_below(luck, equals)",
        "skip = random_below(luck, equals - 1)",
        "test_best_option*",
        (("skip = random_below(bits, equals)", "skip = random_below(bits, equals - 1)"),),
    ),
    Fault(
        "new-card-moves-the-others",
        "a city or event that a variant adds shifts all that are drawn behind it",
        "behind = max(place, min(places, count))",
        "behind = place",
        "test_chance* test_variants_in_play*",
    ),
    Fault(
        "glory-booked-as-exploration",
        "points from glory are booked as points from exploration",
        "score(game, ledger, player, game.glory[player] * majors, Source.GLORY)",
        "score(game, ledger, player, game.glory[player] * majors, Source.EXPLORATION)",
        "test_ledger* test_worked_examples*",
    ),
    Fault(
        "stale-machine-code",
        "machine code is found again although its sources have changed",
        "digest.update(file.name.encode() + file.read_bytes())",
        "digest.update(file.name.encode())",
        "test_cache*",
    ),
    Fault(
        "wrong-number-in-the-rules",
        "Argos pays 3 drachmas for its last development, not 2",
        "cost = 2\nneeds = { red = 1, blue = 3, green = 2 }",
        "cost = 3\nneeds = { red = 1, blue = 3, green = 2 }",
        "test_base_game*",
    ),
    Fault(
        "variant-forgets-the-base",
        "a variant that changes one setting of a table loses the others",
        "game[section] = base[section] | variant.get(section, {})",
        "game[section] = variant.get(section, base[section])",
        "test_variants*",
    ),
)

STATISTICS = (
    Fault(
        "holm-not-monotone",
        "adjusted p-values may fall although the raw ones rise",
        "stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))",
        "stepped = p[order] * np.arange(len(p), 0, -1)",
        "test_multiple*",
    ),
    Fault(
        "no-correction-of-comparisons",
        "differences between two studies are not corrected for their number",
        'pl.Series("p_holm", holm(p)))',
        'pl.Series("p_holm", p))',
        "test_paired*",
    ),
    Fault(
        "games-as-clusters",
        "a mean's variance has the small-sample factor of its games, not of its groups",
        "rest @ rest / counts.sum() ** 2 * units / (units - 1)",
        "rest @ rest / counts.sum() ** 2 * counts.sum() / (counts.sum() - 1)",
        "test_intervals* test_groups*",
        also=(
            (
                "rest @ rest / counts.sum() ** 2 * clusters / (clusters - 1)",
                "rest @ rest / counts.sum() ** 2 * counts.sum() / (counts.sum() - 1)",
            ),
        ),
    ),
    Fault(
        "one-sided-quantile",
        "intervals of 95% are as wide as those of 90%",
        "stdtrit(np.maximum(degrees, 1e-9), 0.5 + level / 2)",
        "stdtrit(np.maximum(degrees, 1e-9), level)",
        "test_intervals*",
    ),
    Fault(
        "one-sided-p",
        "p-values are half of what they should be",
        "np.asarray(2 * stdtr(",
        "np.asarray(stdtr(",
        "test_intervals* test_paired*",
    ),
    Fault(
        "wilson-too-wide",
        "Wilson intervals are too wide",
        "np.sqrt(share * (1 - share) * a + a**2 / 4) / (1 + a)",
        "np.sqrt(share * (1 - share) * a + a**2 / 2) / (1 + a)",
        "test_intervals*",
    ),
    Fault(
        "narrow-percentiles",
        "bootstrap intervals of few units are too narrow",
        "reach = math.sqrt(units / (units - 1)) * float(t_quantile(level, units - 1))",
        "reach = float(t_quantile(level, math.inf))",
        "test_bootstrap*",
        also=(
            (
                "reach = math.sqrt(clusters / (clusters - 1)) * float(t_quantile(level, clusters - 1))",
                "reach = float(t_quantile(level, math.inf))",
            ),
        ),
    ),
    Fault(
        "difference-reversed",
        "a difference of two estimates has the wrong sign",
        "value, margin = second.value - first.value, reach",
        "value, margin = first.value - second.value, reach",
        "test_intervals*",
    ),
    Fault(
        "noise-taken-off-once",
        "bootstrap draws of a distance hold the sampling variance once too often",
        "_square(one.values + moved[:, here] - target, 2 * noise)",
        "_square(one.values + moved[:, here] - target, noise)",
        "test_distances* test_unevenness*",
    ),
    Fault(
        "shrunk-the-wrong-way",
        "effects that are known well are shrunk most",
        "mean + spread / (spread + v) * (x - mean)",
        "mean + v / (spread + v) * (x - mean)",
        "test_shrink*",
    ),
    Fault(
        "shared-places-count-twice",
        "a game with a shared place counts as several games in ratings",
        "weights = np.full(len(chosen), 1 / len(orders))",
        "weights = np.full(len(chosen), 1.0)",
        "test_rankings* test_plackett_luce*",
    ),
    Fault(
        "tiers-without-correction",
        "tiers are made from p-values that are not corrected",
        'alike = pairs.filter(pl.col("p_holm") >= alpha)',
        'alike = pairs.filter(pl.col("p_value") >= alpha)',
        "test_tiers*",
    ),
    Fault(
        "wins-in-coarse-parts",
        "a victory shared by four is summed as a third of a win",
        '"win_share": 60, "success": 3600',
        '"win_share": 6, "success": 3600',
        "test_sums*",
    ),
    Fault(
        "change-reversed",
        "where both studies hold the same rows, a change is before minus after",
        '(pl.col("second") - pl.col("first")).alias("change")',
        '(pl.col("first") - pl.col("second")).alias("change")',
        "test_paired*",
    ),
    Fault(
        "unseen-changes-linger",
        "the allowance for changes that were not seen fades out too late",
        "np.clip(1 - 2 * differing / np.maximum(units, 1), 0.0, 1.0)",
        "np.clip(1 - differing / np.maximum(units, 1), 0.0, 1.0)",
        "test_rare* test_paired*",
        also=(
            (
                "np.clip(1 - 2 * differing / np.maximum(clusters, 1), 0.0, 1.0)",
                "np.clip(1 - differing / np.maximum(clusters, 1), 0.0, 1.0)",
            ),
        ),
    ),
    Fault(
        "sign-test-halved",
        "without any spread a p-value is half of that of the sign test",
        "np.exp2(1 - np.maximum(units, 1))",
        "np.exp2(-np.maximum(units, 1))",
        "test_paired* test_tiers*",
        also=(("np.exp2(1 - np.maximum(clusters, 1))", "np.exp2(-np.maximum(clusters, 1))"),),
    ),
    Fault(
        "misfit-forgets-the-fit",
        "the interval of a misfit ignores that the strengths were fitted to the same games",
        "pulls = (won - fitted - value * n - refitted) / total",
        "pulls = (won - fitted - value * n) / total",
        "test_misfit*",
    ),
    Fault(
        "repetition-without-noise",
        "the chance to come first again ignores the chance of the repetition",
        "np.sqrt((kept + 1) * noise)",
        "np.sqrt(kept * noise)",
        "test_predictive*",
    ),
    Fault(
        "strata-not-centred",
        "what differs between strata by design counts as chance",
        'inside = pl.col("squares") - 2 * mean * pl.col("product") + mean**2 * pl.col(STRATUM_SQUARES)',
        'inside = pl.col("squares")',
        "test_strata*",
    ),
    Fault(
        "one-digit-too-few",
        "a margin of 0.14 is shown as 0.1",
        "return -power + (1 if leading == 1 else 0)",
        "return -power",
        "test_estimate*",
    ),
    Fault(
        "correlation-margin",
        "the interval of a strong correlation is too narrow",
        "pulls = (xy - r * (xx + yy) / 2) / (1 - r**2)",
        "pulls = xy - r * (xx + yy) / 2",
        "test_association*",
    ),
    Fault(
        "slope-unbounded",
        "the slope on the twin game may leave the range from 0 to 1",
        "covariance / np.where(variance > 0, variance, 1), 1.0), 0.0, 1.0)",
        "covariance / np.where(variance > 0, variance, 1), 1.0), -9.0, 9.0)",
        "test_adjusted*",
    ),
)

SIMULATION = (
    Fault(
        "rotation-together",
        "strategies and cities rotate together, so a strategy always plays the same city",
        "return games // players, games % players",
        "return games % players, games % players",
        "test_seating*",
    ),
    Fault(
        "line-ups-tied-to-cities",
        "line-ups and sets of cities take turns together, so some never meet",
        "choices[turns // city_choices(study, len(arm.rules.city_ids), players) % len(choices)]",
        "choices[turns % len(choices)]",
        "test_seating* test_strata*",
    ),
    Fault(
        "orders-share-their-seed",
        "the order of the cities and that of the line-up come from the same random numbers",
        "random_bits(study_seed, Stream.STUDY, purpose, 0, first_group + index)",
        "random_bits(study_seed, Stream.STUDY, CITY_ORDER, 0, first_group + index)",
        "test_seating*",
    ),
    Fault(
        "chunk-of-the-wrong-groups",
        "the parts of a second size of table begin in the wrong place",
        "first = (number - section.first_chunk) * section.chunk_groups",
        "first = number * section.chunk_groups % section.groups",
        "test_run* test_tables*",
    ),
    Fault(
        "resume-skips-other-arms",
        "a resumed run skips a part that only another arm has finished",
        "if place not in finished] for row in design.rows()]",
        "if place.number not in {one.number for one in finished}] for row in design.rows()]",
        "test_run* test_never_lost* test_kept_sums*",
    ),
    Fault(
        "sums-kept-too-early",
        "sums are kept, or shown to a stopping rule, before the last part is in them",
        "if self.folder is not None and self.left[place] == 0:",
        "if self.folder is not None and self.left[place] == 1:",
        "test_kept_sums*",
        (("and not self.missing[self.added]:", "and self.missing[self.added] <= 1:"),),
    ),
    Fault(
        "digest-forgets-the-swap",
        "games with different swapped cards have the same digest, so one is taken for the other",
        'decides["swapped"] = [int(one) for one in self.swapped]',
        'decides["swapped"] = [int(self.swapped.when)]',
        "test_manifest* test_run* test_kept_sums*",
    ),
    Fault(
        "damaged-parts-kept",
        "a resumed study keeps parts that are damaged",
        "finished = {number: entry for number, entry in promised.items() if number not in broken}",
        "finished = dict(promised)",
        "test_never_lost*",
    ),
    Fault(
        "lead-from-the-start",
        "the first player to lead counts as a change of the lead",
        "changes += (leader != last) & (last != NOBODY)",
        "changes += leader != last",
        "test_tables*",
    ),
)

STRATEGY = (
    Fault(
        "rank-of-equals",
        "a player that is level with another counts as behind it",
        "place += points_if_over(player(view, seat)) > mine",
        "place += points_if_over(player(view, seat)) >= mine",
        "test_toolkit*",
    ),
    Fault(
        "price-without-discount",
        "players overlook a discount of the progress phase before it begins",
        "max(price - view.game.discount[view.me] - view.game.progress_discount[view.me], 0)",
        "max(price - view.game.discount[view.me], 0)",
        "test_toolkit*",
    ),
    Fault(
        "digest-forgets-the-city",
        "weights for another city give the same digest of a strategy",
        "held = [(sorted(layer.weights.items()), layer.place) for layer in layers]",
        "held = [sorted(layer.weights.items()) for layer in layers]",
        "test_weights*",
    ),
    Fault(
        "achievement-met-too-late",
        "the evaluator does not see that an achievement is met exactly",
        "if have >= needed:",
        "if have > needed:",
        "test_value* test_evaluator*",
    ),
    Fault(
        "tax-for-one-round",
        "the evaluator counts tax for one round only",
        "facts[Feature.TAX] = rounds * game.tax[me]",
        "facts[Feature.TAX] = game.tax[me]",
        "test_value* test_evaluator*",
    ),
    Fault(
        "final-scoring-holds-all",
        "a record lists all points of a game as points of the final scoring",
        "points_of(rules, ledger.points[seat] - scoring.points[seat])",
        "points_of(rules, ledger.points[seat])",
        "test_replay* test_records_page* test_verifying*",
    ),
    Fault(
        "left-out-points-pass",
        "a record that leaves out a source of points is confirmed",
        "recorded[parts] = {**dict.fromkeys(given[parts], 0), **recorded[parts]}",
        "recorded[parts] = dict(recorded[parts])",
        "test_edited_records* test_verifying*",
    ),
    Fault(
        "deck-from-the-bottom",
        "a record lists the deck from where it once began",
        "game.deck[(game.deck_top + place) % MAX_CARDS]",
        "game.deck[place]",
        "test_replay* test_verifying* test_edited_records*",
    ),
    Fault(
        "gradient-through-dead-units",
        "learning passes gradients through hidden units that are off",
        'at_first = at_second @ weights["second"].T * (hidden > 0)',
        'at_first = at_second @ weights["second"].T',
        "test_fitting*",
    ),
    Fault(
        "tuning-resumed-with-another-seed",
        "a stopped tuning goes on with the scores of another seed",
        '"numbers": [str(self.budget), self.games, self.population, self.seed]',
        '"numbers": [str(self.budget), self.games, self.population]',
        "test_tune* test_stages* test_ask* test_trial*",
        also=(
            (
                "if wanted.plan()[name] != options.plan()[name]:",
                "if wanted.plan().keys() != options.plan().keys():",
            ),
            (
                "if wanted.plan()[name] != options.plan()[name]}",
                "if name not in options.plan()}",
            ),
        ),
    ),
    Fault(
        "held-out-games-leak",
        "positions of one game are learned from and held out",
        'positions["rounds"][last] < positions["rounds"][last - 1]:',
        'positions["rounds"][last] > positions["rounds"][last - 1]:',
        "test_learn* test_fitting*",
    ),
)

ANALYSES = (
    Fault(
        "strong-in-some-hands",
        "a city that is not above its fair share at every level of play counts as strong at all levels",
        'return STRONG if set(levels) == {"above"} else IN_STRONG_HANDS',
        'return STRONG if "below" not in levels else IN_STRONG_HANDS',
        "test_city_words*",
    ),
    Fault(
        "spread-on-the-wrong-side",
        "the spread between players makes a city's distance from its fair share larger",
        "edge = np.where(above, fair + spread, fair - spread)",
        "edge = np.where(above, fair - spread, fair + spread)",
        "test_city_words* test_cities*",
    ),
    Fault(
        "label-threshold",
        "a thing is a must-have at a tenth of the fair share, not at a fifth",
        "MUCH, SOME, NOTHING = 1 / 5, 1 / 20, 1 / 50",
        "MUCH, SOME, NOTHING = 1 / 10, 1 / 20, 1 / 50",
        "test_power_labels* test_power*",
    ),
    Fault(
        "gate-without-joint-level",
        "a gate with many intervals raises false alarms",
        "return 1 - ALPHA / max(intervals, 1)",
        "return 1 - ALPHA",
        "test_gate*",
    ),
    Fault(
        "gate-fails-too-early",
        "a gate fails where the change may be larger than allowed, but need not",
        "if low > most or high < -most:",
        "if high > most or low < -most:",
        "test_gate*",
    ),
    Fault(
        "control-holds-other-hands",
        "a card's power is measured against games in which another player holds it",
        "_members(~np.repeat(dealt, self.players), len(self.things))",
        "_members(~hands, len(self.things))",
        "test_power*",
    ),
    Fault(
        "allowed-not-negated",
        "what an action or a track is worth has the wrong sign",
        "return found.negated() if way in (HAPPENS, ALLOWED) else found",
        "return found.negated() if way == HAPPENS else found",
        "test_power*",
    ),
    Fault(
        "loss-by-the-same-worlds",
        "the worlds that choose the best option also say what it is worth",
        "by_second = self.second[self.first.argmax()] - self.second",
        "by_second = self.second[self.second.argmax()] - self.second",
        "test_grade* test_panel*",
    ),
    Fault(
        "beats-by-its-value",
        "a strategy beats another where its measured share is above the fair share, sure or not",
        "return self.shares[one, other].low > self.null",
        "return self.shares[one, other].value > self.null",
        "test_ladder*",
    ),
    Fault(
        "blind-spot-by-its-value",
        "a rare thing counts as a blind spot although more games may show it",
        'found = looked.rates.filter(pl.col("high") < LIMIT)',
        'found = looked.rates.filter(pl.col("value") < LIMIT)',
        "test_blind_spots* test_habits*",
        also=(
            (
                'found = looked.rates.filter(pl.col("high") < RARE)',
                'found = looked.rates.filter(pl.col("value") < RARE)',
            ),
        ),
    ),
    Fault(
        "race-forgets-earlier-stages",
        "a race judges variants by the games of its last stage only",
        "total[place] = total[place] + added if place in total else added",
        "total[place] = added",
        "test_sweep* test_balance*",
    ),
    Fault(
        "search-forgets-what-is-changed",
        "a set of changes is predicted from its last change only",
        "score = self.score(base + moved + single.moved, more)",
        "score = self.score(base + single.moved, more)",
        "test_balance*",
        (
            (
                "score = self.score(base + moved + effect, more)",
                "score = self.score(base + effect, more)",
            ),
        ),
    ),
    Fault(
        "rows-of-one-side",
        "a change that lets a card be dealt elsewhere is measured on the players of one side only",
        "flags = [flags[0] | flags[1]] * 2",
        "flags = [flags[0]] * 2",
        "test_what_if*",
    ),
    Fault(
        "elsewhere-is-everywhere",
        "games in which the changed thing came up count as games in which it did not",
        'elsewhere = changed.filter(~pl.col("came_up"))',
        "elsewhere = changed",
        "test_what_if*",
    ),
    Fault(
        "leader-a-round-late",
        "who leads after a round is taken from the round after it",
        '(pl.col("leading") & (1 << (number - 1))) != 0',
        '(pl.col("leading") & (1 << number)) != 0',
        "test_cities* test_claims*",
    ),
    Fault(
        "claim-of-the-best-city",
        "two cities count as the strongest when one of them is",
        "if min(_ends(table, city)[0] for city in named) > max(",
        "if max(_ends(table, city)[0] for city in named) > max(",
        "test_claims*",
        also=(
            (
                "above = min(_ends(table, city)[0] for city in two) > max(",
                "above = max(_ends(table, city)[0] for city in two) > max(",
            ),
        ),
    ),
    Fault(
        "finalists-must-be-sure",
        "challengers whose gain is not sure after the first games are dropped",
        "alive = [one for one in ranked if found[one].high >= 0] or ranked[:1]",
        "alive = [one for one in ranked if found[one].low >= 0] or ranked[:1]",
        "test_exploit*",
    ),
    Fault(
        "worst-decisions-unsure",
        "the costliest decisions of a player include those that chance explains",
        "sorted((one for one in self.answers if one.surely_worse), key=lambda one: -one.loss)",
        "sorted(self.answers, key=lambda one: -one.loss)",
        "test_grade*",
    ),
)

PAGES = (
    Fault(
        "worst-named-as-best",
        "the headline names the worst cities as the best",
        "for i in (0, -1))",
        "for i in (-1, 0))",
        "test_verdict*",
    ),
    Fault(
        "percentage-not-multiplied",
        "a plain percentage is shown as a share of one",
        'return f"{100 * value:.{decimals}f} %"',
        'return f"{value:.{decimals}f} %"',
        "test_verdict* test_sections*",
        (('return f"{100 * value:.{decimals}f}%"', 'return f"{value:.{decimals}f}%"'),),
    ),
    Fault(
        "rows-mislabelled",
        "charts of dots name their rows from the bottom",
        "axes.set_yticks(row_places(len(labels)), labels)",
        "axes.set_yticks(range(len(labels)), labels)",
        "test_what_figures* test_sections* test_ladder_figure* test_render*",
    ),
    Fault(
        "scores-mislabelled",
        "the chart of scores gives every box the name of another city",
        "axes.set_yticks(range(len(order)), [material.city(city) for city in reversed(order)])",
        "axes.set_yticks(range(len(order)), [material.city(city) for city in order])",
        "test_what_figures* test_sections* test_render*",
        (
            (
                "axes.set_yticks(range(len(order)), [data.city(city) for city in reversed(order)])",
                "axes.set_yticks(range(len(order)), [data.city(city) for city in order])",
            ),
        ),
    ),
    Fault(
        "more-and-less-swapped",
        "the cities that win less after a change are listed as winning more",
        'more = [names[row["city"]] for row in verdict.moved if row["value"] > 0]',
        'more = [names[row["city"]] for row in verdict.moved if row["value"] < 0]',
        "test_what_if*",
        also=(('(("more", 1), ("less", -1))', '(("more", -1), ("less", 1))'),),
    ),
    Fault(
        "games-needed-not-squared",
        "half the margin is said to need twice the games",
        "math.ceil(verdict.games * (margin / wanted) ** 2 / 1000) * 1000",
        "math.ceil(verdict.games * (margin / wanted) / 1000) * 1000",
        "test_what_if*",
    ),
    Fault(
        "worst-city-first",
        "khora data show lists the worst city first",
        'table.sort(["players", "value"], descending=[False, True])',
        'table.sort(["players", "value"])',
        "test_what_figures* test_simulate_command* test_data*",
    ),
    Fault(
        "chance-not-in-percent",
        "khora data show prints what chance gives as a share of one",
        'f"{100 / players:.3g} %"',
        'f"{1 / players:.3g} %"',
        "test_what_figures* test_simulate_command* test_data*",
        (
            ('f"{100 / players:.3g}%"', 'f"{1 / players:.3g}%"'),
            ('lambda row: 100 / row["players"]', 'lambda row: 1 / row["players"]'),
        ),
    ),
    Fault(
        "star-by-another-p-value",
        "a win share is marked as significant where the points are",
        "'*' if is_significant(row.p_wins) else ''",
        "'*' if is_significant(row.p_points) else ''",
        "test_power_words* test_power*",
    ),
    Fault(
        "last-place-at-small-tables",
        "the chance to come last is that of the second place at every table",
        "row[f\"place_{row['players']}\"]",
        'row["place_2"]',
        "test_what_figures* test_sections*",
    ),
    Fault(
        "sorted-by-the-lower-end",
        "a column of a page is sorted by the ends of intervals, not by the values",
        'keys.append(value if known else float("-inf"))',
        'keys.append(low if known else float("-inf"))',
        "test_page* test_sections* test_table*",
        (
            (
                "number = value.value if isinstance(value, Estimate) else value",
                "number = value.low if isinstance(value, Estimate) else value",
            ),
        ),
    ),
    Fault(
        "quantile-off",
        "quantiles of scores are those of the value before",
        'x.filter(pl.col("below") >= level).first()',
        'x.filter(pl.col("below") <= level).last()',
        "test_sections* test_from_sums*",
    ),
    Fault(
        "certain-chance",
        "a chance from resampling is shown as certain",
        "if value >= 0.995:",
        "if value > 1:",
        "test_what_figures* test_verdict*",
        (('"more than 99 %" if value >= 0.995', '"more than 99 %" if value > 1'),),
    ),
    Fault(
        "gate-opens-on-failure",
        "a gate that fails ends with exit code 0",
        "return self.verdict == Word.PASS if strict else self.verdict != Word.FAIL",
        "return self.verdict == Word.PASS if strict else True",
        "test_gate*",
    ),
)

FAULTS = tuple(
    Fault(one.name, one.breaks, one.snippet, one.replacement, one.first, one.also, area)
    for area, faults in (
        ("rules", RULES),
        ("statistics", STATISTICS),
        ("simulation", SIMULATION),
        ("strategy", STRATEGY),
        ("analyses", ANALYSES),
        ("pages", PAGES),
    )
    for one in faults
)
