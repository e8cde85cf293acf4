"""The documents, one line each: which types are roots, and under which name."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, Union

from wire.answer.rounds import RoundsAnswer
from wire.ask import AskEvent, AskLock, AskShown, AskTurn
from wire.check import CheckReport
from wire.dispatch import (
    ArchiveIndexLine,
    ArchiveManifest,
    AutomationHealth,
    AutomationList,
    AutomationRuns,
    CancelAnswer,
    DispatchJournal,
    DispatchList,
    DoctorReport,
    SessionList,
    StreamEvent,
    TranscriptRow,
    TranscriptSummary,
)
from wire.export.keywords import camel
from wire.export.source import member_texts
from wire.record.any_event import AnyEvent
from wire.record.envelope import EventRecord
from wire.record.kinds import Kind
from wire.record.payload import PAYLOADS


class Root(NamedTuple):
    """A type that has a document of its own."""

    name: str
    """The document's name, in its file name and its `$id`."""
    shape: str
    """Its title, and the name of its definition in the bundle."""
    type: Any
    """A Struct, or a union that has an alias."""
    text: str = ""
    """What it is, when `shape` is only another name for a Struct."""


def _payloads() -> Iterator[Root]:
    """One root for each kind that has Structs; a kind of several forms is one document, their union."""
    texts = member_texts(Kind)
    for kind, forms in PAYLOADS.items():
        name = f"payload-{kind.replace('_', '-')}"
        yield Root(name, camel(kind), Union[forms], texts[kind.name])  # noqa: UP007 - the forms are a tuple


ROOTS: Final = (
    Root("rounds-answer", "RoundsAnswer", RoundsAnswer),
    Root("event-record", "EventRecord", EventRecord),
    Root("any-event", "AnyEvent", AnyEvent),
    *_payloads(),
    Root("ask-event", "AskEvent", AskEvent),
    Root("ask-turn", "AskTurn", AskTurn),
    Root("ask-shown", "AskShown", AskShown),
    Root("ask-lock", "AskLock", AskLock),
    Root("dispatch-journal", "DispatchJournal", DispatchJournal),
    Root("dispatch-list", "DispatchList", DispatchList),
    Root("cancel-answer", "CancelAnswer", CancelAnswer),
    Root("doctor-report", "DoctorReport", DoctorReport),
    Root("stream-event", "StreamEvent", StreamEvent),
    Root("transcript-row", "TranscriptRow", TranscriptRow),
    Root("transcript-summary", "TranscriptSummary", TranscriptSummary),
    Root("session-list", "SessionList", SessionList),
    Root("archive-manifest", "ArchiveManifest", ArchiveManifest),
    Root("archive-index-line", "ArchiveIndexLine", ArchiveIndexLine),
    Root("automation-list", "AutomationList", AutomationList),
    Root("automation-runs", "AutomationRuns", AutomationRuns),
    Root("automation-health", "AutomationHealth", AutomationHealth),
    Root("check-report", "CheckReport", CheckReport),
)
"""Every root, in the order that the bundle names them."""
