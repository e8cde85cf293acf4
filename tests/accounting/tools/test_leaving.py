"""A client that leaves in the middle of a call: what only looks ends at once, and no deed is broken off."""

import asyncio
import contextlib
import hashlib
import json
import signal
import sys
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any, TypeVar

import anyio
from mcp import Client

from accounting.dispatch.ids import run_id_of
from accounting.tools import ToolError, tools
from accounting.tools.beside import Beside
from accounting.tools.mcp_server import mcp_server
from tests.accounting.tools.clients import DEADLINE_S, Talk, talking, tell
from tests.accounting.tools.test_handlers import called, started
from tests.accounting.tools.world import SESSION, World

Json = Any
T = TypeVar("T")
SIGNALS = [] if sys.platform == "win32" else [signal.SIGTERM, signal.SIGINT]


@contextmanager
def being_at(world: World, calls: dict[str, dict[str, Json]]) -> Generator[Talk]:
    """A server that is at several calls."""
    with talking(world) as server:
        for number, (name, arguments) in enumerate(calls.items(), 2):
            tell(server, {"id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
        tell(server, {"id": 1000, "method": "ping"})
        assert json.loads(server.stdout.readline())["id"] == 1000
        yield server


def has_ended(server: Talk, code: int = 0) -> None:
    assert server.wait(DEADLINE_S) == code
    assert server.stderr.read() == b""


def test_a_run_that_is_being_cancelled_is_cancelled(world: World) -> None:
    """Its agent is deaf, so that it takes the whole grace."""
    ways = [0, *SIGNALS]  # the end of the input, and signals; all at once, for each takes seconds
    runs = [started(world, "deaf init sleep:60")["runId"] for _ in ways]
    with ExitStack() as stack:
        servers = [stack.enter_context(being_at(world, {"cancel_run": {"runId": run}})) for run in runs]
        for way, server in zip(ways, servers, strict=True):
            if way:
                server.send_signal(way)
            else:
                server.stdin.close()
        for way, server in zip(ways, servers, strict=True):
            has_ended(server, -way)
    assert [called("wait_run", runId=run, seconds=0)["state"] for run in runs] == ["cancelled"] * len(runs)


def test_what_is_being_started_or_archived_is_done(world: World) -> None:
    [session] = (world.configuration / "projects").glob(f"*/{SESSION}.jsonl")
    with session.open("ab") as file:
        file.truncate(48 << 20)
    start = {"profile": "fake", "workspace": str(world.workspace), "task": "init ok", "key": "k"}
    archive = {"sessionId": SESSION, "project": "harbour"}
    with being_at(world, {"start_run": start, "archive_session": archive}) as server:
        server.stdin.close()
        has_ended(server)
    assert called("wait_run", runId=run_id_of("k"))["state"] == "succeeded"
    assert world.started("run") == 1
    [manifest] = (world.configuration / "session-archive").rglob("*.manifest.json")
    told = json.loads(manifest.read_bytes())
    copy = manifest.parent / told["copy"]["path"]
    assert hashlib.sha256(copy.read_bytes()).hexdigest() == told["copy"]["sha256"] == digest(session)
    beside = {path.name for path in manifest.parent.iterdir()}
    assert beside == {manifest.name, copy.name}


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_server_ends_with_its_client_whatever_is_waited_for(world: World) -> None:
    """Clients close standard input and give a server some seconds: a wait of ten minutes must not use them up."""
    go = world.directory / "go"
    run = started(world, f"init hold:{go} ok")["runId"]
    with talking(world) as server:
        waiting = {"name": "wait_run", "arguments": {"runId": run, "seconds": 600}}
        tell(server, {"id": 2, "method": "tools/call", "params": waiting})
        tell(server, {"id": 3, "method": "tools/call", "params": {"name": "doctor"}})
        assert json.loads(server.stdout.readline())["id"] == 3
        server.stdin.close()
        assert server.wait(DEADLINE_S) == 0
        # Nothing but the protocol on standard output, and nothing to complain of.
        assert [json.loads(line)["id"] for line in server.stdout] == [2]
        assert server.stderr.read() == b""
    # The run is not the servers': it has gone on.
    go.touch()
    assert called("wait_run", runId=run)["state"] == "succeeded"


def test_only_deeds_are_waited_for() -> None:
    beside, go = Beside(), Event()
    done: list[bool] = []

    async def leave(*, to_the_end: bool) -> None:
        task = asyncio.create_task(beside.done(lambda: done.append(go.wait()), to_the_end=to_the_end))
        await asyncio.sleep(0)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    asyncio.run(leave(to_the_end=False))
    began = time.monotonic()
    beside.finish(DEADLINE_S)
    assert time.monotonic() - began < DEADLINE_S / 2
    asyncio.run(leave(to_the_end=True))
    beside.finish(0.01)
    assert done == []
    Thread(target=go.set).start()
    beside.finish(DEADLINE_S)
    assert True in done


def test_the_deeds_are_those_of_the_tools_that_change_something() -> None:
    asked: list[bool] = []

    class Recorder(Beside):
        async def done(self, work: Callable[[], T], *, to_the_end: bool) -> T:
            asked.append(to_the_end)
            raise ToolError("recorded")

    async def ask() -> None:
        async with Client(mcp_server(Recorder())) as client:
            for tool in tools():
                assert (await client.call_tool(tool.name, {})).is_error

    anyio.run(ask)
    assert asked == [not tool.effects.reads_only for tool in tools()]
