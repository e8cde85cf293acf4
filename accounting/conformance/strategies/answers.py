"""Answers built from the shapes themselves: whatever `RoundsAnswer` may hold, coherent or not. Spec: rounds.md 1."""

from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from hypothesis import strategies as st
from msgspec import Meta, Struct, UnsetType
from msgspec.structs import fields

from accounting.conformance.strategies.pools import ADDRESSES, HASHES, LOCATORS, OIDS, RUNS
from accounting.conformance.strategies.values import INTS, texts
from wire import Address, B3Hash, GitOid, Handback, Locator, Note, RoundsAnswer, RunId, ServerLabel, Who
from wire.record.tool import EffectOn, RenderDiff
from wire.scalars import U64_MAX

_ONE_KEY: Final = (Note, Handback, EffectOn, RenderDiff)
_GRAMMARS: Final[tuple[tuple[Any, tuple[str, ...]], ...]] = (
    (RunId, RUNS),
    (GitOid, OIDS[:2]),
    (B3Hash, HASHES),
    (Address, ADDRESSES),
    (Who, ("city", "person", *ADDRESSES)),
    (Locator, LOCATORS),
    (ServerLabel, ("files2", "0")),
)


def answers() -> st.SearchStrategy[RoundsAnswer]:
    """Any value of the shape `RoundsAnswer`, edge values in every field.

    Only the shapes hold, not the invariants of rounds.md 4: for encoders, decoders and whatever draws an answer. An
    answer that a fold gives is `rounds(...)` of the records of `runs()`.
    """
    return _struct(RoundsAnswer)


@cache
def _struct(cls: type[Struct]) -> st.SearchStrategy[Any]:
    hints = {field.name: field.type for field in fields(cls)}
    if cls in _ONE_KEY:
        return st.one_of([st.builds(cls, **{name: _values(hint)}) for name, hint in hints.items()])
    return st.builds(cls, **{name: _values(hint) for name, hint in hints.items()})


def _values(hint: Any) -> st.SearchStrategy[Any]:
    """Edge values of anything that a field may hold."""
    for grammar, good in _GRAMMARS:
        if hint == grammar:
            return st.sampled_from(good)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        # null first: what a failure shrinks to.
        members = sorted(
            (member for member in arguments if member is not UnsetType), key=lambda one: one is not NoneType
        )
        return st.one_of([_values(member) for member in members])
    if origin is Annotated:
        number = arguments[0] is int
        return st.sampled_from(_within(arguments[1])) if number else _values(arguments[0])
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin is tuple:
        return st.lists(_values(arguments[0]), max_size=3).map(tuple)
    if isinstance(hint, type) and issubclass(hint, Struct):
        return st.deferred(lambda: _struct(hint))
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from(list(hint))
    return {str: texts(), bool: st.booleans(), NoneType: st.none()}[hint]


def _within(meta: Meta) -> tuple[int, ...]:
    least = meta.ge if meta.ge is not None else 0
    most = meta.le if meta.le is not None else U64_MAX
    return tuple(number for number in INTS if least <= number <= most)
