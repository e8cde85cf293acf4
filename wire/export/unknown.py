"""What a reader does with a word or a form that it does not know: decided for every enum and union, in one table.

The sentence becomes part of the description. The exporter refuses an enum or a union that is not in the table.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias

Fate: TypeAlias = Literal["kept", "ignored", "refused"]
"""Kept as it came, passed over, or an error."""


class Unknown(NamedTuple):
    """What becomes of a word or form that is not listed."""

    fate: Fate
    """What a reader of the whole shape does."""
    beside: str = ""
    """What else there is to say, as the rest of a sentence."""

    def sentence(self, what: Literal["word", "form"]) -> str:
        """What stands in the description."""
        return f"A {what} that is not here is {self.fate}{'; ' * bool(self.beside)}{self.beside}."


_REFUSED: Final = Unknown("refused")
_ABSENT: Final = Unknown("refused", "a view of the ledger takes it for absent")
_UNREAD: Final = Unknown("refused", "a view of the ledger does not look at it")
_NOTED: Final = Unknown("refused", "a view of the ledger says that the line is unreadable")
_AS_IT_STANDS: Final = "and shows the error of a tool as it stands"
_POLICY: Final = Unknown("refused", "a view of the ledger takes the whole policy for absent")

UNKNOWN: Final[Mapping[str, Unknown]] = MappingProxyType(
    {
        # Answers
        "Outcome": _REFUSED,
        "Timing": _REFUSED,
        "Speaker": _REFUSED,
        "ReplyEnd": _REFUSED,
        "Note": Unknown("kept", "it is a `NewerNote`, to be shown as a newer note"),
        "Handback": _REFUSED,
        # Ledger lines
        "Kind": Unknown("refused", "an `AnyEvent` keeps it, and a view of the ledger passes over the line"),
        "ErrorCode": Unknown("refused", f"a view of the ledger calls such a refusal unreadable, {_AS_IT_STANDS}"),
        "Retry": Unknown(
            "refused",
            "a view of the ledger reads `retriable` where that is there, else calls the refusal unreadable, "
            + _AS_IT_STANDS,
        ),
        "Provider": _ABSENT,
        "CheckpointCommitted": _NOTED,
        "ProviderDegraded": _NOTED,
        "WatchdogFired": _NOTED,
        "Effect": _ABSENT,
        "EffectWord": _ABSENT,
        "EffectOn": _ABSENT,
        "RenderIntent": _ABSENT,
        "RenderIntentWord": _ABSENT,
        "Effort": _ABSENT,
        "Mode": _POLICY,
        "Writing": _POLICY,
        "Admission": _POLICY,
        "WorkLanding": _POLICY,
        "OpeningManner": _UNREAD,
        "RunFrozen.cause": _UNREAD,
        "Dialect": _UNREAD,
        "Block": Unknown("refused", "a view of the ledger passes over the block"),
        "QuestionCluster.class": _UNREAD,
        "ApprovalResolved.verdict": _UNREAD,
        "SignalKind": _ABSENT,
        "Lane": _UNREAD,
        "Landing": _ABSENT,
        "WaitEnd": Unknown("refused", "a view of the ledger takes the wait for one that goes on"),
        # Ask threads
        "AskEvent": Unknown("ignored", "a reader of a thread counts it and goes on"),
        "AskState": _REFUSED,
        # Dispatched runs
        "DispatchKind": _REFUSED,
        "DispatchState": _REFUSED,
        "StateSource": _REFUSED,
        "StreamEvent": Unknown("refused", "what a stream holds that none of them is for is a `StreamOther`"),
        "TranscriptRow": Unknown("refused", "what a session file holds that none of them is for is a `TranscriptMeta`"),
        "TranscriptState": _REFUSED,
        "ArchiveMode": _REFUSED,
        "Health": _REFUSED,
        # Check reports
        "Severity": _REFUSED,
    }
)
"""By the name of the enum or union; a word that stands in a field without a name of its own, by type and field."""
