"""The verdict on the cities for the terminal and for the page: words, shares, and how games go."""

from collections.abc import Sequence

from khora_sim.analyses.cities.claims import judged_claims
from khora_sim.pages.city_verdict import (
    CitiesAnswer,
    Number,
    SelfPlay,
    TableVerdict,
    headline,
    never_sentence,
    origin,
    range_sentence,
    sentences,
    uncertainty_sentence,
)
from khora_sim.pages.exploit_answer import clauses, exploit_for, who_tried
from khora_sim.pages.page_model import Page, Section, Table, filled, grid, ordered, words
from khora_sim.pages.wording import INTERVALS
from khora_sim.simulation.run_dir import RunOptions
from khora_sim.stats import format_estimate

ROUNDS_SHOWN = (3, 5, 7)  # after which the leader's chances are shown
NAME_PEERS = "Other players of the strongest kind, named with --peers, would say how far to trust it."


def brief(answer: CitiesAnswer, *, published: bool = False, kept: bool = False) -> list[str | Table]:
    """What the terminal prints; the published answer with what better-suited players could still gain."""
    lines: list[str | Table] = [
        f"Cities by who plays, each player among its own kind, all sets of cities: {origin(answer)}."
    ]
    for table in answer.tables:
        lines += ["", *sentences(answer, table), "", *_shares(answer, table), ""]
        if published:
            lines += _gains(answer, table)
        if table.peers:
            lines += [*_peers(answer, table), ""]
        lines += [*_unlocked(answer, table), "", "How their games go, 95 % intervals."]
        names = [one.strategy for one in table.ladder]
        lines.append(grid(("", *names), _facts(table), right=names))
        lines += _better_player(table)
    if kept and not all(table.peers for table in answer.tables):
        lines.append(NAME_PEERS)
    return lines


def claims(answer: CitiesAnswer) -> list[str | Table]:
    """What people say, each claim with its judgement and the numbers for it."""
    head = f"What people say, beside games of the strongest player: {origin(answer)}."
    return [
        head,
        *(
            f"{judgement:<9}  {claim.text} ({claim.source}): {numbers}; {claim.players} players."
            for claim, judgement, numbers in judged_claims(answer)
        ),
    ]


def _shares(answer: CitiesAnswer, table: TableVerdict) -> list[str | Table]:
    names = [one.strategy for one in table.ladder]
    rows = [(answer.names[city], *_texts(table.ladder, city), table.words[city]) for city in table.order]
    rows.append(("games of a city", *_games_of_a_city(table.ladder), ""))
    return [
        f"Win share at {table.players} players, 95 % intervals; a fair share is {100 * table.fair:.3g} %.",
        grid(("City", *names, "In words"), rows, right=names),
    ]


def _peers(answer: CitiesAnswer, table: TableVerdict) -> list[str | Table]:
    """What players of the strongest kind make of the same cities, and how far they differ."""
    alike = (table.strongest, *table.peers)
    names = [one.strategy for one in alike]
    rows = [
        (answer.names[city], *_texts(alike, city), f"{100 * (table.spread(city) or 0):.1f} points")
        for city in table.order
    ]
    rows.append(("games of a city", *_games_of_a_city(alike), ""))
    return [
        f"Players like {table.strongest.strategy}, trained independently; apart: highest minus lowest share.",
        grid(("City", *names, "Apart"), rows, right=(*names, "Apart")),
    ]


def _gains(answer: CitiesAnswer, table: TableVerdict) -> list[str | Table]:
    """What a better-suited player could still gain in each city, where that is published."""
    found = exploit_for(answer, table)
    if found is None:
        return []
    rows = [(answer.names[city], clause) for city, clause in clauses(found, table).items()]
    return [
        f"What a better-suited player could still gain in each city. {who_tried(found)}",
        grid(("City", "In words"), rows),
        "",
    ]


def _texts(players: Sequence[SelfPlay], city: str) -> list[str]:
    return [_text(one.cities[city].share, percent=True) for one in players]


def _games_of_a_city(players: Sequence[SelfPlay]) -> list[str]:
    return [f"{min(city.share.n for city in one.cities.values()):,}" for one in players]


def _unlocked(answer: CitiesAnswer, table: TableVerdict) -> list[str | Table]:
    widest = max(
        rate.estimate.margin
        for one in table.ladder
        for city in one.cities.values()
        for rate in city.unlocked.values()
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
    return [
        "Unlocked: developments 2 / 3 / 4, in % of the same games, 95 % intervals of at most "
        f"± {100 * widest:.1f} points.",
        grid(("City", *names), rows, right=names),
    ]


def _facts(table: TableVerdict) -> list[tuple[str, ...]]:
    """How games of each player of the ladder go, a row for each fact."""
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
    return rows


def _better_player(table: TableVerdict) -> list[str]:
    better = table.better_player
    if better is None:
        return []
    share = format_estimate(better.share.estimate, percent=True)
    return [f"One {better.strategy} against {table.players - 1} of {better.against} wins {share}."]


def _text(number: Number | None, percent: bool = False) -> str:
    return "" if number is None else format_estimate(number.estimate, percent=percent, with_n=False)


def page_of(answer: CitiesAnswer, options: RunOptions) -> Page:
    """The page: a section for every size of table, the first one in the headline."""
    first = answer.tables[0]
    made_by = options.typed(out=options.out)
    return Page(
        kind="Cities",
        title="Cities by who plays",
        facts=[f"{', '.join(one.strategy for one in first.ladder)} in every seat", origin(answer)],
        headline=headline(answer, first),
        detail=range_sentence(answer, first),
        sections=[_section(answer, table) for table in answer.tables],
        made_by=made_by,
        origin=[INTERVALS],
        commands=[made_by],
    )


def _section(answer: CitiesAnswer, table: TableVerdict) -> Section:
    from khora_sim.pages.sections.published import ladder_figure, shares_table, unlocked_table

    name = f"cities-{table.players}"
    rows = _facts(table)
    columns = [
        ordered(one.strategy, cells, range(len(rows)))
        for one, cells in zip(table.ladder, list(zip(*rows, strict=True))[1:], strict=True)
    ]
    games = filled(
        f"{name}-games", "How their games go", None, [words("", [row[0] for row in rows]), *columns]
    )
    return Section(
        id=name,
        title=f"At {table.players} players",
        lead=f"{headline(answer, table)} {range_sentence(answer, table)}",
        figures=[ladder_figure(answer, table, name, captioned=True)],
        tables=[
            shares_table(answer, table, name, "Win shares"),
            unlocked_table(answer, table, f"{name}-developments"),
            games,
        ],
        notes=[
            uncertainty_sentence(answer, table),
            *filter(None, [never_sentence(answer, table)]),
            *_better_player(table),
        ],
    )
