"""The published verdict on the cities: an answer that took long to measure, and comes with the package."""

from functools import cache
from importlib.resources import as_file, files

from khora_sim.analyses.cities_answer import CitiesAnswer, read_answer
from khora_sim.errors import UserError

FILE = "cities.json"


@cache
def published() -> CitiesAnswer:
    """The answer that comes with this version."""
    resource = files("khora_sim.pages").joinpath("data", FILE)
    if not resource.is_file():
        raise UserError(
            "this installation has no published verdict (pages/data/cities.json); install khora again"
        )
    with as_file(resource) as path:
        return read_answer(path)


def published_at(sizes: tuple[int, ...]) -> CitiesAnswer:
    """The published answer at some sizes of table; all of it where none is named."""
    answer = published()
    known = [table.players for table in answer.tables]
    for size in sizes:
        if size not in known:
            there = ", ".join(map(str, known))
            raise UserError(f"--players {size}: published are tables of {there}; leave --published out")
    tables = tuple(table for table in answer.tables if not sizes or table.players in sizes)
    return answer.model_copy(update={"tables": tables})


def published_for(rules_hash: str, rules_version: str) -> CitiesAnswer | None:
    """The published answer, if it is about these rules."""
    answer = published()
    same = (answer.rules.hash, answer.rules.version) == (rules_hash, rules_version)
    return answer if same else None


def origin(answer: CitiesAnswer) -> str:
    """Where an answer comes from, for a citation."""
    how = f"to ± {answer.precision:g} points" if answer.precision else f"{answer.games:,} games a player"
    return (
        f"rules {answer.rules.name} {answer.rules.hash[:12]} (version {answer.rules.version}), "
        f"khora {answer.khora}, seed {answer.seed}, {how}"
    )
