"""Where a reader that knows only the schema judges otherwise than the codec: every class of it, and why.

The one list of them: the tests hold every verdict to it, and `docs/agreement.md` shows it.
"""

from collections.abc import Callable, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from tests.accounting.codegen.documents import Document
from tests.agreement import classes
from tests.agreement.judges import JUDGES

Way: TypeAlias = Literal["takes", "refuses"]
_BY_PYTHON: Final = ("jsonschema", "jsonschema-rs")


class Difference(NamedTuple):
    """A class of documents that some judges see otherwise than the codec."""

    name: str
    """What such a document is or holds."""
    way: Way
    """What those judges do and the codec does not."""
    judges: tuple[str, ...]
    """Who sees it otherwise; each of them does so at least once."""
    why: str
    """The reason."""
    is_one: Callable[[Document], bool]
    """Whether a document is of the class."""


DIFFERENCES: Final[Sequence[Difference]] = (
    Difference(
        "a field of an answer, report, journal or thread left out that may be null",
        "refuses",
        JUDGES,
        "Their writer writes every field, so the schema requires it; the codec reads an absent one as null.",
        classes.null_left_out,
    ),
    Difference(
        "one form of a tagged union by itself, without its tag",
        "refuses",
        JUDGES,
        "The codec needs a tag only where it has to choose.",
        classes.form_without_its_tag,
    ),
    Difference(
        "a whole number spelled `1.0` or `1e3`",
        "takes",
        (*_BY_PYTHON, "ajv JSON.parse"),
        "To JSON Schema that is an integer. The format spells integers without fraction and exponent.",
        classes.whole_but_spelled_as_a_fraction,
    ),
    Difference(
        "an integer past 64 bits where any JSON may stand",
        "takes",
        JUDGES,
        "Free JSON has no schema. The format has no such integers.",
        classes.past_64_bits,
    ),
    Difference(
        "an integer just past the limit of its type",
        "takes",
        ("ajv JSON.parse",),
        "In doubles 2^64 and the limit 2^64-1 are one number; 2^63 and 2^63-1 are, too.",
        classes.rounds_to_a_limit,
    ),
    Difference(
        "a Locator whose range runs backward, or past 64 bits",
        "takes",
        JUDGES,
        "A pattern compares no numbers.",
        classes.range_runs_backward,
    ),
    Difference(
        "one more newline behind a text that has a grammar",
        "takes",
        ("jsonschema",),
        "In Python's `re`, `$` also matches before a final newline.",
        classes.newline_at_the_end,
    ),
    Difference(
        "a day that no calendar has, or in the year 0",
        "refuses",
        ("jsonschema",),
        "It was told to check `format`. The codec and the others hold an `IsoTime` to its pattern.",
        classes.no_such_day,
    ),
    Difference(
        "something else than an object where a tagged union stands",
        "takes",
        ("ajv JSON.parse",),
        "With its option `discriminator`, ajv looks at objects only. The generated TypeScript says `type: object`.",
        classes.no_object_for_a_tagged_union,
    ),
    Difference(
        "two fields that do not go together",
        "takes",
        ("pydantic",),
        "No type says it; `from_pydantic` refuses it.",
        classes.fields_do_not_go_together,
    ),
    Difference(
        "`NaN` or `Infinity`",
        "takes",
        (*_BY_PYTHON, "pydantic"),
        "It is no JSON, and `json.loads` and Pydantic's parser read it; the models refuse it where they keep it.",
        classes.no_json_number,
    ),
    Difference(
        "a number that no double holds, as `1e400`, where any JSON may stand",
        "takes",
        (*_BY_PYTHON, "ajv JSON.parse"),
        "Their parsers make an infinity of it.",
        classes.past_a_double,
    ),
    Difference(
        "such a number in a newer note, or under a key to be ignored",
        "refuses",
        ("pydantic", "ajv lossless"),
        "Pydantic would write null for it in a note; the generated reader looks at every number; the codec does not.",
        classes.past_a_double,
    ),
    Difference(
        "an integer of more than 4300 digits in a newer note, or under a key to be ignored",
        "refuses",
        (*_BY_PYTHON, "pydantic"),
        "Their parsers read none that long; the codec does not look there.",
        classes.thousands_of_digits,
    ),
    Difference(
        "more than 200 lists in each other",
        "refuses",
        ("pydantic",),
        "Its parser goes no deeper. The codec goes as deep as the interpreter has stack for.",
        classes.deeper_than_200,
    ),
    Difference(
        "half a surrogate pair",
        "takes",
        (*_BY_PYTHON, *(judge for judge in JUDGES if judge.startswith("ajv"))),
        "It can be spelled in JSON, and is no Unicode text.",
        classes.half_a_pair,
    ),
)
"""Every class."""


def explaining(one: Document, judge: str, way: Way) -> list[Difference]:
    """The classes that explain that a judge takes, or refuses, a document against the codec."""
    return [each for each in DIFFERENCES if judge in each.judges and each.way == way and each.is_one(one)]
