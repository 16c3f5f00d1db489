"""How many games a question plays: a number of them, or as many as a precision takes."""

from khora_sim.errors import UserError


def games_asked(games: int | None, precision: float | None, usual: int) -> int | None:
    """The number of games, or the usual one; None where a precision takes its place."""
    if games is not None and precision is not None:
        raise UserError("--games and --precision: give one of them")
    return None if precision is not None else usual if games is None else games


def check_games(games: int | None, precision: float | None) -> None:
    """Refuse a number of games, or a precision, that cannot be played."""
    if games is not None and games < 1:
        raise UserError(f"--games {games}: should be 1 or more")
    check_precision(precision)


def check_precision(precision: float | None) -> None:
    """Refuse a precision that cannot be reached, or that says nothing."""
    if precision is not None and not 0.05 <= precision <= 25:
        raise UserError(f"--precision {precision:g}: should be 0.05 to 25 percentage points")
