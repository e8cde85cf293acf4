"""A machine for tools to work on: a profile of the fake agent, its sessions, its scheduler's database, a ledger."""

import json
import os
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any, Final, cast

from accounting.sample import PATH as SAMPLE
from tests.accounting.dispatch.runs import FAKE_AGENT

Json = Any
SESSION: Final = "5e7a0c11-0000-4000-8000-000000000007"
"""An agent's session, which no run is of."""


class World:
    """The directory it is all in, and the environment that leads there."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.workspace = directory / "harbour"
        self.configuration = directory / "agent"
        self.ledger = directory / "ledger"
        self.environ: dict[str, str] = {
            "PATH": os.environ["PATH"],
            "HOME": str(directory / "home"),
            "ROUNDS_STATE_DIR": str(directory / "state"),
            "ROUNDS_DISPATCH_CONFIG": str(directory / "dispatch.toml"),
        }
        self.workspace.mkdir()
        self._profile()
        self._session(SESSION)
        self._database()
        shutil.copytree(SAMPLE, self.ledger)

    def started(self, kind: str) -> int:
        """How many agents were started for that kind of work."""
        file = self.directory / f"{kind}.started"
        return len(file.read_text().split()) if file.exists() else 0

    def _profile(self) -> None:
        def words(kind: str) -> str:
            started = str(self.directory / f"{kind}.started")
            return json.dumps(["-S", "-E", str(FAKE_AGENT), "--to", started])

        Path(self.environ["ROUNDS_DISPATCH_CONFIG"]).write_text(
            "[profiles.fake]\n"
            f"program = {json.dumps(sys.executable)}\n"
            f"review = {words('review')}\n"
            f"run = {words('run')}\n"
            f"configuration = {json.dumps(str(self.configuration))}\n"
        )

    def _session(self, session: str) -> None:
        rows: list[dict[str, Json]] = [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Count the boats."}]},
            {"type": "function_call", "name": "Read", "callId": "c1", "arguments": '{"path":"boats.txt"}'},
            {"type": "function_call_result", "name": "Read", "callId": "c1", "status": "completed",
             "output": {"type": "text", "text": "ada\nberta"}},
            {"type": "message", "role": "assistant", "status": "completed",
             "content": [{"type": "output_text", "text": "Two boats."}]},
        ]  # fmt: skip
        folder = self.configuration / "projects" / str(self.workspace).replace("/", "-")
        folder.mkdir(parents=True)
        before = None
        lines: list[str] = []
        for number, row in enumerate(rows):
            common: dict[str, Json] = {
                "id": f"m{number}",
                "parentId": before,
                "timestamp": 1_790_000_000_000 + number * 1000,
            }
            whole: dict[str, Json] = {
                **common,
                "sessionId": session,
                "cwd": str(self.workspace),
                "providerData": {},
                **row,
            }
            lines.append(json.dumps(whole))
            before = f"m{number}"
        (folder / f"{session}.jsonl").write_text("".join(f"{line}\n" for line in lines))

    def _database(self) -> None:
        with closing(sqlite3.connect(self.configuration / "workbuddy.db")) as database:
            database.executescript(
                """
                CREATE TABLE automations (id TEXT PRIMARY KEY, name TEXT, prompt TEXT, status TEXT,
                    next_run_at INTEGER, cwds TEXT, deleted_at INTEGER, created_at INTEGER);
                INSERT INTO automations VALUES ('a1', 'tides', 'look', 'ACTIVE', 1, '[]', NULL, 1);
                INSERT INTO automations VALUES ('a2', 'gulls', 'look', 'ACTIVE', 1, '[]', 5, 2);
                CREATE TABLE automation_runs (thread_id TEXT PRIMARY KEY, automation_id TEXT, status TEXT,
                    result_success INTEGER, created_at INTEGER);
                INSERT INTO automation_runs VALUES ('t2', 'a1', 'ACCEPTED', 1, 200);
                INSERT INTO automation_runs VALUES ('t1', 'a1', 'failed', 0, 100);
                """
            )
            database.commit()


def answers(world: World) -> dict[str, tuple[dict[str, Json], str]]:
    """For each tool that needs no run: arguments, and a word of its text."""
    return cast(
        "dict[str, tuple[dict[str, Json], str]]",
        {
            "doctor": ({}, "fake: ready"),
            "list_runs": ({}, "0 runs"),
            "list_sessions": ({"profile": "fake"}, "1 of 1 sessions"),
            "read_session": ({"sessionId": SESSION}, "Two boats."),
            "archive_session": ({"sessionId": SESSION, "project": "harbour"}, "is archived under harbour"),
            "list_automations": ({"profile": "fake"}, "1 automations, 1 of them overdue; 1 deleted"),
            "list_automation_runs": ({"profile": "fake", "automationId": "a1"}, "2 of 2 runs"),
            "automation_health": ({"profile": "fake"}, "failing: a1 tides"),
            "check_ledger": ({"path": str(world.ledger)}, "conforms"),
        },
    )
