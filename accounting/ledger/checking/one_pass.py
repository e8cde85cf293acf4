"""The one pass of a check over a ledger's lines: what is found, and what is known so far. Spec: ledger.md 8."""

import re
from collections import Counter
from collections.abc import Generator, Iterator
from typing import Final, cast

from msgspec import structs

from accounting.ledger.canonical import line_hash
from accounting.ledger.checking.chain import Chain
from accounting.ledger.checking.line import LineCheck, Verdict
from accounting.ledger.checking.payloads import misfit
from accounting.ledger.checking.rules import RULE, RULES
from accounting.ledger.checking.story import Story
from accounting.ledger.ledger import Ledger
from accounting.ledger.line import Line
from accounting.ledger.parse import NotJsonError, parse
from accounting.ledger.segments import SEGMENT_LIMIT, Block, Segment, first_seq, segment_name
from wire.check import CheckSummary, Finding, RuleCount, Severity
from wire.scalars import B3Hash, Seq, run_id, u64

_number: Final = re.compile(rb'\{"v":[0-9]+,"run":"[^"\\]*","seq":([0-9]{1,20}),').match


class Pass:
    """The pass over the lines, and what is known so far."""

    def __init__(self, ledger: Ledger, from_seq: Seq, expect_last: B3Hash | Seq | None) -> None:
        self._ledger = ledger
        self._from = from_seq
        self._expect_last = expect_last
        self._begun = self._from == 0
        self._chain = Chain()
        self._check = LineCheck(self._chain)
        self._story = Story(whole=self._begun)

        first = _segment_with(ledger.segments, from_seq)
        self._segments = len(ledger.segments) - first
        self._segment = ledger.segments[first]
        self._number, self._offset = 1, 0
        """Where the line at hand stands."""
        self._long: Segment | None = None
        """The segment that was told to be too long."""
        self._before: bytes | None = None
        """The line before the first that is checked."""
        self._unread: Finding | None = None
        """A line that is none, held until it is known how many such lines follow it."""
        self._unread_more = 0

        self._counts: Counter[str] = Counter()
        self._count = self._bytes = 0
        self.newest = (0, 0)
        """What `Verification.newest` tells."""
        self._sound: int | None = None
        """Lines before the first fault, once there is one."""
        self._first_seq: Seq | None = None
        self._last: Line | Verdict | None = None

    @property
    def summary(self) -> CheckSummary:
        """What `Verification.summary` tells."""
        by_severity = {
            severity: sum(count for code, count in self._counts.items() if RULE[code].severity is severity)
            for severity in Severity
        }
        counts = tuple(
            RuleCount(code=rule.code, severity=rule.severity, count=self._counts[rule.code])
            for rule in RULES
            if self._counts[rule.code]
        )
        return CheckSummary(
            segments=self._segments,
            lines=self._count,
            bytes=self._bytes,
            sound=self._count if self._sound is None else self._sound,
            first_seq=self._first_seq,
            last_seq=None if self._last is None else self._last.seq,
            last_hash=self._last_hash,
            faults=by_severity[Severity.fault],
            warnings=by_severity[Severity.warning],
            notes=by_severity[Severity.note],
            counts=counts,
        )

    @property
    def _last_hash(self) -> B3Hash | None:
        return None if self._last is None else cast("B3Hash | None", self._chain.prev)

    def findings(self) -> Generator[Finding, None, None]:
        """What is found, in ledger order."""
        first = len(self._ledger.segments) - self._segments
        for segment, block, number in self._ledger.blocks(first):
            self._segment = segment
            self._bytes += block.size
            if block.whole:
                if segment.newest:
                    self.newest = (block.offset + block.size, 0)
                yield from self._lines_of(block, number)
            else:
                if segment.newest:
                    self.newest = (block.offset, block.size)
                yield from self._tail(block, number)
        yield from self._give_unread()
        yield from self._end()

    def _lines_of(self, block: Block, number: int) -> Iterator[Finding]:
        content, check, read_on = block.content, self._check.check, self._story.read
        size = len(content)
        past = size if self._long is self._segment else SEGMENT_LIMIT - block.offset
        start = 0
        while start < size:
            end = content.find(b"\n", start)
            line = content[start:end]
            if self._begun or self._begins(line):
                self._number, self._offset = number, block.offset + start
                self._last = read = check(line)
                self._count += 1
                if type(read) is Line and self._unread is None:
                    why = misfit(read)
                    if why is not None:
                        yield self._finding("payload-shape", f"a payload of {read.kind}", why, read)
                    for code, expected, found in read_on(read):
                        yield self._finding(code, expected, found, read)
                else:
                    yield from self._odd(read)
                if number == 1 or self._count == 1 or end >= past:
                    yield from self._placed(read, number, block.offset + end)
            start = end + 1
            number += 1
        if not self._begun:
            self._number, self._offset = number, block.offset + size

    def _odd(self, read: Line | Verdict) -> Iterator[Finding]:
        """A line that is at fault, or skipped, or goes on from another end; or the first after one that is none."""
        code = read.code if isinstance(read, Verdict) else None
        if code == "not-a-line" and self._unread is not None:
            self._unread_more += 1
            return
        yield from self._give_unread()
        if isinstance(read, Verdict):
            if code is not None:
                self._fault(self._count - 1)
                finding = self._finding(code, read.expected, read.found, read)
                if code == "not-a-line":
                    self._unread = finding
                    return
                yield finding
            if read.skipped is not None:
                yield self._finding("kind-skipped", "a kind that is known", read.skipped, read)
        line = read.record if isinstance(read, Verdict) else read
        if line is not None:
            said = self._story.read(line)
            if code is None:
                if (why := misfit(line)) is not None:
                    yield self._finding("payload-shape", f"a payload of {line.kind}", why, line)
                for rule, expected, found in said:
                    yield self._finding(rule, expected, found, line)

    def _fault(self, sound: int) -> None:
        if self._sound is None:
            self._sound = sound
        self._story.lost()

    def _give_unread(self) -> Iterator[Finding]:
        """The lines in a row that are none, as the one finding that they are."""
        finding, more = self._unread, self._unread_more
        self._unread, self._unread_more = None, 0
        if finding is not None:
            self._counts[finding.code] += 1
            yield (
                finding if not more else structs.replace(finding, found=f"{finding.found}, and {more} more such lines")
            )

    def _placed(self, read: Line | Verdict, number: int, end: int) -> Iterator[Finding]:
        """What a line is to its segment: the first one, or the one that makes it too long."""
        if self._count == 1:
            self._first_seq = read.seq
        if self._unread is not None:  # it is no line
            return
        name = first_seq(self._segment.path.name)
        if number == 1 and read.seq is not None and name not in (None, read.seq):
            yield self._finding("segment-name", segment_name(read.seq), self._segment.path.name, read)
        if number > 1 and end >= SEGMENT_LIMIT and self._long is not self._segment:
            self._long = self._segment
            yield self._finding("long-segment", f"up to {SEGMENT_LIMIT} bytes", f"a line that ends at byte {end}", read)

    def _tail(self, block: Block, number: int) -> Iterator[Finding]:
        yield from self._give_unread()
        self._number, self._offset = number, block.offset
        found = f"{block.size} bytes after the last newline"
        if self._segment.newest:
            yield self._finding("torn-tail", "a newline at the end", found)
            return
        if not self._begun:
            self._before = None  # whatever those bytes were, they are believed
            return
        self._fault(self._count)
        self._chain.fail(None, line_hash(block.content), mangled=True)
        self._last = Verdict()
        yield self._finding("unended-segment", "a newline at the end of a segment that is not the newest", found)

    def _end(self) -> Iterator[Finding]:
        if not self._begun:
            yield self._finding("seq-gap", f"seq {self._from}", "the ledger's end")
        expected = self._expect_last
        if expected is None:
            return
        last_seq = None if self._last is None else self._last.seq
        last = last_seq if isinstance(expected, int) else self._last_hash
        if last != expected:
            what = "seq" if isinstance(expected, int) else "hash"
            found = "no line" if self._last is None else f"{what} {'that does not read' if last is None else last}"
            yield self._finding("other-end", f"a last line of {what} {expected}", found)

    def _begins(self, line: bytes) -> bool:
        """Whether the check begins at this line: the first whose `seq` is not below what was asked for."""
        seq = _seq_of(line)
        if seq is None or seq < self._from:
            self._before = line
            return False
        self._begun = True
        self._chain.prev = None if self._before is None else line_hash(self._before)
        self._chain.expected = self._from
        return True

    def _finding(self, code: str, expected: str, found: str, read: Line | Verdict | None = None) -> Finding:
        rule = RULE[code]
        if code != "not-a-line":  # counted when it is given
            self._counts[code] += 1
        run = None if read is None else run_id(read.run)
        return Finding(
            code=code,
            severity=rule.severity,
            segment=self._segment.name,
            line=self._number,
            offset=self._offset,
            seq=None if read is None else read.seq,
            run=run,
            expected=expected,
            found=found,
            advice=rule.advice,
        )


def _segment_with(segments: tuple[Segment, ...], seq: Seq) -> int:
    """The index of the segment in which the line of that `seq` stands, going by the names."""
    first = 0
    for index, segment in enumerate(segments):
        named = first_seq(segment.path.name)
        if named is not None and named <= seq:
            first = index
    return first


def _seq_of(line: bytes) -> Seq | None:
    if (head := _number(line)) is not None:
        return u64(int(head[1]))
    try:
        value, _ = parse(line.decode(errors="replace"))
    except NotJsonError:
        return None
    return u64(value.get("seq")) if isinstance(value, dict) else None
