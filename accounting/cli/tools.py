"""`rounds tools`: the table of tools, listed, called, and served to agents. Spec: dispatch.md 2.7."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from accounting.cli import options
from accounting.cli.out import put
from accounting.cli.trouble import Trouble

if TYPE_CHECKING:
    from accounting.tools import Output
    from wire.scalars import JsonObject


class Registered(NamedTuple):
    """A tool, as it was registered."""

    description: str
    parameters: "JsonObject"
    output: "Output"
    execute: "Callable[[JsonObject], JsonObject]"


def registered() -> dict[str, Registered]:
    """Every tool by its name, by the same door as any program's."""
    from accounting.tools import register_all

    found: dict[str, Registered] = {}

    def register(
        *,
        name: str,
        description: str,
        parameters: "JsonObject",
        output: "Output",
        execute: "Callable[[JsonObject], JsonObject]",
    ) -> None:
        found[name] = Registered(description, parameters, output, execute)

    register_all(register)
    return found


@click.group(
    invoke_without_command=True,
    epilog="""\b
Examples:
  rounds tools
  rounds tools call doctor
  rounds tools call list_sessions '{"limit": 5}'
  rounds tools call wait_run --json - < arguments.json
  rounds tools serve""",
)
@options.as_json
@click.pass_context
def tools(ctx: click.Context, *, as_json: bool) -> None:
    """List the tools that agents can be given: to start runs, wait for them, read sessions, and more.

    With --json the whole table: names, descriptions, and the schemas of what each tool takes and answers.
    """
    if ctx.invoked_subcommand is not None:
        if as_json:
            raise click.UsageError("--json stands after the command here", ctx)
        return
    if not as_json:
        for name, tool in registered().items():
            click.echo(f"{name}\n  {tool.description}")
        return
    from msgspec import json

    listed = [
        {
            "name": name,
            "description": tool.description,
            "parameters": tool.parameters,
            "output": {"schema": tool.output.schema},
        }
        for name, tool in registered().items()
    ]
    put(json.encode(listed), b"\n")


@tools.command()
@click.argument("name")
@click.argument("arguments", default="{}", metavar="[ARGUMENTS]")
@options.as_json
def call(name: str, arguments: str, *, as_json: bool) -> None:
    """Call the tool NAME with ARGUMENTS, a JSON object, or - to read that from standard input.

    What it answers is printed as a text, with --json as JSON. A run that failed is an answer. The exit code is 2 when
    the tool could not do what it was asked. Ctrl-C does not break off what starts, cancels or archives: its answer is
    printed, and the exit code is 130.
    """
    from contextlib import nullcontext

    from accounting.cli.dispatch.held_back import held_back
    from accounting.tools import ArgumentsError, ToolError, find

    there = registered()
    if name not in there:
        raise Trouble(f"no tool {name!r}; there are:", tuple(there))
    tool = there[name]
    given = _arguments(arguments)
    # Broken off, a start would be unknown for good and its key be spent, and a cancelling's answer be lost.
    meant = find(name)
    with nullcontext() if meant is not None and meant.effects.reads_only else held_back():
        try:
            value = tool.execute(given)
        except (ArgumentsError, ToolError) as error:
            raise Trouble(str(error)) from None
        _print(tool, value, as_json=as_json)


def _print(tool: Registered, value: "JsonObject", *, as_json: bool) -> None:
    from msgspec import json

    from accounting.cli.visible import visible

    if as_json:
        put(json.encode(value), b"\n")
    else:
        text = tool.output.render(value)
        put("".join(f"{visible(line)}\n" for line in text.split("\n")).encode(errors="replace"))


@tools.command()
def serve() -> None:
    """Serve the tools over MCP, on standard input and output, until that ends.

    This is what an agent's configuration names as the command of a server. When the input ends, and after Ctrl-C, what
    is being started, cancelled or archived is still done, for some seconds at most.
    """
    try:
        from accounting.tools.mcp_server import serve as serve_mcp
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("anyio", "mcp", "mcp_types", "pydantic"):
            raise
        raise Trouble(f"serving needs the extra `mcp`: pip install 'rounds[mcp]' ({error})") from None
    if sys.stdin is None or sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison] - closed at the start
        raise Trouble("standard input or output is closed; an agent that starts this command is at both of them")
    if sys.stdin.isatty():
        click.echo("rounds: serving MCP here; an agent is to start this command. Ctrl-C ends it.", err=True)
    try:
        serve_mcp()
    except OSError as error:
        raise Trouble(f"standard input or output has failed: {error.strerror or error}") from None


def _arguments(text: str) -> "JsonObject":
    from msgspec import DecodeError, ValidationError, json

    if text == "-":
        if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison] - it is when closed at the start
            raise Trouble("standard input is closed; give the arguments, or - with something to read")
        data: str | bytes = sys.stdin.buffer.read()
    else:
        data = text
    try:
        arguments: JsonObject = json.decode(data, type=dict[str, Any])
    except (DecodeError, ValidationError, UnicodeEncodeError) as error:
        raise Trouble(f"the arguments are no JSON object: {error}") from None
    return arguments
