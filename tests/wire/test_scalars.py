"""The scalar grammars of ledger.md 4, beside definitions made from the Unicode database itself."""

import unicodedata
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wire import scalars
from wire.scalars import U64_MAX, WHITE_SPACE, Json

NASTY = "ab./:\\@#-LB019\n\r\t \x00\x1f\x7f\x85\x9f\xa0\u1680\u200a\u200b\u2028\u202f\u3000é\U0001f600Acsefil"


def _address(value: str) -> bool:
    if not value or value.startswith("/") or "\\" in value or ":" in value:
        return False
    if any(unicodedata.category(character) == "Cc" for character in value):
        return False
    return all(part and not part.endswith(".") and part[-1] not in WHITE_SPACE for part in value.split("/"))


def test_white_space_is_the_unicode_property() -> None:
    # The property is Python's white space less the four separators below U+0020.
    python = {chr(code) for code in range(0x110000) if chr(code).isspace()}
    assert set(WHITE_SPACE) == python - set("\x1c\x1d\x1e\x1f")


@given(st.text(alphabet=NASTY) | st.text())
def test_address(value: str) -> None:
    assert (scalars.address(value) is not None) == _address(value)
    assert (scalars.who(value) is None) == (scalars.address(value) is None)


@given(st.text(alphabet=NASTY, max_size=4) | st.text())
def test_signal_id(value: str) -> None:
    assert (scalars.signal_id(value) is not None) == (bool(value) and not set(value) & set(WHITE_SPACE))


OID, HASH = "0" * 40, "a" * 64
GOOD = [
    f"cas:b3-{HASH}",
    f"cas:b3-{HASH}#L1-1",
    f"cas:b3-{HASH}#L1-{U64_MAX}",
    f"cas:b3-{HASH}#B0-0",
    f"file:a/b.txt@{OID}",
    f"file:a@b@{OID}#B7-12",
    f"file:a#L1-2@{OID}",
    f"file:{OID}@{OID}",
]
BAD = [
    "",
    f"secret:{HASH}",
    f"cas:b3-{HASH.upper()}",
    f"cas:b3-{HASH[1:]}",
    f"cas:b3-{HASH}\n",
    f"cas:b3-{HASH}#L0-1",
    f"cas:b3-{HASH}#L2-1",
    f"cas:b3-{HASH}#L01-2",
    f"cas:b3-{HASH}#L+1-2",
    f"cas:b3-{HASH}#B00-1",
    f"cas:b3-{HASH}#B1-{U64_MAX + 1}",
    f"cas:b3-{HASH}#B0-{'9' * 5000}",
    f"cas:b3-{HASH}#L1",
    f"cas:b3-{HASH}#l1-2",
    f"cas:b3-{HASH}#L1-2#L1-2",
    f"file:a@{OID[1:]}",
    f"file:a@{OID}#",
    f"file:/a@{OID}",
    f"file:a.@{OID}",
    f"file:@{OID}",
    f"file:a\n@{OID}",
]


@pytest.mark.parametrize("value", GOOD)
def test_a_locator(value: str) -> None:
    assert scalars.locator(value) == value


@pytest.mark.parametrize("value", BAD)
def test_no_locator(value: str) -> None:
    assert scalars.locator(value) is None


@given(st.sampled_from(GOOD), st.integers(0, 200), st.sampled_from([*NASTY, ""]))
def test_one_spelling_for_each_locator(value: str, at: int, character: str) -> None:
    changed = value[:at] + character + value[at + 1 :]
    if scalars.locator(changed) is not None and changed.startswith("file:"):
        path, _, rest = changed.removeprefix("file:").rpartition("@")
        assert _address(path)
        assert len(rest.partition("#")[0]) == 40


ALIASES: list[tuple[Any, Callable[[Json], str | None]]] = [
    (scalars.RunId, scalars.run_id),
    (scalars.GitOid, scalars.git_oid),
    (scalars.B3Hash, scalars.b3_hash),
    (scalars.Address, scalars.address),
    (scalars.Who, scalars.who),
    (scalars.SignalId, scalars.signal_id),
    (scalars.ServerLabel, scalars.server_label),
]
TEXTS = [
    "a",
    "a\n",
    "",
    OID,
    OID + "\n",
    HASH,
    HASH + "a",
    "A" * 40,
    "a b",
    "a/b",
    "a/",
    *GOOD,
    *BAD,
    str(scalars.NIL_RUN),
]


@pytest.mark.parametrize(("alias", "read"), ALIASES, ids=lambda one: getattr(one, "__name__", ""))
@pytest.mark.parametrize("value", TEXTS)
def test_decoding_and_reading_hold_to_one_grammar(alias: Any, read: Callable[[Json], str | None], value: str) -> None:
    try:
        decoded = msgspec.json.decode(msgspec.json.encode(value), type=alias)
    except msgspec.ValidationError:
        decoded = None
    assert decoded == read(value)


@pytest.mark.parametrize("value", [True, False, 1.0, "1", None, [], {}, -1, U64_MAX + 1])
def test_no_u64(value: Json) -> None:
    assert scalars.u64(value) is None


@pytest.mark.parametrize("value", [0, 1, 2**53 + 1, 2**63, U64_MAX])
def test_u64(value: int) -> None:
    assert scalars.u64(value) == value
    assert scalars.u32(value) == (value if value < 2**32 else None)
    assert scalars.i64(value) == (value if value < 2**63 else None)
    assert scalars.i64(-value) == (-value if value <= 2**63 else None)
