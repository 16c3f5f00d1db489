"""From what a study asks for to the arm that is played: everything it left open is settled."""

from khora_sim.common.options import left_open
from khora_sim.common.wording import listed
from khora_sim.errors import UserError, nearest
from khora_sim.simulation.arm import Arm, sections
from khora_sim.simulation.study_file import MOST_STRATEGIES, Study
from khora_sim.rules import Rules, load_rules, read_rules
from khora_sim.strategy import load


def plan_study(study: Study) -> Arm:
    """Load the rules and strategies of a study and settle what it left open."""
    rules = load_rules(study.rules)
    return settled_plan(study.model_copy(update={"rules": None}), rules, study.rules)


def plan_again(study: Study, rules_text: str, rules_file: str | None = None) -> Arm:
    """The arm of a study that was settled before, with the rules it was settled with."""
    return settled_plan(study, read_rules(rules_text, "the rules in the manifest"), rules_file)


def settled_plan(study: Study, rules: Rules, rules_file: str | None = None) -> Arm:
    """Settle a study under given rules."""
    _check_cities(study, rules)
    study = study.model_copy(update={"by_city": _by_city(study, rules)})
    strategies = tuple(load(spec) for spec in study.specs)
    lineup = _lineup(study)
    rotate = _rotation(study)
    options = left_open(study, rules.model.options)
    study = study.model_copy(update={"lineup": lineup, "rotate": rotate, **options})
    if study.first_player != "random" and study.first_player > min(study.players):
        raise UserError(
            f"first_player: seat {study.first_player} is not taken; "
            f"with {min(study.players)} players the seats are 1 to {min(study.players)}"
        )
    return Arm(study, rules, strategies, sections(study, len(rules.city_ids)), rules_file)


def _lineup(study: Study) -> str:
    """How strategies come to the table."""
    count = len(study.strategies)
    as_many = all(players == count for players in study.players)
    if study.lineup == "auto":
        return "same" if count <= 1 else "seats" if as_many else "pool"
    if study.lineup == "same" and count > 1:
        raise UserError(f"lineup: same is for one strategy, and {count} are named; try pool")
    if study.lineup == "seats" and not as_many:
        tables = listed([str(players) for players in study.players], "or")
        raise UserError(f"lineup: seats needs a strategy for each of {tables} seats, and {count} are named")
    return study.lineup


def _rotation(study: Study) -> str:
    """What moves around the table: the strategies where they differ, else the cities.

    Both at once is only played when asked for: N x N games of one luck say less about mean scores than as
    many games in groups of N, and no more about win shares.
    """
    if study.rotate != "auto":
        return study.rotate
    return "strategies" if len(set(study.strategies)) > 1 else "cities"


def _by_city(study: Study, rules: Rules) -> dict[str, str]:
    """The strategies that are tied to a city, in the order of the rules."""
    for city in study.by_city:
        if city not in rules.city_ids:
            raise UserError(f'by_city: no city is called "{city}"; {nearest(city, rules.city_ids)}')
    others = [city for city in rules.city_ids if city not in study.by_city]
    if not study.strategies and others:
        raise UserError(f"no strategies; say who plays the other cities: {', '.join(others)}")
    if len(study.specs) > MOST_STRATEGIES:
        raise UserError(f"strategies and by_city: at most {MOST_STRATEGIES} are possible together")
    return {city: study.by_city[city] for city in rules.city_ids if city in study.by_city}


def _check_cities(study: Study, rules: Rules) -> None:
    if isinstance(study.cities, str):
        return
    named = [city for city in study.cities if city != "random"]
    for city in named:
        if city not in rules.city_ids:
            raise UserError(f'cities: no city is called "{city}"; {nearest(city, rules.city_ids)}')
    if len(set(named)) < len(named):
        raise UserError(f"cities: {', '.join(named)}: each city is there once")
    if len(study.cities) > min(study.players):
        raise UserError(f"cities: {len(study.cities)} cities for {min(study.players)} seats")
