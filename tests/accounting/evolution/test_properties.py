"""What holds of every comparison: sameness, the mirror, and that a promise to a reader is kept by a real validator."""

from collections import Counter
from random import Random
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from accounting.evolution import Change, Difference, Reading, SchemaError, differences

from .grammar import changed, is_schema, jsonschema, renamed, reordered, schemas
from .writer import Writer

quick = settings(
    max_examples=settings().max_examples // 2,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
Json = Any


def found(old: Json, new: Json) -> tuple[Difference, ...]:
    try:
        return differences({"x": old}, {"x": new})
    except SchemaError:
        assume(False)
        raise


@quick
@given(schemas(), st.integers())
def test_a_schema_is_no_different_from_itself_however_it_is_ordered_and_whatever_its_definitions_are_called(
    schema: Json, seed: int
) -> None:
    assert found(schema, schema) == ()
    assert found(schema, reordered(schema, Random(seed))) == ()
    # What nothing refers to is known by its name alone.
    by_name = (Change.definition_added, Change.definition_removed)
    assert [one for one in found(schema, renamed(schema)) if one.change not in by_name] == []


PAIRS = {
    Change.optional_field_added: Change.field_removed,
    Change.required_field_added: Change.field_removed,
    Change.made_required: Change.made_optional,
    Change.type_narrowed: Change.type_widened,
    Change.nullable_added: Change.nullable_removed,
    Change.enum_member_added: Change.enum_member_removed,
    Change.variant_added: Change.variant_removed,
    Change.bound_narrowed: Change.bound_widened,
    Change.pattern_narrowed: Change.pattern_widened,
    Change.format_narrowed: Change.format_widened,
    Change.opened: Change.closed,
    Change.definition_added: Change.definition_removed,
    Change.document_added: Change.document_removed,
}
MIRROR = PAIRS | {other: one for one, other in PAIRS.items()}


def seen(one: Difference) -> Any:
    return one.change, one.path, one.new_reads_old, one.old_reads_new, one.old_at, one.new_at


def mirrored(one: Difference) -> Any:
    change = MIRROR.get(one.change, one.change)
    return change, one.path, one.old_reads_new, one.new_reads_old, one.new_at, one.old_at


def plain(seen: Any) -> Any:
    added = seen[0] in (Change.optional_field_added, Change.required_field_added)
    return (Change.optional_field_added if added else seen[0], *seen[1:])


@quick
@given(st.data())
def test_the_other_way_round_is_the_mirror(data: st.DataObject) -> None:
    old = data.draw(schemas())
    new = data.draw(changed(old))
    assume(is_schema(new))
    there, back = found(old, new), found(new, old)
    gone = (Change.definition_added, Change.definition_removed)
    assert Counter(plain(seen(one)) for one in back if one.change not in gone) == Counter(
        plain(mirrored(one)) for one in there if one.change not in gone
    )


@quick
@given(st.data(), st.integers())
def test_what_is_said_of_readers_is_true(data: st.DataObject, seed: int) -> None:
    old = data.draw(schemas())
    new = data.draw(changed(old))
    assume(is_schema(new))
    told = [one for one in found(old, new) if not one.path.startswith("<")]
    directions = ((old, new, [one.new_reads_old for one in told]), (new, old, [one.old_reads_new for one in told]))
    for writer, reader, readings in directions:
        if Reading.breaking not in readings:
            refused = [value for value in Writer(writer, Random(seed)).values(25) if not valid(reader, value)]
            assert refused == [], told


def valid(schema: Json, value: Json) -> bool:
    try:
        return bool(jsonschema.Draft202012Validator(schema).is_valid(value))
    except RecursionError:
        # A schema that denies itself, or is its own condition, has no meaning.
        assume(False)
        raise
