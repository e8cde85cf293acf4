"""OpenCode sessions made up for tests: one story, kept as a tree of files, as a database, and as a stream of events."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from accounting.foreign import Session, sessions
from accounting.views.rounds import rounds
from wire import RoundsAnswer

Object = dict[str, Any]
Talk = list[Object]
"""Sessions: `{"info": …, "messages": [{"info": …, "parts": […]}]}`."""
T0 = 1_760_000_000_000
ROOT, CHILD = "ses_00000000a001AAAAAAAAAAAAAA", "ses_00000000a002AAAAAAAAAAAAAA"


def session(own: str, *messages: Object, **more: Any) -> Object:
    info = {"id": own, "projectID": "p1", "directory": "/shop", "title": "Shop", "version": "1.2.0"}
    for number, message in enumerate(messages):
        message["info"] |= {"id": message["info"].get("id") or f"msg_{number:012x}{own[4:18]}", "sessionID": own}
        for at, part in enumerate(message["parts"]):
            prefix = f"prt_{number:06x}{at:06x}{own[4:18]}"
            part |= {"id": part.get("id") or prefix, "sessionID": own, "messageID": message["info"]["id"]}
    return {"info": info | {"time": {"created": T0, "updated": T0}} | more, "messages": list(messages)}


def asks(at: int, *parts: Object) -> Object:
    return {"info": {"role": "user", "time": {"created": T0 + at}, "agent": "build"}, "parts": list(parts)}


def replies(at: int, done: int | None, *parts: Object, **more: Any) -> Object:
    time = {"created": T0 + at} | ({} if done is None else {"completed": T0 + done})
    info = {"role": "assistant", "time": time, "modelID": "m1", "providerID": "p", "mode": "build", "cost": 0}
    return {"info": info | {"tokens": tokens(0, 0, 0, 0, 0)} | more, "parts": list(parts)}


def tokens(input_: int, output: int, reasoning: int, read: int, write: int) -> Object:
    return {"input": input_, "output": output, "reasoning": reasoning, "cache": {"read": read, "write": write}}


def text(said: str, at: int | None = None, **more: Any) -> Object:
    time = {} if at is None else {"time": {"start": T0 + at, "end": T0 + at + 50}}
    return {"type": "text", "text": said, **time, **more}


def tool(name: str, call: str, state: Object | None) -> Object:
    return {"type": "tool", "tool": name, "callID": call, "state": state}


def step(*parts: Object, used: Object | None = None, cost: float = 0, reason: str = "stop") -> list[Object]:
    finish = {"type": "step-finish", "reason": reason, "cost": cost, "tokens": used}
    return [{"type": "step-start"}, *parts, *([] if used is None else [finish])]


def story() -> Talk:
    """A prompt; a message of two requests, the second of which starts a sub-agent; a refusal; a request in flight."""
    bash = {"status": "completed", "input": {"command": "make", "ratio": 0.5}, "output": "boom\n", "title": "make"}
    bash |= {"metadata": {"exit": 2}, "time": {"start": T0 + 900, "end": T0 + 1400}}
    task = {"status": "completed", "input": {"description": "look", "prompt": "Look around"}, "output": "seen"}
    task |= {"metadata": {"sessionId": CHILD}, "time": {"start": T0 + 1500, "end": T0 + 6000}}
    no = {"status": "error", "input": {"filePath": "/b"}, "time": {"start": T0 + 10_400, "end": T0 + 10_401}}
    no |= {"error": "The user rejected permission to use this specific tool call."}
    running = {"status": "running", "input": {"filePath": "/a", "content": "x"}, "time": {"start": T0 + 10_500}}
    refused = {"name": "APIError", "data": {"message": "overloaded", "statusCode": 529, "isRetryable": True}}
    root = session(
        ROOT,
        asks(100, text("Fix the build"), text("<env>", synthetic=True), {"type": "file", "url": "file:///x"}),
        replies(
            200,
            9000,
            *step(
                {"type": "reasoning", "text": "Look first.", "time": {"start": T0 + 500, "end": T0 + 600}},
                text("I look.", 700),
                tool("bash", "c1", bash),
                used=tokens(10, 5, 2, 100, 7),
                cost=0.0125,
                reason="tool-calls",
            ),
            {"type": "patch", "hash": "h", "files": []},
            *step(tool("task", "c2", task), text("Done.", 8000), used=tokens(3, 4, 0, 120, 0)),
            tokens=tokens(13, 9, 2, 220, 7),
            cost=0.0125,
            finish="stop",
        ),
        asks(10_000, text("Now ship it")),
        replies(10_100, 10_200, error=refused),
        replies(10_300, None, *step(tool("read", "c3", no), tool("write", "c4", running))),
    )
    child = session(
        CHILD,
        asks(1550, text("Look around")),
        replies(
            1600,
            5000,
            *step(text("seen", 1700), used={"total": 30, "input": 20, "output": 10, "reasoning": 4}, cost=0.5),
        ),
        parentID=ROOT,
    )
    return [root, child]


def as_events(talk: Talk, *, wrapped: bool = False) -> list[Object]:
    events: list[Object] = []
    for one in talk:
        events.append({"type": "session.updated", "properties": {"info": one["info"]}})
        for message in one["messages"]:
            events.append({"type": "message.updated", "properties": {"info": message["info"]}})
            events += [{"type": "message.part.updated", "properties": {"part": part}} for part in message["parts"]]
    if wrapped:
        return [{"timestamp": T0 + 20_000, "threadId": "1", "event": event} for event in events]
    return events


def write_events(path: Path, talk: Talk, *, wrapped: bool = False) -> Path:
    path.write_text("".join(f"{json.dumps(event)}\n" for event in as_events(talk, wrapped=wrapped)))
    return path


def write_tree(root: Path, talk: Talk) -> Path:
    def put(path: Path, value: Object) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))

    for one in talk:
        own = one["info"]["id"]
        put(root / "session" / "p1" / f"{own}.json", one["info"])
        (root / "message" / own).mkdir(parents=True, exist_ok=True)
        for message in one["messages"]:
            name = message["info"]["id"]
            put(root / "message" / own / f"{name}.json", message["info"])
            for part in message["parts"]:  # of older versions, whose parts do not say whose they are
                bare = {key: value for key, value in part.items() if key not in ("sessionID", "messageID")}
                put(root / "part" / name / f"{part['id']}.json", bare)
    return root


SCHEMA = """
CREATE TABLE session (id text PRIMARY KEY, project_id text, parent_id text, directory text, title text, version text,
  revert text, time_created integer, time_updated integer);
CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text);
CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer, time_updated integer,
  data text);
CREATE TABLE todo (session_id text, content text);
"""


def write_database(path: Path, talk: Talk) -> Path:
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.executescript(SCHEMA)
        for one in talk:
            fill(database, one)
        database.commit()
    return path


def fill(database: sqlite3.Connection, one: Object) -> None:
    info = one["info"]
    revert = json.dumps(info["revert"]) if "revert" in info else None
    created = info["time"]["created"]
    told = (info["projectID"], info.get("parentID"), info["directory"], info["title"], info["version"], revert, created)
    database.execute("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (info["id"], *told, created))
    for message in one["messages"]:
        kept = message["info"]
        made = kept["time"]["created"]
        data = {key: value for key, value in kept.items() if key not in ("id", "sessionID")}
        row = (kept["id"], info["id"], made, made, json.dumps(data))
        database.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", row)
        for part in message["parts"]:
            data = {key: value for key, value in part.items() if key not in ("id", "sessionID", "messageID")}
            cells = (part["id"], kept["id"], info["id"], made, made, json.dumps(data))
            database.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", cells)


def read_all(path: Path) -> list[Session]:
    read = list(sessions(path, "opencode"))
    for one in read:
        assert [record.seq for record in one.records] == list(range(len(one.records)))
        assert len(one.places) == len(one.records)
        assert len(one.outline.turns) == one.report.totals.requests == len(answer_of(one).turns)
        assert all(record.run == one.run for record in one.records)
    return read


def answer_of(one: Session) -> RoundsAnswer:
    return rounds(one.records, one.run).answer


_COUNT = st.integers(0, 5000)


@st.composite
def talks(draw: st.DrawFn) -> Talk:
    """Random sessions of whole messages: several steps each, with calls in every state."""

    def steps(at: int) -> list[Object]:
        found: list[Object] = []
        for number in range(draw(st.integers(1, 3))):
            states: list[Object] = [
                {"status": "completed", "input": {"path": "a"}, "output": draw(st.text(max_size=5))},
                {"status": "error", "input": {}, "error": "no"},
                {"status": "running", "input": {}, "time": {"start": T0 + at}},
                {"status": "pending", "input": {}, "raw": '{"pa'},
            ]
            calls = [
                tool("bash", f"c{at}.{number}.{nth}", draw(st.sampled_from(states)))
                for nth in range(draw(st.integers(0, 2)))
            ]
            used = tokens(*(draw(_COUNT) for _ in range(5)))
            found += step(text(draw(st.text(max_size=5)), at), *calls, used=used, cost=draw(st.sampled_from((0, 0.25))))
        return found

    made: Talk = []
    for number in range(draw(st.integers(1, 3))):
        messages: list[Object] = []
        for nth in range(draw(st.integers(0, 3))):
            at = 1000 * (nth + 1) + number
            messages += [asks(at, text("Do it")), replies(at + 100, at + 900, *steps(at + 200))]
        made.append(session(f"ses_00000000b{number:03x}BBBBBBBBBBBBB{number}", *messages))
    return made
