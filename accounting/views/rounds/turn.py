"""A turn under way. Spec: rounds.md 3, rules 1 and 4."""

from msgspec import Struct

from accounting.views.rounds.call import timing
from wire.answer.note import Note
from wire.answer.rounds import Call, Timing, Turn, Used
from wire.reading import said, text, thought, used
from wire.record.envelope import Record, moment
from wire.scalars import Seq, TimeMs, UsdMicros, u64


class OpenTurn(Struct, kw_only=True):
    """The fields of `Turn`, still open to change."""

    number: int
    opened: Seq
    t: TimeMs
    timing: Timing
    model: str | None
    first_at: TimeMs | None = None
    returned: TimeMs | None = None
    said: str | None = None
    thought: str | None = None
    spent: UsdMicros | None = None
    used: Used | None = None
    stopped: str | None = None
    calls: list[Call]
    notes: list[Note]

    def reply(self, record: Record, *, texts: bool) -> None:
        """A `model_returned`: all seven fields of the reply come from it, whatever an earlier one gave."""
        data = record.data
        message = data.get("message")
        self.said = said(message) if texts else None
        self.thought = thought(message) if texts else None
        self.spent = u64(data.get("billed_usd_micros"))
        self.stopped = text(data.get("stop"))
        self.first_at = u64(data.get("first_at"))
        self.returned = moment(record)
        self.used = used(
            data.get("usage"),
            first_us=None if self.first_at is None else u64(data.get("first_us")),
            took_us=u64(data.get("took_us")),
        )

    def build(self) -> Turn:
        """The turn as it stands."""
        return Turn(
            number=self.number,
            opened=self.opened,
            t=self.t,
            timing=self.timing,
            first_at=self.first_at,
            returned=self.returned,
            model=self.model,
            said=self.said,
            thought=self.thought,
            spent=self.spent,
            used=self.used,
            stopped=self.stopped,
            calls=tuple(self.calls),
            notes=tuple(self.notes),
        )


def open_turn(called: Record, number: int) -> OpenTurn:
    """The turn that a `model_called` opens."""
    return OpenTurn(
        number=number,
        opened=called.seq,
        t=called.t,
        timing=timing(called),
        model=text(called.data.get("model")),
        calls=[],
        notes=[],
    )
