"""Clients in other languages and libraries, written from the exported schema: `rounds codegen`.

    from accounting.codegen import LANGUAGES

    LANGUAGES["pydantic"].generate(Path("src/client"))

A language is one row here and one module of this package, of the same name, which is imported when it is asked for. Its
`generate(out: Path) -> tuple[Path, ...]` writes through `accounting.codegen.files`, so that every file says what made
it and no other file is lost.
"""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Final, cast

from msgspec import Struct

__all__ = ["LANGUAGES", "CodegenError", "Language"]


class CodegenError(Exception):
    """Why nothing was written: a generator that is not installed, or a file in the way. The text says what to do."""


class Language(Struct, frozen=True, kw_only=True):
    """A language, or a library of one, that types can be written for."""

    name: str
    """As the command line has it, and the module of this package that writes it."""
    writes: str
    """What is written: the files, and what is in them."""
    needs: str
    """What who uses the files has to have."""

    def generate(self, out: Path) -> tuple[Path, ...]:
        """Writes the files into `out`, which is made when it is missing, and says which.

        The same schema gives the same bytes. Raises `CodegenError`, before anything is written, when the generator is
        missing or a file of that name is in the way that was not generated; `OSError` as writing does.
        """
        module = import_module(f"{__name__}.{self.name}")
        return cast("tuple[Path, ...]", module.generate(out))


_ALL: Final = (
    Language(
        name="pydantic",
        writes="pydantic_models.py: Pydantic models, which check whatever they read",
        needs="Python 3.11, pydantic 2.14",
    ),
    Language(
        name="dataclass",
        writes="dataclass_models.py: dataclasses that Pydantic reads, checks and writes",
        needs="Python 3.11, pydantic 2.14",
    ),
    Language(
        name="typeddict",
        writes="typed_dicts.py: TypedDicts, types for plain JSON values; they check nothing by themselves",
        needs="Python 3.11; a JSON Schema validator to check with, such as jsonschema-rs",
    ),
    Language(
        name="msgspec",
        writes="msgspec_structs/: the package's own Structs with their codec, to keep beside your code",
        needs="Python 3.11, msgspec 0.23",
    ),
    Language(
        name="typescript",
        writes="rounds.ts, schema.ts, reading.ts: types, and a reader that checks and keeps integers exact",
        needs="the npm packages ajv 8.20.0 and lossless-json 4.3.3",
    ),
    Language(
        name="go",
        writes="rounds.go, reading.go: a package of types that read, check and write JSON",
        needs="Go 1.19",
    ),
    Language(
        name="rust",
        writes="mod.rs, reading.rs: a module of types that read, check and write JSON",
        needs="Rust 1.70, the crates serde 1.0.152, serde_json 1.0.87 and regex 1.7",
    ),
)

LANGUAGES: Final[Mapping[str, Language]] = MappingProxyType({language.name: language for language in _ALL})
"""By name, in the order that they are listed."""
