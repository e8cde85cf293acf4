"""Claude Code session files made up for tests: a small script of what happened, written as the lines it leaves."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from accounting.foreign import Session, sessions
from accounting.views.rounds import rounds
from wire import RoundsAnswer

SESSION = "0a0a0a0a-1111-4222-8333-444444444444"
MODEL = "claude-opus-4-5-20251101"


@dataclass
class Writer:
    """Writes lines one after the other, each following the one before it."""

    session: str = SESSION
    lines: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    parent: str | None = None
    clock: int = 0

    def line(self, kind: str, *, uuid: str | None = None, **more: Any) -> dict[str, Any]:
        self.clock += 1
        line = {
            "parentUuid": self.parent,
            "isSidechain": False,
            "sessionId": self.session,
            "type": kind,
            "uuid": uuid or f"u{len(self.lines)}",
            "timestamp": f"2026-03-01T08:{self.clock // 60:02d}:{self.clock % 60:02d}.000Z",
            **more,
        }
        if not line["isSidechain"]:
            self.parent = str(line["uuid"])
        self.lines.append(line)
        return line

    def says(self, text: str, **more: Any) -> dict[str, Any]:
        return self.line("user", message={"role": "user", "content": text}, **more)

    def replies(self, name: str, *blocks: dict[str, Any], output: int = 5, **more: Any) -> dict[str, Any]:
        message = {
            "id": f"msg_{name}",
            "role": "assistant",
            "model": MODEL,
            "content": list(blocks),
            "stop_reason": more.pop("stop", None),
            "usage": usage(output=output),
        }
        return self.line("assistant", requestId=f"req_{name}", message=message, **more)

    def answers(self, *results: dict[str, Any], **more: Any) -> dict[str, Any]:
        return self.line("user", message={"role": "user", "content": list(results)}, **more)


def usage(*, output: int = 5) -> dict[str, Any]:
    return {
        "input_tokens": 2,
        "cache_read_input_tokens": 30,
        "cache_creation_input_tokens": 400,
        "output_tokens": output,
        "service_tier": "standard",
    }


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(name: str, tool: str = "Bash", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_{name}", "name": tool, "input": arguments or {"command": "ls"}}


def result(name: str, content: Any = "done", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": f"toolu_{name}", "content": content, **more}


def encoded(lines: list[dict[str, Any]]) -> list[bytes]:
    return [json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() for line in lines]


def write(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_bytes(b"".join(line + b"\n" for line in encoded(lines)))
    return path


def read_all(path: Path) -> list[Session]:
    return list(sessions(path, "claude_code"))


def read_lines(folder: Path, lines: list[dict[str, Any]]) -> list[Session]:
    return read_all(write(folder / f"{SESSION}.jsonl", lines))


def answer(session: Session) -> RoundsAnswer:
    return rounds(session.records, session.run).answer


def said(lines: list[dict[str, Any]], folder: Path) -> RoundsAnswer:
    return answer(read_lines(folder, lines)[0])


@st.composite
def scripts(draw: st.DrawFn, *, most: int = 6) -> list[dict[str, Any]]:
    """Sessions as Claude Code leaves them: requests of one to three lines, whose tools may answer between the lines."""
    writer = Writer()
    writer.says("begin")
    for number in range(draw(st.integers(1, most))):
        waiting: list[str] = []
        for index, shape in enumerate(draw(st.lists(st.sampled_from("ttcck"), min_size=1, max_size=4))):
            match shape:
                case "c":
                    waiting.append(f"{number}_{index}")
                    block = call(waiting[-1], command=f"run {number}.{index}")
                case "k":
                    block = {"type": "thinking", "thinking": f"hm {number}.{index}", "signature": "s"}
                case _:
                    block = text(f"words {number}.{index}")
            writer.replies(str(number), block, output=3 + index)
            if draw(st.booleans()) and waiting:
                _answer(draw, writer, waiting.pop(0))
        order = draw(st.permutations(waiting)) if waiting else []
        for name in order:
            if draw(st.integers(0, 5)):
                _answer(draw, writer, name)
        if not draw(st.integers(0, 3)):
            writer.says(f"and then {number}")
    return writer.lines


def _answer(draw: st.DrawFn, writer: Writer, name: str) -> None:
    failed = draw(st.booleans())
    content = draw(st.sampled_from(["out", "Exit code 3\nno", "", "first\nsecond"]))
    writer.answers(result(name, f"{content} {name}", is_error=failed), toolUseResult={"stdout": content})
