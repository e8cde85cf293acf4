"""`rounds schema diff`: what is different between two schemas, and whom it breaks."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from accounting.cli import options
from accounting.cli.out import put
from accounting.cli.trouble import Trouble
from accounting.cli.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from accounting.evolution import Comparison, Difference

BREAKS: Final = 1
"""Exit code when a reader breaks."""
_SHOWN: Final = 3


@click.command(
    "diff",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""\b
Examples:
  rounds schema diff schema/released schema
  rounds schema diff old/rounds-answer.schema.json schema/rounds-answer.schema.json
  rounds schema diff old new --json | jq -r '.differences[] | select(.class == "made required").path'""",
)
@click.argument("old", metavar="OLD", type=click.Path(exists=True, path_type=Path))
@click.argument("new", metavar="NEW", type=click.Path(exists=True, path_type=Path))
@options.as_json
@click.pass_context
def diff(ctx: click.Context, old: Path, new: Path, *, as_json: bool) -> None:
    """Compare two JSON Schemas by what they mean, for readers of both.

    OLD and NEW are two files, or two directories whose *.schema.json are compared by name. Each difference is told for
    a new reader of old data and for an old reader of new data; a reader ignores keys that an open object does not name.

    The exit code is 0 when no reader breaks, 1 when one does; 2 is wrong usage, or a schema that cannot be read.
    """
    from accounting.evolution import SchemaError, Step, compare

    try:
        found = compare(old, new)
    except SchemaError as error:
        raise Trouble(str(error)) from None
    if as_json:
        put(_json(found))
    else:
        click.echo("\n".join(visible(line) for line in _lines(found)))
    ctx.exit(BREAKS if found.step is Step.major else 0)


def _json(found: "Comparison") -> bytes:
    """The line, with its newline. What a path or a schema holds that is no Unicode is told as far as JSON can."""
    import json

    from msgspec import to_builtins

    text = json.dumps(to_builtins(found), ensure_ascii=False, separators=(",", ":"))
    return text.encode(errors="replace") + b"\n"


def _lines(found: "Comparison") -> "Iterator[str]":
    """The differences in three groups, and the verdict."""
    from accounting.evolution import Change

    breaking = [one for one in found.differences if one.breaking]
    texts = [one for one in found.differences if one.change is Change.text_changed]
    rest = [one for one in found.differences if not one.breaking and one.change is not Change.text_changed]
    for title, those in (("Breaking", breaking), ("Compatible", rest), ("Descriptions only", texts)):
        if those:
            yield title
            for group in _alike(those):
                yield from _told(group)
            yield ""
    yield _verdict(found, len(breaking))


def _alike(those: "list[Difference]") -> "list[list[Difference]]":
    """A definition that several documents have is different in all of them, and told once; so are new documents."""
    groups: dict[object, list[Difference]] = {}
    for one in those:
        defined = "/$defs/" in (one.old_at or "#") + (one.new_at or "#")
        whole = one.old_at is None or one.new_at is None
        key = (one.change, one.sentence, one.old_at, one.new_at) if defined or whole else id(one)
        groups.setdefault(key, []).append(one)
    return list(groups.values())


def _told(group: "list[Difference]") -> "Iterator[str]":
    from accounting.evolution import Change, Reading

    first = group[0]
    words = "" if first.change is Change.text_changed else f"{first.change.value}: "
    yield f"  {first.path or '(all of it)'}: {words}{first.sentence}"
    if first.breaking:
        fates = (("a new reader of old data", first.new_reads_old), ("an old reader of new data", first.old_reads_new))
        yield f"    breaks {' and '.join(who for who, fate in fates if fate is Reading.breaking)}"
    others = [path for path in first.also_at if path != first.path]
    if others:
        yield f"    also at {_first_of(others)}"
    places = [at for at in dict.fromkeys((first.old_at, first.new_at)) if at is not None]
    yield f"    in {_first_of(list(dict.fromkeys(one.document for one in group)))}: {' -> '.join(places)}"


def _first_of(several: "list[str]") -> str:
    return ", ".join(several[:_SHOWN]) + (f" and {len(several) - _SHOWN} more" if len(several) > _SHOWN else "")


def _verdict(found: "Comparison", breaking: int) -> str:
    from accounting.cli.units import several
    from accounting.evolution import Step

    if found.step is Step.none:
        return "No difference."
    calls = f"This calls for a {found.step.value} version."
    if found.step is Step.major:
        return f"{several(breaking, 'break')}. {calls}"
    return f"{several(len(found.differences), 'difference')}, and no reader breaks. {calls}"
