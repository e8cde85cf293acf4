"""When two answers are the same, and where they differ."""

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounting.conformance.comparing import Difference, What, differences, normal

KEYS = st.sampled_from(("a", "b", "unreadable", "cause", "a key", "é"))
LEAVES = st.none() | st.booleans() | st.integers(-2, 2) | st.just(2**64) | st.just(1.0) | st.text(max_size=3)
VALUES: st.SearchStrategy[Any] = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=8
)
RANDOMS = st.randoms(use_true_random=False)


def another_spelling(value: Any, random: Random) -> Any:
    """The same answer with nulls added or left out, and its keys in another order."""
    if isinstance(value, list):
        return [another_spelling(item, random) for item in value]  # pyright: ignore
    if not isinstance(value, dict):
        return value
    kept: dict[str, Any] = {key: item for key, item in value.items() if item is not None}  # pyright: ignore
    items = [(key, another_spelling(item, random)) for key, item in kept.items()]
    items += [(key, None) for key in ("a", "nothing") if key not in kept and random.random() < 0.5]
    random.shuffle(items)
    return dict(items)


@settings(max_examples=100)
@given(VALUES, RANDOMS)
def test_spelling_does_not_count(value: Any, random: Random) -> None:
    assert differences(value, another_spelling(value, random)) == ()
    assert differences(another_spelling(value, random), value) == ()


@settings(max_examples=100)
@given(VALUES, VALUES)
def test_differences_are_symmetric_and_complete(one: Any, other: Any) -> None:
    there, back = differences(one, other), differences(other, one)
    turned = {What.missing: What.unexpected, What.unexpected: What.missing, What.differs: What.differs}
    assert sorted((a.path, a.what) for a in there) == sorted((a.path, turned[a.what]) for a in back)
    if not there:
        assert repr(_in_order(normal(one))) == repr(_in_order(normal(other)))


def _in_order(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _in_order(value[key]) for key in sorted(value)}  # pyright: ignore
    return [_in_order(item) for item in value] if isinstance(value, list) else value  # pyright: ignore


WHERE: list[tuple[Any, Any, list[tuple[str, str, Any, Any]]]] = [
    (1, True, [("", "differs", 1, True)]),
    (1, 1.0, [("", "differs", 1, 1.0)]),
    (0, False, [("", "differs", 0, False)]),
    (2**64 - 1, float(2**64), [("", "differs", 2**64 - 1, float(2**64))]),
    ("é", "e\u0301", [("", "differs", "é", "e\u0301")]),
    (None, 0, [("", "differs", None, 0)]),
    ({"a": None}, {}, []),
    ({"a": None}, {"a": 0}, [("a", "unexpected", None, 0)]),
    ({"a": 0}, {"a": None}, [("a", "missing", 0, None)]),
    ({"a": []}, {}, [("a", "missing", [], None)]),
    ([1, None], [1], [("[1]", "missing", None, None)]),
    (
        {"t": [{"a": 1}, {"a": 2}]},
        {"t": [{"a": 1}, {"a": 3}, 4]},
        [("t[1].a", "differs", 2, 3), ("t[2]", "unexpected", None, 4)],
    ),
    ({"a b": {"é": 1}}, {"a b": {}}, [('"a b"."\\u00e9"', "missing", 1, None)]),
    ({"unreadable": {"cause": "GateDenied: no code"}}, {"unreadable": {"cause": "GateDenied: anything"}}, []),
    (
        {"unreadable": {"cause": "GateDenied: no code"}},
        {"unreadable": {"cause": "GateDenied"}},
        [("unreadable.cause", "differs", "GateDenied:", "GateDenied")],
    ),
    ({"cause": "A: b"}, {"cause": "A: c"}, [("cause", "differs", "A: b", "A: c")]),
]


@pytest.mark.parametrize(("expected", "actual", "found"), WHERE)
def test_where_they_differ(expected: Any, actual: Any, found: list[tuple[str, str, Any, Any]]) -> None:
    assert differences(expected, actual) == tuple(
        Difference(path=path, what=What(what), expected=one, actual=other) for path, what, one, other in found
    )
