"""What goes through a fold or a ledger: records, the records of one run, whole sealed ledgers."""

from collections.abc import Iterator
from typing import Final, cast

from hypothesis import strategies as st
from msgspec import Struct

from accounting.conformance.sealing import sealed
from accounting.conformance.strategies.history import PlainRecord, histories, plain_records
from accounting.conformance.strategies.pools import RUNS
from accounting.ledger.parse import DEEPEST_WRITTEN
from accounting.ledger.plain import plain
from wire.record.envelope import NEWEST_VERSION
from wire.record.kinds import Kind
from wire.scalars import I64_MIN, NIL_RUN, U64_MAX, Json, JsonObject, RunId


class SealedLedger(Struct, frozen=True, kw_only=True):
    """A ledger as bytes, and the records that were sealed in it."""

    content: bytes
    """The file."""
    records: tuple[PlainRecord, ...]
    """What the lines hold, in file order: `v run seq t kind data`, and `ig` where a reader may skip the line."""

    @property
    def lines(self) -> tuple[bytes, ...]:
        """The whole lines, without their newlines."""
        return tuple(self.content.split(b"\n")[:-1])


def records(*, kinds: tuple[str, ...] = ()) -> st.SearchStrategy[PlainRecord]:
    """One record as JSON (`v run seq t kind data`), of any kind or of the given ones; its payload may be odd.

    Values are shared between examples: read them, never change them.
    """
    return plain_records(kinds=kinds)


def runs(run: RunId = RUNS[0], *, max_size: int = 24) -> st.SearchStrategy[list[PlainRecord]]:
    """The records of one run, in rising `seq`."""
    return histories(max_size=max_size).map(lambda drawn: [record | {"run": run} for record in drawn])


def ledgers(*, sound: bool = True, max_size: int = 24) -> st.SearchStrategy[SealedLedger]:
    """Whole ledgers of up to three runs: canonical, numbered from 0, chained. Payloads may not read as their kind.

    With `sound=False` also what a view reads or skips although no writer writes it (rounds.md 0): gaps in `seq`,
    newer versions, integers past 64 bits, deep nesting, lines that are no records, other spellings, a torn tail.
    """
    drawn = histories(max_size=max_size)
    return drawn.map(_sound) if sound else st.builds(_adversarial, drawn, _ENDINGS)


def asked_ledgers(*, sound: bool = True, max_size: int = 24) -> st.SearchStrategy[tuple[SealedLedger, RunId]]:
    """A ledger as `ledgers` gives it, and the run to ask it for, which has most of the records; at times the nil run.

    The run shrinks apart from the records: draw the two together, not a run of your own beside a ledger.
    """
    drawn = st.builds(_for_run, histories(max_size=max_size), _ASKED)
    if sound:
        return drawn.map(lambda asked: (_sound(asked[0]), asked[1]))
    return st.builds(_asked, drawn, _ENDINGS)


_ASKED: Final = st.sampled_from((*RUNS[:1] * 7, NIL_RUN))


def _asked(drawn: tuple[list[PlainRecord], RunId], ending: bytes) -> tuple[SealedLedger, RunId]:
    return _adversarial(drawn[0], ending), drawn[1]


def _for_run(drawn: list[PlainRecord], run: RunId) -> tuple[list[PlainRecord], RunId]:
    """The run in the place of the first one, and the first one in its place."""
    if run == RUNS[0]:
        return drawn, run
    swapped: dict[Json, RunId] = {run: RUNS[0], RUNS[0]: run}
    return [record | {"run": swapped.get(record["run"], record["run"])} for record in drawn], run


def _sound(drawn: list[PlainRecord]) -> SealedLedger:
    kept = tuple(_writable(record, seq) for seq, record in enumerate(drawn))
    return SealedLedger(content=sealed(kept), records=kept)


def _writable(record: PlainRecord, seq: int) -> PlainRecord:
    """The record as a writer might write it."""
    data = cast("JsonObject", record["data"])
    if not plain(data):
        data = cast("JsonObject", tamed(data))
    kind, v = record["kind"], min(cast("int", record["v"]), NEWEST_VERSION)
    known = kind in _KINDS
    written: PlainRecord = {**record, "v": v, "seq": seq, "kind": kind if known else "brand_new", "data": data}
    return written if known else written | {"ig": True}


_KINDS: Final = frozenset(kind.value for kind in Kind)


def tamed(value: Json, depth: int = 1) -> Json:
    """The value with integers drawn into 64 bits and what nests too deep left out."""
    if isinstance(value, dict | list) and depth > DEEPEST_WRITTEN:
        return None
    if isinstance(value, dict):
        return {key: tamed(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [tamed(item, depth + 1) for item in value]
    return min(max(value, I64_MIN), U64_MAX) if type(value) is int else value


def _adversarial(drawn: list[PlainRecord], ending: bytes) -> SealedLedger:
    content = sealed(drawn)
    if ending:
        seq = cast("int", drawn[-1]["seq"]) + 1 if drawn else 0
        content += ending.replace(b"SEQ", str(seq).encode())
    return SealedLedger(content=content, records=tuple(drawn))


_LINE: Final = (
    b'{"v":2,"run":"' + RUNS[0].encode() + b'","seq":SEQ,"prev":"' + b"0" * 64 + b'","t":9,"who":"city",'
    b'"kind":"model_called","data":{"model":"last"}}'
)


def _changed_lines() -> Iterator[bytes]:
    """A last line that opens a turn, spelled or written in ways that a view skips, or reads all the same."""
    run = RUNS[0].encode()
    for old, new in (
        # Not records: skipped.
        (b'"v":2', b'"v":0'), (b'"v":2', b'"v":"2"'), (b'"v":2', b'"v":true'), (b'"v":2,', b""),
        (run, run.upper()), (run, run.replace(b"-", b"")), (b"SEQ", b"-1"), (b"SEQ", b'"SEQ"'), (b"SEQ", b"SEQ.0"),
        (b'"t":9', b'"t":null'), (b'"t":9', b'"t":18446744073709551616'), (b'"kind":"model_called"', b'"kind":1'),
        (b'{"model":"last"}', b"[]"), (b'{"model":"last"}', b"null"), (b"}}", b"}"),
        # Records, though oddly spelled: read.
        (b'"v":2', b'"v":3'), (b'"v":2', b'"v":1'), (b'"t":9', b'"t":18446744073709551615'), (b'"who"', b'"zz"'),
        (b'"kind"', b'"kind":"went_back","kind"'), (b'"model"', b'"model":"first","model"'), (b"last", b"\\ud800"),
        (b"last", b"\\u006cast"), (b":", b" : "), (b'"model_called"', b'"model\\u005fcalled"'),
    ):  # fmt: skip
        yield _LINE.replace(old, new, 1 if old != b":" else -1) + b"\n"
    # Keys that a sealed line would have sorted.
    called = _LINE.replace(b"model_called", b"tool_called").replace(
        b'{"model":"last"}', b'{"args":{"b":{"d":0,"c":0},"a":0}}'
    )
    yield _LINE + b"\n" + called.replace(b'"seq":SEQ', b'"seq":18446744073709551615') + b"\n"
    yield _LINE + b"\r\n"  # white space to JSON
    yield _LINE  # a line being written, however whole it looks
    yield _LINE[:-5]
    yield b"\n\n" + _LINE + b"\n"
    yield b"null\n" + _LINE + b"\n"
    yield b'{"v":2\n' + _LINE + b"\n"


_ENDINGS: Final = st.sampled_from((*[b""] * 60, *_changed_lines()))
