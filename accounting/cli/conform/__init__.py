"""`rounds conform`: a fold or a checker in any language, held to the published cases. Page: docs/conformance.md."""

import click

from accounting.cli.conform.commands import checker, fold

__all__ = ["conform"]


@click.group(
    epilog="""\b
Examples:
  rounds conform fold --smoke -- ./my-fold
  rounds conform fold -- ./my-fold
  rounds conform checker -- ./my-checker"""
)
def conform() -> None:
    """Hold a fold or a checker, in any language, to the cases."""


conform.add_command(fold)
conform.add_command(checker)
