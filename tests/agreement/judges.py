"""Who judges: the codec, and five readers that know the schema only. Each takes a document, or refuses it."""

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from shutil import which
from typing import Any, Final

import msgspec
import pytest
from msgspec import Raw

import wire
from accounting.codegen.typescript import generate
from tests.accounting.codegen.clients import CLIENTS, command, workshop
from tests.accounting.codegen.documents import Document
from tests.accounting.codegen.flavours import PAYLOADS, RefusedError, flavour
from tests.wire.shapes import Json, jsonschema, judge
from wire.export import BUNDLE, schema_dir
from wire.scalars import NIL_RUN

HERE: Final = Path(__file__).parent
MODULES: Final = CLIENTS / "typescript" / "node_modules"
CODEC: Final = "wire"
JUDGES: Final = ("jsonschema", "jsonschema-rs", "pydantic", "ajv lossless", "ajv JSON.parse")
"""The columns of the table, beside the codec that they are held against."""
WITH_NODE: Final = tuple(name for name in JUDGES if name.startswith("ajv"))

_RECORD: Final = b'{"v":2,"run":"%s","seq":0,"prev":"%s","t":0,"who":"","kind":"run_started","data":{}}'


def has_node() -> bool:
    return which("node") is not None and MODULES.is_dir()


def by_codec(shape: str, text: str) -> bool:
    """`wire.decode`, and `wire.payload` for what a record holds."""
    try:
        if shape in PAYLOADS:
            kind, data = wire.Kind(PAYLOADS[shape]), Raw(text.strip(" \t\r\n").encode())
            wire.payload(msgspec.structs.replace(_record(), kind=kind, data=data))
            return True
        value = wire.decode(text, getattr(wire, shape))
        record = value.known if isinstance(value, wire.AnyEvent) else value
        if isinstance(record, wire.EventRecord):
            wire.payload(record)
    except (msgspec.MsgspecError, ValueError):  # A record is no record around what is no object.
        return False
    return True


@cache
def _record() -> wire.EventRecord:
    return wire.decode(_RECORD % (NIL_RUN.encode(), b"0" * 64), wire.EventRecord)


def by_jsonschema(shape: str, text: str) -> bool:
    """With `format`, which the other readers leave alone."""
    return _parsed(_with_formats(shape).is_valid, text)


@cache
def _with_formats(shape: str) -> Any:
    of = jsonschema.Draft202012Validator
    return judge(BUNDLE, shape).python.evolve(format_checker=of.FORMAT_CHECKER)


def by_jsonschema_rs(shape: str, text: str) -> bool:
    return _parsed(judge(BUNDLE, shape).rust.is_valid, text)


def _parsed(is_valid: Callable[[Json], bool], text: str) -> bool:
    try:
        return bool(is_valid(json.loads(text)))
    except ValueError:
        return False


@cache
def _models() -> Any:
    pytest.importorskip("pydantic")
    import wire.pydantic as shipped

    return flavour("pydantic", Path(shipped.__file__).parent)


def by_pydantic(shape: str, text: str) -> bool:
    try:
        _models().read(shape, text)
    except RefusedError:
        return False
    return True


def by_ajv(config: pytest.Config, folder: Path, documents: Sequence[Document]) -> dict[str, list[bool]]:
    """What both columns of ajv say of all documents; one process reads them."""
    texts = {f"rounds/{path.name}": path.read_text(encoding="utf-8") for path in generate(folder)}
    project = workshop(config, "typescript", texts | {"judge.mjs": (HERE / "judge.mjs").read_text(encoding="utf-8")})
    if not (project / "node_modules").is_symlink():
        (project / "node_modules").symlink_to(MODULES)
    assert command("node_modules/.bin/tsc", "--project", ".", folder=project) == ""
    lines = "".join(json.dumps({"shape": one.shape, "text": one.text}) + "\n" for one in documents)
    bundle = schema_dir() / f"{BUNDLE}.schema.json"
    printed = command("node", project / "judge.mjs", bundle, folder=project, given=lines).splitlines()
    verdicts = [json.loads(line) for line in printed]
    assert all(verdict in (True, False) for both in verdicts for verdict in both), verdicts
    return dict(zip(WITH_NODE, map(list, zip(*verdicts, strict=True)), strict=True))


IN_PYTHON: Final[dict[str, Callable[[str, str], bool]]] = {
    "jsonschema": by_jsonschema,
    "jsonschema-rs": by_jsonschema_rs,
    "pydantic": by_pydantic,
}
