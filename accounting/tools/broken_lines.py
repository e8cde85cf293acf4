"""Lines of standard input that are no messages of the protocol: answered all the same. Spec: dispatch.md 2.7.

Whoever asked would wait for ever for the answer to a request that does not read.
"""

import re
import sys
from collections.abc import AsyncIterable
from contextlib import suppress
from typing import Final, Protocol

import anyio
from anyio.streams.memory import MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from msgspec import DecodeError, json
from pydantic import ValidationError

from wire.scalars import Json

_NO_JSON: Final = "json_invalid"
_tokens = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[\]{}:]|[^\[\]{}:",\s]++').findall


class Sends(Protocol):
    """Where answers go."""

    async def send(self, item: SessionMessage, /) -> None:
        """Send one."""


async def pass_on(
    incoming: AsyncIterable[SessionMessage | Exception],
    passed_on: "MemoryObjectSendStream[SessionMessage | Exception]",
    outgoing: Sends,
) -> None:
    """Hand messages on to the server, and answer what is none, with a line on standard error."""
    async with passed_on:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # the server has ended
            async for message in incoming:
                if not isinstance(message, Exception):
                    await passed_on.send(message)
                elif (answer := answer_to(message)) is not None:
                    sys.stderr.write(f"rounds: a line of standard input is no message: {answer.error.message}\n")
                    sys.stderr.flush()
                    await outgoing.send(SessionMessage(answer))


def answer_to(error: Exception) -> JSONRPCError | None:
    """What to answer for a line that was refused with an error; `None` for one that is blank, or is not known."""
    if not isinstance(error, ValidationError):
        return None
    [first, *_] = error.errors(include_url=False, include_context=False)
    line: Json = first["input"]
    if first["type"] != _NO_JSON or not isinstance(line, str):
        told = ErrorData(code=INVALID_REQUEST, message="no message of JSON-RPC 2.0")
        return JSONRPCError(jsonrpc="2.0", id=None, error=told)
    if not line.strip():
        return None
    return JSONRPCError(jsonrpc="2.0", id=request_id(line), error=ErrorData(code=PARSE_ERROR, message=first["msg"]))


def request_id(line: str) -> int | str | None:
    """The id of a request that does not read as JSON: of a text that holds half a character, or nests too deep.

    `None` where the line names none, or has ended before.
    """
    depth = 0
    found: int | str | None = None
    tokens: list[str] = _tokens(line)
    for before, colon, value in zip(["", *tokens], tokens, [*tokens[1:], ""], strict=False):
        if colon in "[{":
            depth += 1
        elif colon in "]}":
            depth -= 1
        elif colon == ":" and before == '"id"' and depth == 1:
            found = _id(value)
    return found


def _id(text: str) -> int | str | None:
    try:
        return json.decode(text, type=int | str)
    except DecodeError:
        return None
