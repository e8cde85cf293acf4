"""Permissions are never widened. Spec: dispatch.md 2.0, 2.1."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.dispatch.bundled import BUNDLED
from accounting.dispatch.errors import DispatchTroubleError
from accounting.dispatch.permissions import (
    PermissionWideningError,
    decides_permissions,
    refuse_widening,
    refuse_widening_task,
)
from wire.dispatch import DispatchKind

WIDENING = (
    ("--permission-mode", "bypassPermissions"),
    ("--permission-mode=bypassPermissions",),
    ("--permission-mode", "BYPASSPERMISSIONS"),
    ("--permission-mode", "fullAccess"),
    ("--permission-mode", "dangerFullAccess"),
    ("--dangerously-skip-permissions",),
    ("--dangerously-skip-permissions=true",),
    ("--allow-dangerously-skip-permissions",),
    ("--allowDangerouslySkipPermissions",),
    ("--dangerously-bypass-approvals-and-sandbox",),
    ("--dangerously-allow-all",),
    ("--skip-permissions",),
    ("--skip-permissions-unsafe",),
    ("--bypass-permissions-mode",),
    ("--disable_permission_checks",),
    ("--settings", '{"skipDangerousModePermissionPrompt":true}'),
    ("-y",),
    ("-y=true",),
    ("-py",),
    ("-yp",),
    ("-pyd",),
    ("-sy",),
    ("-ya",),
    ("--yolo",),
    ("-yolo",),
    ("--YOLO",),
    ("--yolo-mode",),
    ("--enable-yolo",),
    ("--approval-mode", "yolo"),
    ("--approval-mode=yolo",),
    ("--sandbox", "danger-full-access"),
    ("-sdanger-full-access", "--sandbox=danger_full_access"),
    ("-c", 'sandbox_mode="danger-full-access"'),
    ("--yes-always",),
    ("--auto-approve",),
    ("--always-approve",),
    ("--allow-all-tools",),
    ("--allow-all-urls",),
    ("--trust-all-tools",),
    ("--settings", '{"permissions":{"defaultMode":"bypassPermissions"}}'),
    ("--settings", '{"allowDangerouslySkipPermissions":true}'),
    ("-c", "claude -p --dangerously-skip-permissions"),
    ("-c", "codebuddy '-y' -p"),
    ("-c", "true;codebuddy -y"),
    ("-c", "claude -p --yolo>/dev/null"),
    ("-c", "codebuddy -y</dev/null"),
    ("-c", "codebuddy$IFS-y"),
    ("-c", r"claude --yolo\ -p"),
    ("-c", r"claude --dangerously\-skip-permissions"),
    ("-c", r"claude --permission-mode bypass\Permissions"),
    ("-c", 'claude --permission-mode by""passPermissions'),
    ("-c", r'claude --settings "{\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}"'),
    ("--settings", r'{"permissions":{"defaultMode":"bypass\u0050ermissions"}}'),
    ("--settings", r'{"bypass\u0050ermissions":[0]}'),
    (r'--settings={"a":["\u002d\u0079"]}',),
    ("--settings", r'["codebuddy\n-y"]'),
    ("-c", r'claude --settings "{\"defaultMode\":\"bypass\u0050ermissions\"}"'),
)

PLAIN = (
    (),
    ("-p", "--output-format", "stream-json", "--verbose"),
    ("--permission-mode", "acceptEdits"),
    ("--permission-mode", "plan"),
    ("--sandbox", "workspace-write"),
    ("-v", "-d", "-c", "-policy", "-my-flag", "-yes", "--yes", "y", "yes"),
    ("--no-yolo", "--no-skip-permissions"),
    ("--settings", '{"permissions":{"disableBypassPermissionsMode":"disable","allow":["Bash(make)"]}}'),
    ("--append-system-prompt", "Never act dangerously; never skip permissions; say why."),
    ("--allowedTools", "Read,Grep,Glob", "--allow", "all"),
    ("/opt/yolo tools/agent", "{task}"),
    ("--settings", "[" * 5000),
)


@pytest.mark.parametrize("argv", WIDENING, ids=" ".join)
def test_what_switches_asking_off_is_refused(argv: tuple[str, ...]) -> None:
    with pytest.raises(
        PermissionWideningError, match="widens the agent's permissions, and no run is started so"
    ) as told:
        refuse_widening(("agent", "-p", *argv, "--verbose"), "run")
    assert isinstance(told.value, DispatchTroubleError)
    assert told.value.place in {f"run[{2 + index}]" for index in range(len(argv))}
    assert str(told.value).startswith(f"{told.value.place}: `{told.value.piece}` widens")


@pytest.mark.parametrize("argv", PLAIN, ids=lambda argv: " ".join(argv)[:60])
def test_everything_else_is_not(argv: tuple[str, ...]) -> None:
    refuse_widening(argv, "run")


def test_the_place_is_told_and_not_what_stands_around() -> None:
    secret = '{"env":{"API_KEY":"sk-secret-123"},"defaultMode":"bypassPermissions"}'
    with pytest.raises(PermissionWideningError) as told:
        refuse_widening(("-p", "--settings", secret), "run")
    assert str(told.value).startswith("run[2]: `bypassPermissions` widens the agent's permissions")
    assert "secret" not in str(told.value)
    with pytest.raises(PermissionWideningError, match=r"run\[0\]: `dangerously-x{68}…` widens"):
        refuse_widening((f"dangerously-{'x' * 200}",), "run")


def test_what_is_bundled_widens_nothing_and_says_its_mode() -> None:
    for profile in BUNDLED:
        for kind in DispatchKind:
            words = profile.arguments(kind)
            assert words is not None
            refuse_widening(words, kind)
            assert words.count("--permission-mode") == 1


@given(
    st.lists(st.sampled_from(["agent", "-p", "--model", "m", "{task}", "--verbose"])),
    st.sampled_from([words for words in WIDENING if not any('"' in word or "\\" in word for word in words)]),
    st.sampled_from(
        [("", ""), ('"', '"'), ("'", "' x"), (" ", ";"), ("=", "="), ("x=", "=1"), ("<", ">"), ("$", "\\")]
    ),
    st.data(),
)
def test_it_is_found_wherever_it_stands(
    before: list[str], words: tuple[str, ...], around: tuple[str, str], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(before)))
    worded = [f"{around[0]}{word}{around[1]}" for word in words]
    with pytest.raises(PermissionWideningError):
        refuse_widening([*before[:at], *worded, *before[at:]], "run")


@given(st.sampled_from(WIDENING[:12]), st.data())
def test_no_spelling_of_json_hides_it(words: tuple[str, ...], data: st.DataObject) -> None:
    spelled = "".join(
        f"\\u{ord(letter):04x}" if data.draw(st.booleans()) else letter for letter in words[-1].lstrip("-")
    )
    document = data.draw(st.sampled_from(['{{"a":"{}"}}', '{{"{}":0}}', '[[1,{{"b":["{}"]}}]]', '"{}"']))
    with pytest.raises(PermissionWideningError):
        refuse_widening((document.format(spelled),), "run")


@given(st.lists(st.text()))
def test_any_command_is_judged(argv: list[str]) -> None:
    try:
        refuse_widening(argv, "run")
    except PermissionWideningError as error:
        index = int(error.place.removeprefix("run[").removesuffix("]"))
        with pytest.raises(PermissionWideningError):
            refuse_widening(argv[index : index + 1], "run")


# Tasks that are arguments.


@pytest.mark.parametrize(
    "task", ["--yolo", " bypassPermissions\n", "-y", json.dumps({"a": {"b": ["bypassPermissions"]}}), '"yolo"']
)
def test_a_task_that_an_agent_would_take_for_an_option(task: str) -> None:
    with pytest.raises(PermissionWideningError, match=r"^the task: `"):
        refuse_widening_task(task)


@pytest.mark.parametrize(
    "task", ["", "Fix it.", "Explain what --yolo does.", '{"a": 1}', '{"a": --yolo', "Is bypassPermissions on?"]
)
def test_a_task_may_speak_of_all_that(task: str) -> None:
    refuse_widening_task(task)


def test_options_that_say_what_an_agent_may_do() -> None:
    for option in ("--permission-mode", "--permission-mode=", "--settings", "--allowedTools", "--allow", "--sandbox",
                   "--approval_policy", "--config", "--mode"):  # fmt: skip
        assert decides_permissions(option), option
    for option in ("", "-p", "--prompt", "--model", "--task=", "exec", "acceptEdits", "permissions"):
        assert not decides_permissions(option), option
