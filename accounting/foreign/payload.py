"""Values of another agent as our payloads may hold them: no floats, 64-bit integers, bounded depth. Spec: ledger.md 1.

Everything here is pure. A float becomes its decimal text, as foreign.md's mapping rules say.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct, json
from msgspec.structs import astuple

from wire.scalars import I64_MIN, U64_MAX, Json, JsonObject, u64

DEEPEST: Final = 118
"""How deep arguments may nest: a payload's 126 containers, less those that a message puts around them."""
SUBJECT_KEYS: Final = ("path", "addr", "program", "arm")
"""The argument keys that name a subject, in order (ledger.md 6)."""


def plain_json(value: Json) -> tuple[Json, int]:
    """The value as a payload may hold it, and how many numbers in it had to become text.

    What nests deeper than a payload may becomes its compact JSON text, and counts as one.
    """
    changed = 0

    def plain(part: Json, depth: int) -> Json:
        nonlocal changed
        if part is None or isinstance(part, (str, bool)):
            return part
        if isinstance(part, int):
            if I64_MIN <= part <= U64_MAX:
                return part
            changed += 1
            return _digits(part)
        if isinstance(part, float):
            changed += 1
            return _decimal(part)
        if depth >= DEEPEST:
            changed += 1
            return _spelled(part)
        if isinstance(part, dict):
            return {key: plain(inner, depth + 1) for key, inner in part.items()}
        return [plain(inner, depth + 1) for inner in part]

    return plain(value, 0), changed


def is_plain(args: JsonObject) -> bool:
    """Whether arguments are as a payload may hold them: no floats, every integer of 64 bits, not too deep."""
    for value in args.values():
        if type(value) is not str:
            break
    else:  # as most are
        return True
    level: list[JsonObject | list[Json]] = [args]
    for _ in range(DEEPEST):
        deeper: list[JsonObject | list[Json]] = []
        for container in level:
            for value in container.values() if isinstance(container, dict) else container:
                if isinstance(value, (dict, list)):
                    deeper.append(value)
                elif type(value) is int:
                    if not I64_MIN <= value <= U64_MAX:
                        return False
                elif type(value) is float:
                    return False
        if not deeper:
            return True
        level = deeper
    return False


def _decimal(number: float) -> str:
    return repr(number)


def _digits(number: int) -> str:
    try:
        return str(number)
    except ValueError:  # thousands of digits
        return hex(number)


def _spelled(part: Json) -> str:
    try:
        return json.encode(part).decode()
    except (RecursionError, ValueError, TypeError, OverflowError):
        return "…"


def subject_of(args: Mapping[str, Json], first: Iterable[str] = ()) -> str | None:
    """What a call acts on: the argument that `first` names for a tool that is known, else as ledger.md 6 has it."""
    for keys in (first, SUBJECT_KEYS):
        for key in keys:
            value = args.get(key)
            if isinstance(value, str):
                return value
    for key in sorted(args):
        value = args[key]
        if isinstance(value, str):
            return value
    return None


def usage_of(
    whole_input: Json,
    output: Json,
    *,
    cached: Json = None,
    cache_write: Json = None,
    dialect: str | None = None,
) -> JsonObject | None:
    """The `usage` of a `model_returned`, `v` 1: `whole_input` is the whole prompt, cached parts included.

    `None` when the prompt or the output is no count, since token counts stand or fall together. A cache count that is
    none is not reported.
    """
    if type(whole_input) is not int or type(output) is not int:
        return None
    if not (0 <= whole_input <= U64_MAX and 0 <= output <= U64_MAX):
        return None
    usage: JsonObject = {"v": 1, "input_tokens": whole_input, "output_tokens": output}
    if type(cached) is int and 0 <= cached <= U64_MAX:
        usage["cache_read_tokens"] = cached
    if type(cache_write) is int and 0 <= cache_write <= U64_MAX:
        usage["cache_write_tokens"] = cache_write
    if dialect is not None:
        usage["dialect"] = dialect
    return usage


def has_bad_count(counts: Struct | None) -> bool:
    """Whether a number among token counts is no count: below nought, or beyond 64 bits."""
    return counts is not None and any(type(count) is int and u64(count) is None for count in astuple(counts))
