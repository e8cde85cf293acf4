"""The exported documents with two validators for each shape, and edge values of every shape."""

import json
from collections.abc import Iterator, Sequence
from enum import Enum
from functools import cache
from importlib import import_module
from types import NoneType
from typing import Annotated, Any, Final, Literal, NamedTuple, get_args, get_origin

from hypothesis import strategies as st
from msgspec import UNSET, Meta, Raw, Struct, UnsetType
from msgspec.structs import fields

import wire
from wire import scalars
from wire.dispatch import SOURCES
from wire.export import BUNDLE, ROOTS, bundle, document
from wire.export.source import members_of

# Neither of the two says what its types are.
jsonschema: Any = import_module("jsonschema")
jsonschema_rs: Any = import_module("jsonschema_rs")

Json = Any
DOCUMENTS: Final[dict[str, Json]] = {root.name: document(root) for root in ROOTS} | {BUNDLE: bundle()}
ROOT_SHAPES: Final = {root.name: root.shape for root in ROOTS} | {BUNDLE: "Rounds"}
ONE_KEY: Final = (wire.Note, wire.EffectOn, wire.Handback, wire.RenderDiff)
RUN: Final = "0aaaaaaa-0000-4000-8000-00000000000a"


class Judge(NamedTuple):
    """Two validators of one shape, which have to agree."""

    python: Any
    rust: Any

    def accepts(self, value: Json) -> bool:
        verdict, other = bool(self.python.is_valid(value)), bool(self.rust.is_valid(value))
        assert verdict == other, value
        return verdict


@cache
def judge(name: str, shape: str) -> Judge:
    whole = DOCUMENTS[name]
    if shape != ROOT_SHAPES[name]:
        whole = {"$schema": whole["$schema"], "$ref": f"#/$defs/{shape}", "$defs": whole["$defs"]}
    return Judge(jsonschema.Draft202012Validator(whole), jsonschema_rs.validator_for(whole))


def judges(shape: str) -> list[Judge]:
    """One of its definition in the bundle, and one of its own document if it has one."""
    return [judge(name, shape) for name in ROOT_SHAPES if name == BUNDLE or shape == ROOT_SHAPES[name]]


def shapes(name: str) -> dict[str, Json]:
    """The schemas of one document by the name of their shape."""
    return {ROOT_SHAPES[name]: DOCUMENTS[name], **DOCUMENTS[name]["$defs"]}


def inside(value: Json) -> list[tuple[Any, Json]]:
    """What an object or a list holds, by key or index."""
    by_key: dict[str, Json] = value
    by_place: list[Json] = value
    if isinstance(value, dict):
        return list(by_key.items())
    return list(enumerate(by_place)) if isinstance(value, list) else []


def compact(value: Json) -> bytes:
    """JSON as the codec writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


# Texts that have a grammar: good ones, and near misses

_HEX = "0123456789abcdef"
_ADDRESSES = (
    *("a/b/c", " a", ".a", "..a", "a..b", "a@b#c", "é\u200b", "\U0001f600/\U0001f600", "a\u2026", "a" * 300, "a\ufeff"),
    *("a\x1f", "/a", "a/", "a//b", "a\\b", ".", "..", "a/..", "a/./b", "a.", "a ", "a\u3000/b", "a\x85", "a\x07b"),
    *("a/b\n", "\u2028", "a:b", ""),
)
_KEPT = ("cas:b3-" + _HEX * 4, "file:a@b/c@" + "c" * 40, "cas:b3-" + "0" * 63, "file:@" + "c" * 40, "secret:x")
_RANGES = ("", "#L1-2", "#L0-1", "#L01-2", "#B0-0", "#B0-18446744073709551615", "#B-1", "#L1-2\n", "\n", "#X1-2")
TEXTS: Final[dict[str, tuple[str, ...]]] = {
    "RunId": (RUN, scalars.NIL_RUN, RUN.upper(), RUN[:-1], RUN + "0", RUN + "\n", RUN.replace("-", "")),
    "GitOid": ("c" * 40, (_HEX * 3)[:40], "C" * 40, "c" * 39, "c" * 41, "c" * 40 + "\n", "g" * 40),
    "B3Hash": (_HEX * 4, "0" * 64, "A" * 64, "0" * 63, "0" * 65, "0" * 64 + "\n"),
    "Address": _ADDRESSES,
    "Who": ("city", "person", *_ADDRESSES),
    "SignalId": ("s-1", "s 1", "s\u3000", "s\u200b", "s\n", "s\x1c", "\x85", ""),
    "KindWord": ("a_kind", "k2", "a__b", "_a", "a_", "A", "2a", "a b", "a\n", ""),
    "DispatchId": ("wb-" + _HEX, "wb-" + _HEX[1:], "WB-" + _HEX, "wb-" + _HEX.upper(), "wb-" + _HEX + "\n"),
    "Sha256": (_HEX * 4, "0" * 64, "A" * 64, "0" * 63, "0" * 65, "0" * 64 + "\n"),
    "IsoTime": (
        *(
            "2026-09-01T08:00:00.000Z",
            "0000-01-01T00:00:00.000Z",
            "9999-12-31T23:59:59.999Z",
            "2026-02-30T00:00:00.000Z",
        ),
        *(
            "2026-09-01T08:00:00Z",
            "2026-09-01T08:00:00.00Z",
            "2026-09-01T08:00:00.000+00:00",
            "2026-13-01T00:00:00.000Z",
        ),
        *("2026-09-01T24:00:00.000Z", "2026-09-01 08:00:00.000Z", "2026-09-01T08:00:00.000Z\n", "yesterday", ""),
        "\u0662026-09-01T08:00:00.000Z",
    ),
    "AbsolutePath": (
        *("/", "/a b/\u00e9", "C:\\work", "c:/work", "\\\\host\\share", "/a\n", "/" + "a" * 5000),
        *("", "a", "./a", "~/a", "C:", "C:work", "\\one", " /a", "/a\x00", "\n/a"),
    ),
    "ServerLabel": ("files2", "0", "Files", "files\n", "files_2", "é2", ""),
    "Locator": tuple(kept + part for kept in _KEPT for part in _RANGES),
}


def fits(shape: str, text: str) -> bool:
    """What the grammar function of that name says."""
    snake = "".join("_" + letter.lower() if letter.isupper() else letter for letter in shape).strip("_")
    return getattr(scalars, snake)(text) is not None


# Edge values

_INTS = (0, 1, 2**32 - 1, 2**53 - 1, 2**53 + 1, 2**63 - 1, 2**64 - 1, -1, -(2**53) - 1, -(2**63))
_STRINGS = ("", "x", "two\nlines\n", "é\u2028\U0001f600", '"\\\x00', "l\n" * 40)
_JSON: tuple[Json, ...] = (None, 0, 2**64 - 1, "", [], {}, [1, [{"": None}]], {"a": {"kind": "text"}})
_PLAIN: dict[Any, Any] = {
    str: _STRINGS,
    bool: (False, True),
    NoneType: (None,),
    UnsetType: (UNSET,),
    Any: _JSON,
    Raw: [Raw(compact(one)) for one in _JSON],
}


def values(hint: Any) -> st.SearchStrategy[Any]:
    """Edge values of anything that a shape may hold."""
    return st.one_of([_values(member) for member in members_of(hint)])


def _values(hint: Any) -> st.SearchStrategy[Any]:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated and arguments[0] is int:
        return st.sampled_from([one for one in _INTS if _within(one, arguments[1])])
    for shape, texts in TEXTS.items():
        if hint == getattr(wire, shape):
            return st.sampled_from([text for text in texts if fits(shape, text)])
    if origin is Annotated and arguments[0] is str:
        return st.sampled_from([text for text in _STRINGS if len(text) >= (arguments[1].min_length or 0)])
    if origin is Annotated:
        return values(arguments[0])
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin is tuple:
        return st.lists(values(arguments[0]), max_size=2).map(tuple)
    if origin is dict:
        return st.sampled_from([one for one in _JSON if isinstance(one, dict)])
    if isinstance(hint, type) and issubclass(hint, Struct):
        return _struct(hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from(list(hint))
    return st.sampled_from(_PLAIN[hint])


def _within(number: int, meta: Meta) -> bool:
    extra: Json = meta.extra_json_schema or {}
    return meta.ge is not None and meta.ge <= number <= (extra["maximum"] if meta.le is None else meta.le)


@cache
def _struct(cls: type[Struct]) -> st.SearchStrategy[Any]:
    hints = {field.name: field.type for field in fields(cls)}
    if cls in ONE_KEY:
        known = [st.builds(cls, **{name: values(_without(hint, UnsetType))}) for name, hint in hints.items()]
        return st.one_of([*known, _newer_notes()] if cls is wire.Note else known)
    parts = {name: values(hint) for name, hint in hints.items() if (cls, name) != (wire.Usage, "v")}
    if cls in (wire.EventRecord, wire.AnyEvent):
        parts["data"] = st.sampled_from([Raw(compact(one)) for one in _JSON if isinstance(one, dict)])
    if cls is wire.Usage:
        few = st.sampled_from([None, 0, 1])  # the counts of an older row have to add up
        older = parts | {"v": st.none(), "cache_read_tokens": few, "cache_write_tokens": few}
        return st.one_of(st.builds(cls, **parts | {"v": st.just(1)}), st.builds(cls, **older))
    if cls is wire.ToolResult:
        answered = parts | {"result": values(_without(hints["result"], NoneType)), "error": st.just(UNSET)}
        failed = parts | {"result": st.none(), "error": values(_without(hints["error"], UnsetType))}
        return st.one_of(st.builds(cls, **answered), st.builds(cls, **failed))
    if cls is wire.DispatchJournal:
        allowed = [(state, source) for state, sources in SOURCES.items() for source in sources or (None,)]
        return st.sampled_from(allowed).flatmap(
            lambda one: st.builds(cls, **parts | {"state": st.just(one[0]), "state_source": st.just(one[1])})
        )
    if cls is wire.RecordedError:
        newer = parts | {"retry": values(wire.Retry)}
        older = parts | {"retry": st.just(UNSET), "retriable": st.booleans()}
        return st.one_of(st.builds(cls, **newer), st.builds(cls, **older))
    return st.builds(cls, **parts)


def _without(hint: Any, left_out: type) -> Any:
    union, *rest = [member for member in members_of(hint) if member is not left_out]
    for member in rest:
        union |= member
    return union


def _newer_notes() -> st.SearchStrategy[wire.NewerNote]:
    return st.builds(wire.newer_note, st.sampled_from(["", "applauded", "Refused", "é"]), st.sampled_from(_PLAIN[Raw]))


def with_unknown_keys(value: Any, spelled: Json) -> Json:
    """The JSON of a value with more keys in every object that ignores what it does not know."""
    held: Any = value
    if isinstance(value, tuple):
        return [with_unknown_keys(one, spelled[at]) for at, one in enumerate(held)]
    if not isinstance(value, Struct) or isinstance(value, wire.NewerNote):
        return spelled
    wider = dict(spelled)
    for field in fields(value):
        if field.encode_name in spelled:
            wider[field.encode_name] = with_unknown_keys(getattr(value, field.name), spelled[field.encode_name])
    return wider if isinstance(value, ONE_KEY) else {"\u0000newer": [{"at": -1}], **wider, "zz": None}


# Damage: what one changed place does to a valid text

_JUNK: tuple[Json, ...] = (
    *(None, True, 0, -1, 2**32, 2**64 - 1, 2**64, 0.5, "", "x", "read", "text"),
    *([], {}, {"kind": "cut"}, {"zz": 1}, [""]),
)


@st.composite
def damaged(draw: st.DrawFn, value: Json) -> Json:
    """The value with one place inside it left out or replaced."""
    path = draw(st.sampled_from(list(_places(value))))
    return _changed(value, path, draw(st.sampled_from([UNSET, *_JUNK])))


def _places(value: Json, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for key, inner in inside(value):
        yield (*path, key)
        yield from _places(inner, (*path, key))


def _changed(value: Json, path: Sequence[Any], junk: Json) -> Json:
    key, *rest = path
    copy = dict(inside(value))
    if rest:
        copy[key] = _changed(copy[key], rest, junk)
    elif junk is UNSET:
        del copy[key]
    else:
        copy[key] = junk
    return copy if isinstance(value, dict) else list(copy.values())
