"""One session file read line by line into its runs: the conversation, and sub-agents in it. Spec: foreign.md 3.1."""

from pathlib import Path
from typing import Final

from accounting.foreign.claude_code.chain import Chain
from accounting.foreign.claude_code.message import as_json, texts_of
from accounting.foreign.claude_code.rows import STATE, TREE, Attachment, Line, Message, is_row
from accounting.foreign.fidelity import DamageCode, Fate, Fidelity
from accounting.foreign.outline import Compaction, FailedRequest
from accounting.foreign.rows import row_at, rows
from accounting.foreign.times import integer_ms, iso_ms, whole_us
from accounting.ledger.problem import Place
from wire.scalars import Json, TimeMs, u64

_SYNTHETIC: Final = "<synthetic>"
_NO_FIELD: Final = "our records have no field for it"


class Transcript:
    """What a file holds. `side` says that it is a sub-agent's own: then all of it is one run."""

    def __init__(self, path: Path, fidelity: Fidelity, *, side: bool) -> None:
        self.path: Final = path
        self.fidelity: Final = fidelity
        self.main: Final = Chain("", fidelity)
        self.sides: Final[dict[str, Chain]] = {}
        """Sub-agents inside the file by what tells them apart, in the order they appear."""
        self.compactions: Final[list[Compaction]] = []
        self.failures: Final[list[FailedRequest]] = []
        self.session_id: str | None = None
        """The session that the latest line names."""
        self.agent_id: str | None = None
        """The sub-agent that the first line names."""
        self.titles: Final[dict[str, str]] = {}
        self.summaries: Final[dict[str, str]] = {}
        """Titles of conversations by the line they end in, which may be of other files."""
        self.latest: Line | None = None
        """The latest line of the conversation."""
        self._side_file = side
        self._of: dict[str, Chain] = {}
        self._seen: dict[str, Place] = {}
        self._floats = 0
        self._system = fidelity.entry("system", None, Fate.dropped, _NO_FIELD)

    def read(self) -> None:
        """Read the whole file. Raises `OSError`."""
        counted = 0
        for line, place in rows(self.path, Line, self.fidelity, is_row=is_row, floats=self._float):
            kind = line.type
            # The first two are nearly all, and comparing is quicker than looking up.
            if kind == "assistant" or kind == "user" or kind in TREE:
                self._in_tree(line, place)
            else:
                self._beside(line, place)
            if self._floats != counted:
                counted = self._floats
                self.fidelity.derived(place, "assistant/tool_use", "input", "a float as its decimal text")

    def _float(self, spelled: str) -> str:
        self._floats += 1
        return spelled

    # Lines of the conversation.

    def _in_tree(self, line: Line, place: Place) -> None:
        uuid = line.uuid
        if uuid is not None:
            first = self._seen.setdefault(uuid, place)
            if first is not place and self._is_repeat(line, first, place):
                return
        stamp = line.timestamp
        t = iso_ms(stamp)
        if t is None and (t := integer_ms(_whole(stamp))) is None:
            self.fidelity.damaged(place, DamageCode.bad_time, "absent" if stamp is None else "")
        session = line.session_id
        if type(session) is str:
            self.session_id = session
        elif session is not None:
            self.session_id = self.session_id or str(session)
        chain = self.main if not line.is_sidechain and line.agent_id is None else self._chain(line)
        if chain.began is None:
            chain.began = t, place
        if uuid is not None:
            chain.lines.append(uuid)
            chain.parents.append(line.parent_uuid)
            if not line.is_meta and line.team_name is None:
                chain.leaf = uuid
        self.latest = line
        kind = line.type
        if kind == "assistant":
            message = line.message
            if isinstance(message, Message) and message.model != _SYNTHETIC and not line.is_api_error_message:
                chain.assistant(line, t, place)
            else:
                self._assistant(chain, line, t, place)
        elif kind == "user":
            if line.is_compact_summary:
                self._summarised(chain, line, t, place)
            else:
                chain.user(line, t, place)
        elif kind == "attachment":
            self._attachment(chain, line, t, place)
        elif kind == "system":
            self._system_line(chain, line, t, place)
        else:
            self.fidelity.dropped(place, "progress", None, "what it tells is told again where it is done")

    def _is_repeat(self, line: Line, known: Place, place: Place) -> bool:
        """Whether a line is the same as the one at a place before it that has its uuid."""
        first = row_at(self.path, Line, known, floats=str)
        if first is None or (first.type, first.timestamp, first.message) != (line.type, line.timestamp, line.message):
            return False  # two lines that share an id by mistake are two lines
        self.fidelity.damaged(place, DamageCode.repeated_row)
        return True

    def _chain(self, line: Line) -> Chain:
        """The run that a line belongs to."""
        if self._side_file or not line.is_sidechain:
            if line.agent_id is not None and self.agent_id is None:
                self.agent_id = line.agent_id
            return self.main
        chain = None
        if line.agent_id is not None:
            key = line.agent_id
            chain = self.sides.get(key)
        else:
            key = line.uuid or f"line {len(self.sides) + 1}"
            if line.parent_uuid is not None:
                chain = self._of.get(line.parent_uuid)
                if chain is None and self.sides:  # the line between was lost
                    chain = next(reversed(self.sides.values()))
        if chain is None:
            first = self.main.began is None and not self.sides
            fidelity = self.fidelity if first else Fidelity(self.fidelity.agent, str(self.path))
            chain = self.sides[key] = Chain(key, fidelity)
        if line.uuid is not None:
            self._of[line.uuid] = chain
        return chain

    def _assistant(self, chain: Chain, line: Line, t: TimeMs | None, place: Place) -> None:
        message = line.message if isinstance(line.message, Message) else None
        if not line.is_api_error_message and (message is None or message.model != _SYNTHETIC):
            chain.assistant(line, t, place)
            return
        told = "\n".join(texts_of(None if message is None else message.content)) or None
        if not line.is_api_error_message and not (told or "").startswith("API Error"):
            self.fidelity.dropped(place, "assistant", "<synthetic>", "written by the agent itself, not by a model")
            return
        code = line.error if isinstance(line.error, str) else None
        self._failed(
            chain, FailedRequest(after=0, place=place, t=t, text=told, status=line.api_error_status, code=code)
        )
        chain.draft.refuse(t, place, subject=code, told=told, status=_status(line.api_error_status))

    def _failed(self, chain: Chain, failed: FailedRequest) -> None:
        self.fidelity.beside(failed.place, "assistant" if not failed.retried else "system/api_error")
        if chain is self.main:
            after = chain.draft.turns
            self.failures.append(
                FailedRequest(
                    after=after,
                    place=failed.place,
                    t=failed.t,
                    text=failed.text,
                    status=failed.status,
                    code=failed.code,
                    retried=failed.retried,
                )
            )

    def _system_line(self, chain: Chain, line: Line, t: TimeMs | None, place: Place) -> None:
        match line.subtype:
            case "compact_boundary" | "microcompact_boundary":
                self._compacted(chain, line, t, place)
            case "api_error":
                status = u64(as_json(line.error, "status"))
                inner = as_json(line.error, "message") or as_json(as_json(line.error, "error"), "message")
                told = inner if isinstance(inner, str) else line.error if isinstance(line.error, str) else None
                after_ms = None if line.retry_in_ms is None else round(line.retry_in_ms)
                self._failed(chain, FailedRequest(after=0, place=place, t=t, text=told, status=status, retried=True))
                chain.draft.refuse(
                    t, place, subject=None, told=told, status=_status(status), retry=True, retry_after_ms=after_ms
                )
            case None:
                self._system.add(place)
            case subtype:
                self.fidelity.dropped(place, f"system/{subtype}", None, _NO_FIELD)

    def _compacted(self, chain: Chain, line: Line, t: TimeMs | None, place: Place) -> None:
        self.fidelity.beside(place, f"system/{line.subtype}")
        meta = line.compact_metadata
        if chain is self.main:
            self.compactions.append(
                Compaction(
                    after=chain.draft.turns,
                    place=place,
                    t=t,
                    trigger=None if meta is None else meta.trigger,
                    tokens_before=None if meta is None else u64(meta.pre_tokens),
                    tokens_after=None if meta is None else u64(meta.post_tokens),
                    took_us=None if meta is None else whole_us(meta.duration_ms),
                )
            )

    def _summarised(self, chain: Chain, line: Line, t: TimeMs | None, place: Place) -> None:
        """The text that stands for the history from here on."""
        self.fidelity.beside(place, "user", "message.content (compact summary)")
        if chain is not self.main:
            return
        content = line.message.content if isinstance(line.message, Message) else line.message
        text = "\n".join(texts_of(content))
        last = self.compactions[-1] if self.compactions else None
        if last is None or last.summary is not None or last.after != chain.draft.turns:
            self.compactions.append(Compaction(after=chain.draft.turns, place=place, t=t, summary=text))
            return
        self.compactions[-1] = Compaction(
            after=last.after,
            place=last.place,
            t=last.t,
            trigger=last.trigger,
            tokens_before=last.tokens_before,
            tokens_after=last.tokens_after,
            took_us=last.took_us,
            summary=text,
        )

    def _attachment(self, chain: Chain, line: Line, t: TimeMs | None, place: Place) -> None:
        attached = line.attachment or Attachment()
        if attached.type != "queued_command":
            self.fidelity.dropped(place, f"attachment/{attached.type}", None, _NO_FIELD)
            return
        text = "\n".join(texts_of(attached.prompt))
        self.fidelity.mapped(place, "attachment/queued_command")
        if not text:
            return
        if attached.command_mode in (None, "prompt", "bash"):
            chain.words(text, line, t, place)
        else:
            chain.draft.steer(t, place, text, "city")

    # Lines beside it.

    def _beside(self, line: Line, place: Place) -> None:
        kind = line.type
        if kind == "summary" and line.summary is not None and line.leaf_uuid is not None:
            self.summaries[line.leaf_uuid] = line.summary
        elif kind == "ai-title" and line.ai_title is not None:
            self.titles["ai_title"] = line.ai_title
        elif kind == "custom-title" and line.custom_title is not None:
            self.titles["custom_title"] = line.custom_title
        elif kind == "agent-name" and line.agent_name is not None:
            self.titles["agent_name"] = line.agent_name
        elif kind in STATE:
            self.fidelity.dropped(place, str(kind), None, _NO_FIELD)
            return
        else:
            self.fidelity.unknown(place, kind or "(no type)")
            return
        self.fidelity.beside(place, kind)


def _whole(stamp: str | float | None) -> Json:
    return stamp if type(stamp) is int else None


def _status(status: int | None) -> int | None:
    return status if status is not None and 0 <= status < 2**32 else None
