"""Rows of a damaged file: each kind of damage costs the line or field it is in, and is told."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw, Struct

from accounting.foreign.fidelity import DamageCode, Fidelity, Totals
from accounting.foreign.rows import carried, document, rows
from accounting.ledger.problem import Place


class Inner(Struct, frozen=True, kw_only=True):
    name: str | None = None
    count: int | None = None


class Row(Struct, frozen=True, kw_only=True):
    type: str | None = None
    n: int | None = None
    inner: Inner | str | None = None
    items: tuple[Inner, ...] = ()
    kept: Raw = Raw(b"null")


def is_row(value: dict[str, Any]) -> bool:
    return "type" in value


def read(path: Path, data: bytes) -> tuple[list[Row], list[Place], dict[str, int]]:
    path.write_bytes(data)
    fidelity = Fidelity("test", str(path))
    found = list(rows(path, Row, fidelity, is_row=is_row))
    damage: dict[str, int] = {}
    for one in fidelity.report(Totals()).damage:
        damage[one.code] = damage.get(one.code, 0) + one.count
    return [row for row, _ in found], [place for _, place in found], damage


def line(n: int, **more: Any) -> bytes:
    return json.dumps({"type": "a", "n": n, **more}).encode()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rows.jsonl"


def test_clean_rows_have_their_places(path: Path) -> None:
    found, places, damage = read(path, line(1) + b"\n\n  \n" + line(2) + b"\r\n" + line(3))
    assert [row.n for row in found] == [1, 2, 3]
    assert [(place.line, place.offset) for place in places] == [(1, 0), (4, 26), (5, 49)]
    assert not damage


CASES: list[tuple[bytes, list[int | None], dict[str, int]]] = [
    (b"", [], {}),
    (b"\0\0\0\n" + line(1), [1], {"nul-bytes": 1}),
    (line(1) + b"\0\0\n" + line(2), [1, 2], {"nul-bytes": 1}),
    (line(1) + b"\n" + line(2)[:-4], [1], {"torn-tail": 1}),
    (line(1)[:-4] + b"\n" + line(2), [2], {"not-json": 1}),
    (line(1) + line(2) + b"\n", [1, 2], {"glued": 1}),
    (line(1)[:9] + line(2) + b"\n" + line(3), [2, 3], {"glued": 1, "not-json": 1}),
    (b'{"type":"a","inner":{"name":"x"}, "n"' + b"\n" + line(2), [2], {"not-json": 1}),
    (b'3\nnull\n"text"\n[1]\n' + line(1), [1], {"not-a-row": 4}),
    (b"warning: no\n" + line(1), [1], {"not-json": 1}),
    (b'{"type":"a","n":"one"}\n', [None], {"bad-field": 1}),
    (b'{"type":"a","n":1,"inner":{"name":7,"count":2}}\n', [1], {"bad-field": 1}),
    (b'{"type":"a","n":1,"items":[{"count":1},7,{"count":"x"}]}\n', [1], {"bad-field": 2}),
    (b'{"type":"a\\udcb2","n":1}\n', [1], {"lone-surrogate": 1}),
    (b'{"type":"a\xff","n":1}\n', [1], {"bad-utf8": 1}),
    (b'{"type":"a\0b","n":1}\n', [1], {"nul-bytes": 1}),
    (b"\xef\xbb\xbf" + line(1), [1], {}),
    (b'{"type":"a","n":1,"kept":' + b"[" * 5000 + b"]" * 5000 + b"}\n" + line(2), [1, 2], {}),
    (b'[{"type":"a","n":1},\n {"type":"a","n":2}]', [1, 2], {}),
    (b'[{"type":"a","n":1},\n 7,\n {"type":"a","n":2}]', [1, 2], {"not-a-row": 1}),
    (b'[{"type":"a","n":1},\n {"type":"a","n":2},\n {"type":"a","n', [1, 2], {"glued": 1, "torn-tail": 1}),
]


@pytest.mark.parametrize(("data", "numbers", "damage"), CASES, ids=range(len(CASES)))
def test_damage_costs_only_itself(path: Path, data: bytes, numbers: list[int | None], damage: dict[str, int]) -> None:
    found, places, told = read(path, data)
    assert [row.n for row in found] == numbers
    assert told == damage
    for row, place in zip(found, places, strict=True):
        if row.n is not None:
            assert data[place.offset :].lstrip(b"\0 \xef\xbb\xbf").startswith(b"{")
            assert data[: place.offset].count(b"\n") == place.line - 1


def test_a_part_of_a_torn_row_is_no_row(path: Path) -> None:
    torn = b'{"type":"a","inner":{"name":"x","count":1}'
    found, _, damage = read(path, torn + b"\n" + line(2))
    assert [row.n for row in found] == [2]
    assert damage == {"not-json": 1}


def test_what_stays_of_a_bad_field(path: Path) -> None:
    found, _, _ = read(path, b'{"type":"a","inner":{"name":7,"count":2},"items":[{"count":1},7,{"count":"x"}]}\n')
    assert found[0].inner == Inner(count=2)
    assert found[0].items == (Inner(count=1), Inner())


def test_a_document_is_one_row(path: Path) -> None:
    path.write_bytes(b'{\n "type": "a",\n "n": 4\n}\n')
    fidelity = Fidelity("test")
    read_row = document(path, Row, fidelity)
    assert read_row is not None
    assert read_row[0].n == 4
    path.write_bytes(b'{\n "type": "a",\n "n"')
    assert document(path, Row, fidelity) is None


def test_what_is_carried_reads_later() -> None:
    assert carried(b'{"a":1.5}', lambda _: 7) == 7
    assert carried(b'{"a":"\xff"}') == {"a": "\ufffd"}
    assert carried(b"{") is None


def test_a_missing_file_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        next(rows(tmp_path / "none", Row, Fidelity("test")))


def test_many_rows_on_one_line(path: Path) -> None:
    """Each has its place, and finding it takes no longer the further on it is."""
    row = json.dumps({"type": "ä", "n": 1}, ensure_ascii=False).encode()
    found, places, damage = read(path, b"\n" + row * 40_000 + b"\n" + row)
    assert len(found) == 40_001
    assert [place.offset for place in places[:-1]] == [1 + len(row) * number for number in range(40_000)]
    assert ({place.line for place in places[:-1]}, places[-1].line) == ({2}, 3)
    assert damage == {"glued": 1}


@given(st.binary(max_size=300))
def test_any_bytes_give_rows_and_no_error(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    read(tmp_path_factory.getbasetemp() / "any.jsonl", data)


pieces = st.sampled_from(
    [line(1), line(2), b"\n", b"{", b"}", b"[", b"]", b",", b'"', b"\0", b"\xff", b"null", b" ", b"\\"]
)


@given(st.lists(pieces, max_size=12).map(b"".join))
def test_any_pieces_of_rows_give_rows_and_no_error(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    found, places, _ = read(tmp_path_factory.getbasetemp() / "pieces.jsonl", data)
    assert all(place.offset <= len(data) for place in places)
    assert [place.offset for place in places] == sorted({place.offset for place in places})
    whole = [part for part in data.split(b"\n") if part in (line(1), line(2))]
    if not data.lstrip(b"\0 ").startswith(b"["):
        assert len(found) >= len(whole)


@given(st.integers(0, 200))
def test_cut_anywhere_the_whole_lines_stand(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    data = b"".join(line(n, inner={"name": "ä" * n}) + b"\n" for n in range(4))[:cut]
    found, _, damage = read(tmp_path_factory.getbasetemp() / "cut.jsonl", data)
    whole = data.count(b"\n")
    rest = data[data.rfind(b"\n") + 1 :]
    assert [row.n for row in found[:whole]] == list(range(whole))
    assert len(found) == whole + rest.endswith(b"}}")
    assert (DamageCode.torn_tail in damage) == (bool(rest) and len(found) == whole)
