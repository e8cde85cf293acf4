"""What an agent prints while it runs, an event a line, as far as a dispatcher uses it. Spec: dispatch.md 2.3.

The shapes are a reading of `stream-json` lines, not those lines themselves: a field that a line does not hold, or not
as it should be, is null. `accounting.dispatch.stream` reads them.
"""

from typing import TypeAlias

from msgspec import Struct

from wire.dispatch.journal import DispatchUsage
from wire.scalars import U64, Json, UsdMicros


class StreamInit(Struct, frozen=True, kw_only=True, tag_field="event", tag="init", rename="camel"):
    """The session began."""

    session_id: str | None = None
    """The agent's own id of the session; null when the line does not say."""
    model: str | None = None
    """The model that will be asked; null when the line does not say."""
    cwd: str | None = None
    """Where the agent works; null when the line does not say."""
    tools: tuple[str, ...]
    """The tools that the model is given."""


class StreamCall(Struct, frozen=True, kw_only=True):
    """A tool call."""

    id: str | None = None
    """By which its answer names it; null when the line does not say."""
    name: str | None = None
    """The tool; null when the line does not say."""
    input: Json = None
    """The arguments; null when there are none."""


class StreamAssistant(Struct, frozen=True, kw_only=True, tag_field="event", tag="assistant", rename="camel"):
    """The model answered, or a part of its answer came."""

    texts: tuple[str, ...]
    """What it said."""
    thoughts: tuple[str, ...]
    """What it thought."""
    calls: tuple[StreamCall, ...]
    """What it called."""
    usage: DispatchUsage | None = None
    """Tokens of the request, repeated with every part of its answer; null when not reported."""
    within: str | None = None
    """Id of the call whose sub-agent this is of; null for the main conversation."""


class StreamAnswer(Struct, frozen=True, kw_only=True, rename="camel"):
    """A tool call was answered."""

    call_id: str | None = None
    """The call; null when the line does not say."""
    is_error: bool
    """Whether the line says that it failed."""


class StreamUser(Struct, frozen=True, kw_only=True, tag_field="event", tag="user"):
    """Something was said to the model: answers of tools, mostly."""

    answers: tuple[StreamAnswer, ...]
    """The answers among it."""
    within: str | None = None
    """Id of the call whose sub-agent this is of; null for the main conversation."""


class StreamResult(Struct, frozen=True, kw_only=True, tag_field="event", tag="result", rename="camel"):
    """The run is over, as the agent sees it."""

    subtype: str | None = None
    """`success`, or the word for an error; null when the line does not say."""
    is_error: bool
    """Whether the line says that it ended in an error, which a `success` can too."""
    result: str | None = None
    """The last word; null when there is none."""
    stop_reason: str | None = None
    """Why the model stopped; null when the line does not say."""
    num_turns: U64 | None = None
    """How many turns it took; null when not reported."""
    duration_ms: U64 | None = None
    """Milliseconds that it took; null when not reported."""
    cost_usd_micros: UsdMicros | None = None
    """Millionths of a US dollar; null when not reported, which is not free."""
    usage: DispatchUsage | None = None
    """Tokens of the whole run; null when not reported."""
    session_id: str | None = None
    """The agent's own id of the session; null when the line does not say."""


class StreamOther(Struct, frozen=True, kw_only=True, tag_field="event", tag="other"):
    """An event that changes nothing here."""

    kind: str
    """Its type, and its subtype after a `/` where it has one."""


StreamEvent: TypeAlias = StreamInit | StreamAssistant | StreamUser | StreamResult | StreamOther
"""One event, tagged by `event`."""
