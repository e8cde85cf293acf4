"""One transcript read row by row into its run. Spec: dispatch.md 2.4."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from accounting.foreign.claude_code.message import is_interruption, is_persisted
from accounting.foreign.claude_code.words import Voice
from accounting.foreign.drafting import RunDraft
from accounting.foreign.fidelity import DamageCode, Fidelity
from accounting.foreign.outline import Compaction, FailedRequest, Stop
from accounting.foreign.rows import rows
from accounting.foreign.times import time_ms
from accounting.foreign.workbuddy.compacting import boundary, summarised
from accounting.foreign.workbuddy.counting import counts_of
from accounting.foreign.workbuddy.deeds import Answered, Called, Deed, Left, Meta, Said, Thought, deeds, speaker
from accounting.foreign.workbuddy.requests import Group, Requests
from accounting.foreign.workbuddy.rows import SPOKEN, Provider, Row, is_row
from accounting.foreign.workbuddy.tree import Tree
from accounting.foreign.workbuddy.words import words
from accounting.ledger.problem import Place
from wire.scalars import NIL_RUN, TimeMs

AGENT: Final = "workbuddy"
"""The reader's name."""
_NO_FIELD: Final = "our records have no field for it"
_STATUS: Final = re.compile(r"(?:^|\b(?:http|status|error|code)\W{0,3})([45]\d\d)\b", re.IGNORECASE).search
_TITLES: Final = (
    ("ai-title", "ai_title"),
    ("custom-title", "custom_title"),
    ("topic", "topic"),
    ("summary", "summary"),
)


class Transcript:
    """What a file holds."""

    def __init__(self, path: Path) -> None:
        self.path: Final = path
        self.fidelity: Final = Fidelity(AGENT, str(path))
        self.draft: Final = RunDraft(NIL_RUN, self.fidelity)
        self.tree: Final = Tree()
        self.requests: Final = Requests(self.draft, self.fidelity, self._float)
        self.compactions: Final[list[Compaction]] = []
        self.failures: Final[list[FailedRequest]] = []
        self.stops: Final[list[Stop]] = []
        self.facts: Final[dict[str, str]] = {}
        self.session_id: str | None = None
        """The session that the first row names."""
        self.task: str | None = None
        self.began: tuple[TimeMs | None, Place] | None = None
        self.answered_by: Final[dict[str, str]] = {}
        """The call whose answer names a sub-agent, by each name."""
        self._seen: dict[str, Row] = {}
        self._answers: dict[str, str] = {}
        self._floats = 0

    def read(self) -> None:
        """Read the whole file. Raises `OSError`."""
        counted = 0
        for row, place in rows(self.path, Row, self.fidelity, is_row=is_row, floats=self._float):
            self._row(row, place)
            if self._floats != counted:
                counted = self._floats
                self.fidelity.derived(place, "function_call", "arguments", "a float as its decimal text")

    def _float(self, spelled: str) -> str:
        self._floats += 1
        return spelled

    def _row(self, row: Row, place: Place) -> None:
        if self.session_id is None:
            self.session_id = row.session_id
        if row.cwd is not None:
            self.facts["cwd"] = row.cwd
        if row.type not in SPOKEN and row.type != "system":
            self._beside(row, place)
            return
        if row.id is not None and self._seen.setdefault(row.id, row) is not row and self._seen[row.id] == row:
            self.fidelity.damaged(place, DamageCode.repeated_row)
            return
        stamp = row.timestamp
        t = time_ms(stamp if not isinstance(stamp, float) else None)
        if t is None and (stamp is not None or row.id is not None):  # rows of dialect A have neither
            self.fidelity.damaged(place, DamageCode.bad_time, "absent" if stamp is None else "")
        if self.began is None:
            self.began = t, place
        group = self._spoken(row, t, place)
        leaf = row.type in SPOKEN and not _aside(row)
        self.tree.add(row.id, row.parent_id, None if group is None else group.number, leaf=leaf)

    def _spoken(self, row: Row, t: TimeMs | None, place: Place) -> Group | None:
        """A row of the conversation, and the request it is of when it is the model's."""
        done = deeds(row)
        provider = row.provider_data or Provider()
        if row.type == "system":
            self._system(row, t, place)
            return None
        if row.is_compact_summary or provider.is_compacted or provider.is_summary:
            self._summarised("\n".join(_texts(done)), t, place)
            return self.requests.row(row, t, place) if counts_of(row) is not None else None
        if row.type == "message" and provider.skip_run and counts_of(row) is None:
            self._skipped(row, done, t, place)
            return None
        if row.type == "message" and speaker(row) != "assistant":
            self._user(row, done, t, place)
            return None
        if row.type == "function_call_result":
            self.requests.pause()
            for deed in done:
                if isinstance(deed, Answered):
                    self._answer(deed, t, place, denied=provider.skip_run is True)
            return None
        return self._model(row, done, t, place)

    def _model(self, row: Row, done: tuple[Deed, ...], t: TimeMs | None, place: Place) -> Group:
        group = self.requests.row(row, t, place)
        if row.provider_data is not None and row.provider_data.is_partial_aborted:
            self.stops.append(Stop(turn=group.number, place=place, t=t))
        for deed in done:
            match deed:
                case Said():
                    group.blocks.append({"kind": "text", "text": deed.text})
                case Thought():
                    group.blocks.append({"kind": "thinking", "thinking": deed.text, "signature": ""})
                case Called():
                    self.requests.call(group, deed, t, place)
                case Answered():
                    self._answer(deed, t, place, denied=False)
                case Left() | Meta():
                    self._left(deed.kind, place, known=deed.known)
        self.fidelity.mapped(place, str(row.type))
        return group

    # Answers, and what people say.

    def _answer(self, answer: Answered, t: TimeMs | None, place: Place, *, denied: bool) -> None:
        if answer.left:
            self.fidelity.dropped(place, "function_call_result", "output[]", "a picture or file is not carried")
        if answer.id is not None:
            if self._answers.get(answer.id) == answer.text and not self.draft.is_open(answer.id):
                self.fidelity.damaged(place, DamageCode.repeated_row, "an answer that was given before")
                return
            self._answers[answer.id] = answer.text
            for child in answer.children:
                self.answered_by.setdefault(child, answer.id)
        if denied or answer.interrupted:
            turn = self.requests.turn_of_call.get(answer.id or "", self.draft.turns)
            self.stops.append(Stop(turn=turn, place=place, t=t, call=answer.id, denied=denied))
        if is_persisted(answer.text):
            why = "a path and no Locator: `pinned` stays null"
            self.fidelity.derived(place, "function_call_result", "output (persisted output)", why)
        self.fidelity.mapped(place, "function_call_result")
        self.draft.result(
            t,
            place,
            call_id=answer.id,
            name=answer.name,
            text=answer.text,
            failed=answer.failed or denied,
            exit_code=answer.exit_code,
            measured=t is not None,
        )

    def _user(self, row: Row, done: tuple[Deed, ...], t: TimeMs | None, place: Place) -> None:
        self.requests.pause()
        said: list[str] = []
        for deed in done:
            if isinstance(deed, Said):
                said.append(deed.text)
            elif isinstance(deed, Answered):
                self._answer(deed, t, place, denied=False)
            elif isinstance(deed, (Left, Meta)):
                self._left(deed.kind, place, known=deed.known)
            else:
                self.fidelity.unknown(place, f"message/{type(deed).__name__.lower()} of a person")
        if not said:
            return
        provider = row.provider_data or Provider()
        meta = row.is_meta is True or provider.is_meta is True or provider.is_compact_internal is True
        meta = meta or speaker(row) != "user"  # instructions of the agent's own
        self._words("\n".join(said), t, place, meta=meta)

    def _words(self, text: str, t: TimeMs | None, place: Place, *, meta: bool) -> None:
        told = words(text, meta=meta)
        first = self.task is None and not self.draft.turns
        if told.voice is Voice.interruption:
            self._interrupted(told.text, t, place)
        elif told.voice is Voice.agent:
            self.fidelity.dropped(place, "message", "content (not a person's)", "put in by the agent itself")
            return
        elif first and (told.voice is Voice.person or told.spawns):
            self.task = told.text
        else:
            self.draft.steer(t, place, told.text, "user" if told.voice is Voice.person else "city")
        self.fidelity.mapped(place, "message")

    def _interrupted(self, text: str, t: TimeMs | None, place: Place) -> None:
        self.draft.cancel(t, place, text)
        self.stops.append(Stop(turn=self.draft.turns, place=place, t=t))

    def _skipped(self, row: Row, done: tuple[Deed, ...], t: TimeMs | None, place: Place) -> None:
        """A row that never reached the model: a person broke in, a request failed, or the agent talks to itself."""
        self.requests.pause()
        text = "\n".join(_texts(done))
        error = None if row.provider_data is None else row.provider_data.error
        if is_interruption(text):
            self._interrupted(text, t, place)
            self.fidelity.mapped(place, "message")
        elif speaker(row) == "assistant" or error is not None:
            status = _STATUS(text)
            code = error if isinstance(error, str) else None
            number = None if status is None else int(status[1])
            self.failures.append(
                FailedRequest(after=self.draft.turns, place=place, t=t, text=text or code, status=number, code=code)
            )
            self.draft.refuse(t, place, subject=code, told=text or code, status=number)
            self.fidelity.beside(place, "message")
        else:
            self.fidelity.dropped(place, "message", "content (not a person's)", "put in by the agent itself")

    # What stands beside the conversation.

    def _left(self, kind: str, place: Place, *, known: bool) -> None:
        if known:
            self.fidelity.dropped(place, kind, None, "a picture or file is not carried")
        else:
            self.fidelity.unknown(place, kind)

    def _system(self, row: Row, t: TimeMs | None, place: Place) -> None:
        if row.subtype != "compact_boundary":
            self.fidelity.dropped(place, f"system/{row.subtype}", None, _NO_FIELD)
            return
        self.requests.pause()
        self.fidelity.beside(place, "system/compact_boundary")
        boundary(self.compactions, row.compact_metadata, self.draft.turns, t, place)

    def _summarised(self, text: str, t: TimeMs | None, place: Place) -> None:
        self.requests.pause()
        self.fidelity.beside(place, "message", "content (compact summary)")
        summarised(self.compactions, text, self.draft.turns, t, place)

    def _beside(self, row: Row, place: Place) -> None:
        for kind, name in _TITLES:
            if row.type == kind and (title := getattr(row, name)) is not None:
                self.facts[name] = title
                self.fidelity.beside(place, kind)
                return
        for deed in deeds(row):
            if isinstance(deed, Meta) and deed.known:
                self.fidelity.dropped(place, deed.kind, None, _NO_FIELD)
            elif isinstance(deed, Meta):
                self.fidelity.unknown(place, deed.kind)


def _texts(done: tuple[Deed, ...]) -> Iterator[str]:
    return (deed.text for deed in done if isinstance(deed, Said))


def _aside(row: Row) -> bool:
    """Whether a row is the agent's own, in which no conversation ends."""
    provider = row.provider_data
    return row.is_meta is True or (provider is not None and (provider.is_meta is True or provider.skip_run is True))
