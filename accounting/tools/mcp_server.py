"""The front door for agents: the table over MCP, on standard input and output. Needs the extra `mcp`.

Spec: dispatch.md 2.7. What a tool cannot do, and arguments that it does not take, are results that say so (`isError`),
which a model can act on. A tool that is not there is an error of the protocol (-32602, as MCP has it).
"""

import asyncio
import os
import signal
from collections.abc import Generator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Final

import anyio
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)

from accounting.tools.arguments import ArgumentsError
from accounting.tools.beside import Beside
from accounting.tools.broken_lines import pass_on
from accounting.tools.table import find, tools
from accounting.tools.tool import Effects, ToolError
from wire.scalars import JsonObject

NAME: Final = "rounds"
"""What the server calls itself; clients put it before the names of the tools."""
FINISH_S: Final = 6.0
"""How long what tools change is waited for when the client has gone: an agent that is cancelled has 2 s to end."""
INSTRUCTIONS: Final = (
    "Hand work to other agents and read what came of it: `doctor` says which there are, `start_review` or `start_run`"
    " starts one and answers at once with a `runId`, `wait_run` tells how it ends, and `read_session` what it did."
)
"""What a client tells its model of the server."""


def serve() -> None:
    """Serve until standard input ends. Nothing but the protocol goes to standard output.

    Whatever is only waited for or read then ends at once. A start, a cancelling, an archiving goes on to its end, for
    up to `FINISH_S` seconds; so it does after Ctrl-C and SIGTERM. Raises `OSError` when standard input or output
    breaks.
    """
    beside = Beside()
    broken: BaseException | None = None
    with _ending_after(beside):
        try:
            asyncio.run(_serve(beside))
        except* BrokenPipeError:
            pass  # the client has gone in the midst of an answer
        except* OSError as several:
            broken = several
        beside.finish(FINISH_S)
    while isinstance(broken, BaseExceptionGroup):
        broken = broken.exceptions[0]
    if broken is not None:
        raise broken


async def _serve(beside: Beside) -> None:
    server = mcp_server(beside)
    async with stdio_server() as (incoming, outgoing), anyio.create_task_group() as group:
        passed_on, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        group.start_soon(pass_on, incoming, passed_on, outgoing)
        await server.run(read, outgoing, server.create_initialization_options())
        group.cancel_scope.cancel()


@contextmanager
def _ending_after(beside: Beside) -> Generator[None]:
    """Ctrl-C, and SIGTERM, by which clients end a server, end it after what is not to be broken off; twice, at once.

    Nothing gentler would: whoever waits for a line of standard input is not woken.
    """

    def end(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        beside.finish(FINISH_S)
        os.kill(os.getpid(), number)

    try:
        before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}
    except ValueError:  # not in the main thread, where signals do not arrive
        yield
        return
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def mcp_server(beside: Beside | None = None) -> "Server[object]":
    """The server, for a transport of one's own; `beside` is what does the work, and can be waited for."""
    work = Beside() if beside is None else beside

    async def call(_: ServerRequestContext[object], asked: CallToolRequestParams) -> CallToolResult:
        return await _call(work, asked)

    return Server(NAME, version=version(NAME), instructions=INSTRUCTIONS, on_list_tools=_list, on_call_tool=call)


async def _list(_: ServerRequestContext[object], __: PaginatedRequestParams | None) -> ListToolsResult:
    listed = [
        Tool(
            name=tool.name,
            description=tool.description,
            input_schema=tool.parameters,
            output_schema=tool.output.schema,
            annotations=_hints(tool.effects),
        )
        for tool in tools()
    ]
    return ListToolsResult(tools=listed)


def _hints(effects: Effects) -> ToolAnnotations:
    return ToolAnnotations(
        read_only_hint=effects.reads_only,
        destructive_hint=effects.destroys,
        idempotent_hint=effects.repeatable,
        open_world_hint=effects.reaches_out,
    )


async def _call(work: Beside, asked: CallToolRequestParams) -> CallToolResult:
    tool = find(asked.name)
    if tool is None:
        there = ", ".join(tool.name for tool in tools())
        raise MCPError(INVALID_PARAMS, f"no tool {asked.name!r}; there are {there}")
    arguments: JsonObject = asked.arguments or {}
    try:
        value = await work.done(lambda: tool.handler(arguments), to_the_end=not tool.effects.reads_only)
    except (ArgumentsError, ToolError) as error:
        return CallToolResult(content=[TextContent(text=str(error))], is_error=True)
    return CallToolResult(content=[TextContent(text=tool.output.render(value))], structured_content=value)
