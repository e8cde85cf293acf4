"""Schemas on both sides, by document: files, directories of them, or parsed already."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from accounting.evolution.difference import Change, Comparison, Difference, comparison, reading
from accounting.evolution.found import Found, beneath, gathered, harmless, narrower
from accounting.evolution.keywords import SchemaError, escaped
from accounting.evolution.read import DEFINITIONS
from accounting.evolution.survey import surveyed
from accounting.evolution.value import Json, as_list, as_object
from accounting.evolution.walk import Walk, texts

DOCUMENTS: Final = "*.schema.json"
"""Which files of a directory are its documents."""


def compare(old: Path, new: Path) -> Comparison:
    """Compares two schema files, or two directories of them by file name.

    Raises `SchemaError` for what is no schema that can be compared, `OSError` for what cannot be read.
    """
    if old.is_dir() != new.is_dir():
        one, other = (old, new) if old.is_dir() else (new, old)
        raise SchemaError(f"{one} is a directory and {other} is not; give two of the same sort")
    if not old.is_dir():
        # Whatever the two files are called, they are one document.
        return comparison(str(old), str(new), differences({new.name: parsed(old)}, {new.name: parsed(new)}))
    return comparison(str(old), str(new), differences(documents(old), documents(new)))


def documents(folder: Path) -> dict[str, Json]:
    """The documents of a directory by file name. Raises `SchemaError` when there is none."""
    found = {path.name: parsed(path) for path in sorted(folder.glob(DOCUMENTS))}
    if not found:
        raise SchemaError(f"{folder}: no {DOCUMENTS} in it")
    return found


def parsed(path: Path) -> Json:
    """A JSON file. Raises `SchemaError` when it is none."""
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise SchemaError(f"{path}: not JSON: {error}") from None


def differences(old: Mapping[str, Json], new: Mapping[str, Json]) -> tuple[Difference, ...]:
    """All differences between parsed documents, by name. Raises `SchemaError`, naming the document."""
    found: list[Difference] = []
    for name in dict.fromkeys((*old, *new)):
        try:
            found += [_difference(name, one) for one in gathered(_named(name, old, new))]
        except SchemaError as error:
            raise SchemaError(f"{name}: {error}") from None
        except RecursionError:
            raise SchemaError(f"{name}: nested too deep to be compared") from None
    return tuple(found)


def _named(name: str, old: Mapping[str, Json], new: Mapping[str, Json]) -> Iterator[Found]:
    before, after = (surveyed(those[name]) if name in those else None for those in (old, new))
    if before is not None and after is not None:
        bundle = _is_bundle(name, old) and _is_bundle(name, new)
        yield from _document(old[name], new[name], Walk(before, after), bundle=bundle)
    elif before is not None:
        # Old data is left without a reader; there is no new data for an old one.
        yield narrower(Change.document_removed, "the document is gone", "#", "")
    else:
        # No reader of old documents meets a value of it.
        yield harmless(Change.document_added, "the document is new", "", "#")


def _is_bundle(name: str, documents: Mapping[str, Json]) -> bool:
    """Whether a document allows what any of the others does: it is read by definition, not as a union."""
    titles = {_key(whole, "title") for other, whole in documents.items() if other != name}
    options = as_list(_key(documents[name], "anyOf")) or []
    return bool(options) and all(option in [{"$ref": f"#/$defs/{title}"} for title in titles] for option in options)


def _document(old: Json, new: Json, walk: Walk, *, bundle: bool) -> Iterator[Found]:
    """The root, and the definitions that nothing refers to; of a bundle, those that the root refers to."""
    before, after = _entries(old, bundle=bundle), _entries(new, bundle=bundle)
    if bundle:
        yield from texts(walk.old.form("#").texts, walk.new.form("#").texts)
    else:
        yield from walk.at("#", "#")
    if _key(old, "$id") != _key(new, "$id"):
        yield harmless(Change.text_changed, "`$id` changed", "#/$id", "#/$id")
    if _key(old, "$schema") != _key(new, "$schema"):
        yield harmless(Change.text_changed, "`$schema` changed", "#/$schema", "#/$schema")
    for at in dict.fromkeys((*before, *after)):
        name = at.rsplit("/", 1)[-1]
        if at in _definitions(old) and at in _definitions(new):
            yield from beneath(f"<{name}>", walk.at(at, at))
        elif at in _definitions(old):
            yield narrower(Change.definition_removed, f"the definition {name} is gone", at, "")
        else:
            yield harmless(Change.definition_added, f"the definition {name} is new", "", at)


def _key(whole: Json, key: str) -> Json:
    return (as_object(whole) or {}).get(key)


def _entries(whole: Json, *, bundle: bool) -> list[str]:
    """The pointers of the definitions that no reference leads to; in a bundle, of those that its root refers to."""
    if bundle:
        return [unquote(option["$ref"]) for option in _key(whole, "anyOf")]
    referred = {*_references(whole)}
    return [at for at in _definitions(whole) if at not in referred]


def _definitions(whole: Json) -> list[str]:
    return [f"#/{key}/{escaped(name)}" for key in DEFINITIONS for name in as_object(_key(whole, key)) or {}]


def _references(value: Json) -> Iterator[str]:
    held = as_object(value) or {}
    if isinstance(held.get("$ref"), str):
        yield unquote(held["$ref"])
    for one in as_list(value) or held.values():
        yield from _references(one)


def _difference(document: str, found: Found) -> Difference:
    path, *others = sorted(
        (one.removeprefix(".") for one in found.paths), key=lambda one: one.count(".") + one.count("[")
    )
    return Difference(
        document=document,
        change=found.change,
        path=path,
        also_at=tuple(others),
        new_reads_old=reading(compatible=found.new_reads_old),
        old_reads_new=reading(compatible=found.old_reads_new),
        sentence=found.sentence,
        old_at=_at(found.old_at),
        new_at=_at(found.new_at),
    )


def _at(pointer: str) -> str | None:
    """The pointer, as far as it is one: what stands nowhere has none."""
    return pointer.partition("|")[0] if pointer.startswith("#") else None
