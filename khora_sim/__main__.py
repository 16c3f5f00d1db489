"""`python -m khora_sim` is the `khora` command."""

from khora_sim.cli.main import run

run()
