"""Payloads of a tool call and its result, and what a tool is registered to do. Spec: ledger.md 6."""

from typing import Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from wire.record.refusal import RecordedError
from wire.scalars import I64, Address, JsonObject, Micros, ServerLabel


class WriteEffect(Struct, frozen=True, kw_only=True):
    """Writes below an address."""

    domain: Address
    """The only place it may write."""


class ConnectorEffect(Struct, frozen=True, kw_only=True):
    """Talks to a connected server."""

    label: ServerLabel
    """Which server."""


class AttachUserBrowserEffect(Struct, frozen=True, kw_only=True):
    """Takes over the person's own browser."""

    address: str | None = None
    """Where the browser listens; null when the default is meant."""


EffectWord: TypeAlias = Literal["read", "egress", "spawn", "govern", "spend"]
"""An effect that names nothing more: `read` looks and changes nothing, `egress` sends something out, `spawn` starts a
session, `govern` changes the rules, `spend` costs money."""


class EffectOn(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """An effect that names what it touches: an object with exactly one key."""

    write: WriteEffect | UnsetType = UNSET
    """Writes below an address."""
    connector: ConnectorEffect | UnsetType = UNSET
    """Talks to a connected server."""
    attach_user_browser: AttachUserBrowserEffect | UnsetType = UNSET
    """Takes over the person's own browser."""

    def __post_init__(self) -> None:
        if (self.write, self.connector, self.attach_user_browser).count(UNSET) != 2:
            raise ValueError("an effect has exactly one of the keys write, connector, attach_user_browser")

    @property
    def variant(self) -> WriteEffect | ConnectorEffect | AttachUserBrowserEffect:
        """The one that is set."""
        if self.write is not UNSET:
            return self.write
        if self.connector is not UNSET:
            return self.connector
        assert self.attach_user_browser is not UNSET  # __post_init__ saw to it
        return self.attach_user_browser


Effect: TypeAlias = EffectWord | EffectOn
"""What a tool does to the world, externally tagged: a word, or an object with one key."""


class DiffRender(Struct, frozen=True, kw_only=True):
    """Shown as a change to files."""

    locations: tuple[Address, ...]
    """The files."""


class RenderDiff(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The object form of a RenderIntent."""

    diff: DiffRender
    """Shown as a change to files."""


RenderIntentWord: TypeAlias = Literal["generic", "terminal", "signal"]
"""A way of drawing that names nothing more: `generic` is the plain one, `terminal` a command and what it printed,
`signal` a letter."""

RenderIntent: TypeAlias = RenderIntentWord | RenderDiff
"""How a call wants to be drawn, externally tagged: a word, or an object with one key."""


class ToolCalled(Struct, frozen=True, kw_only=True):
    """A tool was called."""

    id: str
    """The call's id; its result names it."""
    name: str
    """The tool's name. A city's own are `[a-z0-9_]+`; other agents' are any text."""
    args: JsonObject
    """Its arguments."""
    subject: str | None = None
    """What it acts on, chosen from the arguments by the writer; null when nothing was."""
    effect: Effect | None = None
    """What it is registered to do; null for an unregistered tool and on older lines."""
    render: RenderIntent | None = None
    """How it wants to be drawn; null for an unregistered tool and on older lines."""


class ToolResult(Struct, frozen=True, kw_only=True):
    """A tool answered: exactly one of `result` and `error` is there.

    The presence of `error`, even as null, says that the call failed.
    """

    tool_use_id: str
    """The call it answers."""
    name: str
    """The tool's name."""
    result: JsonObject | str | None = None
    """What it gave: an object from a city, text from an importer; null when it failed."""
    error: RecordedError | str | UnsetType | None = UNSET
    """How it failed: the error shape from a city, text from an importer; null when untold, absent when it did not."""
    took_us: Micros | None = None
    """Microseconds the call took; null when not measured."""
    exit_code: I64 | None = None
    """The exit code, when it stands beside the result (an importer); null otherwise."""

    def __post_init__(self) -> None:
        if (self.result is None) == (self.error is UNSET):
            raise ValueError("a tool_result has exactly one of `result` and `error`")
