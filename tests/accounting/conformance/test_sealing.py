"""Records sealed into a ledger: what a checker says of it, and that sealing it again changes nothing."""

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounting.conformance.sealing import resealed, sealed, sealed_lines
from accounting.conformance.strategies.history import histories
from accounting.ledger import verify
from tests.cases.build import RUN
from tests.compare import Plain
from tests.lines import another_spelling, chained
from wire.scalars import JsonObject

SOUND: JsonObject = {"v": 2, "run": RUN, "t": 5, "kind": "model_called", "data": {"model": "m", "segments": []}}


def test_a_line_worked_out_by_hand() -> None:
    record: JsonObject = {
        "v": 1,
        "run": RUN,
        "t": 7,
        "kind": "cancel_received",
        "data": {"b": "\x1f\u2028/", "a": [1, None]},
    }
    assert sealed([record]).decode() == (
        '{"v":1,"run":"11111111-1111-4111-8111-111111111111","seq":0,"prev":"' + "0" * 64 + '","t":7,"who":"city",'
        '"kind":"cancel_received","data":{"a":[1,null],"b":"\\u001f\u2028/"}}\n'
    )


def test_address_author_and_ignorable_mark_stand_in_their_places() -> None:
    [line] = sealed_lines([SOUND | {"addr": "a/b", "who": "anna", "ig": True, "seq": 9}])
    assert b'"seq":9,"prev":' in line
    assert b'"t":5,"who":"anna","addr":"a/b","kind":"model_called","data":' in line
    assert line.endswith(b'},"ig":true}')
    for other in (False, None, "yes"):
        [line] = sealed_lines([SOUND | {"ig": other}])
        assert b'"ig"' not in line


def test_a_hole_in_the_numbers_is_kept_and_counted_on_from() -> None:
    records = [SOUND, SOUND | {"seq": 5}, SOUND]
    numbers = [line.split(b'"seq":')[1].split(b",")[0] for line in sealed_lines(records)]
    assert numbers == [b"0", b"5", b"6"]


@settings(max_examples=60)
@given(histories())
def test_lines_are_those_of_the_format(records: list[Plain]) -> None:
    plain = [{key: value for key, value in record.items() if key != "seq"} for record in records]
    assert list(sealed_lines(plain)) == chained(plain)


@settings(max_examples=60)
@given(histories())
def test_a_checker_finds_them_whole_and_chained(records: list[Plain]) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "ledger.jsonl"
        file.write_bytes(sealed([record | {"seq": at} for at, record in enumerate(records)]))
        found = {finding.code for finding in verify(file)}
    assert not found & {"chain-break", "seq-gap", "not-canonical", "unsorted-keys", "not-a-line", "repeated-key"}


@settings(max_examples=40)
@given(histories(), st.randoms(use_true_random=False))
def test_edited_lines_are_sealed_again(records: list[Plain], random: Random) -> None:
    whole = sealed([{key: value for key, value in record.items() if key != "seq"} for record in records])
    assert resealed(whole) == whole
    edited = b"\n".join(another_spelling(record, random) for record in records)
    assert resealed(edited) == whole
    assert resealed(b"\n\n" + edited + b"\n\n") == whole


@pytest.mark.parametrize(
    ("ledger", "words"),
    [
        (b"{}\n", "line 1: without v run t kind data"),
        (sealed([SOUND]) + b"[]\n", "line 2: a line is a JSON object"),
        (b"\n{", "line 2: not JSON"),
        (b"\xff\n", "line 1: not JSON"),
    ],
)
def test_what_cannot_be_sealed_is_named(ledger: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        resealed(ledger)
