"""The exporter as a program: where its bytes come from, and what it refuses to write."""

import os
import subprocess
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from msgspec import UNSET, Meta, Raw, Struct, UnsetType, defstruct

import wire
import wire.export
from wire.answer.rounds import JOINED_LATER
from wire.export import Root, document, schema_dir, schemas
from wire.export.unknown import UNKNOWN, Unknown


@pytest.mark.parametrize("seed", ["0", "1"])
def test_bytes_depend_on_nothing_but_the_source(seed: str) -> None:
    program = "import sys; from wire.export import schemas; sys.stdout.buffer.write(b''.join(schemas().values()))"
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, env=environment)
    assert run.stdout == b"".join(schemas().values())


def test_importing_wire_leaves_the_exporter_out() -> None:
    program = "import sys, wire; sys.exit(any(name.startswith('wire.export') for name in sys.modules))"
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("place", ["site/wire/schema", "site/schema"])
def test_the_folder_is_inside_the_package_or_beside_it(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire.export, "__file__", str(tmp_path / "site/wire/export/__init__.py"))
    (tmp_path / place).mkdir(parents=True)
    with pytest.raises(FileNotFoundError):
        schema_dir()
    (tmp_path / place / "README.md").touch()
    assert schema_dir() == tmp_path / place


# What has a spelling


class Colour(StrEnum):
    """What it looks like."""

    red = "red"
    """Like blood."""
    blue = "blue"
    """Like the sky."""


class Base(Struct, frozen=True, kw_only=True):
    """What others build on."""

    word: Annotated[str, Meta(min_length=1, max_length=9)]
    """A short
    word."""


class Spelled(Base, frozen=True, kw_only=True, rename={"class_": "class"}):
    """Everything in one.

    This is for who programs in Python. Spec: nowhere.
    """

    share: Annotated[int, Meta(gt=0, lt=100, multiple_of=5)]
    """Between the ends."""
    class_: Literal["a", "b"] | None = None
    """A word or none. Spec: nowhere."""
    colours: Annotated[tuple[Colour, ...] | None, JOINED_LATER] = None
    """Some."""
    at: Annotated[wire.Seq, JOINED_LATER] = 0
    """Where."""
    by_name: dict[str, wire.Seq] | UnsetType = UNSET
    """Where, by name."""
    mixed: bool | tuple[str, ...] = True
    """One or the other."""
    raw: Raw = Raw(b"null")
    """Anything."""


@pytest.fixture
def colourful(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exporter knows what a reader does with the words of this module."""
    known = dict(UNKNOWN) | {"Colour": Unknown("kept"), "Spelled.class": Unknown("ignored", "count it")}
    monkeypatch.setattr(wire.export, "UNKNOWN", known)


@pytest.mark.usefixtures("colourful")
def test_what_each_annotation_becomes() -> None:
    whole = document(Root("spelled", "Spelled", Spelled))
    seq = {"$ref": "#/$defs/Seq"}
    assert whole["properties"] == {
        "word": {"description": "A short word.", "type": "string", "minLength": 1, "maxLength": 9},
        "share": {
            "description": "Between the ends.",
            "type": "integer",
            "exclusiveMinimum": 0,
            "exclusiveMaximum": 100,
            "multipleOf": 5,
        },
        "class": {
            "description": "A word or none. A word that is not here is ignored; count it.",
            "anyOf": [{"title": "SpelledClass", "type": "string", "enum": ["a", "b"]}, {"type": "null"}],
        },
        "colours": {
            "description": "Some.",
            "anyOf": [{"type": "array", "items": {"$ref": "#/$defs/Colour"}}, {"type": "null"}],
        },
        "at": {"description": "Where.", "allOf": [seq]},
        "by_name": {"description": "Where, by name.", "type": "object", "additionalProperties": seq},
        "mixed": {
            "description": "One or the other.",
            "anyOf": [{"type": "boolean"}, {"type": "array", "items": {"type": "string"}}],
        },
        "raw": {"description": "Anything."},
    }
    assert whole["description"] == "Everything in one."
    assert whole["required"] == ["word", "share", "class", "mixed", "raw"]
    assert whole["$defs"].keys() == {"Colour", "Seq"}
    assert whole["$defs"]["Colour"] == {
        "title": "Colour",
        "description": "What it looks like. A word that is not here is kept.\n"
        "\n- `red`: Like blood."
        "\n- `blue`: Like the sky.",
        "type": "string",
        "enum": ["red", "blue"],
    }


@pytest.mark.usefixtures("colourful")
def test_a_payload_may_leave_out_what_it_has_not(monkeypatch: pytest.MonkeyPatch) -> None:
    # Its docstrings are found by its module's name: only the prefix that payloads have is another here.
    monkeypatch.setattr(sys.modules["wire.export.document"], "_SPARSE", __name__)
    assert document(Root("spelled", "Spelled", Spelled))["required"] == ["word", "share"]


def test_a_root_may_be_a_union_or_another_name_for_a_struct() -> None:
    union = document(Root("wait-end", "WaitEnd", wire.WaitEnd))
    assert (union["title"], len(union["oneOf"])) == ("WaitEnd", 3)
    other = document(Root("way-out", "WayOut", wire.Gate, "How it is done."))
    assert other["allOf"] == [{"$ref": "#/$defs/Gate"}]
    assert (other["title"], other["description"]) == ("WayOut", "How it is done.")
    with pytest.raises(TypeError, match="alias is called WaitEnd"):
        document(Root("wait-over", "WaitOver", wire.WaitEnd))


@pytest.mark.parametrize(
    ("hint", "named"),
    [(Colour, "Colour"), (Literal["a", "b"] | None, r"Asked\.word"), (Literal["a"], r"Asked\.word")],
)
def test_an_enum_of_which_nobody_says_what_unknown_words_are_is_named(hint: Any, named: str) -> None:
    asked = defstruct("Asked", [("word", hint)], module=__name__)
    with pytest.raises(TypeError, match=rf"^{named}: wire/export/unknown\.py"):
        document(Root("asked", "Asked", asked))


# What has no spelling


class Measured(Struct, frozen=True):
    """A length."""

    length: float
    """How long."""


class Mute(Struct, frozen=True):
    """A word."""

    word: str


class Checked(Struct, frozen=True):
    """A word that is looked at."""

    word: str
    """The word."""

    def __post_init__(self) -> None:
        assert self.word


class Counted(Struct, frozen=True):
    """A pair."""

    pair: tuple[int, int]
    """The pair."""


class Patterned(Struct, frozen=True):
    """A code."""

    code: Annotated[str, Meta(pattern=r"\Ax\Z")]
    """The code."""


class Listed(Struct, frozen=True):
    """Lines."""

    lines: list[wire.Seq]
    """The lines."""


class Keyed(Struct, frozen=True):
    """A table."""

    table: dict[int, str]
    """The table."""


class Packed(Struct, frozen=True, array_like=True):
    """A row."""


class Undescribed(Struct, frozen=True):
    word: str
    """The word."""


class Unsaid(StrEnum):
    """Words."""

    word = "word"


class Wordy(Struct, frozen=True):
    """A word."""

    word: Unsaid
    """The word."""


class Asked:
    """Stands in for a Struct that is made in a test."""

    word: str
    """A word."""


class Homonym(Struct, frozen=True):
    """Two of one name."""

    first: wire.Gate
    """One."""
    second: "tuple[Elsewhere, ...]"
    """The other."""


class Elsewhere(Struct, frozen=True):
    """Not that gate."""


Elsewhere.__name__ = "Gate"


@pytest.mark.parametrize(
    ("form", "named"),
    [
        (Measured, r"Measured\.length"),
        (Mute, r"Mute\.word"),
        (Checked, "Checked"),
        (Counted, r"Counted\.pair"),
        (Patterned, r"Patterned\.code"),
        (Listed, r"Listed\.lines"),
        (Keyed, r"Keyed\.table"),
        (Packed, "Packed"),
        (Undescribed, "Undescribed"),
        (Wordy, r"Unsaid\.word: no docstring"),
        (Homonym, "Gate is the name of two types"),
    ],
)
def test_what_has_no_spelling_is_named(form: type[Struct], named: str) -> None:
    with pytest.raises(TypeError, match=named):
        document(Root("odd", form.__name__, form))
