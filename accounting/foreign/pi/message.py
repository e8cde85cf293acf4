"""Content, token counts, cost and results of a pi message as ours. Pure. Spec: foreign.md 3.6."""

import re
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Final

from accounting.foreign.payload import subject_of, usage_of
from accounting.foreign.pi.rows import Content, Part, Usage
from wire.scalars import JsonObject, u64

_EXIT: Final = re.compile(r"Command exited with code (-?\d{1,10})\s*$").search
_ABORTED: Final = re.compile(r"\b(?:Command|Operation) aborted\.?\s*$").search
_STATUS: Final = re.compile(r"(?<!\d)([45]\d\d)(?!\d)").search
_MICROS: Final = Decimal(1_000_000)
_MOST_USD: Final = Decimal(10) ** 12
_SUBJECTS: Final[dict[str, tuple[str, ...]]] = {
    "bash": ("command",),
    "grep": ("pattern",),
    "find": ("pattern",),
}


def parts_of(content: Content) -> tuple[Part, ...]:
    """The parts of a content, a plain text as one of them."""
    if content is None:
        return ()
    if isinstance(content, Part):
        return (content,)
    if isinstance(content, str):
        return (Part(type="text", text=content),)
    return tuple(Part(type="text", text=part) if isinstance(part, str) else part for part in content)


def text_of(content: Content) -> tuple[str, int]:
    """The text of a content, and how many of its parts are none."""
    parts = parts_of(content)
    texts = [part.text for part in parts if part.text is not None]
    return "\n".join(texts), len(parts) - len(texts)


def our_block(part: Part, args: JsonObject | None) -> JsonObject | None:
    """A part of a reply in our kinds, a call with its arguments; `None` for one of no kind of ours."""
    match part.type:
        case "text" if part.text is not None:
            return {"kind": "text", "text": part.text}
        case "thinking" if part.thinking is not None:
            return {"kind": "thinking", "thinking": part.thinking, "signature": part.thinking_signature or ""}
        case "toolCall":
            return {"kind": "tool_use", "id": part.id or "", "name": part.name or "", "input": args or {}}
        case _:
            return None


def subject(tool: str | None, args: JsonObject) -> str | None:
    """What a call acts on: the command of the shell, the pattern of a search, else the file."""
    return subject_of(args, _SUBJECTS.get(tool or "", ()))


def is_metered(usage: Usage | None) -> bool:
    """Whether a provider reported anything: the counts begin as noughts, and no request has an empty prompt."""
    return usage is not None and any((usage.input, usage.output, usage.cache_read, usage.cache_write))


def our_usage(usage: Usage) -> JsonObject | None:
    """The token counts in ours: the three parts of the prompt are apart here. `None` when they do not all read."""
    fresh = u64(usage.input)
    if fresh is None:
        return None
    whole = fresh + (u64(usage.cache_read) or 0) + (u64(usage.cache_write) or 0)
    return usage_of(whole, usage.output, cached=usage.cache_read, cache_write=usage.cache_write)


def micros(usd: Decimal | None) -> int | None:
    """US dollars as whole millionths: the decimal number as it is spelled, to the nearest, halves to the even one.

    `None` when it is no amount: negative, not finite, or beyond any bill.
    """
    if usd is None or not usd.is_finite() or not 0 <= usd < _MOST_USD:
        return None
    return u64(int((usd * _MICROS).to_integral_value(ROUND_HALF_EVEN)))


def exit_code(text: str) -> int | None:
    """The exit code that the text of a failed command ends with; `None` when it states none."""
    found = _EXIT(text)
    return None if found is None else int(found[1])


def is_aborted(text: str) -> bool:
    """Whether a failed result says that the person broke it off."""
    return _ABORTED(text) is not None


def http_status(text: str) -> int | None:
    """The HTTP status that a provider's refusal states; `None` when it states none."""
    found = _STATUS(text)
    return None if found is None else int(found[1])
