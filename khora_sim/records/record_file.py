"""Reading a record file; an error says in one line what is wrong with it."""

from pathlib import Path

from pydantic import ValidationError

from khora_sim.common.checking import first_problem
from khora_sim.common.commands import recording
from khora_sim.common.user_files import read_json
from khora_sim.errors import UserError
from khora_sim.records.record_format import FORMAT, Record


def read_record(path: str | Path) -> Record:
    """A record from its file, or an error that says in one line what is wrong."""
    data = read_json(path, "a record in JSON, see docs/records.md")
    if not isinstance(data, dict) or "format" not in data:
        raise UserError(f'{path}: is not a record: it should be a table with "format": {FORMAT}')
    if data["format"] == 1:
        raise UserError(
            f"{path}: format 1 is of khora 0.1, whose payments and glory sales were other decisions; "
            f"this khora reads format {FORMAT}: record the game again ({recording()})"
        )
    if data["format"] != FORMAT:
        raise UserError(f"{path}: format {data['format']} is unknown; this khora reads format {FORMAT}")
    try:
        return Record.model_validate(data)
    except ValidationError as problem:
        raise UserError(f"{path}: {first_problem(Record, problem, data)}") from None
