"""`python -m accounting.cli`."""

from accounting.cli import main

main(prog_name="rounds")
