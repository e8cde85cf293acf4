"""The table of docs/tools.md, as the tools have it: `python -m tests.accounting.tools.page` writes it."""

from pathlib import Path
from typing import Any, Final

from accounting.tools import Tool, tools

Json = Any
PAGE: Final = Path(__file__).resolve().parents[3] / "docs" / "tools.md"
BEGIN: Final = "<!-- table: python -m tests.accounting.tools.page -->\n"
END: Final = "<!-- end -->\n"


def page() -> str:
    """The page with the table as it should be."""
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{table()}{END}{after}"


def table() -> str:
    """The table."""
    rows = "".join(
        f"| `{tool.name}` | {_takes(tool)} | `{_answers(tool)}` | {tool.description} |\n" for tool in tools()
    )
    return f"| tool | takes | answers | does |\n|---|---|---|---|\n{rows}"


def _takes(tool: Tool) -> str:
    schema: Json = tool.parameters
    required = schema.get("required", [])
    return ", ".join(f"`{name}`{'' if name in required else '?'}" for name in schema["properties"])


def _answers(tool: Tool) -> str:
    return str(tool.output.schema["title"])


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
