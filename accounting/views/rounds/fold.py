"""The fold: records of one run in, `RoundsAnswer` out. Spec: rounds.md 3.

One engine for the whole answer and the live one. State is private and mutable, what comes out is frozen; a record
costs a look-up and marks the turn it changed, and asking for the answer builds the marked turns anew.
"""

from collections.abc import Callable, Mapping
from typing import ClassVar, Final

from msgspec import Struct, structs

from accounting.ledger.problem import Place, Problem, ProblemCode, Problems
from accounting.views.rounds.call import answered_call, waiting_call
from accounting.views.rounds.opening import NamesLookup, opening
from accounting.views.rounds.pairings import AwaitedAnswers, Landings, Letters, Spot, Waits, approved, replied
from accounting.views.rounds.turn import OpenTurn, open_turn
from wire.answer.note import Arrived, AwaitingReply, Checkpointed, Note, ReplyEnd, ReplyEnded, Waiting
from wire.answer.rounds import Closing, Opening, RoundsAnswer, Turn
from wire.reading import note, text, word
from wire.reading.notes import NOTES
from wire.record.envelope import Record
from wire.record.kinds import Kind
from wire.record.signal import Landing
from wire.scalars import NIL_RUN, GitOid, RunId, signal_id


class Changed(Struct, frozen=True, gc=False):
    """What a record changed in the answer; false when nothing."""

    turns: tuple[int, ...] = ()
    """Numbers of the turns that are not what they were, rising."""
    head: bool = False
    """Whether something outside the turns is not what it was: opening, closing, worktree or `opened_at`."""

    def __bool__(self) -> bool:
        return self.head or bool(self.turns)


_NOTHING: Final = Changed()
_HEAD: Final = Changed(head=True)


class RoundsFold:
    """One run's rounds, fed record by record in file order. It never raises on what a record holds.

    `names` looks up the names that were in force (null without it). `cut` says that older records of the run were
    left out: `landing` then stays null. `texts=False` leaves `said`, `thought`, `arguments` and `output` null, for
    figures over a history too large to keep the words of. `letters` may be shared by the folds of several runs, and
    `problems` with whatever reads the records.
    """

    def __init__(
        self,
        run: RunId,
        *,
        names: NamesLookup | None = None,
        cut: bool = False,
        texts: bool = True,
        letters: Letters | None = None,
        problems: Problems | None = None,
    ) -> None:
        self.run: Final = run
        """The run that is folded."""
        self.cut: Final = cut
        """Whether older records of the run were left out."""
        self.used: int = 0
        """Records that are in the answer."""
        self.outside: Final[dict[str, int]] = {}
        """Records that make or answer something and found no place, by kind."""
        self.passed: Final[dict[str, int]] = {}
        """Records that a view does not draw, by kind."""
        self.problems: Final = Problems() if problems is None else problems
        """What could not be read as it should."""
        self._names = names
        self._texts = texts
        self._seq = -1
        self._turns: list[OpenTurn] = []
        self._built: list[Turn] = []
        self._dirty: set[int] = set()
        self._answer: RoundsAnswer | None = None
        self._answers = AwaitedAnswers()
        self._letters = Letters() if letters is None else letters
        self._landings = Landings()
        self._approvals = Waits()
        self._replies = Waits()
        self._started = self._frozen = self._housed = False
        self._opened_at: GitOid | None = None
        self._opening: Opening | None = None
        self._closing: Closing | None = None
        self._worktree: str | None = None

    def feed(self, record: Record, place: Place | None = None) -> Changed:
        """Take in the next record; what it changed comes back.

        A record of another run counts only where it resolves an approval that this one asked for, or sends a letter
        that this one may take in later. `place` goes into the problems the record gives rise to.
        """
        if record.run != self.run:
            return self._elsewhere(record)
        if record.seq <= self._seq:
            self._problem(ProblemCode.seq_not_rising, record, place, f"a seq above {self._seq}", str(record.seq))
        self._seq = record.seq
        step = self._steps.get(record.kind)
        return self._pass(record) if step is None else step(self, record, place)

    def answer(self) -> RoundsAnswer:
        """The answer as it stands: turns that did not change since the last one are the same objects."""
        if self._answer is None:
            for index in sorted(self._dirty):
                turn = self._turns[index].build()
                if index < len(self._built):
                    self._built[index] = turn
                else:
                    self._built.append(turn)
            self._dirty.clear()
            self._answer = RoundsAnswer(
                run=self.run,
                turns=tuple(self._built),
                opened_at=self._opened_at,
                opening=self._opening,
                closing=self._closing,
                worktree=self._worktree,
            )
        return self._answer

    # What becomes of a record: used, outside or passed, and never two of them (I13).

    def _use(self, turn: int) -> Changed:
        self.used += 1
        return self._touch(turn)

    def _use_for_head(self) -> Changed:
        self.used += 1
        self._answer = None
        return _HEAD

    def _leave_outside(self, record: Record) -> Changed:
        self.outside[record.kind] = self.outside.get(record.kind, 0) + 1
        return _NOTHING

    def _pass(self, record: Record, changed: Changed = _NOTHING) -> Changed:
        self.passed[record.kind] = self.passed.get(record.kind, 0) + 1
        return changed

    def _touch(self, turn: int) -> Changed:
        self._dirty.add(turn)
        self._answer = None
        return Changed((turn + 1,))

    def _problem(self, code: ProblemCode, record: Record, place: Place | None, expected: str, found: str) -> None:
        self.problems.add(Problem(code=code, place=place, seq=record.seq, expected=expected, found=found))

    # Rules 1 to 4: turns, calls, and what answers them.

    def _model_called(self, record: Record, _: Place | None) -> Changed:
        self._turns.append(open_turn(record, len(self._turns) + 1))
        return self._use(len(self._turns) - 1)

    def _model_returned(self, record: Record, _: Place | None) -> Changed:
        if not self._turns:
            return self._leave_outside(record)
        self._turns[-1].reply(record, texts=self._texts)
        return self._use(len(self._turns) - 1)

    def _tool_called(self, record: Record, _: Place | None) -> Changed:
        if not self._turns:
            return self._leave_outside(record)
        turn = len(self._turns) - 1
        calls = self._turns[turn].calls
        call = waiting_call(record, texts=self._texts)
        spot = Spot(turn, len(calls))
        calls.append(call)
        self._answers.called(record.data.get("id"), spot)
        if call.render == "signal":
            self._landings.called(record.data.get("args"), spot)
        return self._use(turn)

    def _tool_result(self, record: Record, _: Place | None) -> Changed:
        spot = self._answers.answered(record.data.get("tool_use_id"))
        if spot is None:
            return self._leave_outside(record)
        spot.sends = False
        calls = self._turns[spot.turn].calls
        calls[spot.index] = answered_call(calls[spot.index], record, texts=self._texts)
        return self._use(spot.turn)

    # Rule 5: notes, some of which a later record completes.

    def _note(self, record: Record, _: Place | None) -> Changed:
        read = note(record)
        if read is None:
            return self._pass(record)
        if not self._turns:
            return self._leave_outside(record)
        turn = len(self._turns) - 1
        notes = self._turns[turn].notes
        notes.append(self._paired(record, read, Spot(turn, len(notes))))
        return self._use(turn)

    def _paired(self, record: Record, read: Note, spot: Spot) -> Note:
        match read:
            case Note(arrived=Arrived() as arrived) if record.kind == Kind.signal_consumed:
                return Note(arrived=self._letters.taken(record, arrived))
            case Note(waiting=Waiting()):
                self._approvals.began(text(record.data.get("id")), spot)
            case Note(awaiting_reply=AwaitingReply()):
                self._replies.began(signal_id(record.data.get("signal")), spot)
            case _:
                pass
        return read

    def _approval_resolved(self, record: Record, _: Place | None) -> Changed:
        return self._pass(record, self._resolve(record))

    def _resolve(self, record: Record) -> Changed:
        if record.run != NIL_RUN:
            return _NOTHING
        return self._complete(
            self._approvals.ended(text(record.data.get("id"))),
            lambda waiting: approved(waiting, record),
        )

    def _signal_wait_ended(self, record: Record, _: Place | None) -> Changed:
        by = record.data.get("by")
        end = word(by.get("end"), ReplyEnd) if isinstance(by, dict) else None
        if end is None:
            return self._pass(record)
        changed = self._complete(
            self._replies.ended(signal_id(record.data.get("signal"))),
            lambda awaiting: replied(awaiting, ReplyEnded(by=end, t=record.t)),
        )
        return self._pass(record, changed)

    def _complete(self, spots: list[Spot], completed: Callable[[Note], Note]) -> Changed:
        for spot in spots:
            notes = self._turns[spot.turn].notes
            notes[spot.index] = completed(notes[spot.index])
            self._touch(spot.turn)
        return Changed(tuple(sorted({spot.turn + 1 for spot in spots})))

    # Letters and where they landed.

    def _elsewhere(self, record: Record) -> Changed:
        if record.kind == Kind.signal_enqueued:
            self._letters.sent(record)
        elif record.kind == Kind.approval_resolved:
            return self._resolve(record)
        return _NOTHING

    def _signal_enqueued(self, record: Record, _: Place | None) -> Changed:
        self._letters.sent(record)
        self._landings.sent(record.data)
        return self._pass(record)

    def _signal_landed(self, record: Record, _: Place | None) -> Changed:
        landing = word(record.data.get("landing"), Landing)
        spot = self._landings.landed(record.data)
        # In a cut window the call that took the letter may be outside.
        if landing is None or spot is None or self.cut:
            return self._pass(record)
        calls = self._turns[spot.turn].calls
        calls[spot.index] = structs.replace(calls[spot.index], landing=landing)
        return self._pass(record, self._touch(spot.turn))

    # The head of the answer: each part from the first record of its kind, readable or not.

    def _checkpoint_committed(self, record: Record, place: Place | None) -> Changed:
        read = None if self._opened_at is not None else note(record)
        if read is None or not isinstance(read.variant, Checkpointed):
            return self._note(record, place)
        self._opened_at = read.variant.oid
        return Changed(self._note(record, place).turns, head=True) if self._turns else self._use_for_head()

    def _run_started(self, record: Record, _: Place | None) -> Changed:
        if self._started:
            return self._leave_outside(record)
        self._started = True
        self._opening = opening(record, self._names)
        return self._use_for_head()

    def _run_frozen(self, record: Record, place: Place | None) -> Changed:
        if self._frozen:
            return self._leave_outside(record)
        self._frozen = True
        completion = text(record.data.get("completion"))
        if completion is None:
            found = "one that is no string" if "completion" in record.data else "none"
            self._problem(ProblemCode.closing_unreadable, record, place, "a `completion` that is a string", found)
            return self._leave_outside(record)
        self._closing = Closing(completion=completion, at=record.t)
        return self._use_for_head()

    def _worktree_opened(self, record: Record, _: Place | None) -> Changed:
        if self._housed:
            return self._leave_outside(record)
        self._housed = True
        self._worktree = text(record.data.get("name"))
        return self._leave_outside(record) if self._worktree is None else self._use_for_head()

    _steps: ClassVar[Mapping[str, Callable[..., Changed]]] = {
        **dict.fromkeys(NOTES, _note),
        Kind.model_called: _model_called,
        Kind.model_returned: _model_returned,
        Kind.tool_called: _tool_called,
        Kind.tool_result: _tool_result,
        Kind.checkpoint_committed: _checkpoint_committed,
        Kind.run_started: _run_started,
        Kind.run_frozen: _run_frozen,
        Kind.worktree_opened: _worktree_opened,
        Kind.approval_resolved: _approval_resolved,
        Kind.signal_enqueued: _signal_enqueued,
        Kind.signal_landed: _signal_landed,
        Kind.signal_wait_ended: _signal_wait_ended,
    }
