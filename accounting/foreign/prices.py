"""A price table that the caller gives, for estimating what no file states. Nothing here knows a price of its own.

A table is TOML or JSON: a list `price` of lines, each with a `model` pattern, the day `from` which it holds, and US
dollars for a million tokens of `input` (not cached), `cached`, `cache_write` and `output`. docs/usage.md shows one.
"""

import os
import tomllib
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Annotated, Final

from msgspec import DecodeError, Meta, Struct, ValidationError, field, json

from wire.answer.rounds import Used
from wire.scalars import TimeMs

PARTS: Final = 1_000_000
"""Estimates are added up in this many parts of a millionth of a dollar, so that no sum depends on its order."""
_MOST: Final = 1_000_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
Dollars = Annotated[Decimal, Meta(description="US dollars for a million tokens.")]


class PriceError(ValueError):
    """The file is no price table; the message says where and why."""


class Price(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of a table: what the models that fit `model` cost from a day on."""

    model: str
    """The model's name, where `*` stands for anything and `?` for one character; upper and lower case differ."""
    since: date | None = field(name="from", default=None)
    """The first day, in UTC, that it holds for; null when it always did."""
    input: Dollars
    """What was not taken from the cache, nor stored into it."""
    output: Dollars
    """The reply."""
    cached: Dollars | None = None
    """What was taken from the cache; null when the table does not say: then a request that did is not estimated."""
    cache_write: Dollars | None = None
    """What was stored into the cache; null as for `cached`."""


class _File(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    price: list[Price]


class Prices:
    """A price table. Of the lines that fit a model those with the longest pattern count, and of them the latest."""

    def __init__(self, lines: Iterable[Price]) -> None:
        self._lines: Final = sorted(lines, key=_standing, reverse=True)
        seen: set[tuple[str, date | None]] = set()
        for line in self._lines:
            for name in ("input", "output", "cached", "cache_write"):
                _parts(line, name)
            if (line.model, line.since) in seen:
                raise PriceError(f"the price of {line.model!r} from {line.since or 'ever'} stands there twice")
            seen.add((line.model, line.since))
        self._of_day = cache(self._fitting)

    def estimate(self, model: str | None, t: TimeMs, used: Used) -> int | None:
        """What a request cost by the table, in millionths of a micro-dollar (`PARTS`); `None` when it does not tell.

        A cache count that was not reported is taken to be none, so that all of the prompt costs the full price: the
        most that it can have cost.
        """
        price = None if model is None else self._of_day(model, _day(t))
        cached, written = used.cached or 0, used.cache_write or 0
        fresh = used.input - cached - written
        if price is None or fresh < 0:
            return None
        summed = fresh * (_parts(price, "input") or 0) + used.output * (_parts(price, "output") or 0)
        for count, name in ((cached, "cached"), (written, "cache_write")):
            if count:
                parts = _parts(price, name)
                if parts is None:
                    return None
                summed += count * parts
        return summed

    def _fitting(self, model: str, day: date | None) -> Price | None:
        for line in self._lines:
            in_force = line.since is None or (day is not None and line.since <= day)
            if in_force and fnmatchcase(model, line.model):
                return line
        return None


def read_prices(path: str | os.PathLike[str]) -> Prices:
    """The table in a file: JSON when its name ends so, else TOML. Raises `PriceError`, and `OSError`."""
    where = Path(path)
    content = where.read_bytes()
    try:
        if where.suffix.lower() != ".json":
            content = json.encode(tomllib.loads(content.decode(), parse_float=Decimal))
        return Prices(json.decode(content, type=_File).price)
    except (
        tomllib.TOMLDecodeError,
        DecodeError,
        ValidationError,
        RecursionError,
        UnicodeDecodeError,
        OverflowError,
    ) as error:
        raise PriceError(f"{where}: no price table: {error}") from None
    except PriceError as error:
        raise PriceError(f"{where}: {error}") from None


def _standing(line: Price) -> tuple[int, str, date]:
    return len(line.model.replace("*", "")), line.model, line.since or date.min


def _parts(line: Price, name: str) -> int | None:
    """A price as parts for one token: dollars for a million tokens are micro-dollars for one."""
    dollars: Decimal | None = getattr(line, name)
    if dollars is None:
        return None
    if not dollars.is_finite() or not 0 <= dollars <= _MOST or (parts := dollars * PARTS) != int(parts):
        raise PriceError(f"the price of {line.model!r}: {name} is {dollars}, not 0..{_MOST} with six decimals at most")
    return int(parts)


def _day(t: TimeMs) -> date | None:
    try:
        return (_EPOCH + timedelta(milliseconds=t)).date() if t else None
    except OverflowError:
        return None
