"""Pydantic models; those of `wire.pydantic` are written by this too."""

from pathlib import Path

from accounting.codegen import python
from accounting.codegen.python import CHECKED


def generate(out: Path) -> tuple[Path, ...]:
    """Writes the models: frozen, and open to unknown keys where the schema is."""
    options = (*CHECKED, "--use-generic-base-class", "--enable-faux-immutability", "--use-attribute-docstrings")
    return python.generate(out, "pydantic", "pydantic_models.py", "pydantic_v2.BaseModel", *options)
