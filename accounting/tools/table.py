"""The table: each tool once, for the command line, MCP and registration to project. Spec: dispatch.md 2.7."""

from functools import cache

from accounting.tools.automated import automated
from accounting.tools.dispatched import dispatched
from accounting.tools.ledgers import ledgers
from accounting.tools.sessions import sessions
from accounting.tools.tool import Tool


@cache
def tools() -> tuple[Tool, ...]:
    """Every tool, in the order in which they are listed. No two share a name."""
    return (*dispatched(), *sessions(), *automated(), *ledgers())


def find(name: str) -> Tool | None:
    """The tool of that name; `None` when there is none."""
    return next((tool for tool in tools() if tool.name == name), None)
