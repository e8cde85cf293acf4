"""Reading text: prose, outputs, arguments, and the bound a view puts on them. Spec: rounds.md 2."""

from msgspec import json

from wire.answer.rounds import OUTPUT_LINES, Output
from wire.scalars import WHITE_SPACE, Json, Locator, locator

# A number that no float or u64 holds arrives as a Decimal and is written out digit by digit.
_encode_sorted = json.Encoder(order="sorted", decimal_format="number").encode
_encode_scalar = json.Encoder(decimal_format="number").encode


def text(value: Json) -> str | None:
    """The string itself, else `None`: a number is not text."""
    return value if isinstance(value, str) else None


def said(message: Json) -> str | None:
    """The prose of a reply's message: its text blocks joined by a newline, `None` when it has none."""
    return _joined(message, "text")


def thought(message: Json) -> str | None:
    """The reasoning of a reply's message: its thinking blocks joined by a newline, `None` when it has none."""
    return _joined(message, "thinking")


def _joined(message: Json, kind: str) -> str | None:
    if not isinstance(message, dict):
        return None
    content = message.get("content")
    if not isinstance(content, list):
        return None
    found: list[str] = []
    for block in content:
        if isinstance(block, dict) and block.get("kind") == kind and isinstance(words := block.get(kind), str):
            found.append(words)  # noqa: PERF401 - a comprehension is a call more, for a block or two
    return "\n".join(found) if found else None


def output(value: Json, pinned: Locator | None = None) -> Output | None:
    """What a tool gave, bounded: a string as it is, anything else (null too) as compact JSON."""
    return bounded(value if isinstance(value, str) else compact(value), pinned)


def arguments(value: Json) -> Output | None:
    """What a tool was called with, as indented JSON, bounded; `None` for absent or null."""
    return None if value is None else bounded(pretty(value))


def bounded(whole: str, pinned: Locator | None = None) -> Output | None:
    """The first lines of a text and the count of the rest; `None` when it is all White_Space.

    Lines end at a newline only; one carriage return before it goes with it; a final newline opens no further line.
    """
    if not whole or (whole[0] in WHITE_SPACE and not whole.strip(WHITE_SPACE)):
        return None
    if "\n" not in whole:
        return Output(head=whole, cut=0, pinned=pinned)
    lines = whole.split("\n", OUTPUT_LINES)
    rest = lines.pop()
    if "\r" in whole:
        lines = [line.removesuffix("\r") for line in lines]
    cut = 0
    if len(lines) < OUTPUT_LINES:
        if rest:
            lines.append(rest)
    elif rest:
        cut = rest.count("\n") + (not rest.endswith("\n"))
    return Output(head="\n".join(lines), cut=cut, pinned=pinned)


def pinned(result: Json) -> Locator | None:
    """Where the whole of a result is stored: the first entry of `sieve`, else of `offload`."""
    if not isinstance(result, dict):
        return None
    for account in ("sieve", "offload"):
        entries = result.get(account)
        if isinstance(entries, list) and entries:
            first = entries[0]
            return locator(first.get("original")) if isinstance(first, dict) else None
    return None


def compact(value: Json) -> str:
    """The value's JSON without white space, keys sorted bytewise, non-ASCII as it is."""
    try:
        return _encode_sorted(value).decode()
    except RecursionError:
        return _write(value, indented=False)


def pretty(value: Json) -> str:
    """The value's JSON indented by two spaces, keys sorted bytewise, non-ASCII as it is."""
    try:
        return json.format(_encode_sorted(value), indent=2).decode()
    except RecursionError:
        return _write(value, indented=True)


def _write(value: Json, *, indented: bool) -> str:
    """What the encoder writes, without recursion: for nesting deeper than the interpreter has stack for."""
    out: list[str] = []
    # A plain string is written as it stands; a value waits in a one-tuple with the depth it is at.
    todo: list[str | tuple[Json, int]] = [(value, 0)]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            out.append(item)
            continue
        current, depth = item
        if not isinstance(current, (dict, list)) or not current:
            out.append(_encode_scalar(current).decode())
            continue
        outer, inner = (f"\n{'  ' * depth}", f"\n{'  ' * (depth + 1)}") if indented else ("", "")
        if isinstance(current, dict):
            colon = ": " if indented else ":"
            entries = [(_encode_scalar(key).decode() + colon, current[key]) for key in sorted(current)]
            brackets = "{}"
        else:
            entries = [("", element) for element in current]
            brackets = "[]"
        out.append(brackets[0])
        todo.append(outer + brackets[1])
        for index, (key, element) in reversed(list(enumerate(entries))):
            todo.append((element, depth + 1))
            todo.append(("," if index else "") + inner + key)
    return "".join(out)
