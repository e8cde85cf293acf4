"""TypedDicts: types for what `json.loads` gives, which check nothing by themselves."""

from pathlib import Path

from accounting.codegen import python


def generate(out: Path) -> tuple[Path, ...]:
    """Writes the types; they need nothing but the standard library."""
    options = ("--no-use-closed-typed-dict", "--import-overrides", '{"TypedDict": "typing"}')
    return python.generate(out, "typeddict", "typed_dicts.py", "typing.TypedDict", *options)
