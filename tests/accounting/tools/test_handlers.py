"""What each tool does and answers, called as a program would call it."""

import json
import re
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounting.tools import ArgumentsError, Effects, Tool, ToolError, find, outside, tools
from accounting.tools.newest import MOST_BYTES
from tests.accounting.tools.schemas import VALUES
from tests.accounting.tools.world import SESSION, World, answers
from tests.wire.shapes import jsonschema, jsonschema_rs

Json = Any
NAMES = (
    "doctor", "start_review", "start_run", "wait_run", "cancel_run", "list_runs", "list_sessions", "read_session",
    "archive_session", "list_automations", "list_automation_runs", "automation_health", "check_ledger",
)  # fmt: skip


def called(name: str, **arguments: Json) -> Json:
    """What a tool answers: as its schema says, and with a text."""
    tool = the(name)
    value = tool.handler(arguments)
    assert jsonschema_rs.is_valid(tool.output.schema, value)
    assert jsonschema.Draft202012Validator(tool.output.schema).is_valid(value)
    assert tool.output.render(value)
    return value


def the(name: str) -> Tool:
    tool = find(name)
    assert tool is not None
    return tool


def started(world: World, task: str, **more: Json) -> Json:
    return called("start_run", profile="fake", workspace=str(world.workspace), task=task, **more)


# The table


def test_the_table_has_every_tool_once() -> None:
    assert tuple(tool.name for tool in tools()) == NAMES
    assert find("wb_doctor") is None


@pytest.mark.parametrize("tool", tools(), ids=lambda tool: tool.name)
def test_the_schemas_of_a_tool_are_in_the_subset(tool: Tool) -> None:
    for schema in (tool.parameters, tool.output.schema):
        assert outside(schema) == ()
        assert schema["type"] == "object"
        jsonschema.Draft202012Validator.check_schema(schema)
    properties = tool.parameters["properties"]
    assert isinstance(properties, dict)
    assert all(isinstance(one, dict) and one["description"] for one in properties.values())
    assert tool.parameters["additionalProperties"] is False


def test_the_schema_says_what_stands_for_an_argument_that_is_not_given() -> None:
    defaults = {
        f"{tool.name}.{name}": one["default"]
        for tool in tools()
        for name, one in as_object(tool.parameters["properties"]).items()
        if "default" in one
    }
    assert defaults == {
        "wait_run.seconds": 45, "list_runs.limit": 20, "list_sessions.limit": 20, "read_session.turns": 20,
        "list_automation_runs.limit": 50,
        "automation_health.stuckAfterSeconds": 3600, "check_ledger.strict": False, "check_ledger.findings": 20,
        "list_automations.profile": "workbuddy", "list_automation_runs.profile": "workbuddy",
        "automation_health.profile": "workbuddy",
    }  # fmt: skip


def as_object(value: Json) -> dict[str, Json]:
    return cast("dict[str, Json]", value)


@pytest.mark.parametrize("tool", tools(), ids=lambda tool: tool.name)
def test_no_tool_takes_what_could_widen_permissions(tool: Tool) -> None:
    properties = tool.parameters["properties"]
    assert isinstance(properties, dict)
    words = ("permission", "mode", "allow", "argv", "flag", "env", "bypass", "skip", "arguments")
    assert [name for name in properties if any(word in name for word in words)] == []


def test_each_tool_says_what_it_may_change() -> None:
    changing = {tool.name: tool.effects for tool in tools() if not tool.effects.reads_only}
    assert changing == {
        "start_review": Effects(reads_only=False, destroys=False, repeatable=False, reaches_out=True),
        "start_run": Effects(reads_only=False, destroys=True, repeatable=False, reaches_out=True),
        "cancel_run": Effects(reads_only=False, destroys=True, repeatable=True, reaches_out=False),
        "archive_session": Effects(reads_only=False, destroys=False, repeatable=True, reaches_out=False),
    }
    assert {tool.effects for tool in tools() if tool.effects.reads_only} == {
        Effects(reads_only=True, destroys=False, repeatable=True, reaches_out=False)
    }


def test_the_table_is_short_enough_to_be_given_to_a_model() -> None:
    assert sum(len(json.dumps((tool.description, tool.parameters))) for tool in tools()) < 10_000
    assert sum(len(json.dumps(tool.output.schema)) for tool in tools()) < 40_000


# Every tool that needs no run


@pytest.mark.parametrize("name", [name for name in NAMES if not name.endswith(("_run", "_review"))])
def test_a_tool_answers(world: World, name: str) -> None:
    arguments, word = answers(world)[name]
    tool = the(name)
    value = called(name, **arguments)
    assert word in tool.output.render(value)


def test_a_session_is_read_in_the_newest_turns(world: World) -> None:
    run = "019a1f7c-4e80-7d4e-8a31-5f0c9be21d47"
    whole = called("read_session", sessionId=str(world.ledger), run=run, turns=1000)
    last = called("read_session", sessionId=str(world.ledger), run=run, turns=2)
    assert len(whole["turns"]) > 2
    assert last["turns"] == whole["turns"][-2:]
    assert {**last, "turns": []} == {**whole, "turns": []}
    text = the("read_session").output.render(last)
    first = last["turns"][0]["number"]
    assert f"turns before {first} are left out; `before`: {first} reads them" in text
    earlier = called("read_session", sessionId=str(world.ledger), run=run, turns=1, before=first)
    assert earlier["turns"] == whole["turns"][-3:-2]
    none = called("read_session", sessionId=str(world.ledger), run=run, before=2, turns=5)
    assert [turn["number"] for turn in none["turns"]] == [1]


def test_turns_that_would_be_too_much_to_read_are_left_out(world: World, tmp_path: Path) -> None:
    third = MOST_BYTES // 3
    session = said(tmp_path / "long", [third] * 4)
    assert numbers("read_session", sessionId=session) == [3, 4]
    assert numbers("read_session", sessionId=session, turns=1) == [4]
    # One there is, however long it is.
    assert numbers("read_session", sessionId=said(tmp_path / "longer", [third, MOST_BYTES])) == [2]


def numbers(name: str, **arguments: Json) -> list[int]:
    return [turn["number"] for turn in called(name, **arguments)["turns"]]


def said(directory: Path, sizes: list[int]) -> str:
    """A session of answers that long."""
    rows: list[dict[str, Json]] = []
    for size in sizes:
        rows += [
            {"role": "user", "content": [{"type": "input_text", "text": "say"}]},
            {"role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": "x" * size}]},
        ]
    lines = [
        json.dumps({"type": "message", "id": f"m{number}", "parentId": f"m{number - 1}" if number else None,
                    "sessionId": SESSION, "timestamp": 1_790_000_000_000 + number, "cwd": "/w", "providerData": {},
                    **row})
        for number, row in enumerate(rows)
    ]  # fmt: skip
    directory.mkdir()
    path = directory / f"{SESSION}.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines))
    return str(path)


def test_an_archived_session_is_archived_once(world: World) -> None:
    first = called("archive_session", sessionId=SESSION, project="harbour")
    again = called("archive_session", sessionId=SESSION, project="harbour")
    assert first == again
    assert first["runId"] is None
    assert f"\nin {first['dir']}\n" in the("archive_session").output.render(first)


# Runs


def test_a_run_is_started_waited_for_and_read(world: World) -> None:
    run = started(world, "init call:c1 ok:fine")
    done = called("wait_run", runId=run["runId"])
    assert (done["state"], done["stateSource"], done["resultText"], done["kind"]) == (
        "succeeded", "observation", "fine", "run",
    )  # fmt: skip
    assert world.started("run") == 1
    assert "call wait_run" not in the("wait_run").output.render(done)
    read = called("read_session", sessionId=run["runId"])
    assert [call["tool"] for turn in read["turns"] for call in turn["calls"]] == ["Read"]


def test_a_review_is_started_by_its_own_arguments(world: World) -> None:
    run = called("start_review", profile="fake", workspace=str(world.workspace), task="init ok")
    assert run["kind"] == "review"
    assert (world.started("review"), world.started("run")) == (1, 0)


def test_a_key_starts_one_run(world: World) -> None:
    first = started(world, "init ok", key="nightly-2026-09-01")
    assert first["runId"] == "wb-21247a57b8ae3af2"
    again = started(world, "init ok:other", key="nightly-2026-09-01")
    assert (again["runId"], again["idempotentReplay"], again["replayDiffers"]) == (first["runId"], True, ["task"])
    assert world.started("run") == 1
    text = the("start_run").output.render(again)
    assert "nothing was started" in text
    assert "another task" in text
    assert started(world, "init ok", key="")["runId"] != started(world, "init ok", key="")["runId"]


def test_a_run_that_goes_on_is_told_so_and_can_be_cancelled(world: World) -> None:
    run = started(world, "init sleep:60")
    waiting = called("wait_run", runId=run["runId"], seconds=0)
    assert waiting["state"] == "running"
    assert f"call wait_run with {run['runId']}" in the("wait_run").output.render(waiting)
    answer = called("cancel_run", runId=run["runId"])
    assert (answer["cancelled"], answer["run"]["state"]) == (True, "cancelled")
    assert the("cancel_run").output.render(answer).startswith(f"cancelled\n{run['runId']} cancelled")
    again = called("cancel_run", runId=run["runId"])
    assert (again["cancelled"], again["run"]["state"]) == (True, "cancelled")
    done = started(world, "init ok")["runId"]
    called("wait_run", runId=done)
    late = called("cancel_run", runId=done)
    assert (late["cancelled"], late["run"]["state"]) == (False, "succeeded")
    assert the("cancel_run").output.render(late).startswith("not cancelled: it had ended before")


def test_a_failed_run_is_an_answer_and_no_error(world: World) -> None:
    run = started(world, "init error:error_max_turns exit:1")
    done = called("wait_run", runId=run["runId"])
    assert (done["state"], done["stopReason"]) == ("failed", "error_max_turns")


def test_a_run_that_nobody_knows_the_end_of_is_no_success(world: World) -> None:
    run = started(world, "init exit:0")
    done = called("wait_run", runId=run["runId"])
    assert done["state"] == "unknown"
    assert "which is no success" in the("wait_run").output.render(done)


def test_runs_are_listed_the_newest_first_and_in_short(world: World) -> None:
    first = started(world, f"init ok:{'x' * 500}")["runId"]
    assert called("wait_run", runId=first)["resultText"] == "x" * 500
    second = started(world, "init sleep:60")["runId"]
    (world.directory / "state" / "runs" / "wb-00000000000000aa.json").write_text("{")
    answer = called("list_runs")
    assert [run["runId"] for run in answer["runs"]] == [second, first]
    assert [run["state"] for run in answer["runs"]] == ["running", "succeeded"]
    assert answer["runs"][1]["resultText"] == "x" * 299 + "…"
    assert answer["runs"][1]["task"] == f"init ok:{'x' * 500}"[:299] + "…"
    text = the("list_runs").output.render(answer)
    assert text.startswith(f"2 runs\n{second} running\n  run by fake in {world.workspace}\n  began 2")
    assert "  task: init sleep:60" in text
    assert "unreadable: " in text
    assert [run["runId"] for run in called("list_runs", limit=1)["runs"]] == [second]
    called("cancel_run", runId=second)


def test_of_a_run_whose_agent_does_not_tell_its_task_the_journal_does(world: World) -> None:
    run = started(world, "init call:c1 ok:fine")["runId"]
    called("wait_run", runId=run)
    read = called("read_session", sessionId=run)
    assert read["opening"]["task"] == "init call:c1 ok:fine"
    text = the("read_session").output.render(read)
    assert "asked:\n  init call:c1 ok:fine\n" in text
    assert "1970" not in text


def test_of_a_run_the_file_that_can_be_read_is_read(world: World) -> None:
    run = started(world, "init call:c1 ok:fine")
    called("wait_run", runId=run["runId"])
    printed = called("read_session", sessionId=run["runId"])
    file = Path(run["sessionFile"])
    file.symlink_to("/proc/self/mem")  # it is there, and cannot be read
    assert called("read_session", sessionId=run["runId"]) == printed
    file.unlink()
    [other] = (world.configuration / "projects").glob(f"*/{SESSION}.jsonl")
    file.write_bytes(other.read_bytes())
    assert "Two boats." in the("read_session").output.render(called("read_session", sessionId=run["runId"]))


def test_of_a_run_whose_agent_wrote_nothing_it_is_said_why(world: World) -> None:
    run = started(world, "exit:3")["runId"]
    called("wait_run", runId=run)
    with pytest.raises(ToolError, match=rf"^{run} is unknown \(.*\); its agent has written nothing$"):
        called("read_session", sessionId=run)


# Errors


def test_of_what_is_no_ledger_nothing_is_shown(tmp_path: Path) -> None:
    secret = tmp_path / ".env"
    secret.write_text("API_KEY=sk-proj-abcdefghijklmnop\nDB_PASSWORD=hunter2\n")
    with pytest.raises(ToolError, match=r"\.env: no ledger") as raised:
        called("check_ledger", path=str(secret))
    assert "sk-" not in str(raised.value)
    assert "hunter2" not in str(raised.value)


def test_a_ledger_that_is_damaged_is_checked_all_the_same(world: World, tmp_path: Path) -> None:
    segment = next(path for path in sorted(world.ledger.rglob("*.jsonl")) if path.is_file())
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_bytes(b"no line\n" + segment.read_bytes())
    assert called("check_ledger", path=str(damaged))["summary"]["faults"] > 0
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    assert called("check_ledger", path=str(empty))["summary"]["lines"] == 0


def test_a_profile_that_does_not_read_keeps_no_session_of_the_others(world: World) -> None:
    config = Path(world.environ["ROUNDS_DISPATCH_CONFIG"])
    config.write_text(f"{config.read_text()}\n[profiles.odd]\nreview = 7\n")
    listed = called("list_sessions")
    assert [one["profile"] for one in listed["sessions"]] == ["fake"]
    assert [note for note in listed["notes"] if "[profiles.odd]" in note] != []
    assert called("list_sessions", profile="fake")["found"] == 1
    assert called("list_automations", profile="fake")["live"] == 1
    assert called("read_session", sessionId=SESSION)["turns"] != []
    assert called("archive_session", sessionId=SESSION, project="harbour")["sessionId"] == SESSION
    missing: list[tuple[str, dict[str, Json]]] = [
        ("read_session", {"sessionId": "nowhere"}),
        ("archive_session", {"sessionId": "nowhere", "project": "p"}),
        ("list_sessions", {"profile": "odd"}),
    ]
    for name, arguments in missing:
        with pytest.raises(ToolError, match=re.escape(f"{config}: [profiles.odd]")):
            called(name, **arguments)


@pytest.mark.parametrize(
    ("name", "arguments", "word"),
    [
        ("wait_run", {"runId": "wb-0000000000000000"}, "no such run"),
        ("cancel_run", {"runId": "wb-0000000000000000"}, "no such run"),
        ("read_session", {"sessionId": "wb-0000000000000000"}, "no such run"),
        ("read_session", {"sessionId": "wb-2124"}, "a run's id is `wb-` and 16 hex digits, list_runs lists them"),
        ("archive_session", {"sessionId": "wb-2124", "project": "p"}, "list_runs lists them"),
        ("read_session", {"sessionId": "5e7a0c11"}, "whole id"),
        ("read_session", {"sessionId": "nowhere"}, "no session"),
        ("read_session", {"sessionId": "../x"}, "no whole path"),
        ("read_session", {"sessionId": "/nowhere/at/all"}, "/nowhere/at/all: No such file"),
        ("read_session", {"sessionId": "/dev/null"}, "neither a file nor a directory"),
        ("read_session", {"sessionId": "/"}, "of an agent's sessions give the file of one"),
        ("list_sessions", {"profile": "nobody"}, "no profile 'nobody'"),
        ("archive_session", {"sessionId": "nowhere", "project": "p"}, "no session"),
        ("archive_session", {"sessionId": SESSION, "project": "../p"}, "project"),
        ("archive_session", {"sessionId": "wb-0000000000000000", "project": "p"}, "no such run"),
        ("list_automations", {}, "workbuddy.db"),
        ("list_automations", {"profile": "nobody"}, "no profile 'nobody'"),
        ("check_ledger", {"path": "/nowhere"}, "/nowhere: No such file"),
        ("check_ledger", {"path": "/proc/self/mem"}, "/proc/self/mem: "),
        ("read_session", {"sessionId": "/proc/self/mem"}, "/proc/self/mem: "),
        ("check_ledger", {"path": "/dev/null"}, "neither a file nor a directory"),
        ("start_run", {"profile": "nobody", "workspace": "/", "task": "x"}, "no profile 'nobody'"),
        ("start_run", {"profile": "fake", "workspace": "/nowhere", "task": "x"}, "/nowhere"),
        ("start_run", {"profile": "fake", "workspace": "/", "task": " "}, "blank"),
        ("start_run", {"profile": "workbuddy", "workspace": "/", "task": "x"}, "'workbuddy'"),
        ("start_review", {"profile": "fake", "workspace": "/", "task": "x", "key": "\ud800"}, ""),
    ],
)  # fmt: skip
def test_what_a_tool_cannot_do_is_said(world: World, name: str, arguments: dict[str, Json], word: str) -> None:
    with pytest.raises(ToolError) as raised:
        the(name).handler(arguments)
    assert word in str(raised.value)
    assert "`rounds " not in str(raised.value)  # a command, which the caller may not have
    assert (world.started("run"), world.started("review")) == (0, 0)


def test_a_ledger_of_several_runs_asks_which(world: World, tmp_path: Path) -> None:
    directory = tmp_path / "empty"
    directory.mkdir()
    with pytest.raises(ToolError, match="no ledger"):
        called("read_session", sessionId=str(directory))
    with pytest.raises(ToolError, match="say which; there are 019a1f7c"):
        called("read_session", sessionId=str(world.ledger))
    with pytest.raises(ToolError, match="no such run; there are 019a1f7c"):
        called("read_session", sessionId=str(world.ledger), run="0aaaaaaa-0000-4000-8000-00000000000a")


_RUN = "wb-21247a57b8ae3af2"


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("doctor", {"fast": True}, "there is no argument `fast`; it takes none"),
        ("wait_run", {}, "`runId` is missing. The run, as starting it answered: `wb-` and 16 hex digits."),
        ("wait_run", {"runId": "wb-2124"}, "`runId`: that does not fit. The run, as starting it answered: `wb-` and"),
        ("wait_run", {"runId": "x" * 19}, "`runId`: that does not fit. The run, as"),
        ("wait_run", {"runId": 7}, "`runId`: Expected `str`, got `int`. The run, as"),
        ("wait_run", {"runId": _RUN, "seconds": 601}, "`seconds`: Expected `int` <= 600. How long to wait at most, 0"),
        ("wait_run", {"runId": _RUN, "seconds": 5.5}, "`seconds`: Expected `int`, got `float`. How"),
        ("wait_run", {"runId": _RUN, "seconds": "5"}, "`seconds`: Expected `int`, got `str`. How"),
        ("start_run", {"profile": "fake", "workspace": "here", "task": "x"},
         "`workspace`: that does not fit. The directory it works in: a whole path, from the root; it has to be there."),
        ("start_run", {"profile": "fake", "workspace": "/", "task": "x", "permission_mode": "bypassPermissions"},
         "there is no argument `permission_mode`; it takes profile, workspace, task, key"),
        ("list_sessions", {"limit": True}, "`limit`: Expected `int`, got `bool`. How many at most, 1 to 200."),
        # What another tool, or an answer, calls otherwise.
        ("wait_run", {"run": _RUN}, "there is no argument `run`; give it as `runId`. The run, as"),
        ("wait_run", {"run_id": _RUN}, "there is no argument `run_id`; give it as `runId`. The run"),
        ("cancel_run", {"id": _RUN}, "there is no argument `id`; give it as `runId`. The run"),
        ("read_session", {"session": SESSION}, "there is no argument `session`; give it as `sessionId`. Which"),
        ("read_session", {"runId": _RUN}, "there is no argument `runId`; give it as `sessionId`. Which"),
        ("read_session", {"sessionId": SESSION, "run": _RUN},
         "`run` is not for the id of a dispatched run; give it as `sessionId`"),
        ("read_session", {"sessionId": SESSION, "run": "x"}, "`run`: that does not fit. Which run of a ledger"),
        ("automation_health", {"stuck_after_s": 5}, "there is no argument `stuck_after_s`; give it as `stuckAfterS"),
    ],
)  # fmt: skip
def test_arguments_that_a_tool_does_not_take_are_named(name: str, arguments: dict[str, Json], message: str) -> None:
    with pytest.raises(ArgumentsError) as raised:
        the(name).handler(arguments)
    assert str(raised.value).startswith(f"{name}: {message}")
    assert "regex" not in str(raised.value)


def test_a_whole_number_may_be_spelled_with_a_point(world: World) -> None:
    assert called("list_sessions", limit=5.0)["found"] == 1
    assert called("check_ledger", path=str(world.ledger), findings=0.0)["conforms"] is True


@given(st.sampled_from(tools()), st.dictionaries(st.sampled_from(("runId", "seconds", "limit", "a", "task")), VALUES))
def test_what_the_schema_of_the_arguments_refuses_the_tool_refuses(tool: Tool, arguments: dict[str, Json]) -> None:
    """The schema takes more than the tool, as its bounds are gone, and never less."""
    if not jsonschema_rs.is_valid(tool.parameters, arguments):
        with pytest.raises(ArgumentsError):
            tool.handler(arguments)


_TEXTS = st.sampled_from(
    ("", " ", ".", "..", "../x", "/", "/dev/null", "/nowhere", "\0", "/\0", "\ud800", "/\ud800", "ü", "x" * 5000,
     "/" + "x" * 5000, "fake", "workbuddy", "claude_code", "a1", SESSION, SESSION[:8], "wb-0000000000000000",
     "019a1f7c-4e80-7d4e-8a31-5f0c9be21d47", "harbour", "con", "~", "*", "' OR 1")
)  # fmt: skip
_ANY = {
    "string": _TEXTS,
    "integer": st.sampled_from((-1, 0, 1, 5, 10**30)),
    "boolean": st.booleans(),
    "null": st.none(),
}


def _arguments(tool: Tool) -> st.SearchStrategy[dict[str, Json]]:
    schema: Json = tool.parameters
    values = {
        name: st.one_of(*(_ANY[form["type"]] for form in one.get("oneOf", [one])))
        for name, one in schema["properties"].items()
    }
    required = schema.get("required", [])
    return st.fixed_dictionaries(
        {name: values[name] for name in required},
        optional={name: value for name, value in values.items() if name not in required},
    )


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_whatever_a_tool_is_asked_it_answers_or_says_why_not(world: World, data: st.DataObject) -> None:
    tool = data.draw(st.sampled_from([tool for tool in tools() if not tool.name.startswith("start_")]))
    arguments = data.draw(_arguments(tool))
    try:
        called(tool.name, **arguments)
    except (ToolError, ArgumentsError) as error:
        assert str(error)
