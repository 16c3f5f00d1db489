"""The published verdict on the cities: an answer that took long to measure, and comes with the package."""

from functools import cache
from importlib.resources import as_file, files

from khora_sim.errors import UserError
from khora_sim.questions.cities_answer import CitiesAnswer, read_answer

FILE = "cities.json"


@cache
def published() -> CitiesAnswer:
    """The answer that comes with this version."""
    resource = files("khora_sim.report").joinpath("data", FILE)
    if not resource.is_file():
        raise UserError(
            "this installation has no published verdict (report/data/cities.json); install it anew"
        )
    with as_file(resource) as path:
        return read_answer(path)


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
