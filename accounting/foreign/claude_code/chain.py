"""One run of a session file in the making: the main conversation, or one sub-agent. Spec: foreign.md 3.1."""

from typing import Final

from accounting.foreign.claude_code.group import Group, Spawn
from accounting.foreign.claude_code.message import (
    answer_text,
    exit_code,
    is_answer,
    is_call,
    is_denial,
    is_interruption,
    is_persisted,
    larger,
    our_block,
    subject,
    texts_of,
    whole_input,
)
from accounting.foreign.claude_code.rows import Block, Line, Message, Twin
from accounting.foreign.claude_code.words import Voice, voice
from accounting.foreign.drafting import RunDraft, arguments
from accounting.foreign.fidelity import DamageCode, Fate, Fidelity, Standing
from accounting.foreign.outline import Stop, TurnStanding
from accounting.foreign.payload import has_bad_count, is_plain, usage_of
from accounting.foreign.times import whole_us
from accounting.ledger.problem import Place
from wire.scalars import NIL_RUN, JsonObject, TimeMs

__all__ = ["Chain", "Group", "Spawn"]

_SPAWNERS: Final = frozenset(("Task", "Agent"))
# Members of an enumeration are slow to look up, and each request has a standing.
_EXACT: Final = Standing.exact
_DEDUPLICATED: Final = Standing.deduplicated
_UNKNOWN: Final = Standing.unknown


class Chain:
    """A run: its records so far, and what its lines say of it beside them."""

    def __init__(self, key: str, fidelity: Fidelity) -> None:
        self.key: Final = key
        """What tells it from the other chains of its file; empty for the main one."""
        self.fidelity: Final = fidelity
        self.draft: Final = RunDraft(NIL_RUN, fidelity)
        self.groups: Final[list[Group]] = []
        self.spawns: Final[dict[str, Spawn]] = {}
        self.stops: Final[list[Stop]] = []
        self.task: str | None = None
        self.began: tuple[TimeMs | None, Place] | None = None
        """Time and place of its first line."""
        self.leaf: str | None = None
        """The line that the live branch ends in."""
        self.lines: Final[list[str]] = []
        """The lines in the tree."""
        self.parents: Final[list[str | None]] = []
        """Of each of them, the one it follows."""
        self.spoken: Final[list[str]] = []
        """The lines of the model's."""
        self.turns: Final[list[int]] = []
        """Of each of them, the number of its turn."""
        self._by_message: dict[str, Group] = {}
        self._by_request: dict[tuple[str, str | None], Group] = {}
        """Further requests that share a message's id with the first."""
        self._latest: Group | None = None
        self._answers: dict[str, str] = {}
        self._said = fidelity.entry("user", "message.content")
        self._replied = fidelity.entry("assistant", "message.content")
        self._called = fidelity.entry("assistant/tool_use")
        self._answered = fidelity.entry("user/tool_result")

    # A line of the model's.

    def assistant(self, line: Line, t: TimeMs | None, place: Place) -> None:
        """One line of a request: a block of the reply, and the token counts as far as they were known."""
        message = line.message
        if not isinstance(message, Message):
            message = _bare(message)
        group, name, request_id = self._latest, message.id, line.request_id
        if group is None or name is None or group.message_id != name or group.request_id != request_id:
            group = self._latest = self._group(name, request_id, message, t, place)
        group.rows += 1
        if t is not None:
            group.t = t
        uuid = line.uuid
        if uuid is not None:
            self.spoken.append(uuid)
            self.turns.append(group.number)
        usage, stop = message.usage, message.stop_reason
        if usage is not None:
            group.usage = usage if group.usage is None else larger(group.usage, usage)
        if line.cost_usd is not None:
            group.cost = max(group.cost or 0.0, line.cost_usd)
        if line.duration_ms is not None:
            group.took_us = whole_us(line.duration_ms)
        if stop is not None:
            group.stop = stop
        content = message.content
        if not content:
            return
        self._replied.add(place)
        blocks = group.blocks
        before = blocks if len(content) == 1 else blocks[:]
        for block in (content,) if isinstance(content, str) else content:
            if isinstance(block, str):
                ours: JsonObject | None = {"kind": "text", "text": block}
            elif block.type == "tool_use":
                self._call(group, block, t, place)
                continue
            elif (ours := our_block(block)) is None:
                self._other(group, block, t, place)
                continue
            if before and ours in before:
                self.fidelity.damaged(place, DamageCode.repeated_row, "a block of a line before it")
            else:
                blocks.append(ours)

    def _group(
        self, name: str | None, request_id: str | None, message: Message, t: TimeMs | None, place: Place
    ) -> Group:
        """The request that a line belongs to: told by the message's id, and the request's where both have one."""
        first = known = None if name is None else self._by_message.get(name)
        if name is not None and known is not None and request_id is not None:
            if known.request_id is None:
                known.request_id = request_id
            elif known.request_id != request_id:
                known = self._by_request.get((name, request_id))
        if known is not None:
            if known.request.model is None:
                known.request.model = message.model
            return known
        request = self.draft.request(t, place, model=message.model)
        group = Group(request, len(self.groups) + 1, name, request_id, first is not None)
        self.groups.append(group)
        if name is not None:
            if first is None:
                self._by_message[name] = group
            else:
                self._by_request[name, request_id] = group
        return group

    def _other(self, group: Group, block: Block, t: TimeMs | None, place: Place) -> None:
        """A block of the model's that is neither text nor thought nor a call of the agent's own tools."""
        if is_call(block):
            self._call(group, block, t, place)
        elif is_answer(block):
            self._answer(block, t, place, None)
        elif block.type in ("text", "thinking"):
            self.fidelity.damaged(place, DamageCode.bad_field, f"message.content[].{block.type}")
        else:
            self.fidelity.unknown(place, f"assistant/{block.type}")

    def _call(self, group: Group, block: Block, t: TimeMs | None, place: Place) -> None:
        call, tool, args = block.id, block.name, block.input
        if call is not None and group.request.calls and group.has_call(call):
            self.fidelity.damaged(place, DamageCode.repeated_row, "a call of the same request")
            return
        if not isinstance(args, dict) or not is_plain(args):
            args = arguments(args, self.fidelity, place, "assistant/tool_use")
        group.blocks.append({"kind": "tool_use", "id": call or "", "name": tool or "", "input": args})
        self._called.add(place)
        group.request.call(t, place, call_id=call, name=tool, args=args, subject=subject(tool, args))
        if tool in _SPAWNERS and call is not None:
            self.spawns[call] = Spawn(call, args.get("prompt"), group.number)

    # A line of the person's, which is also how tools answer.

    def user(self, line: Line, t: TimeMs | None, place: Place) -> None:
        """What a person said, or what tools answered."""
        message = line.message
        content = message.content if isinstance(message, Message) else message
        spoken = not isinstance(content, tuple)
        if isinstance(content, tuple):
            for block in content:
                if type(block) is not Block or (kind := block.type) == "text":
                    spoken = True
                elif kind == "tool_result" or is_answer(block):
                    self._answer(block, t, place, line.tool_use_result)
                elif kind in ("image", "document"):
                    self.fidelity.dropped(place, f"user/{kind}", None, "a picture or file is not carried")
                else:
                    self.fidelity.unknown(place, f"user/{kind}")
        if spoken and (texts := texts_of(content)):
            self.words("\n".join(texts), line, t, place)

    def words(self, text: str, line: Line, t: TimeMs | None, place: Place) -> None:
        """Text that a person, or somebody in their place, put in."""
        whose = voice(text, meta=line.is_meta is True, origin=line.origin)
        if whose is Voice.interruption:
            self.draft.cancel(t, place, text)
            self.stops.append(Stop(turn=self.draft.turns, place=place, t=t))
            self._said.add(place)
        elif whose is Voice.agent:
            self.fidelity.dropped(place, "user", "message.content (not a person's)", "put in by the agent itself")
        elif whose is Voice.person and self.task is None and not self.draft.turns:
            self.task = text
            self._said.add(place)
        else:
            self.draft.steer(t, place, text, "city" if whose is Voice.city else "user")
            self._said.add(place)

    def _answer(self, block: Block, t: TimeMs | None, place: Place, twin: object) -> None:
        text = block.content
        if not isinstance(text, str):
            text, left = answer_text(text)
            if left:
                self.fidelity.dropped(place, "user/tool_result", "content[]", "a picture or file is not carried")
        call, failed = block.tool_use_id, block.is_error is True
        if call is not None:
            if not self.draft.is_open(call) and self._answers.get(call) == text:
                self.fidelity.damaged(place, DamageCode.repeated_row, "an answer that was given before")
                return
            self._answers[call] = text
            if call in self.spawns and isinstance(twin, Twin):
                self.spawns[call].agent_id = twin.agent_id
        code = None
        if failed:
            code = exit_code(text)
            if is_denial(text) or is_interruption(text):
                denied = not is_interruption(text)
                self.stops.append(Stop(turn=self.draft.turns, place=place, t=t, call=call, denied=denied))
        elif isinstance(twin, Twin) and twin.interrupted:
            self.stops.append(Stop(turn=self.draft.turns, place=place, t=t, call=call))
        if is_persisted(text):
            why = "a path and no Locator: `pinned` stays null"
            self.fidelity.entry("user/tool_result", "content (persisted output)", Fate.derived, why).add(place)
        self._answered.add(place)
        self.draft.result(t, place, call_id=call, text=text, failed=failed, exit_code=code)

    # The end.

    def close(self) -> None:
        """Give every request its reply, from all its lines."""
        standing = _EXACT
        for group in self.groups:
            usage = group.usage
            counted = None
            if usage is not None:
                counted = usage_of(
                    whole_input(usage),
                    usage.output_tokens,
                    cached=usage.cache_read_input_tokens,
                    cache_write=usage.cache_creation_input_tokens,
                    dialect="anthropic",
                )
                if counted is None and has_bad_count(usage):
                    self.fidelity.damaged(group.request.place, DamageCode.bad_field, "message.usage")
            if counted is None:
                group.standing = standing = _UNKNOWN
            elif group.rows > 1:
                group.standing = _DEDUPLICATED
                if standing is _EXACT:
                    standing = _DEDUPLICATED
            group.request.reply(
                group.t,
                group.request.place,
                blocks=group.blocks,
                usage=counted,
                stop=group.stop,
                billed_usd_micros=None if group.cost is None else round(group.cost * 1_000_000),
                took_us=group.took_us,
            )
        self.fidelity.lower(standing)

    def standings(self, live: list[bool | None]) -> tuple[TurnStanding, ...]:
        """What is known of each turn beyond its row."""
        return tuple(
            [
                TurnStanding(number=group.number, key=group.key, live=is_live, figures=group.standing, rows=group.rows)
                for group, is_live in zip(self.groups, live, strict=True)
            ]
        )


def _bare(message: str | None) -> Message:
    """A message that is a bare text, or none at all."""
    return Message(content=message)
