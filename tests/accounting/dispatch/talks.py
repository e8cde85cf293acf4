"""Session files written row by row, in each of the dialects that agents write."""

import json
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any, Protocol

Row = dict[str, Any]
SESSION = "7b7b7b7b-0001-4000-8000-000000000001"
CWD = "/home/me/harbour"
BEGAN = 1_772_352_000_000  # 2026-03-01 08:00:00 UTC


class Talk(Protocol):
    """One conversation, in a dialect. Each method adds a row, a second after the one before."""

    rows: list[Row]

    def asks(self, text: str) -> None:
        """A person says something."""
        ...

    def says(self, text: str, *, whole: bool = True) -> None:
        """The model says something; `whole` is whether the row tells that it is all."""
        ...

    def thinks(self, text: str) -> None:
        """The model thinks something."""
        ...

    def calls(self, call: str, tool: str = "Bash") -> None:
        """The model calls a tool."""
        ...

    def answers(self, call: str, text: str = "done", *, error: bool = False) -> None:
        """A tool answers."""
        ...

    def breaks_in(self) -> None:
        """A person breaks in."""
        ...

    def meta(self) -> None:
        """A row beside the conversation."""
        ...

    def title(self, text: str) -> None:
        """The session is given a title."""
        ...


class _Rows:
    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.seconds = count()

    def t(self) -> int:
        return BEGAN + next(self.seconds) * 1000


class Older(_Rows):
    """WorkBuddy's dialect A: calls and results inside messages; no ids, no times."""

    def message(self, role: str, *blocks: Row) -> None:
        self.rows.append({"type": "message", "role": role, "content": list(blocks)})

    def asks(self, text: str) -> None:
        self.message("user", {"type": "input_text", "text": text})

    def says(self, text: str, *, whole: bool = True) -> None:
        self.message("assistant", {"type": "output_text", "text": text})
        self.rows[-1]["status"] = "completed" if whole else "in_progress"

    def thinks(self, text: str) -> None:
        self.message("assistant", {"type": "reasoning_text", "text": text})

    def calls(self, call: str, tool: str = "Bash") -> None:
        self.message("assistant", {"type": "tool_use", "id": call, "name": tool, "input": {"command": "make"}})

    def answers(self, call: str, text: str = "done", *, error: bool = False) -> None:
        block = {"type": "tool_result", "tool_use_id": call, "content": text}
        self.message("user", block | ({"is_error": True} if error else {}))

    def breaks_in(self) -> None:
        self.asks("[Request interrupted by user]")

    def meta(self) -> None:
        self.rows.append({"type": "file-history-snapshot", "messageId": "m", "snapshot": {}})

    def title(self, text: str) -> None:
        self.rows.append({"type": "topic", "topic": text})


class Newer(_Rows):
    """WorkBuddy's dialect B: a row for each thing; ids, times and what the agent wrote beside them."""

    def add(self, kind: str, **more: Any) -> Row:
        t = self.t()
        own = f"b{t - BEGAN}"
        parent = self.rows[-1].get("id") if self.rows else None
        row = {"id": own, "parentId": parent, "timestamp": t, "type": kind, "sessionId": SESSION, "cwd": CWD, **more}
        self.rows.append(row)
        return row

    def asks(self, text: str) -> None:
        self.add("message", role="user", content=[{"type": "input_text", "text": text}], providerData={})

    def says(self, text: str, *, whole: bool = True) -> None:
        content = [{"type": "output_text", "text": text}]
        status = "completed" if whole else "in_progress"
        self.add("message", role="assistant", status=status, content=content, providerData={"messageId": "m"})

    def thinks(self, text: str) -> None:
        self.add("reasoning", content=[], rawContent=[{"type": "reasoning_text", "text": text}], providerData={})

    def calls(self, call: str, tool: str = "Bash") -> None:
        self.add("function_call", name=tool, callId=call, arguments='{"command": "make"}', providerData={})

    def answers(self, call: str, text: str = "done", *, error: bool = False) -> None:
        raw = {"exitCode": 2 if error else 0}
        self.add(
            "function_call_result",
            name="Bash",
            callId=call,
            status="failed" if error else "completed",
            output={"type": "text", "text": text},
            providerData={"toolResult": {"content": text, "rawResponse": raw}},
        )

    def breaks_in(self) -> None:
        content = [{"type": "input_text", "text": "[Request interrupted by user]"}]
        self.add("message", role="user", content=content, providerData={"skipRun": True})

    def meta(self) -> None:
        self.add("turn-metrics", metrics={})

    def title(self, text: str) -> None:
        self.rows.append({"type": "ai-title", "aiTitle": text, "sessionId": SESSION})


class Claude(_Rows):
    """Claude Code's lines."""

    def add(self, kind: str, **more: Any) -> Row:
        t = self.t()
        seconds = (t - BEGAN) // 1000
        stamp = f"2026-03-01T{8 + seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.000Z"
        parent = self.rows[-1].get("uuid") if self.rows else None
        row = {
            "parentUuid": parent,
            "isSidechain": False,
            "cwd": CWD,
            "sessionId": SESSION,
            "type": kind,
            "uuid": f"c{t - BEGAN}",
            "timestamp": stamp,
            **more,
        }
        self.rows.append(row)
        return row

    def block(self, block: Row, stop: str | None = None, **more: Any) -> Row:
        message = {"id": f"msg{len(self.rows)}", "role": "assistant", "model": "m", "content": [block]}
        return self.add("assistant", message=message | {"stop_reason": stop}, **more)

    def asks(self, text: str) -> None:
        self.add("user", message={"role": "user", "content": text})

    def says(self, text: str, *, whole: bool = True) -> None:
        self.block({"type": "text", "text": text}, "end_turn" if whole else None)

    def thinks(self, text: str) -> None:
        self.block({"type": "thinking", "thinking": text, "signature": ""})

    def calls(self, call: str, tool: str = "Bash") -> None:
        self.block({"type": "tool_use", "id": call, "name": tool, "input": {"command": "make"}}, "tool_use")

    def answers(self, call: str, text: str = "done", *, error: bool = False) -> None:
        block: Row = {"type": "tool_result", "tool_use_id": call, "content": text}
        if error:
            block |= {"is_error": True, "content": f"Exit code 2\n{text}"}
        self.add("user", message={"role": "user", "content": [block]})

    def breaks_in(self) -> None:
        self.add(
            "user", message={"role": "user", "content": [{"type": "text", "text": "[Request interrupted by user]"}]}
        )

    def meta(self) -> None:
        self.add("system", subtype="turn_duration", durationMs=5)

    def title(self, text: str) -> None:
        self.rows.append({"type": "custom-title", "customTitle": text, "sessionId": SESSION})


DIALECTS: tuple[type[Older] | type[Newer] | type[Claude], ...] = (Older, Newer, Claude)


def lines(rows: Sequence[Row]) -> list[bytes]:
    """The rows as lines."""
    return [json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows]


def written(path: Path, rows: Sequence[Row], *more: bytes) -> Path:
    """A file of the rows, and of what comes after them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join([*lines(rows), *more]))
    return path
