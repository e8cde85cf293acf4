"""The scalar grammars: what an id, a hash, an address or a count may look like.

Each grammar is written once, as a pattern. The alias (`RunId`) carries it into decoding and into the
exported schema; the function of the same name in lower case (`run_id`) reads one JSON value against it
and answers `None` when it does not fit.

Spec: ledger.md 4, asks.md 1.3, dispatch.md 2.2.
"""

import re
from typing import TYPE_CHECKING, Annotated, Any, Final, NewType, TypeAlias

from msgspec import Meta

if TYPE_CHECKING:
    Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None
else:
    Json = Any
JsonObject: TypeAlias = dict[str, Json]
"""Any JSON object."""

U32_MAX: Final = 2**32 - 1
U64_MAX: Final = 2**64 - 1
I64_MIN: Final = -(2**63)
I64_MAX: Final = 2**63 - 1

WHITE_SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""Every character with the Unicode property White_Space (not what `str.strip` takes for white space)."""

# Character classes spelled so that Python's `re` and ECMAScript read them alike.
_WS = r"\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_CC = r"\u0000-\u001f\u007f-\u009f"
_SEGMENT = rf"[^/\\:{_CC}]*[^/\\:.{_CC}{_WS}]"
_ADDRESS = rf"{_SEGMENT}(?:/{_SEGMENT})*"
_LINES = r"#L[1-9][0-9]*-[1-9][0-9]*"
_BYTES = r"#B(?:0|[1-9][0-9]*)-(?:0|[1-9][0-9]*)"
_LOCATOR = rf"(?:cas:b3-[0-9a-f]{{64}}|file:{_ADDRESS}@[0-9a-f]{{40}})"
_RANGE = rf"(?:{_LINES}|{_BYTES})"
_OID = "[0-9a-f]{40}"
_HASH = "[0-9a-f]{64}"
_SIGNAL = rf"[^{_WS}]+"
_LABEL = "[a-z0-9]+"
_WORD = "[a-z][a-z0-9]*(?:_[a-z0-9]+)*"
_DISPATCH = "wb-[0-9a-f]{16}"
_ISO_TIME = (
    r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
    r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z"
)
_PATH = r"(?:/|[A-Za-z]:[\\/]|\\\\)[^\u0000]*"
_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


def _grammar(body: str, description: str, *, length: int | None = None, **schema: Json) -> Meta:
    """A whole-text pattern: Python's `$` lets a final newline through, so only the schema gets it.

    Where the grammar fixes the length it is `length`. Otherwise the format sets no most, and none is made up here.
    """
    extra: JsonObject = {"pattern": f"^(?:{body})$", **schema}
    return Meta(
        pattern=rf"\A(?:{body})\Z",
        min_length=1 if length is None else length,
        max_length=length,
        description=description,
        extra_json_schema=extra,
    )


# mypy and pyright want the NewType's own name to be the variable's; the public name carries the grammar.
_RunId = NewType("_RunId", str)
_GitOid = NewType("_GitOid", str)
_B3Hash = NewType("_B3Hash", str)
_Address = NewType("_Address", str)
_Who = NewType("_Who", str)
_Locator = NewType("_Locator", str)
_SignalId = NewType("_SignalId", str)
_ServerLabel = NewType("_ServerLabel", str)
_KindWord = NewType("_KindWord", str)
_DispatchId = NewType("_DispatchId", str)
_Sha256 = NewType("_Sha256", str)
_IsoTime = NewType("_IsoTime", str)
_AbsolutePath = NewType("_AbsolutePath", str)

RunId: TypeAlias = Annotated[
    _RunId, _grammar(_UUID, "A session's id: a hyphenated lower-case uuid.", length=36, format="uuid")
]
GitOid: TypeAlias = Annotated[_GitOid, _grammar(_OID, "A git object id: exactly 40 lower-case hex digits.", length=40)]
B3Hash: TypeAlias = Annotated[_B3Hash, _grammar(_HASH, "A BLAKE3 hash: exactly 64 lower-case hex digits.", length=64)]
Address: TypeAlias = Annotated[
    _Address,
    _grammar(_ADDRESS, "A canonical relative path; accepted text is never normalised."),
]
Who: TypeAlias = Annotated[_Who, _grammar(_ADDRESS, "An author: `city`, `person`, or an Address.")]
Locator: TypeAlias = Annotated[
    _Locator,
    _grammar(
        rf"{_LOCATOR}{_RANGE}?",
        "Where content is kept: `cas:b3-<B3Hash>` or `file:<Address>@<GitOid>`, optionally `#L<a>-<b>` "
        "(lines, 1-based, closed) or `#B<a>-<b>` (bytes, 0-based, closed) with a <= b <= 2^64-1.",
    ),
]
SignalId: TypeAlias = Annotated[_SignalId, _grammar(_SIGNAL, "A letter's id: not empty, without Unicode White_Space.")]
ServerLabel: TypeAlias = Annotated[
    _ServerLabel, _grammar(_LABEL, "The label of a connected server: not empty, `[a-z0-9]`.")
]
KindWord: TypeAlias = Annotated[
    _KindWord, _grammar(_WORD, "The spelling of a kind, known or not: lower-case words and digits joined by `_`.")
]
DispatchId: TypeAlias = Annotated[
    _DispatchId, _grammar(_DISPATCH, "The id of a dispatched run: `wb-` and 16 lower-case hex digits.", length=19)
]
Sha256: TypeAlias = Annotated[
    _Sha256, _grammar(_HASH, "A SHA-256 digest: exactly 64 lower-case hex digits.", length=64)
]
IsoTime: TypeAlias = Annotated[
    _IsoTime,
    _grammar(
        _ISO_TIME,
        "A time in UTC as text, with exactly three digits of a second: `2026-09-01T08:00:00.000Z`.",
        length=24,
        format="date-time",
    ),
]
AbsolutePath: TypeAlias = Annotated[
    _AbsolutePath, _grammar(_PATH, "A path from the root of a file system, as POSIX or Windows spells it.")
]

# Meta bounds must fit int64, so the u64 maximum is stated for the schema and enforced by `wire.decode`.
_U64: JsonObject = {"maximum": U64_MAX}
U32: TypeAlias = Annotated[int, Meta(ge=0, le=U32_MAX)]
"""An integer of 0..2^32-1."""
U64: TypeAlias = Annotated[int, Meta(ge=0, extra_json_schema=_U64)]
"""An integer of 0..2^64-1."""
I64: TypeAlias = Annotated[int, Meta(ge=I64_MIN, le=I64_MAX)]
"""An integer of -2^63..2^63-1."""
Seq: TypeAlias = Annotated[
    int, Meta(ge=0, description="Position of a line in the whole ledger.", extra_json_schema=_U64)
]
TimeMs: TypeAlias = Annotated[int, Meta(ge=0, description="UTC milliseconds.", extra_json_schema=_U64)]
Tokens: TypeAlias = Annotated[int, Meta(ge=0, description="A count of tokens.", extra_json_schema=_U64)]
UsdMicros: TypeAlias = Annotated[int, Meta(ge=0, description="Millionths of a US dollar.", extra_json_schema=_U64)]
Micros: TypeAlias = Annotated[int, Meta(ge=0, description="Microseconds.", extra_json_schema=_U64)]

NIL_RUN: Final[RunId] = _RunId("00000000-0000-0000-0000-000000000000")
"""The city itself: the run of lines that belong to no session."""

_is_run_id = re.compile(_UUID).fullmatch
_is_git_oid = re.compile(_OID).fullmatch
_is_b3_hash = re.compile(_HASH).fullmatch
_is_address = re.compile(_ADDRESS).fullmatch
_is_signal_id = re.compile(_SIGNAL).fullmatch
_is_server_label = re.compile(_LABEL).fullmatch
_is_kind_word = re.compile(_WORD).fullmatch
_is_dispatch_id = re.compile(_DISPATCH).fullmatch
_is_iso_time = re.compile(_ISO_TIME).fullmatch
_is_absolute_path = re.compile(_PATH).fullmatch
_is_locator = re.compile(rf"{_LOCATOR}(?:#[LB](?P<a>[0-9]+)-(?P<b>[0-9]+))?").fullmatch
_is_range = re.compile(rf"{_RANGE}\Z").search


def run_id(value: Json) -> RunId | None:
    """The value as a RunId, or `None`."""
    return _RunId(value) if isinstance(value, str) and _is_run_id(value) else None


def git_oid(value: Json) -> GitOid | None:
    """The value as a GitOid, or `None`."""
    return _GitOid(value) if isinstance(value, str) and _is_git_oid(value) else None


def b3_hash(value: Json) -> B3Hash | None:
    """The value as a B3Hash, or `None`."""
    return _B3Hash(value) if isinstance(value, str) and _is_b3_hash(value) else None


def address(value: Json) -> Address | None:
    """The value as an Address, or `None`."""
    return _Address(value) if isinstance(value, str) and _is_address(value) else None


def who(value: Json) -> Who | None:
    """The value as a Who, or `None`; the words `city` and `person` have the shape of an Address."""
    return _Who(value) if isinstance(value, str) and _is_address(value) else None


def signal_id(value: Json) -> SignalId | None:
    """The value as a SignalId, or `None`."""
    return _SignalId(value) if isinstance(value, str) and _is_signal_id(value) else None


def server_label(value: Json) -> ServerLabel | None:
    """The value as a ServerLabel, or `None`."""
    return _ServerLabel(value) if isinstance(value, str) and _is_server_label(value) else None


def kind_word(value: Json) -> KindWord | None:
    """The value as a KindWord, or `None`."""
    return _KindWord(value) if isinstance(value, str) and _is_kind_word(value) else None


def dispatch_id(value: Json) -> DispatchId | None:
    """The value as a DispatchId, or `None`."""
    return _DispatchId(value) if isinstance(value, str) and _is_dispatch_id(value) else None


def sha256(value: Json) -> Sha256 | None:
    """The value as a Sha256, or `None`."""
    return _Sha256(value) if isinstance(value, str) and _is_b3_hash(value) else None


def iso_time(value: Json) -> IsoTime | None:
    """The value as an IsoTime, or `None`. The day of the month is not looked up: `02-30` passes."""
    return _IsoTime(value) if isinstance(value, str) and _is_iso_time(value) else None


def absolute_path(value: Json) -> AbsolutePath | None:
    """The value as an AbsolutePath, or `None`."""
    return _AbsolutePath(value) if isinstance(value, str) and _is_absolute_path(value) else None


def locator(value: Json) -> Locator | None:
    """The value as a Locator, or `None`: the grammar, and a range that runs forward within u64."""
    if not isinstance(value, str) or (match := _is_locator(value)) is None:
        return None
    if match["a"] is not None and not (_is_range(value) and _forward(match["a"], match["b"])):
        return None
    return _Locator(value)


def check_range(value: Locator | None) -> None:
    """Raise `ValueError` for a Locator whose range does not run forward within u64: what no pattern can say."""
    if value is not None and locator(value) is None:
        raise ValueError("a Locator's range runs forward and fits u64")


def _forward(first: str, last: str) -> bool:
    # Lengths first: `int` refuses thousands of digits, and twenty are enough to know.
    return len(first) <= 20 and len(last) <= 20 and int(first) <= int(last) <= U64_MAX


def u64(value: Json) -> int | None:
    """The value when it is an integer of 0..2^64-1 (a boolean or `1.0` is not), else `None`."""
    return value if type(value) is int and 0 <= value <= U64_MAX else None


def u32(value: Json) -> int | None:
    """The value when it is an integer of 0..2^32-1, else `None`."""
    return value if type(value) is int and 0 <= value <= U32_MAX else None


def i64(value: Json) -> int | None:
    """The value when it is an integer of -2^63..2^63-1, else `None`."""
    return value if type(value) is int and I64_MIN <= value <= I64_MAX else None
