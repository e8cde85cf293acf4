"""What stands on the pages in docs/ and is made from data: the tests compare it.

`python -m tests.agreement.pages` writes it anew.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from tests.agreement.differences import DIFFERENCES
from tests.agreement.documents import DEFINITIONS
from tests.agreement.judges import JUDGES
from tests.wire.shapes import DOCUMENTS, Json
from wire.export.unknown import UNKNOWN

DOCS: Final = Path(__file__).parents[2] / "docs"
_FAMILIES: Final = {
    "Answers": ("rounds-answer",),
    "Ledger lines and their payloads": ("event-record", "any-event"),
    "Ask threads": ("ask-event", "ask-turn", "ask-shown", "ask-lock"),
    "Dispatched runs": ("dispatch-journal", "dispatch-list", "cancel-answer", "doctor-report", "stream-event"),
    "Sessions of other agents": (
        *("transcript-row", "transcript-summary", "session-list"),
        *("archive-manifest", "archive-index-line"),
    ),
    "Schedulers": ("automation-list", "automation-runs", "automation-health"),
    "Check reports": ("check-report",),
}


def differences() -> str:
    """A row for each class of differences, a column for each judge."""
    rows = [
        [each.name, *(each.way if judge in each.judges else "" for judge in JUDGES), each.why] for each in DIFFERENCES
    ]
    return _table(["a document with", *JUDGES, "because"], rows)


def unknown() -> str:
    """A row for each enum and union."""
    rows = [[f"`{name}`", one.fate, one.beside] for name, one in UNKNOWN.items()]
    return _table(["enum or union", "what is not listed is", "and"], rows)


def nulls() -> str:
    """A table for each family of shapes: every field that may be null or absent, and what that means."""
    shown: set[str] = set()
    parts: list[str] = []
    for title, names in _FAMILIES.items():
        reached = {name for root in names for name in (DOCUMENTS[root]["title"], *DOCUMENTS[root]["$defs"])}
        rows = [row for name in sorted(reached - shown) for row in _nulls_of(name)]
        shown |= reached
        parts.append(f"### {title}\n\n" + _table(["field", "may be", "meaning"], rows))
    assert shown >= {name for name in DEFINITIONS if any(_nulls_of(name))}
    return "\n".join(parts)


def _nulls_of(name: str) -> Iterator[list[str]]:
    schema = DEFINITIONS[name]
    for key, value in schema.get("properties", {}).items():
        states = [*["null"] * _takes_null(value), *["absent"] * (key not in schema.get("required", ()))]
        if states:
            text = value["description"].partition(" A word that is not here")[0]
            yield [f"`{name}.{key}`", " or ".join(states), text]


def _takes_null(schema: Json) -> bool:
    """Whether null is one of its forms; where any JSON may stand it is none of its own."""
    kinds = schema.get("type", ())
    several = [one for key in ("anyOf", "oneOf", "allOf") for one in schema.get(key, ())]
    return kinds == "null" or "null" in kinds or None in schema.get("enum", ()) or any(map(_takes_null, several))


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


GENERATED: Final[Mapping[tuple[str, str], str]] = {
    ("agreement.md", "differences"): differences(),
    ("evolution.md", "unknown"): unknown(),
    ("evolution.md", "nulls"): nulls(),
}
"""By page and by the name of its part."""


def part(page: str, name: str) -> str:
    """What stands on a page now between the two marks of a part."""
    return _split((DOCS / page).read_text(encoding="utf-8"), name)[1].strip() + "\n"


def _split(text: str, name: str) -> tuple[str, str, str]:
    """The page up to a part's first mark, the part, and the page from its last mark on."""
    before, begin, rest = text.partition(f"<!-- begin {name}")
    mark, line_end, held = rest.partition("\n")
    inner, end, after = held.partition(f"<!-- end {name} -->")
    assert end, f"no marks for {name}"
    return before + begin + mark + line_end, inner, end + after


def _write() -> None:
    for (page, name), made in GENERATED.items():
        before, _, after = _split((DOCS / page).read_text(encoding="utf-8"), name)
        (DOCS / page).write_text(f"{before}\n{made}\n{after}", encoding="utf-8")


if __name__ == "__main__":
    _write()
