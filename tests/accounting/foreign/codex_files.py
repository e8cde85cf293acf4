"""Codex rollouts made up for tests: the fixtures, and small scripts of what happened."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from accounting.foreign import Session
from accounting.foreign.codex import READER
from accounting.foreign.sample import take_sample
from accounting.foreign.session import Source
from accounting.views.rounds import rounds
from wire import RoundsAnswer
from wire.answer.rounds import Turn

FIXTURES = Path(__file__).parent / "fixtures" / "codex"
TREE = FIXTURES / "sessions" / "2026" / "03" / "02"
SESSION = "0a0a0a0a-1111-4222-8333-444444444444"
NAME = f"rollout-2026-03-01T08-00-00-{SESSION}.jsonl"

Lines = list[dict[str, Any]]


def read(path: Path) -> Session:
    (session,) = READER.read(Source(agent="codex", path=path))
    return session


def sure(path: Path) -> float:
    return READER.recognise(take_sample(path))


def answer(session: Session) -> RoundsAnswer:
    return rounds(session.records, session.run).answer


def turns(path: Path) -> tuple[Turn, ...]:
    return answer(read(path)).turns


def written(path: Path, lines: Lines) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def counts(whole: int, output: int, cached: int = 0) -> dict[str, int]:
    return {
        "input_tokens": whole,
        "cached_input_tokens": cached,
        "output_tokens": output,
        "reasoning_output_tokens": 0,
        "total_tokens": whole + output,
    }


@dataclass
class Writer:
    """Writes lines one after the other, ten seconds apart."""

    session: str = SESSION
    lines: Lines = field(default_factory=list[dict[str, Any]])
    clock: int = 0
    sums: list[int] = field(default_factory=lambda: [0, 0, 0])

    def line(self, kind: str, payload: dict[str, Any]) -> None:
        self.clock += 10
        hours, minutes, seconds = 8 + self.clock // 3600, self.clock // 60 % 60, self.clock % 60
        stamp = f"2026-03-01T{hours:02d}:{minutes:02d}:{seconds:02d}.000Z"
        self.lines.append({"timestamp": stamp, "type": kind, "payload": payload})

    def head(self, **more: Any) -> None:
        self.line("session_meta", {"id": self.session, "cwd": "/srv", **more})

    def event(self, kind: str, **payload: Any) -> None:
        self.line("event_msg", {"type": kind, **payload})

    def item(self, kind: str, **payload: Any) -> None:
        self.line("response_item", {"type": kind, **payload})

    def asks(self, text: str) -> None:
        self.event("user_message", message=text)

    def replies(self, text: str) -> None:
        self.item("message", role="assistant", content=[{"type": "output_text", "text": text}])

    def calls(self, own: str, command: str) -> None:
        self.item("function_call", name="shell", arguments=json.dumps({"command": command}), call_id=own)

    def answers(self, own: str, output: Any) -> None:
        self.item("function_call_output", call_id=own, output=output)

    def counts(self, whole: int, output: int, cached: int = 0) -> None:
        for index, count in enumerate((whole, output, cached)):
            self.sums[index] += count
        info = {"total_token_usage": counts(*self.sums), "last_token_usage": counts(whole, output, cached)}
        self.event("token_count", info=info)


@st.composite
def scripts(draw: st.DrawFn, *, most: int = 5) -> Lines:
    """Sessions as Codex leaves them: what a request made, its count, then the answers of its tools."""
    writer = Writer()
    writer.head()
    writer.line("turn_context", {"model": "model-one"})
    writer.asks("begin")
    for number in range(draw(st.integers(1, most))):
        waiting: list[str] = []
        for index, shape in enumerate(draw(st.lists(st.sampled_from("tck"), min_size=1, max_size=3))):
            match shape:
                case "c":
                    waiting.append(f"call_{number}_{index}")
                    writer.calls(waiting[-1], f"run {number}.{index}")
                case "k":
                    summary = [{"type": "summary_text", "text": f"hm {number}.{index}"}]
                    writer.item("reasoning", summary=summary, encrypted_content="x")
                case _:
                    writer.replies(f"words {number}.{index}")
        writer.counts(100 + number, 5 + number, 50)
        for own in draw(st.permutations(waiting)):
            code = draw(st.sampled_from([None, 0, 1]))
            if code is not None and draw(st.booleans()):
                writer.event("exec_command_end", call_id=own, exit_code=code, duration={"secs": 1, "nanos": 0})
            if draw(st.integers(0, 5)):
                head = "" if code is None else f"Exit code: {code}\nWall time: 1 seconds\nOutput:\n"
                writer.answers(own, f"{head}out {own}")
        if not draw(st.integers(0, 3)):
            writer.asks(f"and then {number}")
    return writer.lines
