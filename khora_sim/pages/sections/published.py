"""The published verdict beside a study's own: what the same cities win with weaker and stronger players."""

from dataclasses import asdict

import polars as pl

from khora_sim.analyses.cities_answer import CitiesAnswer, TableVerdict
from khora_sim.analyses.city_words import headline, never_sentence, range_sentence, uncertainty_sentence
from khora_sim.analyses.exploit.answer import clauses, exploit_for, who_tried
from khora_sim.common.commands import measuring_cities
from khora_sim.common.options import as_arguments, differing, settings_of
from khora_sim.common.wording import listed
from khora_sim.pages import city_ladder_figure
from khora_sim.pages.page_model import Section, Table, estimated, ordered, sentences, words
from khora_sim.pages.published_cities import origin, published_for
from khora_sim.pages.study_data import Material

KINDS = (city_ladder_figure.KIND,)
ID, TITLE = "ladder", "With weaker and stronger players"


def section(material: Material) -> Section:
    """The published verdict, where there is one about the same game."""
    found = _published(material)
    if isinstance(found, str):
        return Section(ID, TITLE, found, missing={city_ladder_figure.KIND: found})
    answer, table = found
    notes = [uncertainty_sentence(answer, table), never_sentence(answer, table)]
    return Section(
        id=ID,
        title=TITLE,
        lead=f"Not from this study, but published for the same rules. {headline(answer, table)} "
        f"{range_sentence(answer, table)}",
        figures=[city_ladder_figure.figure(answer, table)],
        tables=[_shares(answer, table), *_gains(answer, table), _unlocked(answer, table)],
        notes=[*(note for note in notes if note), f"The published verdict: {origin(answer)}."],
    )


def _published(material: Material) -> tuple[CitiesAnswer, TableVerdict] | str:
    """The published answer and its largest table that this study has too, or why there is none."""
    rules = material.manifest.rules
    answer = published_for(rules.hash, rules.version)
    if answer is None:
        own = measuring_cities(rules.file)
        return f"No verdict along a ladder of players is published for rules {rules.name}; {own} makes one."
    if differing(settings_of(**as_arguments(material.manifest.plan))):
        return "The published verdict along the ladder of players is about games without special options."
    sizes = [table.players for table in answer.tables if table.players in material.tables_of]
    if not sizes:
        known = listed([str(table.players) for table in answer.tables], "or")
        return f"The published verdict along the ladder of players is about tables of {known}."
    table = answer.at(max(sizes))
    assert table is not None
    return answer, table


def _shares(answer: CitiesAnswer, table: TableVerdict) -> Table:
    columns = []
    for one in table.ladder:
        estimates = [one.cities[city].share.estimate for city in table.order]
        rows = pl.DataFrame([[e.value, e.low, e.high, e.n] for e in estimates], _NUMBERS, orient="row")
        columns.append(estimated(one.strategy, rows, percent=True, units=None))
    if table.peers:
        spreads = [table.spread(city) or 0.0 for city in table.order]
        columns.append(ordered("Between peers", [f"{100 * spread:.1f}" for spread in spreads], spreads))
    games = listed([f"{one.strategy} {one.games:,} games" for one in table.ladder])
    return Table(
        "published-cities",
        f"Published win shares at {table.players} players, stronger ones to the right",
        _frame(table),
        [
            words("City", [answer.names[city] for city in table.order]),
            *columns,
            words("In words", [table.words[city] for city in table.order]),
        ],
        note=f"Each player in every seat: {games}. Between peers: how far the shares of players like "
        f"{table.strongest.strategy}, trained independently, lie apart, in points; missing where unknown.",
        open=True,
    )


def _gains(answer: CitiesAnswer, table: TableVerdict) -> list[Table]:
    """What a better-suited player could still gain beside each city, where that is published."""
    found = exploit_for(answer, table)
    if found is None:
        return []
    beside = clauses(found, table)
    rows = [[one.city, one.best.spec, *asdict(one.gain).values()] for one in found.cities]
    return [
        Table(
            "published-gains",
            f"What a better-suited player could still gain in each city against {found.strategy}",
            pl.DataFrame(rows, {"city": pl.String, "challenger": pl.String, **_NUMBERS}, orient="row"),
            [
                words("City", [answer.names[city] for city in beside]),
                sentences("In words", [*beside.values()]),
            ],
            note=who_tried(found),
            open=True,
        )
    ]


def _unlocked(answer: CitiesAnswer, table: TableVerdict) -> Table:
    rows = [answer.names[city] for city in table.order]
    columns = []
    for one in table.ladder:
        rates = [one.cities[city].unlocked for city in table.order]
        texts = [" / ".join(f"{100 * (x.value or 0):.0f}" for x in rate.values()) for rate in rates]
        columns.append(ordered(one.strategy, texts, [rate[2].value or 0.0 for rate in rates]))
    n = min(city.share.n for one in table.ladder for city in one.cities.values())
    return Table(
        "published-developments",
        "How often these players unlock developments 2 / 3 / 4, in %",
        _frame(table),
        [words("City", rows), *columns],
        note=f"Of at least {n:,} games of each city and player; intervals are in the files of this table. "
        "What a player hardly ever unlocks, the shares above do not know.",
    )


_NUMBERS: dict[str, type[pl.DataType]] = {
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "n": pl.Int64,
}


def _frame(table: TableVerdict) -> pl.DataFrame:
    """All numbers of a table, a row for each player, city and measure."""
    rows = []
    for one in table.ladder:
        for city in table.order:
            own = one.cities[city]
            measures = {"win_share": own.share} | {f"unlocked_{p}": rate for p, rate in own.unlocked.items()}
            for measure, number in measures.items():
                e = number.estimate
                rows.append([one.strategy, city, measure, e.value, e.low, e.high, e.n])
    head: dict[str, type[pl.DataType]] = {"strategy": pl.String, "city": pl.String, "measure": pl.String}
    return pl.DataFrame(rows, {**head, **_NUMBERS}, orient="row")
