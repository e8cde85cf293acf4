"""Drafts of every kind that a writer takes."""

import json
from functools import cache
from typing import Any

from hypothesis import strategies as st

from accounting.conformance.strategies import RUNS
from accounting.ledger.writing import Draft
from tests.accounting.ledger.writing.plain import WHEN
from tests.wire.shapes import values
from wire import PAYLOADS, Kind, encode
from wire.record.kinds import TIMED

Json = Any

_SCALARS: st.SearchStrategy[Json] = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**63), 2**64 - 1), st.text(max_size=12)
)
JSON: st.SearchStrategy[Json] = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=4), JSON, max_size=4)
WHO = st.sampled_from(["city", "person", "hall/desk", "é\u200b"])
ADDRESSES: st.SearchStrategy[Json] = st.sampled_from([None, "hall", "attic/desk", "\U0001f600/a b"])
RUN_IDS: st.SearchStrategy[Json] = st.sampled_from(RUNS)
TIMES = st.sampled_from([None, 0, WHEN - 1, 2**64 - 1])


@cache
def payloads(kind: Kind) -> st.SearchStrategy[Json]:
    """Payloads that read as a kind."""
    forms = PAYLOADS.get(kind)
    if forms is None:
        return OBJECTS
    return st.one_of([values(form).map(encode).map(json.loads) for form in forms])


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    """Draw a draft of any kind, or of one that is not in the set."""
    kind = draw(st.sampled_from(list(Kind)))
    known = draw(st.integers(0, 9)) > 0
    return Draft(
        run=draw(RUN_IDS),
        who=draw(WHO),
        kind=kind if known else draw(st.sampled_from(["brand_new", "x2", "model_called_again"])),
        data=draw(payloads(kind) if known else OBJECTS),
        addr=draw(ADDRESSES),
        t=draw(TIMES),
        v=draw(st.sampled_from([1, 2])) if known and kind in TIMED else 2,
        ig=not known,
    )


def groups() -> st.SearchStrategy[list[list[Draft]]]:
    """A few groups, some of them empty."""
    return st.lists(st.lists(drafts(), max_size=4), max_size=5)
