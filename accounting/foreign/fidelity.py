"""The fidelity report: what became of every kind and field of another agent's rows, as data. Spec: foreign.md 3, 4.

Readers write into a `Fidelity`; what comes out is the frozen `FidelityReport`. The first places of each entry are
kept and all of them are counted, so that a report is bounded however odd the files are.
"""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from accounting.ledger.problem import Place
from wire.scalars import UsdMicros

PLACES: Final = 3
"""How many places an entry keeps."""


class Fate(StrEnum):
    """What became of a kind or a field."""

    mapped = "mapped"
    """It is in the records as it was written."""
    derived = "derived"
    """It is in the records otherwise than it was written; `why` says how."""
    beside = "beside"
    """It is in the outline, beside the records."""
    dropped = "dropped"
    """It is in neither; `why` says for what reason."""


class Standing(StrEnum):
    """How a figure was obtained."""

    exact = "exact"
    """Every part was stated once."""
    deduplicated = "deduplicated"
    """Parts were stated several times over, and were counted once."""
    estimated = "estimated"
    """At least one part was worked out from something else."""
    unknown = "unknown"
    """At least one part was not stated: what is given is the sum of the parts that were, null when none was."""


class DamageCode(StrEnum):
    """What can be wrong with a row, whatever the format. Only the row or the field named is lost."""

    not_json = "not-json"
    """The line, or a stretch of it, is no JSON; it is skipped."""
    not_a_row = "not-a-row"
    """JSON, but no object; it is skipped."""
    glued = "glued"
    """Several rows on one line, or a row behind a torn one; what reads was taken."""
    torn_tail = "torn-tail"
    """The last line is not whole: it is still being written, or was cut."""
    nul_bytes = "nul-bytes"
    """NUL bytes around a row, or inside one; those around it are passed over."""
    bad_utf8 = "bad-utf8"
    """Bytes that are not UTF-8; they read as U+FFFD."""
    lone_surrogate = "lone-surrogate"
    """Half of a surrogate pair; it reads as U+FFFD."""
    bad_field = "bad-field"
    """A field of another type than the format gives it; it reads as absent."""
    too_deep = "too-deep"
    """Nesting beyond what our payloads allow; the part is kept as text."""
    repeated_row = "repeated-row"
    """A row that stands in the file a second time; it counts once."""
    unpaired_result = "unpaired-result"
    """A result of no call that is known."""
    bad_time = "bad-time"
    """A time that does not read; the record takes the latest time before it."""


class Tally(Struct, frozen=True, kw_only=True):
    """One kind or one field of a kind, and what became of it."""

    kind: str
    """The agent's own word for the kind of row, or of block as `assistant/tool_use`."""
    field: str | None
    """The field, as a dotted path; null for the row as a whole."""
    fate: Fate
    """What became of it."""
    count: int
    """How often."""
    why: str | None
    """How it was derived or why it was dropped; null where there is nothing to say."""
    known: bool
    """Whether the format's reader knows it; false for what a newer version brought."""
    places: tuple[Place, ...]
    """The first three places."""


class Damage(Struct, frozen=True, kw_only=True):
    """One sort of damage."""

    code: DamageCode
    """What sort."""
    detail: str
    """The field, or what was found, in few words."""
    count: int
    """How often."""
    places: tuple[Place, ...]
    """The first three places."""


class Totals(Struct, frozen=True, kw_only=True):
    """The session's sums over its requests; every billed request counts, whatever branch it is on."""

    requests: int = 0
    """Requests, that is turns."""
    calls: int = 0
    """Tool calls."""
    answered: int = 0
    """Calls with an answer that is no failure."""
    failed: int = 0
    """Calls whose answer is a failure."""
    waiting: int = 0
    """Calls without an answer."""
    unmetered: int = 0
    """Requests without token counts."""
    input: int | None = None
    """Prompt tokens, cached parts included; null when neither a request nor the whole session states them."""
    output: int | None = None
    """Reply tokens; null when neither a request nor the whole session states them."""
    cached: int | None = None
    """Of `input`, read from the provider's cache; null when no request states it."""
    cache_write: int | None = None
    """Of `input`, stored into the cache; null when no request states it."""
    spent: UsdMicros | None = None
    """Millionths of a US dollar, as the files state them; null when none does."""
    priced: int = 0
    """Requests that state what they cost."""
    standing: Standing = Standing.exact
    """How the token counts were obtained."""


class FidelityReport(Struct, frozen=True, kw_only=True):
    """How faithfully a session was read."""

    agent: str
    """The reader's name."""
    files: tuple[str, ...]
    """The files that were read, as they were opened."""
    rows: int
    """Rows that were read, the unusable ones not counted."""
    tallies: tuple[Tally, ...]
    """What became of each kind and field, sorted by kind and field."""
    damage: tuple[Damage, ...]
    """What was damaged, in the order first met."""
    totals: Totals
    """The sums, and how they were obtained."""


class Entry:
    """A tally under way. A reader keeps those of its frequent rows at hand, for a look-up costs more than counting."""

    __slots__ = ("count", "known", "places", "why")

    def __init__(self, why: str | None, *, known: bool) -> None:
        self.why = why
        self.known = known
        self.count = 0
        self.places: list[Place] = []

    def add(self, place: Place) -> None:
        """Count one more."""
        self.count += 1
        if self.count <= PLACES:
            self.places.append(place)


class Fidelity:
    """Where a reader says what became of what it met."""

    def __init__(self, agent: str, *files: str) -> None:
        self.agent: Final = agent
        self.files: Final[list[str]] = list(files)
        self.rows = 0
        self.standing = Standing.exact
        """The standing of the token counts; a reader lowers it."""
        self._entries: dict[tuple[str, str | None, Fate], Entry] = {}
        self._damage: dict[tuple[DamageCode, str], Entry] = {}

    def entry(
        self,
        kind: str,
        field: str | None = None,
        fate: Fate = Fate.mapped,
        why: str | None = None,
        *,
        known: bool = True,
    ) -> Entry:
        """The tally of a kind or field, to add places to."""
        key = (kind, field, fate)
        entry = self._entries.get(key)
        if entry is None:
            entry = self._entries[key] = Entry(why, known=known)
        return entry

    def mapped(self, place: Place, kind: str, field: str | None = None) -> None:
        """It is in the records as written."""
        self.entry(kind, field, Fate.mapped).add(place)

    def derived(self, place: Place, kind: str, field: str | None, why: str) -> None:
        """It is in the records, otherwise than written."""
        self.entry(kind, field, Fate.derived, why).add(place)

    def beside(self, place: Place, kind: str, field: str | None = None) -> None:
        """It is in the outline."""
        self.entry(kind, field, Fate.beside).add(place)

    def dropped(self, place: Place, kind: str, field: str | None, why: str) -> None:
        """It is nowhere but in this count."""
        self.entry(kind, field, Fate.dropped, why).add(place)

    def unknown(self, place: Place, kind: str, field: str | None = None) -> None:
        """The reader does not know it: a newer version of the agent wrote it."""
        self.entry(kind, field, Fate.dropped, "not known to this reader", known=False).add(place)

    def damaged(self, place: Place, code: DamageCode, detail: str = "") -> None:
        """Something does not read."""
        entry = self._damage.get((code, detail))
        if entry is None:
            entry = self._damage[code, detail] = Entry(None, known=True)
        entry.add(place)

    def lower(self, standing: Standing) -> None:
        """Say that the token counts are no better than this: exact, deduplicated, estimated, unknown, in that order."""
        order = list(Standing)
        self.standing = max(self.standing, standing, key=order.index)

    def report(self, totals: Totals) -> FidelityReport:
        """The report as it stands."""
        tallies = tuple(
            Tally(
                kind=kind,
                field=field,
                fate=fate,
                count=entry.count,
                why=entry.why,
                known=entry.known,
                places=tuple(entry.places),
            )
            for (kind, field, fate), entry in sorted(
                self._entries.items(), key=lambda item: (item[0][0], item[0][1] or "", item[0][2])
            )
            if entry.count
        )
        damage = tuple(
            Damage(code=code, detail=detail, count=entry.count, places=tuple(entry.places))
            for (code, detail), entry in self._damage.items()
        )
        return FidelityReport(
            agent=self.agent,
            files=tuple(self.files),
            rows=self.rows,
            tallies=tallies,
            damage=damage,
            totals=totals,
        )
