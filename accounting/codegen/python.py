"""Python types by datamodel-code-generator: one run, with what its flavours have in common.

The generator is given the bundle with the little rewritten that it would misread (`_told`). What a type cannot say is
left out, such as how two fields of an object go together: docs/clients/python.md lists it.
"""

import json
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from accounting.codegen import CodegenError
from accounting.codegen.files import header, write
from wire.export import bundle
from wire.export.keywords import Schema

GENERATOR: Final = "datamodel-code-generator"
PIN: Final = "0.89.0"
"""The version whose output is known; the extra `codegen` asks for the same."""

_OPTIONS: Final = (
    *("--preset", "standard-py311-20261027", "--input-file-type", "jsonschema", "--ignore-pyproject"),
    # The names of the schema, and no class for the bundle itself.
    *("--use-title-as-name", "--skip-root-model", "--use-type-alias", "--no-collapse-root-models"),
    *("--use-schema-description", "--use-field-description", "--use-single-line-docstring"),
    # Ids and times are texts with a grammar: read as UUID or datetime they would be written otherwise than they came.
    *("--type-mappings", "uuid=string", "date-time=string"),
    *("--disable-timestamp", "--disable-warnings", "--formatters", "builtin"),
)
CHECKED: Final = (
    # Absent and null are two things; a number is no text and no truth value.
    *("--target-pydantic-version", "2.14", "--use-missing-sentinel", "--strict-types", "str", "int", "bool"),
    "--use-single-dict-for-object-maps",
)
"""Further options for types that Pydantic checks."""

_BY_NAME: Final = "validate_by_name=True"
_FREE: Final = re.compile(r"(?<=: )Any(?=$| \|)|(?<=, )Any(?=\])", re.MULTILINE)
"""Where the generator says that any JSON may stand."""
_FINITE: Final = '''

def _finite(value: Any) -> Any:
    """Refuses NaN and infinities, which JSON has not: they would be written as null. `1e400` reads as one."""
    held = [value]
    while held:
        one = held.pop()
        if isinstance(one, float) and not _isfinite(one):
            raise ValueError("no number of JSON, or past those that a double holds")
        held += one.values() if isinstance(one, dict) else one if isinstance(one, list | tuple) else ()
    return value


Json = Annotated[Any, _AfterValidator(_finite)]
"""Any JSON. A number with a fraction or an exponent is a float."""
'''
_TOGETHER: Final = ("allOf", "anyOf", "oneOf")


def generate(out: Path, language: str, file: str, kind: str, *options: str) -> tuple[Path, ...]:
    """Writes one file of types; `kind` and `options` are the generator's own words. Raises `CodegenError`."""
    # Without it a Pydantic model would write `from_` where it reads `from`; the generator has no option for it.
    text = _run("--output-model-type", kind, *options).replace(_BY_NAME, f"{_BY_NAME}, serialize_by_alias=True")
    if CHECKED[0] in options:
        text = _with_finite_numbers(text)
    return write(out, language, {file: f"{header(language, '#')}# ruff: noqa\n# fmt: off\n\n{text.lstrip()}"})


def _with_finite_numbers(text: str) -> str:
    """Types in which free JSON holds no number that would be written as null; Pydantic has no setting for it."""
    imports, last, types = text.partition("from typing_extensions import TypeAliasType\n")
    assert last, "the imports end otherwise"
    own = "from math import isfinite as _isfinite\nfrom pydantic import AfterValidator as _AfterValidator\n"
    return f"{imports}{last}{own}{_FINITE}{_FREE.sub('Json', types)}"


def _run(*options: str) -> str:
    try:
        found = version(GENERATOR)
    except PackageNotFoundError:
        found = "no version"
    if found != PIN:
        raise CodegenError(f"needs {GENERATOR} {PIN}, and {found} is installed; `pip install 'rounds[codegen]'`")
    command = (sys.executable, "-m", "datamodel_code_generator", *_OPTIONS, *options, "--custom-file-header", "#")
    schema = json.dumps(_told(bundle()))
    with TemporaryDirectory() as folder:  # Where no file of the caller's can steer it.
        done = subprocess.run(  # noqa: S603 - our own words
            command, input=schema.encode(), capture_output=True, cwd=folder, check=False
        )
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise CodegenError(f"{GENERATOR} failed: {last}")
    return done.stdout.decode().removeprefix("#")


def _told(schema: Any) -> Any:
    """The schema in words that the generator takes for what they mean."""
    several: list[Any] = schema
    keywords: Schema = schema
    if isinstance(schema, list):
        return [_told(one) for one in several]
    if not isinstance(schema, dict):
        return schema
    keywords = {key: _told(value) for key, value in keywords.items()}
    match keywords:
        case {"description": text, "allOf": [{"$ref": target}], **rest} if not rest:
            return {"description": text, "$ref": target}
        case {"type": "object", "properties": dict()}:
            # How fields go together: the generator would make a class of each possibility.
            return {key: value for key, value in keywords.items() if key not in _TOGETHER}
        case {"type": "object", "propertyNames": {"not": {"anyOf": [{"enum": known}, {"pattern": refused}]}}}:
            # Any key but those that have a form of their own.
            pattern = f"^(?!(?:{'|'.join(known)})$)(?![\\s\\S]*{refused})"
            return {**keywords, "additionalProperties": True, "propertyNames": {"type": "string", "pattern": pattern}}
        case {"type": "object"}:
            # By its keys a map; an object without them would become a class without fields.
            return {**keywords, "additionalProperties": True, "propertyNames": {"type": "string"}}
        case {"type": ["integer", "null"], "enum": [int() as only, None], **rest}:
            # As limits: what is compared with a constant is taken for it when it is equal, as True and 1.0 are to 1.
            return {**rest, "type": ["integer", "null"], "minimum": only, "maximum": only}
        case {"type": [kind, "null"], "enum": [word, None], **rest}:
            return {**rest, "anyOf": [{"type": kind, "const": word}, {"type": "null"}]}
        case _:
            return keywords
