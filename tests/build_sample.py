"""Writes the sample ledger: the same bytes each time, and nobody else writes them.

python -m tests.build_sample
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from blake3 import blake3
from msgspec import UNSET, Raw, json

from accounting.sample import PATH
from tests.cases.build import Json, Obj, text, thinking
from wire import NIL_RUN, EventRecord, Kind
from wire.scalars import address, b3_hash, run_id

FILE: Final = PATH / "ledger-00000000000000000000.jsonl"

KEEPER: Final = "019a1f7c-4e80-7d4e-8a31-5f0c9be21d47"
ARCHIVE: Final = "019a1f7d-e902-7b66-b0c5-94e1d37a8c02"
BEGAN: Final = int(datetime(2025, 10, 26, 7, 58, tzinfo=UTC).timestamp() * 1000)

FOUND: Final = "4f2a9c1be07d5583a6c40f9e2d71b8365ca90e14"
FIXED: Final = "b81d0e77394cf62a05e91d4c8830fa6b27e5cd90"


class Book:
    """Lines as they are written; `at` is milliseconds after the session began."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.prev = "0" * 64

    def write(self, run: str, at: int, kind: Kind, data: Obj, *, who: str, addr: str | None = None) -> int:
        """Append a line; its seq comes back."""
        owner, prev, place = run_id(run), b3_hash(self.prev), address(addr)
        assert owner is not None
        assert prev is not None
        record = EventRecord(
            v=2,
            run=owner,
            seq=len(self.lines),
            prev=prev,
            t=BEGAN + at,
            who=who,
            addr=UNSET if place is None else place,
            kind=kind,
            data=Raw(json.encode(data, order="sorted")),
        )
        line = json.encode(record)
        self.lines.append(line)
        self.prev = blake3(line).hexdigest()
        return record.seq


class Session:
    """One session's lines in a book."""

    def __init__(self, book: Book, run: str, who: str) -> None:
        self.book, self.run, self.who = book, run, who

    def write(self, at: int, kind: Kind, /, **data: Json) -> int:
        """Any line."""
        return self.book.write(self.run, at, kind, data, who=self.who, addr=self.who)

    def asks(self, at: int, model: str) -> None:
        """`model_called`."""
        hashes = [blake3(f"{self.who} {part}".encode()).hexdigest() for part in ("city", "resident", "tail")]
        self.write(at, Kind.model_called, model=model, segments=hashes)

    def hears(self, at: int, *blocks: Json, calls: int = 0, **data: Json) -> None:
        """`model_returned`."""
        uses: list[Json] = [
            {"kind": "tool_use", "id": f"use-{at}-{n}", "name": "tool", "input": {}} for n in range(calls)
        ]
        message: Obj = {"role": "assistant", "content": [*blocks, *uses]}
        self.write(at, Kind.model_returned, message=message, calls=calls, **data)

    def calls(self, at: int, use: str, name: str, args: Obj, **data: Json) -> None:
        """`tool_called`; the subject is the first of the arguments that may be one."""
        subjects = [args[key] for key in ("path", "addr", "program", "arm") if key in args]
        self.write(
            at, Kind.tool_called, id=use, name=name, args=args, subject=subjects[0] if subjects else None, **data
        )

    def gets(self, at: int, use: str, name: str, took_us: int, **outcome: Json) -> None:
        """`tool_result`."""
        self.write(at, Kind.tool_result, tool_use_id=use, name=name, took_us=took_us, **outcome)


READ: Final[Obj] = {"effect": "read", "render": "generic"}
FETCH: Final[Obj] = {"effect": "egress", "render": "generic"}
RUN: Final[Obj] = {"effect": {"write": {"domain": "harbour/tides"}}, "render": "terminal"}
SEND: Final[Obj] = {"effect": "spawn", "render": "signal"}


def edit(*files: str) -> Obj:
    """What an edit of these files is registered as."""
    return {"effect": {"write": {"domain": "harbour/tides"}}, "render": {"diff": {"locations": list(files)}}}


def counts(prompt: int, reply: int, cached: int | None = None, written: int | None = None) -> Obj:
    """A reply's usage."""
    dialect = "open_ai" if cached is None else "anthropic"
    usage: Obj = {"v": 1, "input_tokens": prompt, "output_tokens": reply, "dialect": dialect}
    if cached is not None:
        usage |= {"cache_read_tokens": cached, "cache_write_tokens": written}
    return usage


def stored(content: str) -> str:
    """Where a content is kept."""
    return f"cas:b3-{blake3(content.encode()).hexdigest()}"


ALMANAC: Final = """\
Almanac, 26 October 2025: predicted tides, heights in metres
station        time (UTC)   height
Anholt         00:41        0.71 low
Anholt         06:55        4.12 high
Anholt         13:04        0.66 low
Anholt         19:21        4.20 high
清水 Shimizu   04:05        0.32 low
清水 Shimizu   10:26        1.61 high
清水 Shimizu   16:33        0.90 low
清水 Shimizu   22:11        1.48 high
Bodø           02:12        0.48 low
Bodø           08:30        3.02 high
Bodø           14:38        0.51 low
Bodø           20:52        2.97 high
Zeebrugge      01:17        0.83 low
Zeebrugge      07:24        4.44 high
Zeebrugge      13:40        0.79 low
"""

TABLE: Final = """\
def rows(tides, zone):
    printed = {}
    for tide in tides:
        local = tide.at.astimezone(zone)
        printed[local.replace(tzinfo=None)] = tide
    return sorted(printed.items())
"""

TABLE_DIFF: Final = """\
--- a/harbour/tides/table.py
+++ b/harbour/tides/table.py
@@ -1,6 +1,4 @@
 def rows(tides, zone):
-    printed = {}
-    for tide in tides:
-        local = tide.at.astimezone(zone)
-        printed[local.replace(tzinfo=None)] = tide
-    return sorted(printed.items())
+    # An instant happens once; its local name may happen twice.
+    by_instant = {tide.at: tide for tide in tides}
+    return [(at.astimezone(zone), tide) for at, tide in sorted(by_instant.items())]
"""

TEST_DIFF: Final = """\
--- a/harbour/tides/tests/test_table.py
+++ b/harbour/tides/tests/test_table.py
@@ -14 +14 @@
-    assert printed(day) == almanac_1987(day)
+    assert printed(day) == almanac_1987(day, corrected=True)
"""

FAILING: Final = """\
tests/test_table.py ..F.                                   [100%]
E   assert ['02:41 low'] == ['02:41 low', '02:41 low']
1 failed, 3 passed in 0.61s
"""


def lines() -> list[bytes]:
    """The sample's lines, without their newlines."""
    book = Book()
    book.write(NIL_RUN, -60_000, Kind.city_initialized, {"name": "harbour"}, who="city")
    keeper = Session(book, KEEPER, "harbour/keeper")
    _begin(keeper)
    _look(keeper)
    _stumble(keeper)
    _ask(keeper, book)
    _write_to_the_archive(keeper, book)
    _finish(keeper)
    return book.lines


def _begin(keeper: Session) -> None:
    keeper.write(
        0,
        Kind.run_started,
        task="Low water is printed twice on the day the clocks go back",
        goal="One row for each tide, in local time, and a test that fails without the change",
        dispatched_by="person",
        opening="with_person",
        effort="high",
        policy={"mode": "work", "write": "full", "admit": "tested", "landing": "ordinary"},
        skills=[],
    )
    keeper.write(40, Kind.worktree_opened, name="tide-clock", disk_bytes=418_304)
    keeper.write(55, Kind.checkpoint_committed, oid=FOUND, scope=["harbour/tides"], files=[])
    keeper.write(60, Kind.session_named, name="The hour that comes twice")


def _look(keeper: Session) -> None:
    """A turn of two calls at once, answered the other way round."""
    keeper.asks(120, "aurora-4")
    keeper.hears(
        3_512,
        thinking(
            "The table is keyed by local time. On the last Sunday of October the hour from two to three comes twice, so"
            " one name stands for two instants.\nThat could lose a row as well as repeat one. I should see the code and"
            " the almanac for that day before I believe either.\nA zone without the repeated hour would be a good"
            " second case."
        ),
        text("I will read how a row gets its key, and fetch the almanac for the day it went wrong."),
        calls=2,
        stop="tool_use",
        usage=counts(8_214, 342, 0, 7_936),
        billed_usd_micros=41_200,
        first_at=BEGAN + 932,
        first_us=811_640,
        took_us=3_391_820,
    )
    keeper.calls(3_530, "c1", "fetch", {"addr": "almanac/2025/10/26"}, **FETCH)
    keeper.calls(3_541, "c2", "read_file", {"path": "harbour/tides/table.py", "limit": 40}, **READ)
    keeper.gets(3_545, "c2", "read_file", 2_310, result={"content": TABLE})
    keeper.gets(5_402, "c1", "fetch", 1_871_904, result=ALMANAC)


def _stumble(keeper: Session) -> None:
    """An attempt that nobody answered, another model in its place, and an edit that was refused."""
    keeper.asks(5_600, "aurora-4")
    keeper.write(
        65_602,
        Kind.provider_degraded,
        code="E_PROVIDER",
        action="call the provider",
        subject="aurora-4",
        nearby=[],
        recovery="ask again",
        retry="yes",
        provider={"kind": "silence"},
    )
    keeper.asks(65_640, "borealis-2")
    keeper.hears(68_139, calls=1, stop="tool_calls", usage=counts(9_874, 118), took_us=2_498_003)
    keeper.calls(
        68_150,
        "c3",
        "edit_file",
        {"path": "harbour/archive/almanac.py", "find": "02:41", "put": "02:41 (second)"},
        **edit("harbour/archive/almanac.py"),
    )
    denied: Obj = {
        "code": "E_GATE_DENIED",
        "action": "write",
        "subject": "harbour/archive/almanac.py",
        "nearby": ["harbour/tides/table.py"],
        "recovery": "write below harbour/tides, or ask who keeps the archive",
        "retry": "no",
        "gate": {
            "rule": "write domain",
            "violation": "harbour/archive is not below harbour/tides",
            "alternative": "write below harbour/tides",
        },
    }
    keeper.write(68_151, Kind.gate_denied, **denied)
    keeper.gets(68_152, "c3", "edit_file", 611, error=denied)
    keeper.write(74_020, Kind.steer_received, source="user", text="The archive stays as it is.\nFix the printing.")


def _ask(keeper: Session, book: Book) -> None:
    """An approval asked for and given, an edit, and a test that fails."""
    keeper.asks(74_100, "aurora-4")
    keeper.hears(
        77_406,
        thinking("So the key has to be the instant, and local time only its name."),
        text(
            "The key should be the instant, which happens once; local time is only how it is printed. The table will"
            " then show 02:41 on that day as often as the sea did.\n\nThis changes what a printed table looks like, so"
            " I ask first."
        ),
        calls=2,
        stop="tool_use",
        usage=counts(10_260, 401, 7_936, 2_048),
        billed_usd_micros=23_900,
        first_at=BEGAN + 74_742,
        first_us=641_077,
        took_us=3_305_552,
    )
    question: Obj = {"class": "question", "detail": "printed tables"}
    keeper.write(
        77_420,
        Kind.approval_requested,
        id="ask-7",
        actor="harbour/keeper",
        action_desc="print the repeated hour under its own name",
        artifact=f"file:harbour/tides/table.py@{FOUND}#L1-6",
        cluster_key=question,
        created=BEGAN + 77_420,
        tainted=False,
    )
    allowed: Obj = {"id": "ask-7", "verdict": "allow", "cluster": question}
    book.write(NIL_RUN, 121_004, Kind.approval_resolved, allowed, who="person")
    patch: Obj = {"path": "harbour/tides/table.py", "diff": TABLE_DIFF}
    keeper.calls(121_030, "c4", "edit_file", patch, **edit("harbour/tides/table.py"))
    keeper.gets(121_037, "c4", "edit_file", 6_742, result={"diff": TABLE_DIFF})
    keeper.calls(121_040, "c5", "run", {"program": "python -m pytest tests/test_table.py"}, **RUN)
    account: Obj = {
        "original": stored("the whole of a failing test run"),
        "len": 48_211,
        "substitute_len": len(FAILING),
        "rest_path": "stdout",
    }
    keeper.gets(122_377, "c5", "run", 1_336_418, result={"exit_code": 1, "stdout": FAILING, "sieve": [account]})


def _write_to_the_archive(keeper: Session, book: Book) -> None:
    """A letter, the session it starts, and that one's reply."""
    keeper.asks(122_500, "aurora-4")
    keeper.hears(
        124_950,
        text("One test expects the row twice, because the almanac of 1987 prints it so. The archive may know why."),
        calls=1,
        stop="tool_use",
        usage=counts(11_504, 168, 9_984, 1_280),
        billed_usd_micros=15_600,
        first_at=BEGAN + 123_020,
        first_us=519_330,
        took_us=2_449_105,
    )
    words = "Does the almanac of 1987 mean to print low water twice on the last Sunday of October?"
    keeper.calls(124_960, "c6", "send_letter", {"to": "harbour/archive", "text": words}, **SEND)
    letter: Obj = {
        "id": "letter-41",
        "kind": "mention",
        "from": "harbour/keeper",
        "room": "harbour/archive",
        "room_version": 3,
        "payload": {"text": words},
        "at": BEGAN + 124_962,
        "lane": "ordinary",
    }
    keeper.write(124_962, Kind.signal_enqueued, **letter)
    keeper.write(124_980, Kind.signal_landed, signal="letter-41", landing="delivered")
    keeper.gets(124_983, "c6", "send_letter", 21_480, result={"sent": "letter-41"})
    keeper.write(
        124_990, Kind.signal_wait_started, on="harbour/archive", signal="letter-41", deadline_ms=BEGAN + 424_990
    )
    _archive(Session(book, ARCHIVE, "harbour/archive"))
    keeper.write(141_300, Kind.signal_wait_ended, signal="letter-41", by={"end": "reply", "reply": "letter-42"})
    keeper.write(141_310, Kind.signal_consumed, id="letter-42", by="harbour/keeper")


def _archive(archive: Session) -> None:
    archive.write(
        126_000,
        Kind.run_started,
        task="Answer harbour/keeper about the almanac of 1987",
        goal="What the page says, and whether it means it",
        dispatched_by="harbour/keeper",
        parent=KEEPER,
        effort="low",
        policy={"mode": "chat", "write": "create", "admit": "standing", "landing": "ordinary"},
    )
    archive.asks(126_050, "aurora-4-mini")
    archive.write(126_060, Kind.signal_consumed, id="letter-41", by="harbour/archive")
    archive.hears(
        127_204, calls=1, stop="tool_use", usage=counts(2_310, 64, 0, 2_048), billed_usd_micros=900, took_us=1_153_700
    )
    archive.calls(127_215, "a1", "read_file", {"path": "harbour/archive/1987/errata.txt"}, **READ)
    errata = "p. 299: the row for 02:41 is set twice by mistake; strike the second.\n"
    archive.gets(127_219, "a1", "read_file", 3_104, result={"content": errata})
    archive.asks(127_300, "aurora-4-mini")
    archive.hears(
        129_011,
        text("A misprint, and a known one."),
        calls=1,
        stop="tool_use",
        usage=counts(2_498, 91, 2_048, 384),
        billed_usd_micros=700,
        first_at=BEGAN + 127_702,
        first_us=401_116,
        took_us=1_710_240,
    )
    words = "A misprint: the errata strike the second row."
    archive.calls(129_020, "a2", "send_letter", {"to": "harbour/keeper", "text": words}, **SEND)
    letter: Obj = {
        "id": "letter-42",
        "kind": "thread",
        "from": "harbour/archive",
        "room": "harbour/keeper",
        "room_version": 1,
        "payload": {"text": words},
        "at": BEGAN + 129_022,
    }
    archive.write(129_022, Kind.signal_enqueued, **letter)
    archive.write(129_030, Kind.signal_landed, signal="letter-42", landing="knocked")
    archive.gets(129_033, "a2", "send_letter", 12_066, result={"sent": "letter-42"})
    archive.write(129_100, Kind.run_frozen, completion="done")


def _finish(keeper: Session) -> None:
    """Tests that pass, a checkpoint, a call that nothing answers, and the end."""
    keeper.asks(141_400, "aurora-4")
    keeper.hears(
        143_870,
        text("The almanac has a misprint and a correction for it. I compare with the corrected page."),
        calls=3,
        stop="tool_use",
        usage=counts(12_310, 236, 11_264, 896),
        billed_usd_micros=17_100,
        first_at=BEGAN + 141_988,
        first_us=587_902,
        took_us=2_469_077,
    )
    test = "harbour/tides/tests/test_table.py"
    keeper.calls(143_880, "c7", "edit_file", {"path": test, "diff": TEST_DIFF}, **edit(test))
    keeper.gets(143_884, "c7", "edit_file", 3_988, result={"diff": TEST_DIFF})
    keeper.calls(143_890, "c8", "run", {"program": "python -m pytest"}, **RUN)
    passing: Obj = {"exit_code": 0, "stdout": "41 passed in 9.87s\n"}
    keeper.gets(154_512, "c8", "run", 10_621_337, result=passing)
    keeper.write(154_530, Kind.file_discarded, paths=["harbour/tides/scratch.py"], restoration=None)
    done = keeper.write(
        154_560, Kind.checkpoint_committed, oid=FIXED, scope=["harbour/tides"], files=["harbour/tides/table.py", test]
    )
    keeper.calls(154_570, "c9", "watch_gauge", {"addr": "harbour/gauge/6021", "until": "next low water"}, **READ)
    keeper.asks(154_600, "aurora-4")
    keeper.hears(
        157_122,
        text(
            "Done. Each tide is one row now, also in the hour that comes twice, and `test_repeated_hour` fails without"
            " the change.\n\nI left a watch on gauge 6021; it has not answered, and nothing here waits for it."
        ),
        stop="end_turn",
        usage=counts(13_002, 274, 12_160, 640),
        billed_usd_micros=14_800,
        first_at=BEGAN + 155_101,
        first_us=500_412,
        took_us=2_521_633,
    )
    evidence: Obj = {"seq": done, "kind": Kind.checkpoint_committed.value}
    keeper.write(157_200, Kind.run_frozen, completion="done", evidence=[evidence])


def content() -> bytes:
    """The sample's bytes."""
    return b"".join(line + b"\n" for line in lines())


if __name__ == "__main__":
    FILE.write_bytes(content())
