"""Dataclasses that Pydantic reads, checks and writes.

Plain ones would lose the keys `from` and `class`, which are no names in Python, and every limit; and nothing in the
standard library reads them.
"""

from pathlib import Path

from accounting.codegen import python
from accounting.codegen.python import CHECKED


def generate(out: Path) -> tuple[Path, ...]:
    """Writes the dataclasses: frozen, with fields by keyword."""
    options = (*CHECKED, "--frozen-dataclasses", "--keyword-only")
    return python.generate(out, "dataclass", "dataclass_models.py", "pydantic_v2.dataclass", *options)
