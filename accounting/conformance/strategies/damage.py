"""Sound ledgers with one named piece of damage, for checkers. Spec: ledger.md 8."""

from collections.abc import Callable
from typing import Final, TypeAlias

from hypothesis import strategies as st
from msgspec import Struct

from accounting.conformance.sealing import sealed_lines
from accounting.conformance.strategies.ledgers import SealedLedger, ledgers
from accounting.ledger.canonical import line_hash
from accounting.ledger.parse import DEEPEST_WRITTEN
from wire.scalars import Json, JsonObject


class CorruptedLedger(Struct, frozen=True, kw_only=True):
    """A ledger with one piece of damage, and the first fault that a checker has to find in it."""

    content: bytes
    """The damaged file."""
    sound: bytes
    """The file before."""
    damage: str
    """What was done, in a few words."""
    code: str
    """The rule that it breaks first (docs/rules.md)."""
    line: int
    """The line, from 1, at which that shows."""


_Damaged: TypeAlias = tuple[list[bytes], int]
_Damage: TypeAlias = Callable[[list[bytes], list[JsonObject], int], _Damaged]
"""Damages the lines at an index; the index of the line at which it shows comes back."""


def _taken_out(lines: list[bytes], _: list[JsonObject], at: int) -> _Damaged:
    return lines[:at] + lines[at + 1 :], at


def _twice(lines: list[bytes], _: list[JsonObject], at: int) -> _Damaged:
    return [*lines[: at + 1], *lines[at:]], at + 1


def _changed_places(lines: list[bytes], _: list[JsonObject], at: int) -> _Damaged:
    return [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]], at


def _changed_quietly(lines: list[bytes], _: list[JsonObject], at: int) -> _Damaged:
    changed = lines[at].replace(b'"who":"city"', b'"who":"person"', 1)
    return [*lines[:at], changed, *lines[at + 1 :]], at + 1


def _garbage(lines: list[bytes], _: list[JsonObject], at: int) -> _Damaged:
    return [*lines[:at], lines[at][: len(lines[at]) // 2], *lines[at + 1 :]], at


def _sealed_with(**changes: Json) -> _Damage:
    """Other values in the record, and the ledger sealed over them."""

    def damage(_: list[bytes], records: list[JsonObject], at: int) -> _Damaged:
        changed = records[at] | changes
        return list(sealed_lines([*records[:at], changed, *records[at + 1 :]])), at

    return damage


def _numbered_on(_: list[bytes], records: list[JsonObject], at: int) -> _Damaged:
    moved = [record | {"seq": seq + (seq >= at)} for seq, record in enumerate(records)]
    return list(sealed_lines(moved)), at


def _spelled_with(old: bytes, new: bytes) -> _Damage:
    """Other bytes in the line, and the lines after it chained to them."""

    def damage(lines: list[bytes], _: list[JsonObject], at: int) -> _Damaged:
        edited = [*lines[:at], lines[at].replace(old, new, 1).replace(b",}", b"}"), *lines[at + 1 :]]
        for after in range(at + 1, len(lines)):
            was, now = line_hash(lines[after - 1]).encode(), line_hash(edited[after - 1]).encode()
            edited[after] = edited[after].replace(was, now, 1)
        return edited, at

    return damage


def _in_payload(text: bytes) -> _Damage:
    return _spelled_with(b'"data":{', b'"data":{' + text + b",")


def _deep() -> Json:
    value: Json = 0
    for _ in range(DEEPEST_WRITTEN):
        value = [value]
    return {"a": value}


_DAMAGES: Final[tuple[tuple[str, str, _Damage], ...]] = (
    ("a line taken out", "chain-break", _taken_out),
    ("a line written twice", "chain-break", _twice),
    ("two lines that changed places", "chain-break", _changed_places),
    ("an author changed in a line that still looks sound", "chain-break", _changed_quietly),
    ("half a line", "not-a-line", _garbage),
    ("a version of the future", "version-ahead", _sealed_with(v=3)),
    ("version 0", "not-a-version", _sealed_with(v=0)),
    ("a number left out", "seq-gap", _numbered_on),
    ("a kind outside the set", "unknown-kind", _sealed_with(kind="went_elsewhere")),
    ("an address that begins with a slash", "envelope-field", _sealed_with(addr="/hall")),
    ("a payload nested too deep", "too-deep", _sealed_with(data=_deep())),
    ("a byte that is not UTF-8", "bad-utf8", _in_payload(b'"~":"\xff"')),
    ("half a surrogate pair", "lone-surrogate", _in_payload(b'"~":"\\ud800"')),
    ("a key twice", "repeated-key", _in_payload(b'"~":0,"~":0')),
    ("a key that no envelope has", "unknown-key", _spelled_with(b'"who":', b'"whom":"hall","who":')),
    ("a float", "float", _in_payload(b'"~":1.0')),
    ("an integer past 64 bits", "integer-range", _in_payload(b'"~":18446744073709551616')),
    ("keys that are not sorted", "unsorted-keys", _in_payload(b'"~":0,"}":0')),
    ("a space after a comma", "not-canonical", _spelled_with(b',"who":', b', "who":')),
)


def corrupted_ledgers(*, max_size: int = 12) -> st.SearchStrategy[CorruptedLedger]:
    """A sound ledger and one named piece of damage: what was done, at which line, and the rule it breaks."""
    sound = ledgers(max_size=max_size).filter(lambda ledger: bool(_places(ledger)))
    return st.builds(_damaged, sound, st.sampled_from(_DAMAGES), st.integers(0, 255))


def _damaged(sound: SealedLedger, chosen: tuple[str, str, _Damage], byte: int) -> CorruptedLedger:
    what, code, damage = chosen
    places = _places(sound)
    at = places[byte % len(places)]
    lines, shows = damage(list(sound.lines), [dict(record) for record in sound.records], at)
    content = b"".join(line + b"\n" for line in lines)
    return CorruptedLedger(content=content, sound=sound.content, damage=what, code=code, line=shows + 1)


def _places(ledger: SealedLedger) -> list[int]:
    """Lines in which damage shows: not the last one, and none that a reader may skip."""
    return [at for at, record in enumerate(ledger.records[:-1]) if "ig" not in record]
