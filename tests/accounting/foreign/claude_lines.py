"""Lines of small Claude Code session files, for tests of what is made of sessions."""

from pathlib import Path
from typing import Any
from uuid import UUID

from msgspec import json

DAY = 1_772_000_000_000
"""2026-02-25T06:13:20Z."""


def session_id(number: int) -> str:
    return str(UUID(int=0xABCDEF << 104 | 4 << 76 | 8 << 60 | number))


def stamp(seconds: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(DAY / 1000 + seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Lines:
    """The lines of one session, a second apart."""

    def __init__(self, number: int, began: int = 0) -> None:
        self.id = session_id(number)
        self.lines: list[bytes] = []
        self._began = began
        self._last: str | None = None

    def add(self, type: str, message: Any, **more: Any) -> "Lines":
        uuid = str(UUID(int=len(self.lines) + (int(self.id[-4:], 16) << 32)))
        row = {
            "parentUuid": self._last,
            "isSidechain": False,
            "sessionId": self.id,
            "type": type,
            "uuid": uuid,
            "timestamp": stamp(self._began + len(self.lines)),
            "message": message,
            **more,
        }
        self._last = uuid
        self.lines.append(json.encode(row))
        return self

    def said(self, text: str) -> "Lines":
        return self.add("user", {"role": "user", "content": text})

    def reply(self, id: str, *blocks: Any, out: int = 5, fresh: int = 10, cached: int = 3, stop: str | None = None,
              model: str = "claude-x") -> "Lines":  # fmt: skip
        usage = {
            "input_tokens": fresh,
            "output_tokens": out,
            "cache_read_input_tokens": cached,
            "cache_creation_input_tokens": 2,
        }
        message = {
            "id": id,
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": list(blocks),
            "stop_reason": stop,
            "usage": usage,
        }
        return self.add("assistant", message, requestId=f"req_{id}")

    def result(self, call: str, text: str, *, failed: bool = False) -> "Lines":
        block = {"type": "tool_result", "tool_use_id": call, "content": text, "is_error": failed}
        return self.add("user", {"role": "user", "content": [block]})

    def write(self, folder: Path, count: int | None = None, name: str | None = None) -> Path:
        path = folder / (name or f"{self.id}.jsonl")
        path.write_bytes(b"".join(line + b"\n" for line in self.lines[:count]))
        return path


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def use(id: str, command: str = "ls") -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}


def small(number: int = 1, began: int = 0) -> Lines:
    """A prompt, a request on two lines with a call, its result, a word more, and a reply."""
    own = f"{number}_{began}"
    return (
        Lines(number, began)
        .said("Count the lighthouses.")
        .reply(f"a{own}", text("I look."), out=1)
        .reply(f"a{own}", use(f"t{own}"), out=7, stop="tool_use")
        .result(f"t{own}", "three\n")
        .said("And the buoys.")
        .reply(f"b{own}", text("Four."), out=9, stop="end_turn")
    )
