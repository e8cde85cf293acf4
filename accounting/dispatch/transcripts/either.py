"""A row of an agent's session file, whichever agent's it is: a file may mix dialects. Spec: dispatch.md 2.4.

The fields of Claude Code's lines and those of WorkBuddy's rows in one Struct, so that each line is decoded once. Every
field has a default, so that a field of a wrong type costs that field.
"""

from typing import Final

from accounting.foreign.claude_code.rows import Block, Line, Part
from accounting.foreign.claude_code.rows import is_row as is_claude_row
from accounting.foreign.free_json import AnyJson
from accounting.foreign.workbuddy.rows import Provider, Row
from accounting.foreign.workbuddy.rows import is_row as is_workbuddy_row
from wire.scalars import JsonObject

CLAUDE: Final = frozenset(("user", "assistant", "attachment", "progress"))
"""The types of row that only Claude Code writes."""


class EitherRow(Line, frozen=True, kw_only=True, gc=False, rename="camel"):
    """A line of Claude Code, and the further fields of a row of WorkBuddy."""

    id: str | None = None
    parent_id: str | None = None
    provider_data: Provider | None = None
    role: str | None = None
    content: str | tuple[Block | str, ...] | None = None
    raw_content: tuple[Part | str, ...] | str | None = None
    name: str | None = None
    call_id: str | None = None
    arguments: AnyJson = None
    status: str | None = None
    output: str | tuple[Part | str, ...] | Part | None = None
    topic: str | None = None

    def workbuddy(self) -> Row:
        """As a row of WorkBuddy, for what reads those; without its titles and the counts beside its message."""
        return Row(
            type=self.type,
            subtype=self.subtype,
            id=self.id,
            provider_data=self.provider_data,
            role=self.role,
            content=self.content,
            raw_content=self.raw_content,
            is_compact_summary=self.is_compact_summary,
            is_meta=self.is_meta,
            name=self.name,
            call_id=self.call_id,
            arguments=self.arguments,
            status=self.status,
            output=self.output,
        )


def is_row(value: JsonObject) -> bool:
    """Whether an object found in a damaged line is a row of its own, in either format."""
    return is_claude_row(value) or is_workbuddy_row(value)
