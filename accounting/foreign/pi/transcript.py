"""A pi session file as our records, and the report beside them. Spec: foreign.md 3.6."""

from pathlib import Path
from typing import Final

from accounting.foreign.drafting import RunDraft, arguments
from accounting.foreign.fidelity import DamageCode, Fidelity
from accounting.foreign.outline import Compaction, Fact, Outline, Stop
from accounting.foreign.payload import has_bad_count
from accounting.foreign.pi.message import (
    exit_code,
    http_status,
    is_aborted,
    is_metered,
    micros,
    our_block,
    our_usage,
    parts_of,
    subject,
    text_of,
)
from accounting.foreign.pi.rows import ENTRIES, Entry, Message, Part, is_row
from accounting.foreign.pi.turns import AGENT, Turns, named_after
from accounting.foreign.rows import rows
from accounting.foreign.session import Session, run_of
from accounting.foreign.times import time_ms
from accounting.ledger.problem import Place
from wire.scalars import Json, JsonObject, TimeMs

_NO_FIELD: Final = "our records have no field for it"


class Transcript:
    """One file, read entry by entry."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fidelity = Fidelity(AGENT, str(path))
        self._draft = RunDraft(run_of(AGENT, path.stem), self._fidelity)
        self._turns = Turns()
        self._header: Entry | None = None
        self._began: tuple[TimeMs | None, Place] | None = None
        self._task: str | None = None
        self._compactions: list[Compaction] = []
        self._stops: list[Stop] = []
        self._facts: dict[str, str] = {}
        self._seen: dict[str, Entry] = {}

    def session(self) -> Session:
        """Read the whole file. Raises `OSError`."""
        for entry, place in rows(self._path, Entry, self._fidelity, is_row=is_row):
            self._entry(entry, place)
        header = self._header or Entry()
        own = header.id or named_after(self._path.name)
        self._draft.run = run_of(AGENT, own)
        if self._began is not None:
            self._draft.start(*self._began, task=self._task)
        return self._draft.session(
            AGENT,
            own,
            Outline(
                turns=self._turns.finish(),
                compactions=tuple(self._compactions),
                rewinds=tuple(self._turns.tree.rewinds),
                stops=tuple(self._stops),
                facts=tuple(Fact(name=name, value=value) for name, value in sorted(self._facts.items())),
            ),
        )

    def _entry(self, entry: Entry, place: Place) -> None:
        if self._is_repeat(entry, place):
            return
        t = self._time(entry.timestamp, place)
        if entry.type == "session":
            self._session(entry, t, place)
            return
        if self._began is None:
            self._began = t, place
        self._turns.tree.add(entry.id, entry.parent_id, t, place, is_message=entry.type == "message")
        match entry.type:
            case "message":
                self._message(entry, entry.message or Message(), t, place)
            case "compaction" | "branch_summary":
                self._summary(entry.type, entry.summary, entry.tokens_before, t, place)
            case "model_change":
                self._fact("provider", entry.provider, place, "model_change")
            case "thinking_level_change":
                self._fact("thinking_level", entry.thinking_level, place, "thinking_level_change")
            case "session_info":
                self._fact("title", entry.name, place, "session_info")
            case "custom_message":
                self._injected(text_of(entry.content)[0], t, place, "custom_message")
            case kind if kind in ENTRIES:
                self._fidelity.dropped(place, str(kind), None, _NO_FIELD)
            case kind:
                self._fidelity.unknown(place, kind or "(no type)")

    def _is_repeat(self, entry: Entry, place: Place) -> bool:
        """Whether the very same line stood before; two that share an id by mistake are two."""
        stamp = None if entry.message is None else entry.message.timestamp
        key = f"{entry.type} {entry.id} {entry.timestamp} {stamp}"
        if self._seen.setdefault(key, entry) is entry or self._seen[key] != entry:
            return False
        self._fidelity.damaged(place, DamageCode.repeated_row)
        return True

    def _session(self, entry: Entry, t: TimeMs | None, place: Place) -> None:
        if self._header is not None:
            self._fidelity.dropped(place, "session", None, "a second first line")
            return
        self._header = entry
        parent = entry.branched_from or entry.parent_session
        self._turns.branched(parent, t)
        self._began = t, place
        self._fidelity.mapped(place, "session")
        stated = {
            "cwd": entry.cwd,
            "version": None if entry.version is None else str(entry.version),
            "branched_from": parent,
            "provider": entry.provider,
            "thinking_level": entry.thinking_level,
        }
        self._facts |= {name: value for name, value in stated.items() if value and name not in self._facts}

    # Messages.

    def _message(self, entry: Entry, message: Message, t: TimeMs | None, place: Place) -> None:
        match message.role:
            case "user":
                self._user(message, t, place)
            case "assistant":
                self._assistant(entry, message, t, place)
            case "toolResult":
                self._result(message, t, place)
            case "bashExecution":
                self._typed(message, t, place)
            case "custom" | "hookMessage":
                self._injected(text_of(message.content)[0], t, place, "message/custom")
            case "branchSummary" | "compactionSummary":
                self._summary(f"message/{message.role}", message.summary, None, t, place)
            case role:
                self._fidelity.unknown(place, f"message/{role or '(no role)'}")

    def _user(self, message: Message, t: TimeMs | None, place: Place) -> None:
        text, others = text_of(message.content)
        if others:
            self._fidelity.dropped(place, "message/user", "content[]", "a part that is no text")
        if not text:
            self._fidelity.dropped(place, "message/user", None, "no text in it")
            return
        self._fidelity.mapped(place, "message/user")
        if self._task is None and not self._draft.turns:
            self._task = text
        else:
            self._draft.steer(t, place, text)

    def _assistant(self, entry: Entry, message: Message, written: TimeMs | None, place: Place) -> None:
        self._fidelity.mapped(place, "message/assistant")
        started = self._time(message.timestamp, place)
        took = None if started is None or written is None or written < started else (written - started) * 1000
        request = self._draft.request(
            written if started is None else started, place, model=message.model, measured=started is not None
        )
        blocks: list[Json] = []
        for part in parts_of(message.content):
            args = self._call_args(part, place)
            block = our_block(part, args)
            if block is None:
                self._fidelity.unknown(place, f"message/assistant/{part.type or '(no type)'}")
                continue
            blocks.append(block)
            if args is not None:
                request.call(
                    written, place, call_id=part.id, name=part.name, args=args, subject=subject(part.name, args)
                )
        usage = message.usage if is_metered(message.usage) else None
        spent = None if usage is None or usage.cost is None else micros(usage.cost.total)
        if spent is not None:
            self._fidelity.derived(place, "message/assistant", "usage.cost.total", "to the nearest millionth")
        counts = None if usage is None else our_usage(usage)
        if has_bad_count(usage):
            self._fidelity.damaged(place, DamageCode.bad_field, "message.usage")
        request.reply(
            written,
            place,
            blocks=blocks,
            usage=counts,
            stop=message.stop_reason,
            billed_usd_micros=spent,
            took_us=took,
            measured=took is not None,
        )
        self._fidelity.lower(self._turns.add(entry, message, metered=counts is not None))
        self._ended(message, written, place)

    def _call_args(self, part: Part, place: Place) -> JsonObject | None:
        if part.type != "toolCall":
            return None
        self._fidelity.mapped(place, "message/assistant/toolCall")
        return arguments(part.arguments, self._fidelity, place, "message/assistant/toolCall")

    def _ended(self, message: Message, t: TimeMs | None, place: Place) -> None:
        if message.stop_reason == "aborted":
            self._stops.append(Stop(turn=self._draft.turns, place=place, t=t))
            self._draft.cancel(t, place, message.error_message)
        elif message.stop_reason == "error":
            told = message.error_message
            self._draft.refuse(
                t, place, subject=message.model, told=told, status=None if told is None else http_status(told)
            )

    def _result(self, message: Message, t: TimeMs | None, place: Place) -> None:
        self._fidelity.mapped(place, "message/toolResult")
        text, others = text_of(message.content)
        if others:
            self._fidelity.dropped(place, "message/toolResult", "content[]", "a part that is no text")
        done = self._time(message.timestamp, place)
        failed = message.is_error is True
        call = message.tool_call_id
        if failed and is_aborted(text):
            self._stops.append(Stop(turn=self._draft.turns, place=place, t=done if done is not None else t, call=call))
        self._draft.result(
            t if done is None else done,
            place,
            call_id=call,
            text=text,
            failed=failed,
            exit_code=exit_code(text) if failed and message.tool_name == "bash" else None,
            name=message.tool_name,
            measured=done is not None,
        )

    def _typed(self, message: Message, t: TimeMs | None, place: Place) -> None:
        """A command that the person typed with `!`: what reached the model of it. With `!!` nothing does."""
        kind = "message/bashExecution"
        if message.command is None or message.exclude_from_context:
            self._fidelity.dropped(place, kind, None, "no command, or kept from the model")
            return
        self._fidelity.derived(place, kind, None, "the command and its output as the person's words")
        self._draft.steer(t, place, f"!{message.command}\n{message.output or ''}".rstrip("\n"))

    def _injected(self, text: str, t: TimeMs | None, place: Place, kind: str) -> None:
        """Words for the model that an extension put in."""
        if not text:
            self._fidelity.dropped(place, kind, None, "no text in it")
            return
        self._fidelity.mapped(place, kind)
        self._draft.steer(t, place, text, "city")

    def _summary(self, kind: str, text: str | None, tokens: int | None, t: TimeMs | None, place: Place) -> None:
        self._fidelity.beside(place, kind)
        trigger = "branch_summary" if kind in ("branch_summary", "message/branchSummary") else None
        self._compactions.append(
            Compaction(after=self._draft.turns, place=place, t=t, trigger=trigger, tokens_before=tokens, summary=text)
        )

    def _fact(self, name: str, value: str | None, place: Place, kind: str) -> None:
        self._fidelity.beside(place, kind)
        if value:
            self._facts[name] = value

    def _time(self, stamp: str | int | None, place: Place) -> TimeMs | None:
        t = time_ms(stamp)
        if t is None:
            self._fidelity.damaged(place, DamageCode.bad_time, "absent" if stamp is None else "")
        return t
