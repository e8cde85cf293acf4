"""What is told of a transcript in a few words, gathered row by row. Pure. Spec: dispatch.md 2.4."""

from typing import Final

from msgspec import Struct

from accounting.dispatch.transcripts.either import EitherRow
from accounting.dispatch.transcripts.ending import Ending
from accounting.dispatch.transcripts.rows import Held, Line, time_of
from accounting.dispatch.transcripts.turns import Read, Turn, read_turn
from wire.dispatch import TranscriptCall, TranscriptResult, TranscriptSaid
from wire.scalars import TimeMs


class Distinct:
    """How many there are, those of one id counted once, and those without an id each."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._without = 0

    def add(self, own: str | None) -> None:
        """One more."""
        if own is None:
            self._without += 1
        else:
            self._ids.add(own)

    @property
    def count(self) -> int:
        """How many."""
        return len(self._ids) + self._without


class First(Struct):
    """What only the beginning of a transcript tells."""

    session_id: str | None = None
    cwd: str | None = None
    prompt: str | None = None
    t: TimeMs | None = None


class Digest:
    """A transcript as far as its lines were told; `own` is what its file is named after."""

    def __init__(self, own: str) -> None:
        self.first: Final = First()
        self.title: str | None = None
        self.last_text: str | None = None
        self.ended_at: TimeMs | None = None
        self.ending = Ending()
        self.rows = 0
        self.unreadable = 0
        self.user_messages: Final = Distinct()
        self.assistant_messages: Final = Distinct()
        self.calls: Final = Distinct()
        self.errors: Final = Distinct()
        self._own = own
        self._is_beginning = True

    def take(self, line: Line) -> None:
        """The next line."""
        for held in line.rows:
            self._row(held, line.offset)
        if line.lost:
            self.ending.lose()
            self.unreadable += line.ended

    def leave_out(self) -> None:
        """The middle was not read: what is told next is the end, and what the end tells is forgotten so far.

        But the title: that of the beginning stands until there is another.
        """
        self.ending = Ending()
        self.last_text = self.ended_at = None
        self._is_beginning = False

    def _row(self, held: Held, offset: int) -> None:
        self.rows += 1
        row = held.row
        read, t = read_turn(held), time_of(row)
        self.ending.take(row, read, offset)
        if t is not None:
            self.ended_at = t
        if (title := _title(row)) is not None:
            self.title = title
        self._begin(row, read, t)
        self._count(row, read)

    def _begin(self, row: EitherRow, read: Read, t: TimeMs | None) -> None:
        first, named = self.first, row.session_id
        if isinstance(named, str) and named == self._own:
            # A session that was taken up again may begin with rows of the one before, which name that one.
            first.session_id = named
        if not self._is_beginning:
            return
        if first.session_id is None and named is not None:
            first.session_id = str(named)
        if first.cwd is None:
            first.cwd = row.cwd
        if first.prompt is None:
            first.prompt = read.prompt
        if first.t is None:
            first.t = t

    def _count(self, row: EitherRow, read: Read) -> None:
        if read.turn is Turn.asked:
            self.user_messages.add(row.uuid or row.id)
        if read.is_message:
            self.assistant_messages.add(read.message)
        if read.is_message and (said := [done.text for done in read.rows if isinstance(done, TranscriptSaid)]):
            self.last_text = "\n".join(said)
        for done in read.rows:
            if isinstance(done, TranscriptCall):
                self.calls.add(done.call_id)
            elif isinstance(done, TranscriptResult) and done.is_error:
                self.errors.add(done.call_id)


def _title(row: EitherRow) -> str | None:
    """The title that a row gives the session. A summary that names a line may be another session's."""
    match row.type:
        case "ai-title":
            return row.ai_title
        case "custom-title":
            return row.custom_title
        case "topic":
            return row.topic
        case "summary" if row.leaf_uuid is None:
            return row.summary
        case _:
            return None
