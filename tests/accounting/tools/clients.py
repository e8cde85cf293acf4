"""Clients of `rounds tools serve`, over its standard input and output: the SDK's own, and one that writes lines."""

import json
import subprocess
import sys
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import IO, Any, Final, NamedTuple, TypeVar

import anyio
from mcp import Client, StdioServerParameters

from accounting.tools import find
from tests.accounting.tools.world import World
from tests.wire.shapes import jsonschema_rs

T = TypeVar("T")
Json = Any
DEADLINE_S: Final = 60
MODES: Final = ("auto", "legacy")
"""Both of the protocol's eras: each call by itself, and after a handshake."""


def served(world: World, talk: "Callable[[Client], Awaitable[T]]", mode: str = "auto") -> T:
    """What comes of talking to a server that works on the world."""
    return anyio.run(partial(_served, world, talk, mode))


async def _served(world: World, talk: "Callable[[Client], Awaitable[T]]", mode: str) -> T:
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "accounting.cli", "tools", "serve"], env=world.environ
    )
    with anyio.fail_after(DEADLINE_S):
        async with Client(command, mode=mode) as client:
            return await talk(client)


async def call(client: Client, name: str, **arguments: Json) -> Json:
    """What a tool answers, which has to be as the table declares it."""
    tool = find(name)
    assert tool is not None
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content
    assert jsonschema_rs.is_valid(tool.output.schema, result.structured_content)
    assert [block.type for block in result.content] == ["text"]
    return result.structured_content


class Talk(NamedTuple):
    """A server, and its ends."""

    process: "subprocess.Popen[bytes]"
    stdin: IO[bytes]
    stdout: IO[bytes]
    stderr: IO[bytes]

    def wait(self, seconds: float) -> int:
        return self.process.wait(seconds)

    def send_signal(self, number: int) -> None:
        self.process.send_signal(number)


@contextmanager
def talking(world: World) -> Generator[Talk]:
    """A server after the handshake, spoken to without the SDK."""
    with subprocess.Popen(
        [sys.executable, "-m", "accounting.cli", "tools", "serve"],
        env=world.environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        server = Talk(process, process.stdin, process.stdout, process.stderr)
        who = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        try:
            tell(server, {"id": 1, "method": "initialize", "params": who})
            assert json.loads(server.stdout.readline())["result"]["serverInfo"]["name"] == "rounds"
            tell(server, {"method": "notifications/initialized"})
            yield server
        except BaseException:
            process.kill()
            raise


def tell(server: Talk, message: dict[str, Json]) -> None:
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    server.stdin.flush()
