"""What stands in a rollout beside requests and calls: errors, stops, compactions, rewinds, sub-agents, small facts.

Spec: foreign.md 3.3.
"""

from typing import Final

from accounting.foreign.codex.rows import Item
from accounting.foreign.codex.turns import Turns
from accounting.foreign.drafting import RunDraft
from accounting.foreign.fidelity import Fidelity
from accounting.foreign.outline import Child, Compaction, FailedRequest, Rewind, Stop
from accounting.foreign.session import run_of
from accounting.ledger.problem import Place
from wire.scalars import Json, TimeMs, u64

_BY_PERSON: Final = (None, "interrupted", "replaced")
"""Reasons of an aborted turn that are a person's."""


class Marks:
    """The marks of a thread."""

    def __init__(self, draft: RunDraft, fidelity: Fidelity, turns: Turns) -> None:
        self.compactions: Final[list[Compaction]] = []
        self.rewinds: Final[list[Rewind]] = []
        self.failures: Final[list[FailedRequest]] = []
        self.stops: Final[list[Stop]] = []
        self.children: Final[dict[str, Child]] = {}
        self.facts: Final[dict[str, str]] = {}
        self._draft = draft
        self._fidelity = fidelity
        self._turns = turns
        self._prompts: list[int] = []
        self._rows_of_compaction: list[str] = []
        self._last_error: str | None = None

    def prompted(self) -> None:
        """A person spoke."""
        self._prompts.append(self._turns.count)

    def began(self) -> None:
        """One of Codex's own turns began."""
        self._last_error = None

    def ended(self, event: Item, t: TimeMs | None, place: Place, kind: str) -> None:
        """One of Codex's own turns ended, perhaps with an error."""
        if isinstance(event.error, dict):
            told = event.error.get("message")
            self.refused(told if isinstance(told, str) else None, event.error.get("codex_error_info"), t, place, kind)

    def aborted(self, event: Item, t: TimeMs | None, place: Place, kind: str) -> None:
        """One of Codex's own turns was broken off."""
        if event.reason in _BY_PERSON:
            self._fidelity.mapped(place, kind)
            self._draft.cancel(t, place, event.reason)
            self.stops.append(Stop(turn=self._turns.count, place=place, t=t))
        else:
            self._fidelity.dropped(place, kind, None, "not broken off by a person")

    def refused(
        self, message: str | None, info: Json, t: TimeMs | None, place: Place, kind: str, *, retried: bool = False
    ) -> None:
        """A request failed; the same words a second time in one turn are the same failure."""
        if message is not None and message == self._last_error:
            self._fidelity.dropped(place, kind, "error", "told before")
            return
        self._last_error = message
        self._fidelity.mapped(place, kind, "error")
        code, status = _error_of(info)
        self._draft.refuse(
            t, place, subject=self._turns.model, told=message, status=status, retry=True if retried else None
        )
        self.failures.append(
            FailedRequest(
                after=self._turns.count, place=place, t=t, text=message, status=status, code=code, retried=retried
            )
        )

    def compacted(self, row: str, summary: str | None, t: TimeMs | None, place: Place) -> None:
        """History was compacted, which newer versions tell in several rows of different kinds."""
        self._fidelity.beside(place, row)
        last = self.compactions[-1] if self.compactions else None
        if last is not None and last.after == self._turns.count and row not in self._rows_of_compaction:
            self._rows_of_compaction.append(row)
            if summary and not last.summary:
                self.compactions[-1] = Compaction(after=last.after, place=last.place, t=last.t, summary=summary)
            return
        self._rows_of_compaction = [row]
        self.compactions.append(Compaction(after=self._turns.count, place=place, t=t, summary=summary or None))

    def rewound(self, event: Item, t: TimeMs | None, place: Place, kind: str) -> None:
        """The person took back the last few prompts, and what followed them."""
        self._fidelity.beside(place, kind)
        back = u64(event.num_turns) or 0
        if not back:
            return
        left = self._prompts[-back:]
        del self._prompts[-back:]
        gone = [request for request in self._turns.all[left[0] if left else 0 :] if request.live]
        for request in gone:
            request.live = False
        self.rewinds.append(Rewind(place=place, t=t, turns=tuple(request.number for request in gone)))

    def spawned(self, event: Item, place: Place, kind: str) -> None:
        """A sub-agent was started, or is heard of."""
        thread = event.new_thread_id or event.agent_thread_id
        if thread is None:
            self._fidelity.dropped(place, kind, None, "it names no thread")
            return
        self._fidelity.beside(place, kind)
        call = event.call_id if event.new_thread_id is not None else None
        known = self.children.get(thread)
        if known is None or (known.call is None and call is not None):
            turn = None if call is None or not self._turns.count else self._turns.count
            self.children[thread] = Child(run=run_of(self._fidelity.agent, thread), call=call, turn=turn)

    def started(self, thread: str | None, call: str | None, turn: int, place: Place, kind: str) -> None:
        """The answer of a call that starts a sub-agent names its thread."""
        if thread is None or any(child.call == call for child in self.children.values()):
            return
        known = self.children.get(thread)
        if known is None or known.call is None:
            self._fidelity.beside(place, kind, "output.agent_id")
            self.children[thread] = Child(run=run_of(self._fidelity.agent, thread), call=call, turn=turn)

    def head(self, head: Item, place: Place) -> None:
        """The session's own `session_meta`."""
        for name, value in (
            ("cwd", head.cwd),
            ("version", head.cli_version),
            ("originator", head.originator),
            ("provider", head.model_provider),
            ("source", head.source if isinstance(head.source, str) else None if head.source is None else "subagent"),
            ("forked_from", head.forked_from_id),
            ("git_branch", None if head.git is None else head.git.branch),
            ("git_commit", None if head.git is None else head.git.commit_hash),
        ):
            self.fact(place, "session_meta", name, value)

    def fact(self, place: Place, kind: str, name: str, value: str | None) -> None:
        """A small fact; the last one stands."""
        if value:
            self.facts[name] = value
            self._fidelity.beside(place, kind, name)


def _error_of(info: Json) -> tuple[str | None, int | None]:
    """The word and the HTTP status of an error."""
    if isinstance(info, str):
        return info, None
    if not isinstance(info, dict) or not info:
        return None, None
    code = min(info)
    inner = info[code]
    status = u64(inner.get("http_status_code")) if isinstance(inner, dict) else None
    return code, status if status is not None and status < 1000 else None
