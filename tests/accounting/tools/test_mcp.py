"""The MCP server, as a real client sees it: every tool listed and called, errors, and several calls at once."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client
from mcp.shared.exceptions import MCPError

from accounting.tools import tools
from accounting.tools.broken_lines import request_id
from tests.accounting.tools.clients import DEADLINE_S, MODES, call, served, talking, tell
from tests.accounting.tools.schemas import VALUES
from tests.accounting.tools.test_handlers import NAMES
from tests.accounting.tools.world import World, answers

Json = Any


@pytest.mark.parametrize("mode", MODES)
def test_every_tool_is_listed_and_called_and_what_cannot_be_done_is_said(world: World, mode: str) -> None:
    async def talk(client: Client) -> set[str]:
        await listed_as_in_the_table(client)
        called = await every_tool(client, world)
        await what_cannot_be_done(client)
        await what_is_not_there(client)
        return called

    assert served(world, talk, mode) == {*NAMES}
    assert (world.started("review"), world.started("run")) == (1, 1)


async def listed_as_in_the_table(client: Client) -> None:
    assert [
        (tool.name, tool.description, tool.input_schema, tool.output_schema)
        for tool in (await client.list_tools()).tools
    ] == [(tool.name, tool.description, tool.parameters, tool.output.schema) for tool in tools()]
    hints = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
    for tool in tools():
        hint, effects = hints[tool.name], tool.effects
        assert hint is not None
        assert (hint.read_only_hint, hint.destructive_hint) == (effects.reads_only, effects.destroys)
        assert (hint.idempotent_hint, hint.open_world_hint) == (effects.repeatable, effects.reaches_out)
    assert "wait_run" in (client.instructions or "")


async def every_tool(client: Client, world: World) -> set[str]:
    called: set[str] = set()

    async def ask(name: str, **arguments: Json) -> Json:
        called.add(name)
        return await call(client, name, **arguments)

    for name, (arguments, word) in answers(world).items():
        await ask(name, **arguments)
        assert word in text_of(await client.call_tool(name, arguments))
    where = {"profile": "fake", "workspace": str(world.workspace)}
    review = await ask("start_review", **where, task="init ok:read")
    run = await ask("start_run", **where, task="init call:c1 sleep:60")
    assert (await ask("wait_run", runId=review["runId"]))["resultText"] == "read"
    assert (await ask("wait_run", runId=run["runId"], seconds=0))["state"] == "running"
    assert (await ask("cancel_run", runId=run["runId"]))["cancelled"] is True
    return called


async def what_cannot_be_done(client: Client) -> None:
    """It is a result that says so, and so it is with arguments: a model can do better then."""
    cannot: tuple[tuple[str, dict[str, Json], str], ...] = (
        ("wait_run", {"runId": "wb-0000000000000000"}, "no such run"),
        ("start_run", {"profile": "workbuddy", "workspace": "/", "task": "x"}, "cannot be started"),
        ("check_ledger", {"path": "/nowhere"}, "/nowhere"),
        ("doctor", {"fast": True}, "doctor: there is no argument `fast`"),
        ("wait_run", {}, "wait_run: `runId` is missing"),
    )
    for name, arguments, word in cannot:
        result = await client.call_tool(name, arguments)
        assert (result.is_error, result.structured_content) == (True, None)
        assert word in text_of(result)


async def what_is_not_there(client: Client) -> None:
    """It is an error of the protocol."""
    with pytest.raises(MCPError) as raised:
        await client.call_tool("wb_doctor", {})
    assert raised.value.code == -32602
    assert "no tool 'wb_doctor'; there are doctor, " in raised.value.message


def text_of(result: Json) -> str:
    [block] = result.content
    return str(block.text)


def test_long_waits_hold_up_no_other_call(world: World) -> None:
    """More of them at once than any pool has threads."""

    async def talk(client: Client) -> list[str]:
        run = await call(client, "start_run", profile="fake", workspace=str(world.workspace), task="init sleep:60")
        ended: list[str] = []

        async def wait() -> None:
            result = await client.call_tool("wait_run", {"runId": run["runId"], "seconds": 600})
            value: Json = result.structured_content
            ended.append(value["state"])

        async with anyio.create_task_group() as group:
            for _ in range(50):
                group.start_soon(wait)
            assert (await call(client, "doctor"))["profiles"]
            assert ended == []
            assert (await call(client, "cancel_run", runId=run["runId"]))["cancelled"] is True
        return ended

    assert served(world, talk) == ["cancelled"] * 50


def test_a_client_that_is_gone_is_no_trouble_of_the_server(world: World) -> None:
    with talking(world) as server:
        server.stdout.close()
        tell(server, {"id": 2, "method": "tools/list"})
        server.stdin.close()
        assert server.wait(DEADLINE_S) == 0
        assert server.stderr.read() == b""


def test_what_is_no_message_is_answered_and_costs_itself(world: World) -> None:
    asked = b'"method":"tools/call","params":{"name":"read_session","arguments":{"sessionId":'
    deep = b"[" * 5000 + b"]" * 5000
    lines: list[tuple[bytes, int, Json]] = [
        (b"no JSON", -32700, None),
        (b"\xff", -32700, None),
        (b"{}", -32600, None),
        (b'{"jsonrpc":"2.0","id":5,' + asked + b'"\\ud800","id":6}}}', -32700, 5),
        (b"{" + asked + deep + b'}},"jsonrpc":"2.0","id":"six"}', -32700, "six"),
    ]
    with talking(world) as server:
        for line, code, of in lines:
            server.stdin.write(line + b"\n\n")
            server.stdin.flush()
            answer = json.loads(server.stdout.readline())
            assert (answer["error"]["code"], answer["id"]) == (code, of)
        tell(server, {"id": 2, "method": "tools/list"})
        assert len(json.loads(server.stdout.readline())["result"]["tools"]) == len(NAMES)
        tell(server, {"id": 3, "method": "tools/publish"})
        assert json.loads(server.stdout.readline())["error"]["code"] == -32601
        server.stdin.close()
        told = server.stderr.read().splitlines()
        assert len(told) == len(lines)
        assert all(line.startswith(b"rounds: a line of standard input is no message: ") for line in told)


@given(
    st.integers(-(2**53), 2**53) | st.text(max_size=8), VALUES, st.permutations(["jsonrpc", "id", "method", "params"])
)
def test_the_id_of_a_request_is_found_wherever_it_stands(number: int | str, value: Json, order: list[str]) -> None:
    whole: Json = {"jsonrpc": "2.0", "id": number, "method": "x", "params": {"id": value, "a": [{"id": 1}]}}
    line = json.dumps({key: whole[key] for key in order})
    assert request_id(line) == number
    # What is broken off tells the id, or none, and never another.
    assert {request_id(line[:end]) for end in range(len(line)) if line[end - 1 : end] in ",}"} <= {number, None}
    del whole["id"]
    assert request_id(json.dumps(whole)) is None


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device")
def test_an_output_that_cannot_be_written_ends_the_server_with_a_line(world: World) -> None:
    # Many: the first is answered long before the input is at its end.
    pings = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n' * 5000
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "accounting.cli", "tools", "serve"],
            env=world.environ, input=pings, stdout=full, stderr=subprocess.PIPE, timeout=DEADLINE_S,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == b"rounds: standard input or output has failed: No space left on device\n"
