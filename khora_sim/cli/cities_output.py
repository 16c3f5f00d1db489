"""How `khora cities` prints an answer: words, shares, what is unlocked, how games go, and claims."""

from collections.abc import Sequence
from pathlib import Path

from khora_sim.analyses.cities_answer import CitiesAnswer, Number, SelfPlay, TableVerdict
from khora_sim.analyses.city_words import sentences
from khora_sim.analyses.claims import judged_claims
from khora_sim.analyses.exploit.answer import Exploit, clauses, exploit_for, who_tried
from khora_sim.cli.output import print_table
from khora_sim.pages.city_ladder_figure import file_names
from khora_sim.pages.published_cities import origin
from khora_sim.stats import format_estimate

ROUNDS_SHOWN = (3, 5, 7)  # after which the leader's chances are shown


def print_answer(answer: CitiesAnswer, out: Path | None, *, published: bool = False) -> None:
    """Print an answer for people; the published one with what better-suited players could still gain."""
    print(f"Cities by who plays, each player among its own kind, all sets of cities: {origin(answer)}.")
    for table in answer.tables:
        print()
        for sentence in sentences(answer, table):
            print(sentence)
        print()
        _print_shares(answer, table)
        print()
        found = exploit_for(answer, table) if published else None
        if found is not None:
            _print_gains(answer, table, found)
            print()
        if table.peers:
            _print_peers(answer, table)
            print()
        _print_unlocked(answer, table)
        print()
        _print_facts(table)
    if out is not None and not all(table.peers for table in answer.tables):
        print("Other players of the strongest kind, named with --peers, would say how far to trust it.")
    if out is not None:
        print(f"Kept in {out}: cities.json, {file_names(answer)}, and a study of each player in studies.")


def print_claims(answer: CitiesAnswer) -> None:
    """Print what people say, each claim with its judgement and the numbers for it."""
    print(f"What people say, beside games of the strongest player: {origin(answer)}.")
    for claim, judgement, numbers in judged_claims(answer):
        print(f"{judgement:<9}  {claim.text} ({claim.source}): {numbers}; {claim.players} players.")


def _print_shares(answer: CitiesAnswer, table: TableVerdict) -> None:
    print(f"Win share at {table.players} players, 95 % intervals; a fair share is {100 * table.fair:.3g} %.")
    names = [one.strategy for one in table.ladder]
    rows = [(answer.names[city], *_shares(table.ladder, city), table.words[city]) for city in table.order]
    rows.append(("games of a city", *_games_of_a_city(table.ladder), ""))
    print_table(("City", *names, "In words"), rows, right=names)


def _print_peers(answer: CitiesAnswer, table: TableVerdict) -> None:
    """What players of the strongest kind make of the same cities, and how far they differ."""
    alike = (table.strongest, *table.peers)
    print(
        f"Players like {table.strongest.strategy}, trained independently; apart: highest minus lowest share."
    )
    names = [one.strategy for one in alike]
    rows = [
        (answer.names[city], *_shares(alike, city), f"{100 * (table.spread(city) or 0):.1f} points")
        for city in table.order
    ]
    rows.append(("games of a city", *_games_of_a_city(alike), ""))
    print_table(("City", *names, "Apart"), rows, right=(*names, "Apart"))


def _print_gains(answer: CitiesAnswer, table: TableVerdict, found: Exploit) -> None:
    """What a better-suited player could still gain in each city."""
    print(f"What a better-suited player could still gain in each city. {who_tried(found)}")
    beside = clauses(found, table)
    print_table(("City", "In words"), [(answer.names[city], words) for city, words in beside.items()])


def _shares(players: Sequence[SelfPlay], city: str) -> list[str]:
    return [_text(one.cities[city].share, percent=True) for one in players]


def _games_of_a_city(players: Sequence[SelfPlay]) -> list[str]:
    return [f"{min(city.share.n for city in one.cities.values()):,}" for one in players]


def _print_unlocked(answer: CitiesAnswer, table: TableVerdict) -> None:
    widest = max(
        rate.estimate.margin
        for one in table.ladder
        for city in one.cities.values()
        for rate in city.unlocked.values()
    )
    print(
        "Unlocked: developments 2 / 3 / 4, in % of the same games, 95 % intervals of at most "
        f"± {100 * widest:.1f} points."
    )
    names = [one.strategy for one in table.ladder]
    rows = [
        (
            answer.names[city],
            *(
                "/".join(f"{100 * (rate.value or 0):.0f}" for rate in one.cities[city].unlocked.values())
                for one in table.ladder
            ),
        )
        for city in table.order
    ]
    print_table(("City", *names), rows, right=names)


def _print_facts(table: TableVerdict) -> None:
    print("How their games go, 95 % intervals.")
    names = [one.strategy for one in table.ladder]
    facts = [one.facts for one in table.ladder]
    rows = [
        ("games", *(f"{one.games:,}" for one in table.ladder)),
        ("mean score", *(_text(one.score) for one in facts)),
        ("winner's score", *(_text(one.winning_score) for one in facts)),
        ("winner has 90 or more", *(_text(one.experienced_winners, percent=True) for one in facts)),
        ("lead over the second", *(_text(one.margin) for one in facts)),
        ("changes of the lead", *(_text(one.lead_changes) for one in facts)),
    ]
    for number in ROUNDS_SHOWN:
        if number <= len(facts[0].leader_wins):
            shares = (_text(one.leader_wins[number - 1], percent=True) for one in facts)
            rows.append((f"leader after round {number} wins", *shares))
    for place, how_many in enumerate(("few", "many")):
        shares = (_text(one.military_wins and one.military_wins[place], percent=True) for one in facts)
        rows.append((f"most military wins, {how_many} troop events", *shares))
    print_table(("", *names), rows, right=names)
    better = table.better_player
    if better is not None:
        share = format_estimate(better.share.estimate, percent=True)
        print(f"One {better.strategy} against {table.players - 1} of {better.against} wins {share}.")


def _text(number: Number | None, percent: bool = False) -> str:
    return "" if number is None else format_estimate(number.estimate, percent=percent, with_n=False)
