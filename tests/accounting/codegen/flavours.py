"""Each flavour of Python types, generated once, with the reader and writer that docs/clients/python.md names for it."""

import json
import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Raw, structs

from tests.wire.shapes import Json, judge
from wire.export import BUNDLE, ROOTS
from wire.export.keywords import camel

FILES: Final = {
    "pydantic": "pydantic_models.py",
    "dataclass": "dataclass_models.py",
    "typeddict": "typed_dicts.py",
    "msgspec": "msgspec_structs/__init__.py",
}
PAYLOADS: Final = {
    root.shape: root.name.removeprefix("payload-").replace("-", "_")
    for root in ROOTS
    if root.name.startswith("payload-")
}
"""The kind by the name of its payload."""
RECORDS: Final = ("EventRecord", "AnyEvent")


class RefusedError(Exception):
    """What was read does not fit."""


class Flavour(NamedTuple):
    """Reads a text as a shape, and writes again what was read."""

    read: "Callable[[str, str], Any]"
    """By shape and text. Raises `RefusedError`."""
    write: "Callable[[str, Any], bytes]"
    """By shape and value."""


def flavour(name: str, folder: Path) -> Flavour:
    """The flavour, out of a folder that it was generated into."""
    module = _imported(f"generated_{name}", folder / FILES[name])
    kinds = {"msgspec": _by_msgspec, "typeddict": _by_schema}
    return kinds.get(name, _by_pydantic)(module)


def _imported(name: str, path: Path) -> Any:
    inside = [str(path.parent)] if path.name == "__init__.py" else None
    spec = spec_from_file_location(name, path, submodule_search_locations=inside)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _by_pydantic(module: Any) -> Flavour:
    from pydantic import TypeAdapter, ValidationError

    adapters: dict[str, Any] = {}

    def adapter(shape: str) -> Any:
        if shape not in adapters:
            adapters[shape] = TypeAdapter(getattr(module, shape))
        return adapters[shape]

    def read(shape: str, text: str) -> Any:
        try:
            value = adapter(shape).validate_json(text)
            if shape in RECORDS and (payload := camel(str(getattr(value.kind, "value", value.kind)))) in PAYLOADS:
                adapter(payload).validate_python(value.data)
        except ValidationError as error:
            raise RefusedError(str(error)) from None
        return value

    def write(shape: str, value: Any) -> bytes:
        text: bytes = adapter(shape).dump_json(value)
        return text

    return Flavour(read, write)


def _by_schema(module: Any) -> Flavour:
    def read(shape: str, text: str) -> Json:
        value = json.loads(text)
        assert hasattr(module, shape)
        if not judge(BUNDLE, shape).rust.is_valid(value):
            raise RefusedError(shape)
        return value

    def write(shape: str, value: Json) -> bytes:
        return json.dumps(value, allow_nan=False).encode()

    return Flavour(read, write)


def _by_msgspec(module: Any) -> Flavour:
    line = '{"v":2,"run":"%s","seq":0,"prev":"%s","t":0,"who":"","kind":"%s","data":{}}'
    run, prev = module.scalars.NIL_RUN, "0" * 64

    def read(shape: str, text: str) -> Any:
        try:
            if shape in PAYLOADS:
                record = module.decode(line % (run, prev, PAYLOADS[shape]), module.EventRecord)
                return module.payload(structs.replace(record, data=Raw(text.encode())))
            value = module.decode(text, getattr(module, shape))
            record = value.known if shape == "AnyEvent" else value
            if record is not None and shape in RECORDS:
                module.payload(record)
        except msgspec.MsgspecError as error:
            raise RefusedError(str(error)) from None
        return value

    def write(shape: str, value: Any) -> bytes:
        text: bytes = module.encode(value)
        return text

    return Flavour(read, write)
