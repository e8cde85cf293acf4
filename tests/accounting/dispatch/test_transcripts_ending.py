"""How a transcript ends, by hand in every dialect. The rules are those of the spec-note on transcripts."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from accounting.dispatch.transcripts.summary import summarise
from tests.accounting.dispatch.talks import BEGAN, DIALECTS, Claude, Newer, Older, Talk, written
from wire.dispatch import TranscriptState, TranscriptSummary

COMPLETED, FAILED, OPEN, UNKNOWN = (
    TranscriptState.completed,
    TranscriptState.failed,
    TranscriptState.open,
    TranscriptState.unknown,
)
End = tuple[TranscriptState, str | None, int]
"""The state, why it failed, and how many calls wait."""


def end(path: Path, rows: Sequence[dict[str, Any]], *more: bytes) -> End:
    summary = summarise(written(path / "s.jsonl", rows, *more))
    return summary.state, summary.reason, summary.waiting_calls


def said(talk: Talk) -> None:
    talk.asks("Mend it.")
    talk.says("Mended.")


def said_after_a_call(talk: Talk) -> None:
    talk.asks("Mend it.")
    talk.calls("t1")
    talk.answers("t1")
    talk.says("Mended.")


def meta_after_it(talk: Talk) -> None:
    said(talk)
    talk.meta()
    talk.title("Mending")


def called(talk: Talk) -> None:
    talk.asks("Mend it.")
    talk.calls("t1")


def called_twice_answered_once(talk: Talk) -> None:
    talk.asks("Mend it.")
    talk.calls("t1")
    talk.calls("t2")
    talk.answers("t2")


def said_with_a_call_left(talk: Talk) -> None:
    called_twice_answered_once(talk)
    talk.says("Mended.")


def answered(talk: Talk) -> None:
    called(talk)
    talk.answers("t1")


def asked(talk: Talk) -> None:
    talk.asks("Mend it.")


def asked_again(talk: Talk) -> None:
    said(talk)
    talk.asks("And that.")


def thought(talk: Talk) -> None:
    said(talk)
    talk.asks("And that.")
    talk.thinks("Hm.")


def said_in_part(talk: Talk) -> None:
    talk.asks("Mend it.")
    talk.says("Mend", whole=False)


def broken_in(talk: Talk) -> None:
    talk.asks("Mend it.")
    talk.calls("t1")
    talk.breaks_in()


def broken_in_and_gone_on(talk: Talk) -> None:
    broken_in(talk)
    talk.asks("Go on.")
    talk.says("Mended.")


def completed_and_broken_in(talk: Talk) -> None:
    said(talk)
    talk.breaks_in()


def answered_to_no_call(talk: Talk) -> None:
    talk.answers("t0")
    talk.says("Mended.")


def called_by_no_name(talk: Talk) -> None:
    talk.asks("Mend it.")
    talk.calls("t1", "")
    talk.answers("t1")
    talk.answers("t1")
    talk.says("Mended.")


def nothing(_: Talk) -> None:
    pass


def only_beside_it(talk: Talk) -> None:
    talk.meta()
    talk.title("Mending")


ENDS: dict[Callable[[Talk], None], End] = {
    nothing: (UNKNOWN, None, 0),
    only_beside_it: (UNKNOWN, None, 0),
    said: (COMPLETED, None, 0),
    said_after_a_call: (COMPLETED, None, 0),
    meta_after_it: (COMPLETED, None, 0),
    answered_to_no_call: (COMPLETED, None, 0),
    called_by_no_name: (COMPLETED, None, 0),
    broken_in_and_gone_on: (COMPLETED, None, 0),
    said_in_part: (UNKNOWN, None, 0),
    asked: (OPEN, None, 0),
    asked_again: (OPEN, None, 0),
    thought: (OPEN, None, 0),
    answered: (OPEN, None, 0),
    called: (OPEN, None, 1),  # W5
    called_twice_answered_once: (OPEN, None, 1),
    said_with_a_call_left: (OPEN, None, 1),
    broken_in: (FAILED, "interrupted", 0),
    completed_and_broken_in: (FAILED, "interrupted", 0),
}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("talks", ENDS)
def test_how_it_ends(tmp_path: Path, dialect: Callable[[], Talk], talks: Callable[[Talk], None]) -> None:
    talk = dialect()
    talks(talk)
    assert end(tmp_path, talk.rows) == ENDS[talks]


def test_when_it_ended(tmp_path: Path) -> None:
    for talk in (Newer(), Claude()):
        meta_after_it(talk)
        summary = summarise(written(tmp_path / "s.jsonl", talk.rows))
        assert (summary.began_at, summary.state_at, summary.ended_at) == (BEGAN, BEGAN + 1000, BEGAN + 2000)
        talk.asks("And that.")
        assert summarise(written(tmp_path / "s.jsonl", talk.rows)).state_at is None
        talk.breaks_in()
        assert summarise(written(tmp_path / "s.jsonl", talk.rows)).state_at == BEGAN + 4000
    older = Older()
    said(older)
    summary = summarise(written(tmp_path / "s.jsonl", older.rows))
    assert (summary.state, summary.state_at, summary.began_at) == (COMPLETED, None, None)


# What does not read.


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("lost", [b'{"type":"function_call","callI', b"\xff\xfe\n", b"\0\0\0\0", b"Killed\n"])
def test_an_end_before_what_does_not_read_is_none(tmp_path: Path, dialect: Callable[[], Talk], lost: bytes) -> None:
    talk = dialect()
    said(talk)
    assert end(tmp_path, talk.rows, lost) == (UNKNOWN, None, 0)
    talk.breaks_in()
    assert end(tmp_path, talk.rows, lost) == (UNKNOWN, None, 0)
    before = written(tmp_path / "before", talk.rows, lost, b"\n").read_bytes()
    after = dialect()
    said(after)
    assert end(tmp_path, [], before, written(tmp_path / "after", after.rows).read_bytes()) == (COMPLETED, None, 0)


# Of single dialects.


@pytest.mark.parametrize("dialect", [Older, Newer])
def test_a_message_has_to_say_that_it_is_whole(tmp_path: Path, dialect: type[Older] | type[Newer]) -> None:
    talk = dialect()
    said(talk)
    del talk.rows[-1]["status"]
    assert end(tmp_path, talk.rows) == (UNKNOWN, None, 0)
    talk.rows[-1].pop("providerData", None)
    assert end(tmp_path, talk.rows) == (UNKNOWN, None, 0)
    talk.rows[-1] |= {"status": "completed", "content": []}
    assert end(tmp_path, talk.rows) == (COMPLETED, None, 0)


MISREAD: dict[str, dict[str, Any]] = {
    "status": {"status": ["completed"]},
    "status as an object": {"status": {"completed": True}},
    "what stands beside it": {"providerData": [1]},
    "a mark beside it": {"providerData": {"messageId": "m", "isPartialAborted": "yes"}},
    "content": {"content": {"type": "output_text", "text": "Mended."}},
    "a block": {"content": [{"type": "output_text", "text": "Mended."}, 7]},
    "the type of a block": {"content": [{"type": ["tool_use"], "id": "t1", "text": "Mended."}]},
    "a mark": {"isCompactSummary": "yes"},
}


@pytest.mark.parametrize("misread", MISREAD)
def test_a_message_that_does_not_read_in_all_that_decides_is_not_whole(tmp_path: Path, misread: str) -> None:
    talk = Newer()
    said(talk)
    talk.rows[-1] |= MISREAD[misread]
    assert end(tmp_path, talk.rows) == (UNKNOWN, None, 0)


@pytest.mark.parametrize("misread", ["timestamp", "cwd", "providerData"])
def test_what_does_not_decide_may_be_misread(tmp_path: Path, misread: str) -> None:
    talk = Newer()
    said(talk)
    talk.rows[-1][misread] = {"messageId": "m", "usage": 7} if misread == "providerData" else {"x": 1}
    assert end(tmp_path, talk.rows) == (COMPLETED, None, 0)


def test_a_line_of_claude_code_that_is_misread_is_not_whole(tmp_path: Path) -> None:
    talk = Claude()
    said(talk)
    talk.rows[-1]["message"]["model"] = 7  # it may have been written by the agent itself
    assert end(tmp_path, talk.rows) == (UNKNOWN, None, 0)


STRANGE: tuple[dict[str, Any], ...] = (
    {"type": "custom_tool_call", "callId": "t9", "name": "shell"},
    {"type": "mcp_call", "callId": "t9"},
    {"type": ["function_call"], "callId": "t9", "name": "Bash"},
    {"type": "function_call_v2"},
    {"no": "type"},
    {"type": "attachment", "attachment": 7, "uuid": "x"},
    {"type": "assistant", "teamName": "b", "uuid": "x", "message": {"stop_reason": "end_turn", "content": "Mended."}},
)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("strange", STRANGE, ids=range(len(STRANGE)))
def test_an_end_before_a_row_that_is_not_known_is_none(
    tmp_path: Path, dialect: Callable[[], Talk], strange: dict[str, Any]
) -> None:
    talk = dialect()
    said(talk)
    talk.rows.append(strange)
    assert end(tmp_path, talk.rows) == (UNKNOWN, None, 0)
    talk.meta()
    assert end(tmp_path, talk.rows) == (UNKNOWN, None, 0)
    said(talk)
    assert end(tmp_path, talk.rows) == (COMPLETED, None, 0)


BLOCKS: dict[str, TranscriptState] = {
    "redacted_thinking": OPEN,
    "future_tool_call": UNKNOWN,
    "tool_call": UNKNOWN,
    "image": COMPLETED,
}


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("first", [False, True], ids=["last", "before text"])
def test_a_message_with_a_block_that_is_not_understood_is_not_whole(tmp_path: Path, block: str, first: bool) -> None:
    expected = COMPLETED if first and BLOCKS[block] is OPEN else BLOCKS[block]
    for talk, text in ((newer := Newer(), "output_text"), (claude := Claude(), "text")):
        talk.asks("Mend it.")
        content = [{"type": text, "text": "Mended."}, {"type": block, "id": "t1", "name": "x", "data": "x"}]
        content = content[::-1] if first else content
        if talk is newer:
            newer.add("message", role="assistant", status="completed", content=content, providerData={})
        else:
            claude.add("assistant", message={"id": "m", "stop_reason": "end_turn", "content": content})
        assert end(tmp_path, talk.rows) == (expected, None, 0)


PUT_IN: tuple[Any, ...] = (
    [{"type": "image", "source": {}}],
    [{"type": "image_blob_ref", "blob_id": "b"}],
    [{"type": "document", "source": {}}],
    {"type": "text", "text": "And that."},
    None,
    "",
    " ",
    7,
    [],
)


@pytest.mark.parametrize("content", PUT_IN, ids=range(len(PUT_IN)))
def test_a_prompt_needs_no_text(tmp_path: Path, content: object) -> None:
    newer, claude, bare = Newer(), Claude(), Claude()
    for talk in (newer, claude, bare):
        said(talk)
    newer.add("message", role="user", content=content, providerData={})
    claude.add("user", message={"role": "user", "content": content})
    bare.add("user", message=content)
    for talk in (newer, claude, bare):
        assert end(tmp_path, talk.rows) == (OPEN, None, 0)


@pytest.mark.parametrize("role", ["developer", "tool", "User"])
def test_whatever_role_but_the_models_tells_it_something(tmp_path: Path, role: str) -> None:
    talk = Newer()
    said(talk)
    talk.add("message", role=role, content="And that.", providerData={})
    assert end(tmp_path, talk.rows) == (OPEN, None, 0)
    assert summarise(written(tmp_path / "s.jsonl", talk.rows[2:])).first_prompt is None


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "text",
    [
        "<command-message>fix is running</command-message>\n<command-name>/fix</command-name>",
        "<command-name>/fix</command-name>",
    ],
)
def test_a_command_may_be_for_the_model(tmp_path: Path, dialect: Callable[[], Talk], text: str) -> None:
    talk = dialect()
    said(talk)
    talk.asks(text)
    assert end(tmp_path, talk.rows) == (OPEN, None, 0)
    talk.asks("<local-command-stdout>x</local-command-stdout>")
    assert end(tmp_path, talk.rows) == (OPEN, None, 0)
    talk.says("Mended.")
    assert end(tmp_path, talk.rows) == (COMPLETED, None, 0)


def test_a_request_that_does_not_say_what_it_cost_is_cut(tmp_path: Path) -> None:
    """Each request of the newer dialect has one row that does, where any has."""
    talk = Newer()
    talk.asks("Mend it.")
    talk.says("Let me see.")
    talk.calls("t1")
    talk.rows[-1]["providerData"] = {"messageId": "m", "rawUsage": {"prompt_tokens": 9, "completion_tokens": 3}}
    assert end(tmp_path, talk.rows[:2]) == (COMPLETED, None, 0)  # where none says it, nothing is missing
    talk.answers("t1")
    talk.says("Now the tests.")
    assert end(tmp_path, talk.rows) == (COMPLETED, None, 0)  # of the request that does
    talk.rows[-1]["providerData"]["messageId"] = "m2"
    assert end(tmp_path, talk.rows) == (UNKNOWN, None, 0)
    talk.rows[-1]["providerData"]["rawUsage"] = {"prompt_tokens": 9, "completion_tokens": 3}
    assert end(tmp_path, talk.rows) == (COMPLETED, None, 0)


def test_calls_without_ids_wait_each_for_a_result(tmp_path: Path) -> None:
    talk = Newer()
    talk.asks("Mend it.")
    for own in (5, None):
        talk.calls("t1")
        talk.rows[-1]["callId"] = own
    talk.answers("t1")
    talk.rows[-1]["callId"] = 5
    talk.says("Mended.")
    assert end(tmp_path, talk.rows) == (OPEN, None, 1)
    talk.answers("t1")
    del talk.rows[-1]["callId"]
    talk.says("Mended.")
    assert end(tmp_path, talk.rows) == (COMPLETED, None, 0)


def test_a_side_chain_of_the_newer_dialect_does_not_decide(tmp_path: Path) -> None:
    talk = Newer()
    said(talk)
    talk.rows[-1]["isSidechain"] = True
    assert end(tmp_path, talk.rows) == (OPEN, None, 0)


def test_a_request_that_was_billed_reached_the_model(tmp_path: Path) -> None:
    talk = Newer()
    said(talk)
    talk.rows[-1]["providerData"] |= {"skipRun": True, "rawUsage": {"prompt_tokens": 5, "completion_tokens": 1}}
    assert end(tmp_path, talk.rows) == (COMPLETED, None, 0)


def test_instructions_of_the_agents_own_are_no_prompt(tmp_path: Path) -> None:
    talk = Newer()
    said(talk)
    talk.asks("You are a harbour.")
    talk.rows[-1]["role"] = "system"
    assert end(tmp_path, talk.rows) == (COMPLETED, None, 0)
    assert summarise(written(tmp_path / "s.jsonl", talk.rows[2:])).first_prompt is None


@pytest.mark.parametrize(
    ("role", "text", "error", "expected"),
    [
        ("assistant", "HTTP 429 too many requests", None, (FAILED, "error", 0)),
        ("assistant", "", "rate_limit", (FAILED, "rate_limit", 0)),
        ("user", "no", "rate_limit", (FAILED, "rate_limit", 0)),
        ("user", "[Request interrupted by user for tool use]", None, (FAILED, "interrupted", 0)),
        ("user", "<command-name>/model</command-name>", None, (COMPLETED, None, 0)),  # the agent talks to itself
    ],
)
def test_a_row_that_never_reached_the_model(
    tmp_path: Path, role: str, text: str, error: str | None, expected: End
) -> None:
    talk = Newer()
    said(talk)
    content = [{"type": "output_text", "text": text}]
    provider = {"skipRun": True, "error": error}
    talk.add("message", role=role, status="completed", content=content, providerData=provider)
    assert end(tmp_path, talk.rows) == expected


def test_a_tool_that_was_not_let_run(tmp_path: Path) -> None:
    talk = Newer()
    called(talk)
    talk.answers("t1", "no")
    talk.rows[-1]["providerData"]["skipRun"] = True
    assert end(tmp_path, talk.rows) == (FAILED, "denied", 0)


def test_a_message_that_was_cut_off(tmp_path: Path) -> None:
    talk = Newer()
    said(talk)
    talk.rows[-1]["providerData"]["isPartialAborted"] = True
    assert end(tmp_path, talk.rows) == (FAILED, "interrupted", 0)


def test_a_summary_of_what_was_before_is_no_end(tmp_path: Path) -> None:
    newer, claude = Newer(), Claude()
    for talk in (newer, claude):
        asked(talk)
    newer.says("All that was said.")
    newer.rows[-1]["isCompactSummary"] = True
    assert end(tmp_path, newer.rows) == (OPEN, None, 0)
    said(claude)
    claude.asks("All that was said.")
    claude.rows[-1]["isCompactSummary"] = True
    assert end(tmp_path, claude.rows) == (COMPLETED, None, 0)


@pytest.mark.parametrize(
    ("stop", "expected"),
    [
        ("end_turn", COMPLETED),
        ("stop_sequence", COMPLETED),
        ("max_tokens", UNKNOWN),
        ("refusal", UNKNOWN),
        (None, UNKNOWN),
        ("tool_use", OPEN),
        ("pause_turn", OPEN),
    ],
)
def test_why_claude_stopped(tmp_path: Path, stop: str | None, expected: TranscriptState) -> None:
    talk = Claude()
    asked(talk)
    talk.block({"type": "text", "text": "Mended."}, stop)
    assert end(tmp_path, talk.rows) == (expected, None, 0)


def test_a_tool_of_the_providers_own(tmp_path: Path) -> None:
    talk = Claude()
    asked(talk)
    talk.block({"type": "server_tool_use", "id": "t1", "name": "web_search", "input": {}})
    assert end(tmp_path, talk.rows) == (OPEN, None, 1)
    talk.block({"type": "web_search_tool_result", "tool_use_id": "t1", "content": []})
    assert end(tmp_path, talk.rows) == (OPEN, None, 0)
    talk.says("Mended.")
    assert end(tmp_path, talk.rows) == (COMPLETED, None, 0)


def test_a_sub_agent_does_not_decide(tmp_path: Path) -> None:
    talk = Claude()
    called(talk)
    talk.asks("Look there.")
    talk.rows[-1]["isSidechain"] = True
    talk.block({"type": "text", "text": "There."}, "end_turn", isSidechain=True)
    assert end(tmp_path, talk.rows) == (OPEN, None, 1)
    talk.answers("t1")
    talk.says("Mended.")
    talk.block({"type": "tool_use", "id": "t9", "name": "Read", "input": {}}, "tool_use", isSidechain=True)
    assert end(tmp_path, talk.rows) == (COMPLETED, None, 0)
    talk.block({"type": "text", "text": "x"}, None, agentId="a1")
    assert end(tmp_path, talk.rows) == (COMPLETED, None, 0)


def test_a_request_that_failed(tmp_path: Path) -> None:
    talk = Claude()
    asked(talk)
    synthetic = {"id": "x", "role": "assistant", "model": "<synthetic>", "stop_reason": "stop_sequence"}
    overloaded = synthetic | {"content": [{"type": "text", "text": "API Error: overloaded"}]}
    talk.add("assistant", message=overloaded, isApiErrorMessage=True)
    assert end(tmp_path, talk.rows) == (FAILED, "api_error", 0)
    talk.rows[-1]["error"] = "rate_limit"
    assert end(tmp_path, talk.rows) == (FAILED, "rate_limit", 0)
    talk.rows[-1] = talk.rows[0] | {"type": "assistant", "message": overloaded}
    assert end(tmp_path, talk.rows) == (FAILED, "api_error", 0)
    no_request = synthetic | {"content": [{"type": "text", "text": "No response requested."}]}
    talk.rows[-1]["message"] = no_request
    assert end(tmp_path, talk.rows) == (OPEN, None, 0)


def test_what_the_agent_puts_in_is_no_prompt_and_a_queued_prompt_is_one(tmp_path: Path) -> None:
    talk = Claude()
    said(talk)
    talk.asks("<local-command-stdout>x</local-command-stdout>")
    talk.asks("Caveat: The messages below were generated by the user while running local commands.")
    talk.asks("<system-reminder>x</system-reminder>")
    talk.rows[-1]["isMeta"] = True
    assert end(tmp_path, talk.rows) == (COMPLETED, None, 0)
    talk.add("attachment", attachment={"type": "queued_command", "prompt": "And that.", "commandMode": "prompt"})
    assert end(tmp_path, talk.rows) == (OPEN, None, 0)


@pytest.mark.parametrize("dialect", [Newer, Claude])
def test_words_that_the_agent_puts_in_are_to_be_answered_and_are_nobodys_prompt(
    tmp_path: Path, dialect: type[Newer] | type[Claude]
) -> None:
    talk = dialect()
    talk.asks("Stop hook feedback: the tests fail.")
    talk.rows[-1]["isMeta"] = True
    said(talk)
    assert first(tmp_path, talk).first_prompt == "Mend it."
    talk.asks("Stop hook feedback: the tests fail.")
    talk.rows[-1]["isMeta"] = True
    assert end(tmp_path, talk.rows) == (OPEN, None, 0)


def test_what_is_told_around_the_session_is_to_be_answered(tmp_path: Path) -> None:
    talk = Claude()
    said(talk)
    talk.asks("<task-notification>done</task-notification>")
    assert end(tmp_path, talk.rows) == (OPEN, None, 0)


def first(path: Path, talk: Talk) -> TranscriptSummary:
    return summarise(written(path / "s.jsonl", talk.rows))


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("text", "prompt"),
    [
        ("Mend it.", "Mend it."),
        ("<user_query>\nMend it.\n</user_query>", "Mend it."),
        ("<system-reminder>x</system-reminder>\nMend it.", "Mend it."),
        ("<command-name>/model</command-name>", "Then this."),
        ("<local-command-stdout>x</local-command-stdout>", "Then this."),
        ("<task-notification>x</task-notification>", "Then this."),
        ("[Request interrupted by user]", "Then this."),
        ('<teammate-message from="a">Mend it.</teammate-message>', "Mend it."),
    ],
)
def test_the_first_prompt(tmp_path: Path, dialect: Callable[[], Talk], text: str, prompt: str) -> None:
    talk = dialect()
    talk.meta()
    talk.asks(text)
    talk.asks("Then this.")
    assert first(tmp_path, talk).first_prompt == prompt


@pytest.mark.parametrize("mark", ["isMeta", "isCompactInternal"])
def test_a_prompt_that_is_marked_as_the_agents_own(tmp_path: Path, mark: str) -> None:
    talk = Newer()
    talk.asks("<user_query>Sum it up.</user_query>")
    talk.rows[-1]["providerData"][mark] = True
    assert first(tmp_path, talk).first_prompt is None
    assert first(tmp_path, talk).state is OPEN


def test_a_prompt_that_another_put_in(tmp_path: Path) -> None:
    talk = Claude()
    talk.asks("Told by a task.")
    talk.rows[-1]["origin"] = {"kind": "task"}
    talk.asks("Mend it.")
    assert first(tmp_path, talk).first_prompt == "Mend it."
