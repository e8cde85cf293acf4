"""One tool: what it is called, what it takes and answers, and what is done. Spec: dispatch.md 2.7."""

from collections.abc import Callable
from typing import Final, TypeVar, cast

import msgspec
from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

from accounting.dispatch.errors import DispatchTroubleError, UnknownRunError
from accounting.tools.arguments import read_arguments
from accounting.tools.bare import bare
from accounting.tools.projection import project
from wire import decode, encode
from wire.export import Root, document
from wire.scalars import JsonObject

P = TypeVar("P", bound=Struct)
A = TypeVar("A", bound=Struct)

_OF_A_DOCUMENT: Final = ("title", "description", "$comment")


class ToolError(Exception):
    """A tool could not do what it was asked. The message says what, where, and what to do.

    It is an answer of the tool's, not a fault of whoever carried the question.
    """


class Effects(Struct, frozen=True, kw_only=True):
    """What calling a tool may change, for whoever decides whether a person is to be asked first."""

    reads_only: bool
    """Whether nothing is changed. That a run which is looked at gets its journal brought up to date is no change."""
    destroys: bool
    """Whether what is there may be changed or ended; false when something is added at most."""
    repeatable: bool
    """Whether the same call made again does nothing more."""
    reaches_out: bool
    """Whether it sets something going that may reach beyond this machine."""


READS: Final = Effects(reads_only=True, destroys=False, repeatable=True, reaches_out=False)
"""A tool that only looks."""


class Output(Struct, frozen=True, kw_only=True):
    """What a tool answers."""

    schema: JsonObject
    """The schema of it, in the subset; its `title` names the exported type, and it has no other annotation."""
    render: Callable[[JsonObject], str]
    """It as a text, for a model or a person. Raises `msgspec.ValidationError` for what the tool does not answer."""


class Tool(Struct, frozen=True, kw_only=True):
    """One entry of the table."""

    name: str
    """By which it is called."""
    description: str
    """What it does, in a few sentences, for who decides whether to call it."""
    parameters: JsonObject
    """The schema of its arguments, in the subset: an object that has no other keys."""
    output: Output
    """What comes of it."""
    effects: Effects
    """What it may change."""
    handler: Callable[[JsonObject], JsonObject]
    """Does it. Raises `accounting.tools.ArgumentsError`, and `ToolError` when it cannot be done."""


def tool(
    name: str,
    description: str,
    parameters: type[P],
    answer: type[A],
    run: Callable[[P], A],
    render: Callable[[A], str],
    effects: Effects = READS,
) -> Tool:
    """The entry of a tool that is written with shapes: their schemas are those of the table."""
    taken = _taken(parameters)

    def handler(arguments: JsonObject) -> JsonObject:
        return _answered(run, read_arguments(name, arguments, parameters, taken))

    def rendered(value: JsonObject) -> str:
        return render(decode(msgspec.json.encode(value), answer))

    schema = bare(project(document(Root(name, answer.__name__, answer))))
    return Tool(
        name=name,
        description=description,
        parameters=taken,
        output=Output(schema={"title": answer.__name__, **schema}, render=rendered),
        effects=effects,
        handler=handler,
    )


def _answered(run: Callable[[P], Struct], asked: P) -> JsonObject:
    try:
        value: JsonObject = msgspec.json.decode(encode(run(asked)))
    except UnknownRunError as error:
        raise ToolError(f"{error.run}: no such run; list_runs lists those there are") from error
    except DispatchTroubleError as error:
        raise ToolError(str(error)) from error
    except OSError as error:
        where = "" if error.filename is None else f"{error.filename}: "
        raise ToolError(f"{where}{error.strerror or error}") from error
    except UnicodeEncodeError as error:
        # A file's name need not be Unicode, and JSON has no other text.
        raise ToolError(f"the answer holds a name that is no Unicode text, at {error.object[:100]!r}") from error
    return value


def _taken(parameters: type[Struct]) -> JsonObject:
    """The schema of what a tool takes, with the values that stand for what is not given."""
    schema = project(document(Root(parameters.__name__, parameters.__name__, parameters)))
    properties = cast("dict[str, JsonObject]", schema.get("properties", {}))
    for field in fields(parameters):
        if field.default not in (NODEFAULT, None):
            properties[field.encode_name]["default"] = msgspec.to_builtins(field.default)
    return {key: value for key, value in schema.items() if key not in _OF_A_DOCUMENT}
