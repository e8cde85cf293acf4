"""The parts of SARIF 2.1.0 that a report uses, by the standard's own names. What is `None` or empty is left out.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/
"""

from enum import StrEnum
from typing import Final, Literal

from msgspec import Struct, field

from wire.scalars import RunId

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
"""Where the standard keeps its JSON Schema."""


class Level(StrEnum):
    """How grave a result is."""

    error = "error"
    warning = "warning"
    note = "note"


class Message(Struct, frozen=True, kw_only=True, rename="camel"):
    """Plain text: the standard's `message` and `multiformatMessageString`."""

    text: str


class ArtifactLocation(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A file; relative when it has a base."""

    uri: str | None = None
    uri_base_id: str | None = None
    description: Message | None = None


class Region(Struct, frozen=True, kw_only=True, rename="camel"):
    """A whole line, from 1."""

    start_line: int


class PhysicalLocation(Struct, frozen=True, kw_only=True, rename="camel"):
    """A line of a file."""

    artifact_location: ArtifactLocation
    region: Region


class Location(Struct, frozen=True, kw_only=True, rename="camel"):
    """Where a result is."""

    physical_location: PhysicalLocation


class Properties(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What the standard has no place for, under names of our own."""

    byte_offset: int
    seq: int | None = None
    run: RunId | None = None


class Result(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One finding."""

    rule_id: str
    rule_index: int | None = None
    level: Level
    message: Message
    locations: tuple[Location, ...]
    partial_fingerprints: dict[str, str]
    properties: Properties


class Configuration(Struct, frozen=True, kw_only=True, rename="camel"):
    """How grave a rule's results are."""

    level: Level


class RuleDescriptor(Struct, frozen=True, kw_only=True, rename="camel"):
    """One rule: the standard's `reportingDescriptor`."""

    id: str
    short_description: Message
    full_description: Message
    help: Message
    default_configuration: Configuration


class Driver(Struct, frozen=True, kw_only=True, rename="camel"):
    """The program, and every rule that it knows."""

    name: str
    version: str
    rules: tuple[RuleDescriptor, ...]


class Tool(Struct, frozen=True, kw_only=True, rename="camel"):
    """The program and its plugins; it has none."""

    driver: Driver


class AutomationDetails(Struct, frozen=True, kw_only=True, rename="camel"):
    """What tells checks of one ledger from those of another; a name that ends in `/` is that of a series."""

    id: str


class Notification(Struct, frozen=True, kw_only=True, rename="camel"):
    """Something about the check, rather than about the ledger."""

    level: Level
    message: Message


class Invocation(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """How the check went."""

    execution_successful: bool
    exit_code: int
    tool_execution_notifications: tuple[Notification, ...] = ()


class Run(Struct, frozen=True, kw_only=True, rename="camel"):
    """One check."""

    tool: Tool
    automation_details: AutomationDetails
    invocations: tuple[Invocation, ...]
    original_uri_base_ids: dict[str, ArtifactLocation]
    results: tuple[Result, ...]


class Log(Struct, frozen=True, kw_only=True):
    """The document."""

    schema: str = field(name="$schema", default=SCHEMA)
    version: Literal["2.1.0"] = "2.1.0"
    runs: tuple[Run, ...]
