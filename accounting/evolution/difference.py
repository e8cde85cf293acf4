"""What a comparison of two schemas says: the differences, each with its class and what it does to readers."""

from enum import Enum
from typing import Final

from msgspec import Struct


class Change(Enum):
    """The class of a difference. What is narrowed refuses some values that were allowed; widened is the reverse."""

    document_added = "document added"
    document_removed = "document removed"
    definition_added = "definition added"
    definition_removed = "definition removed"
    optional_field_added = "optional field added"
    required_field_added = "required field added"
    field_removed = "field removed"
    made_required = "made required"
    made_optional = "made optional"
    type_narrowed = "type narrowed"
    type_widened = "type widened"
    type_changed = "type changed"
    nullable_added = "nullable added"
    nullable_removed = "nullable removed"
    enum_member_added = "enum member added"
    enum_member_removed = "enum member removed"
    variant_added = "variant added"
    variant_removed = "variant removed"
    const_changed = "const changed"
    bound_narrowed = "bound narrowed"
    bound_widened = "bound widened"
    bound_changed = "bound changed"
    pattern_narrowed = "pattern narrowed"
    pattern_widened = "pattern widened"
    pattern_changed = "pattern changed"
    format_narrowed = "format narrowed"
    format_widened = "format widened"
    format_changed = "format changed"
    opened = "additional properties opened"
    closed = "additional properties closed"
    default_changed = "default changed"
    text_changed = "description only"
    not_comparable = "cannot be compared"


class Reading(Enum):
    """What becomes of a reader."""

    compatible = "compatible"
    breaking = "breaking"


class Step(Enum):
    """The part of a version number that has to be raised."""

    none = "none"
    patch = "patch"
    minor = "minor"
    major = "major"


class Difference(Struct, frozen=True, kw_only=True, rename={"change": "class"}):
    """One difference between two schemas."""

    document: str
    """The file name of the document."""
    change: Change
    """Its class; the key in JSON is `class`."""
    path: str
    """Where in a value: `turns[].calls[].exit_code`; `.*` is any key, `(kind=x)` where `kind` is `x`; empty is all."""
    also_at: tuple[str, ...]
    """Other places of the same difference, the first fifteen, when several refer to one definition."""
    new_reads_old: Reading
    """A new reader of old data."""
    old_reads_new: Reading
    """An old reader of new data."""
    sentence: str
    """What is different, in words."""
    old_at: str | None
    """A JSON pointer into the old document; null when there is nothing in it."""
    new_at: str | None
    """A JSON pointer into the new document; null when there is nothing in it."""

    @property
    def breaking(self) -> bool:
        """Whether a reader breaks, in either direction."""
        return Reading.breaking in (self.new_reads_old, self.old_reads_new)


class Comparison(Struct, frozen=True, kw_only=True):
    """All differences between two schemas, the breaking ones first; otherwise in order of documents."""

    old: str
    """What was compared: a path."""
    new: str
    """With what."""
    new_reads_old: Reading
    """A new reader of old data: whether every difference is compatible."""
    old_reads_new: Reading
    """An old reader of new data: whether every difference is compatible."""
    step: Step
    """What the differences call for: major for a break in either direction, patch for descriptions only."""
    differences: tuple[Difference, ...]
    """The differences."""


_READING: Final = {True: Reading.compatible, False: Reading.breaking}


def reading(*, compatible: bool) -> Reading:
    """The word for it."""
    return _READING[compatible]


def comparison(old: str, new: str, differences: tuple[Difference, ...]) -> Comparison:
    """The differences in order, and what they come to."""
    return Comparison(
        old=old,
        new=new,
        new_reads_old=reading(compatible=all(one.new_reads_old is Reading.compatible for one in differences)),
        old_reads_new=reading(compatible=all(one.old_reads_new is Reading.compatible for one in differences)),
        step=_step(differences),
        differences=tuple(sorted(differences, key=lambda one: (not one.breaking, one.change is Change.text_changed))),
    )


def _step(differences: tuple[Difference, ...]) -> Step:
    if not differences:
        return Step.none
    if any(one.breaking for one in differences):
        return Step.major
    return Step.patch if all(one.change is Change.text_changed for one in differences) else Step.minor
