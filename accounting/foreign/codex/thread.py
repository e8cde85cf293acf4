"""The rows of one rollout, in file order, told to the draft of its run. Spec: foreign.md 3.3."""

from typing import Final

from accounting.foreign.codex.calls import Calls, tells_of_call
from accounting.foreign.codex.channels import Channels
from accounting.foreign.codex.counting import Counting, Passed
from accounting.foreign.codex.entries import Entry
from accounting.foreign.codex.marks import Marks
from accounting.foreign.codex.output import text_of
from accounting.foreign.codex.rows import ENVELOPES, ITEMS, Item
from accounting.foreign.codex.survey import OUTPUTS, Survey
from accounting.foreign.codex.tools import CALLS, SPAWN, spawned_thread
from accounting.foreign.codex.turns import Turns
from accounting.foreign.codex.voices import Spoken, Voice
from accounting.foreign.drafting import RunDraft
from accounting.foreign.fidelity import DamageCode, Fidelity, Standing
from accounting.foreign.payload import has_bad_count
from accounting.ledger.problem import Place
from wire.scalars import JsonObject, TimeMs

_PAUSE_MS: Final = 2_000
"""Rows that are copied follow one another faster than this; a model that answers does not."""
_TURN_BEGINS: Final = ("task_started", "turn_started")
_TURN_ENDS: Final = ("task_complete", "turn_complete")
_SPAWNS: Final = ("collab_agent_spawn_end", "sub_agent_activity")
_STATE: Final = "state"
"""The record type of lines between the bare ones of very old files."""
_SIDE: Final = frozenset(
    [
        "entered_review_mode",
        "exited_review_mode",
        "thread_goal_updated",
        "guardian_assessment",
        "undo_completed",
        "item_started",
        "plan_update",
        "background_event",
        "warning",
        "collab_waiting_end",
        "collab_close_end",
        "collab_agent_interaction_end",
        "collab_resume_end",
        "exec_command_begin",
        "mcp_tool_call_begin",
        "patch_apply_begin",
        "web_search_begin",
        "turn_diff",
        "Plan",
    ]
)
"""Events that are known and of which nothing is carried."""


class Thread:
    """A thread under way."""

    def __init__(self, draft: RunDraft, fidelity: Fidelity, survey: Survey, head: Item | None) -> None:
        self.turns: Final = Turns(draft, fidelity)
        self.calls: Final = Calls(draft, fidelity, survey, self.turns)
        self.marks: Final = Marks(draft, fidelity, self.turns)
        self.task: str | None = None
        """What the person first asked for."""
        self.began: tuple[TimeMs | None, Place] | None = None
        """Time and place of the first row."""
        self.before_pause: int | None = None
        """How many requests were over when the rows first paused; `None` while they did not."""
        self._latest: TimeMs | None = None
        self._draft = draft
        self._fidelity = fidelity
        self._survey = survey
        self._head = head
        self._counting = Counting()
        self._channels = Channels()
        self._spawning: dict[str, int] = {}
        """Calls that start a sub-agent, and the turn of each."""

    def read(self, entry: Entry) -> None:
        """Take in a row."""
        item, t, place, kind = entry.item, entry.t, entry.place, entry.kind
        if entry.is_bad_time:
            self._fidelity.damaged(place, DamageCode.bad_time)
        if self.began is None:
            self.began = t, place
        if t is not None:
            self._pass(t)
        if item is None:
            self._fidelity.dropped(place, kind, None, "its payload does not read")
            return
        if item.turn_id is not None:
            self.turns.turn_id = item.turn_id
        if entry.said is not None:
            self._say(entry.said, t, place, kind)
        elif entry.envelope == "response_item":
            self._item(item, t, place, kind)
        elif entry.envelope == "event_msg":
            self._event(item, t, place, kind)
        else:
            self._other(entry.envelope, item, t, place, kind)
        self.calls.settle(over=False)

    def _over(self) -> None:
        """A turn of Codex's own, and with it a request, may be over."""
        self.turns.may_be_over()
        self.calls.settle(over=True)

    def _pass(self, t: TimeMs) -> None:
        latest = t if self._latest is None else self._latest
        if self.before_pause is None and t - latest > _PAUSE_MS:
            self.before_pause = self.turns.count - self.turns.is_open
        self._latest = max(latest, t)

    def _say(self, said: Spoken, t: TimeMs | None, place: Place, kind: str) -> None:
        is_prompt = said.voice is Voice.prompt
        words = self._survey.prompt(said) if is_prompt else self._channels.new_words(said, self.turns.count)
        if not words:
            self._fidelity.dropped(place, kind, None, "no text of a person or the model, or it is in another row too")
            if not (is_prompt or said.text or said.rank):  # secret reasoning is a sign of a request all the same
                self.turns.signed(t, place)
            return
        self._fidelity.mapped(place, kind)
        if not is_prompt:
            block: JsonObject = {"kind": "text", "text": words}
            if said.voice is Voice.thought:
                block = {"kind": "thinking", "thinking": words, "signature": ""}
            self.turns.made(t, place).blocks.append(block)
            self._channels.told(said, self.turns.count)
            return
        self._over()
        self._channels.prompted()
        self.marks.prompted()
        if self.task is None:
            self.task = said.text
        else:
            self._draft.steer(t, place, said.text)

    def _item(self, item: Item, t: TimeMs | None, place: Place, kind: str) -> None:
        word = item.type or ""
        if word in CALLS:
            self.calls.call(item, t, place, kind)
            if item.name == SPAWN and item.own is not None:
                self._spawning[item.own] = self.turns.count
        elif word in OUTPUTS:
            text = self.calls.output(item, t, place, kind)
            if (spawn := self._spawning.get(item.own or "")) is not None:
                self.marks.started(spawned_thread(text), item.own, spawn, place, kind)
        elif word == "agent_message":
            self._fidelity.mapped(place, kind)
            self._draft.steer(t, place, text_of(item.content) or "", f"@{item.author or 'agent'}")
        elif word == "compaction":
            self.marks.compacted(kind, None, t, place)
        elif word in ITEMS:
            self._fidelity.dropped(place, kind, None, "nothing that a person reads")
        else:
            self._fidelity.unknown(place, kind)

    def _event(self, event: Item, t: TimeMs | None, place: Place, kind: str) -> None:
        word = event.type or ""
        inner = event.item if word == "item_completed" else None
        if word == "token_count":
            self._count(event, t, place, kind)
        elif word in _TURN_BEGINS:
            self._fidelity.mapped(place, kind)
            self._over()
            self.marks.began()
        elif word in _TURN_ENDS:
            self._fidelity.mapped(place, kind)
            if event.time_to_first_token_ms is not None:
                self._fidelity.dropped(place, kind, "time_to_first_token_ms", "it is of a request that was told before")
            self._over()
            self.marks.ended(event, t, place, kind)
        elif word == "turn_aborted":
            self._over()
            self.marks.aborted(event, t, place, kind)
        elif tells_of_call(event):
            self.calls.told(event, t, place, kind)
        elif inner is not None and tells_of_call(inner):
            self.calls.told(inner, t, place, f"{kind}/{inner.type}")
        elif word == "tool_call":
            self.calls.call(event, t, place, kind)
        elif word in ("error", "stream_error"):
            retried = word == "stream_error"
            self.marks.refused(event.message, event.codex_error_info, t, place, kind, retried=retried)
        elif word == "context_compacted":
            self.marks.compacted(kind, None, t, place)
        elif word == "thread_rolled_back":
            self._over()
            self.marks.rewound(event, t, place, kind)
        elif word in _SPAWNS:
            self.marks.spawned(event, place, kind)
        elif word == "thread_settings_applied":
            self._fidelity.mapped(place, kind, "model")
            self.turns.named(None if event.thread_settings is None else event.thread_settings.model)
        elif word == "thread_name_updated":
            self.marks.fact(place, kind, "title", event.thread_name)
        elif word in _SIDE or (inner is not None and inner.type in _SIDE):
            self._fidelity.dropped(place, kind, None, "side information")
        else:
            self._fidelity.unknown(place, kind if inner is None else f"{kind}/{inner.type}")

    def _count(self, event: Item, t: TimeMs | None, place: Place, kind: str) -> None:
        info = event.info
        if info is not None and (has_bad_count(info.last_token_usage) or has_bad_count(info.total_token_usage)):
            self._fidelity.damaged(place, DamageCode.bad_field, "payload.info")
        accepted = self._counting.take(event)
        if isinstance(accepted, Passed):
            self._fidelity.dropped(place, kind, accepted.name, accepted)
            if accepted is Passed.repeated:
                self._fidelity.lower(Standing.deduplicated)
        elif accepted.empty and not self.turns.is_open:
            self._fidelity.dropped(place, kind, "empty", "it counts nothing, and there is no request")
        else:
            self._fidelity.mapped(place, kind)
            self.turns.counted(t, place, accepted)

    def _other(self, envelope: str, item: Item, t: TimeMs | None, place: Place, kind: str) -> None:
        if envelope == "session_meta":
            if item is self._head:
                self.marks.head(item, place)
            else:
                self._fidelity.dropped(place, envelope, None, "told before, or of the session this one is a copy of")
        elif envelope == "turn_context":
            self._fidelity.mapped(place, envelope, "model")
            self.turns.named(item.model)
        elif envelope == "compacted":
            self.marks.compacted(envelope, item.message, t, place)
        elif envelope in ENVELOPES or kind == _STATE:
            self._fidelity.dropped(place, kind, None, "side information")
        else:
            self._fidelity.unknown(place, kind)
