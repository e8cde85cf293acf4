"""The price table: which line counts, what an estimate comes to, and what is refused."""

from contextlib import suppress
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounting.foreign.prices import PARTS, Price, PriceError, Prices, read_prices
from wire.answer.rounds import Used

JULY = 1_782_864_000_000  # 2026-07-01T00:00:00Z
TABLE = """
[[price]]
model = "claude-*"
input = 3
output = 15.00
cached = 0.30
cache_write = 3.75

[[price]]
model = "claude-*"
from = 2026-07-01
input = 2
output = "10"
cached = 0.2
cache_write = 2.5

[[price]]
model = "claude-opus-*"
input = 5
output = 25
"""


def used(input: int = 1000, output: int = 100, cached: int | None = 0, cache_write: int | None = 0) -> Used:
    return Used(input=input, output=output, cached=cached, cache_write=cache_write)


@pytest.fixture
def prices(tmp_path: Path) -> Prices:
    path = tmp_path / "prices.toml"
    path.write_text(TABLE)
    return read_prices(path)


def test_each_part_has_its_price(prices: Prices) -> None:
    counts = used(input=1000, output=100, cached=600, cache_write=300)
    # 100 fresh at 3, 600 at 0.30, 300 at 3.75, 100 out at 15 micro-dollars each.
    assert prices.estimate("claude-x", 0, counts) == (300 + 180 + 1125 + 1500) * PARTS


def test_the_longest_pattern_counts_and_then_the_latest_day(prices: Prices) -> None:
    assert prices.estimate("claude-x", JULY - 1, used()) == (3000 + 1500) * PARTS
    assert prices.estimate("claude-x", JULY, used()) == (2000 + 1000) * PARTS
    assert prices.estimate("claude-opus-5", JULY, used()) == (5000 + 2500) * PARTS
    one, two = Decimal(1), Decimal(2)
    table = [Price(model="*-of-long-name", input=one, output=one), Price(model="m*", input=two, output=two)]
    assert Prices(table).estimate("model-of-long-name", JULY, used()) == 1100 * PARTS


def test_what_the_table_does_not_say_is_not_estimated(prices: Prices) -> None:
    assert prices.estimate("gpt-9", 0, used()) is None
    assert prices.estimate(None, 0, used()) is None
    assert prices.estimate("Claude-x", 0, used()) is None
    assert prices.estimate("claude-opus-5", 0, used(cached=1)) is None  # no price for cached
    assert prices.estimate("claude-x", 0, used(input=5, cached=4, cache_write=4)) is None  # parts past the whole


def test_unknown_cache_counts_cost_the_full_price(prices: Prices) -> None:
    assert prices.estimate("claude-x", 0, used(cached=None, cache_write=None)) == (3000 + 1500) * PARTS


def test_a_request_without_a_time_has_the_price_that_always_held(prices: Prices) -> None:
    assert prices.estimate("claude-x", 0, used()) == (3000 + 1500) * PARTS
    assert prices.estimate("claude-x", 2**64 - 1, used()) == (3000 + 1500) * PARTS
    dated = Prices([Price(model="*", since=date(1970, 1, 1), input=Decimal(1), output=Decimal(1))])
    assert dated.estimate("m", 0, used()) is None
    assert dated.estimate("m", 1, used()) == 1100 * PARTS


def test_json_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_text('{"price": [{"model": "m", "from": "2026-07-01", "input": 0.1, "output": "0.3"}]}')
    assert read_prices(path).estimate("m", JULY, used()) == 130 * PARTS


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("x = 1", "unknown field"),
        ("[[price]]\nmodel = 'm'\noutput = 1", "input"),
        ("[[price]]\nmodel = 'm'\ninput = -1\noutput = 1", "input is -1"),
        ("[[price]]\nmodel = 'm'\ninput = nan\noutput = 1", "input is NaN"),
        ("[[price]]\nmodel = 'm'\ninput = 0.0000001\noutput = 1", "six decimals"),
        ("[[price]]\nmodel = 'm'\ninput = 1\noutput = 1\ncashed = 2", "cashed"),
        ("[[price]]\nmodel = 'm'\ninput = 1\noutput = 1\n" * 2, "twice"),
        ("[[", "no price table"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, written: str, why: str) -> None:
    path = tmp_path / "p.toml"
    path.write_text(written)
    with pytest.raises(PriceError, match=why) as refused:
        read_prices(path)
    assert str(path) in str(refused.value)


@settings(max_examples=60)
@given(st.binary(max_size=60))
def test_no_bytes_do_worse_than_refuse(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    for name in ("p.toml", "p.json"):
        path = tmp_path_factory.getbasetemp() / name
        path.write_bytes(content)
        with suppress(PriceError):
            read_prices(path)


@given(
    st.decimals(0, 1000, places=6),
    st.decimals(0, 1000, places=6),
    st.integers(0, 10**9),
    st.integers(0, 10**9),
)
def test_an_estimate_is_exact(input: Decimal, output: Decimal, prompt: int, reply: int) -> None:
    table = Prices([Price(model="m", input=input, output=output)])
    exact = (input * prompt + output * reply) * PARTS
    assert table.estimate("m", 0, used(prompt, reply)) == exact
