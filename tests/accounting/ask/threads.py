"""Events and lines of ask threads to test with, spelled shortly; and strategies that draw them from small pools."""

from collections.abc import Sequence
from typing import cast

from hypothesis import strategies as st

import wire
from wire.ask import AskEvent
from wire.scalars import IsoTime

AT = cast("IsoTime", "2026-10-05T09:30:00.000Z")
AT_MS = 1_791_192_600_000

TEXTS = ("a", "", " ", "\n", "b c", "\ufeff", "\u2028", "\x85", "é", "\x00", '"', "\U0001f600")
SEQS = (1, 2, 3, 7, 2**53 - 1)


def question(seq: int, text: str = "a?", focus: str | None = None) -> wire.AskQuestion:
    return wire.AskQuestion(seq=seq, at=AT, focus=focus, text=text)


def chunk(seq: int, text: str) -> wire.AskChunk:
    return wire.AskChunk(seq=seq, text=text)


def end(seq: int) -> wire.AskEnd:
    return wire.AskEnd(seq=seq, at=AT)


def aborted(seq: int) -> wire.AskAborted:
    return wire.AskAborted(seq=seq, at=AT)


def error(seq: int, message: str = "boom") -> wire.AskError:
    return wire.AskError(seq=seq, at=AT, message=message)


def meta() -> wire.AskMeta:
    return wire.AskMeta(run_id="4120-5eed0001", started_at=AT, provider="claude -p")


def spelled(events: Sequence[AskEvent]) -> bytes:
    return b"".join(wire.encode(event) + b"\n" for event in events)


_seqs = st.sampled_from(SEQS)
_texts = st.sampled_from(TEXTS)


def events() -> st.SearchStrategy[list[AskEvent]]:
    """Any events in any order."""
    one: st.SearchStrategy[AskEvent] = st.one_of(
        st.builds(question, _seqs, _texts, st.none() | st.sampled_from(("", "session-alpha", "session-beta"))),
        st.builds(chunk, _seqs, _texts),
        st.builds(end, _seqs),
        st.builds(aborted, _seqs),
        st.builds(error, _seqs, _texts),
        st.builds(meta),
    )
    return st.lists(one, max_size=14)


ODD_LINES = (
    b"",
    b" \r",
    b"\xc2\xa0",
    b"\xc2\x85",
    b"\x00",
    b"\xff",
    b"17",
    b"null",
    b'{"t":"nope"}',
    b'{"t":["end"]}',
    b'{"t":"nope","text":"x',
    b'{"t":"end","seq":"1","at":"x"}',
    b'{"t":"end","seq":1,"at":"x"}',
    b'{"t":"question","seq":4,"at":"x","focus":3,"text":"\xff"}',
    rb'{"t":"chunk","seq":1,"text":"\ud800"}',
    b'{"t":"chunk","seq":1,"text":"a"} ',
    b'\xef\xbb\xbf{"t":"chunk","seq":1,"text":"a"}',
    b'{"t":"chunk","seq":1,"text":"a","x":' + b"[" * 2000 + b"]" * 2000 + b"}",
    b'{"t":"chunk","seq":1,"te',
)


def files() -> st.SearchStrategy[bytes]:
    """A thread's bytes, sound or not."""
    line = st.sampled_from(ODD_LINES) | st.binary(max_size=6) | events().map(lambda some: spelled(some[:1])[:-1])
    tail = st.sampled_from((b"", b"\n"))
    return st.tuples(st.lists(line, max_size=8), tail).map(lambda parts: b"\n".join(parts[0]) + parts[1])
