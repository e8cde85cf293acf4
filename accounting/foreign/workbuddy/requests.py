"""The model requests of a transcript: which rows are one, what they say, and what they cost. Spec: dispatch.md 2.4."""

from collections.abc import Callable
from decimal import Decimal
from typing import Final

from msgspec import DecodeError, json

from accounting.foreign.claude_code.message import subject
from accounting.foreign.drafting import RequestDraft, RunDraft, arguments
from accounting.foreign.fidelity import DamageCode, Fidelity, Standing
from accounting.foreign.outline import TurnStanding
from accounting.foreign.payload import has_bad_count
from accounting.foreign.workbuddy.counting import Counts, better, counts_of
from accounting.foreign.workbuddy.deeds import Called
from accounting.foreign.workbuddy.rows import Provider, Row
from accounting.foreign.workbuddy.tree import Begun
from accounting.ledger.problem import Place
from wire.scalars import Json, TimeMs


class Group:
    """The rows of one request."""

    def __init__(self, draft: RequestDraft, number: int, key: str | None, t: TimeMs | None) -> None:
        self.draft = draft
        self.number = number
        self.key = key
        """The message's id, which all its rows carry; `None` where they carry none."""
        self.began = t
        self.t = t
        self.rows = 0
        self.metered = 0
        """How many of the rows state token counts."""
        self.counts: Counts | None = None
        self.credit: Decimal | None = None
        self.blocks: list[Json] = []
        self.calls: set[str] = set()

    @property
    def standing(self) -> Standing:
        """How its token counts were obtained."""
        if self.counts is None or self.counts.usage() is None:
            return Standing.unknown
        if self.counts.estimated:
            return Standing.estimated
        return Standing.exact if self.metered == 1 else Standing.deduplicated

    def only_thought(self) -> bool:
        """Whether nothing but reasoning is known of it."""
        return not self.metered and all(
            isinstance(block, dict) and block["kind"] == "thinking" for block in self.blocks
        )


class Requests:
    """The requests so far. `floats` is told the spelling of each float in arguments that were sent as text."""

    def __init__(self, draft: RunDraft, fidelity: Fidelity, floats: Callable[[str], Json]) -> None:
        self.groups: Final[list[Group]] = []
        self.turn_of_call: Final[dict[str, int]] = {}
        self._draft = draft
        self._fidelity = fidelity
        self._by_id: dict[str, Group] = {}
        self._open: Group | None = None
        self._decode = json.Decoder(float_hook=floats).decode

    def pause(self) -> None:
        """Something else stands between: a row without a message id that follows begins a request."""
        self._open = None

    def row(self, row: Row, t: TimeMs | None, place: Place) -> Group:
        """The request that a row is of, which then knows the row's token counts and model."""
        provider = row.provider_data or Provider()
        counts = counts_of(row)
        stated = None if row.message is None else row.message.usage
        if any(map(has_bad_count, (provider.raw_usage, provider.usage, stated))):
            self._fidelity.damaged(place, DamageCode.bad_field, "usage")
        group = self._group(row, provider.message_id, t, place, metered=counts is not None)
        group.rows += 1
        group.t = t if t is not None else group.t
        if group.draft.model is None:
            group.draft.model = provider.model
        if counts is not None:
            group.metered += 1
            group.counts = better(group.counts, counts)
        if provider.raw_usage is not None and provider.raw_usage.credit is not None:
            credit = Decimal(repr(provider.raw_usage.credit))
            group.credit = credit if group.credit is None else max(group.credit, credit)
            self._fidelity.beside(place, str(row.type), "providerData.rawUsage.credit")
        self._open = group
        return group

    def _group(self, row: Row, key: str | None, t: TimeMs | None, place: Place, *, metered: bool) -> Group:
        """Told by the message's id. Without one: reasoning, what is said and calls that follow one another are one."""
        latest = self._open
        if key is not None:
            known = self._by_id.get(key)
            if known is None and latest is not None and latest.key is None and latest.only_thought():
                latest.key = key
                known = self._by_id[key] = latest
            if known is not None:
                return known
        elif latest is not None and not (metered and latest.metered):
            begins = row.type == "message" or row.type == "reasoning"
            if latest.only_thought() or not begins:
                return latest
        group = Group(self._draft.request(t, place), self._draft.turns, key, t)
        self.groups.append(group)
        if key is not None:
            self._by_id[key] = group
        return group

    def call(self, group: Group, call: Called, t: TimeMs | None, place: Place) -> None:
        """A tool call of a request."""
        if call.id is not None:
            if call.id in group.calls:
                self._fidelity.damaged(place, DamageCode.repeated_row, "a call of the same request")
                return
            group.calls.add(call.id)
            self.turn_of_call.setdefault(call.id, group.number)
        args = arguments(self._given(call.given), self._fidelity, place, "function_call")
        group.blocks.append({"kind": "tool_use", "id": call.id or "", "name": call.name or "", "input": args})
        acts_on = subject(call.name, args)
        group.draft.call(t, place, call_id=call.id, name=call.name, args=args, subject=acts_on)

    def _given(self, given: Json) -> Json:
        """Arguments that were sent as text, as the object that they spell; any other text stays text."""
        if not isinstance(given, str):
            return given
        try:
            read: Json = self._decode(given)
        except (DecodeError, RecursionError, UnicodeError):
            return given or None
        return read if isinstance(read, dict) else given

    def close(self) -> None:
        """Give every request its reply, from all its rows."""
        for group in self.groups:
            usage = None if group.counts is None else group.counts.usage()
            group.draft.reply(group.t, group.draft.place, blocks=group.blocks, usage=usage)
            self._fidelity.lower(group.standing)

    def credit(self) -> str | None:
        """The vendor's own unit over all requests, which is no money; `None` when no row states it."""
        stated = [group.credit for group in self.groups if group.credit is not None]
        return str(sum(stated)) if stated else None

    def standings(self, live: list[bool | None]) -> tuple[TurnStanding, ...]:
        """What is known of each turn beyond its row."""
        return tuple(
            TurnStanding(
                number=group.number,
                key=None if group.key is None else f"workbuddy:{group.key}",
                live=live[group.number - 1],
                figures=group.standing,
                rows=group.rows,
            )
            for group in self.groups
        )

    def begun(self) -> list[Begun]:
        """Where each turn begins."""
        return [Begun(group.draft.place, group.began) for group in self.groups]
