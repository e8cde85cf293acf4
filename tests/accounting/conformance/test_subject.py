"""Programs that do anything at all: the kit has a reply in time, in bounded memory, and leaves nothing behind."""

import os
import signal
import tracemalloc
from collections.abc import Iterator, Sequence
from time import monotonic

import pytest

from accounting.conformance.exact import DEEPEST, exact_json
from accounting.conformance.pipes import Child
from accounting.conformance.subject import (
    Answered,
    Crashed,
    LongLived,
    NoSubjectError,
    OncePerCase,
    Rejected,
    Reply,
    TimedOut,
)
from tests.accounting.conformance.fakes import OTHER, RUN, alive, lines, nothing_left, once
from wire.scalars import JsonObject

RIGHT: JsonObject = {"run": RUN, "turns": []}
SOON = 300
"""Milliseconds for what never answers."""
LIMIT = 1 << 20
LEDGER = b"x\n" * 100
LARGE = b"x" * (1 << 22)


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    with nothing_left():
        yield


def folded_once(how: str, ledger: bytes = LEDGER, timeout_ms: int = 30_000) -> Reply:
    return OncePerCase(once(how), timeout_ms=timeout_ms, answer_limit=LIMIT).fold(ledger, RUN)


@pytest.mark.parametrize("how", ["right", "unread", "closes", "much-stderr"])
@pytest.mark.parametrize("ledger", [b"", LARGE])
def test_run_once_right_answers_count(how: str, ledger: bytes) -> None:
    reply = folded_once(how, ledger)
    assert isinstance(reply, Answered)
    assert reply.answer == RIGHT


@pytest.mark.parametrize("how", ["slow", "half", "deaf", "floods-stderr"])
@pytest.mark.parametrize("ledger", [b"", LARGE])
def test_run_once_what_never_ends_is_ended(how: str, ledger: bytes) -> None:
    assert folded_once(how, ledger, SOON) == TimedOut(after_ms=SOON)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("killed", "was killed by SIGKILL"),
        ("lies-answering", "exited with 0 and printed nothing"),
        ("chats", "exited with 0 and printed 'loading...\\n{"),
        ("twice", "no JSON: Extra data"),
        ("floods", "wrote more than 1,048,576 bytes"),
        ("deep", "no JSON: it nests deeper than 64 levels"),
        ("nested", "no JSON: it nests deeper than 64 levels"),
        ("nested-lists", "no JSON: it nests deeper than 64 levels"),
        ("digits", "no JSON: Exceeds the limit"),
        ("nan", "NaN is no JSON"),
        ("key-twice", "the key 'run' stands twice"),
        ("latin", "not UTF-8 at byte 1"),
    ],
)
def test_run_once_what_is_no_answer(how: str, said: str) -> None:
    reply = folded_once(how)
    assert isinstance(reply, Crashed)
    assert said in reply.how
    assert reply.stderr == {"killed": "about to go", "lies-answering": "something went wrong\n"}.get(how, "")


def test_run_once_an_exit_code_refuses() -> None:
    assert folded_once("refuses") == Rejected(message="exited with 3: no such ledger")
    assert folded_once("lies-refusing") == Rejected(message="exited with 1 (it printed an answer all the same)")


def test_run_once_half_a_surrogate_pair_is_kept() -> None:
    reply = folded_once("surrogate")
    assert isinstance(reply, Answered)
    assert reply.answer == {**RIGHT, "worktree": "\ud800"}


def test_run_once_children_that_hold_the_pipes_are_ended() -> None:
    subject = OncePerCase(("sh", "-c", f"{' '.join(once('child'))} $0 2>&1"), timeout_ms=30_000)
    reply = subject.fold(LEDGER, RUN)
    # What the child wrote stands before the answer: its number.
    assert isinstance(reply, Crashed)
    pid = int(reply.how.split("'")[1].partition("{")[0])
    gone_by(pid)
    reply = folded_once("child-slow", timeout_ms=2 * SOON)
    assert isinstance(reply, TimedOut)


def test_run_once_a_daemon_does_not_hold_anything_up() -> None:
    subject = OncePerCase(("sh", "-c", f"{' '.join(once('daemon'))} $0 2>&1"), timeout_ms=30_000)
    reply = subject.fold(LEDGER, RUN)
    assert isinstance(reply, Crashed)
    pid = int(reply.how.split("'")[1].partition("{")[0])
    assert alive(pid)  # it has a session of its own: nobody can know it
    os.kill(pid, signal.SIGKILL)
    gone_by(pid)


def gone_by(pid: int) -> None:
    deadline = monotonic() + 20
    while alive(pid):
        assert monotonic() < deadline, f"process {pid} is still there"


def test_where_the_run_stands() -> None:
    echo = ("sh", "-c", 'printf \'"%s"\' "$*"', "sh")
    for argv, said in (
        ((*echo, "-v"), f"-v {RUN}"),
        ((*echo, "--run={run}", "-v"), f"--run={RUN} -v"),
        ((*echo, "{run}", "{run}"), f"{RUN} {RUN}"),
    ):
        reply = OncePerCase(argv).fold(b"", RUN)
        assert isinstance(reply, Answered)
        assert reply.answer == said
    reply = OncePerCase((*echo, "-v")).check(b"")
    assert isinstance(reply, Answered)
    assert reply.answer == "-v"


@pytest.mark.parametrize("form", [OncePerCase, LongLived])
@pytest.mark.parametrize("argv", [("no-such-program-anywhere",), ("/",), (__file__,)])
def test_what_cannot_be_started(form: type[OncePerCase] | type[LongLived], argv: tuple[str, ...]) -> None:
    with pytest.raises(NoSubjectError, match="cannot be started"):
        form(argv).fold(LEDGER, RUN)


def test_a_flood_is_not_kept() -> None:
    tracemalloc.start()
    try:
        folded_once("floods")
        folded_once("floods-stderr", timeout_ms=SOON)
        assert tracemalloc.get_traced_memory()[1] < 4 * LIMIT
    finally:
        tracemalloc.stop()


def long_lived(how: str, timeout_ms: int = 30_000) -> LongLived:
    return LongLived(lines(how), timeout_ms=timeout_ms, answer_limit=LIMIT)


def test_staying_answers_follow_one_another() -> None:
    subject = long_lived("right")
    try:
        for ledger in (b"", LEDGER, LARGE):
            for run in (RUN, OTHER):
                reply = subject.fold(ledger, run)
                assert isinstance(reply, Answered)
                assert reply.answer == {"run": run, "turns": []}
        checked = subject.check(LEDGER)
        assert isinstance(checked, Answered)
        assert checked.answer == {"findings": [{"code": "float", "line": 2}]}
        assert subject.started is not None
        assert (subject.started.name, subject.started.version) == ("fake", "1.0")
        assert subject.stop() is None
    finally:
        subject.close()


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("half-and-gone", 'exited with 0 without a reply, \'{"re":"fold","id":2\' on a line without its newline'),
        ("leaves", "exited with 0 without a reply"),
        ("killed", "was killed by SIGKILL without a reply"),
        ("deaf", "closed its standard output without a reply"),
        ("other-id", "replied to request 7 when asked request 2"),
        ("earlier-id", "replied to request 1 when asked request 2"),
        ("other-word", "replied to `start` when asked to `fold`"),
        ("check-word", "replied to `check` when asked to `fold`"),
        ("unknown-word", "does not fit the protocol: Invalid value 'folded' - at `$.re`"),
        ("both", "the reply has both of `answer` and `rejected`"),
        ("neither", "the reply has neither of `answer` and `rejected`"),
        ("answer-in-text", "Expected `object`, got `str` - at `$.answer`"),
        ("chats", "the reply 'folding...' is no JSON"),
        ("nested", "is no JSON: it nests deeper than 64 levels"),
        ("floods", "wrote more than 1,048,576 bytes"),
        ("floods-lines", "does not fit the protocol: Object missing required field `re`"),
    ],
)
def test_staying_what_is_no_reply_costs_that_ledger_alone(how: str, said: str) -> None:
    subject = long_lived(how)
    try:
        assert isinstance(subject.fold(LEDGER, RUN), Answered)
        reply = subject.fold(LEDGER, RUN)
        assert isinstance(reply, Crashed)
        assert said in reply.how
        assert reply.stderr == ("about to go" if how == "killed" else "")
        assert isinstance(subject.fold(LARGE, RUN), Answered)  # started again
    finally:
        subject.close()


def test_staying_a_second_reply_is_noticed() -> None:
    subject = long_lived("twice")
    try:
        replies = [subject.fold(LEDGER, RUN) for _ in range(3)]
        # It is there by the next question at the latest, or else in place of the answer to that.
        assert [type(reply) for reply in replies] == [Answered, Answered, Crashed]
        crashed = replies[2]
        assert isinstance(crashed, Crashed)
        assert "without being asked" in crashed.how or "replied to request 2 when asked request 3" in crashed.how
    finally:
        subject.close()


@pytest.mark.parametrize("how", ["slow", "half"])
def test_staying_what_never_replies_is_ended(how: str) -> None:
    subject = long_lived(how, 1000)
    try:
        assert isinstance(subject.fold(LEDGER, RUN), Answered)
        assert subject.fold(LARGE, RUN) == TimedOut(after_ms=1000)
        assert isinstance(subject.fold(LEDGER, RUN), Answered)
    finally:
        subject.close()


def test_staying_a_refusal_is_a_reply() -> None:
    subject = long_lived("rejects")
    try:
        assert isinstance(subject.fold(LEDGER, RUN), Answered)
        assert subject.fold(LEDGER, RUN) == Rejected(message="not today")
        assert subject.stop() is None
    finally:
        subject.close()


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("no-start", "at `start`: exited with 1 without a reply"),
        ("banner", "at `start`: the reply 'fake 1.0 ready' is no JSON"),
        ("newer", "at `start`: the reply"),
    ],
)
def test_staying_a_bad_start(how: str, said: str) -> None:
    subject = long_lived(how)
    try:
        for _ in range(5):
            reply = subject.fold(LEDGER, RUN)
            assert isinstance(reply, Crashed)
            assert reply.how.startswith(said)
    finally:
        subject.close()


def test_staying_a_start_that_hangs_is_not_waited_for_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Child] = []

    def counted(argv: Sequence[str], limit: int) -> Child:
        started.append(Child(argv, limit))
        return started[-1]

    monkeypatch.setattr("accounting.conformance.long_lived.Child", counted)
    subject = long_lived("slow-start", SOON)
    try:
        assert {subject.fold(LEDGER, RUN) for _ in range(50)} == {TimedOut(after_ms=SOON)}
    finally:
        subject.close()
    assert len(started) == 3


def test_staying_deaf_to_questions() -> None:
    subject = long_lived("shut", SOON)
    try:
        assert subject.fold(LARGE, RUN) == TimedOut(after_ms=SOON)
    finally:
        subject.close()


@pytest.mark.parametrize(
    ("how", "said"), [("stop-fails", "exited with 1 after `stop`"), ("stop-chats", 'said \'{"re": "stop"}\\n\'')]
)
def test_staying_how_it_leaves(how: str, said: str) -> None:
    subject = long_lived(how)
    assert isinstance(subject.fold(LEDGER, RUN), Answered)
    problem = subject.stop()
    assert isinstance(problem, Crashed)
    assert said in problem.how


def test_staying_for_ever() -> None:
    subject = long_lived("stays", SOON * 3)
    assert isinstance(subject.fold(LEDGER, RUN), Answered)
    assert isinstance(subject.stop(), TimedOut)


@pytest.mark.parametrize("ledger", ["é\u2028\x00\n".encode(), b"\xff\n", b'{"a":"\\ud800"}\n', b"x\n" * 100_000])
def test_ledgers_arrive_as_they_are(ledger: bytes) -> None:
    from base64 import b64decode

    subject = long_lived("echoes")
    try:
        reply = subject.fold(ledger, RUN)
        assert isinstance(reply, Answered)
        assert isinstance(reply.answer, dict)
        assert ("ledger" in reply.answer) != ("ledger_base64" in reply.answer)
        if "ledger" in reply.answer:
            assert str(reply.answer["ledger"]).encode() == ledger
        else:
            assert b64decode(str(reply.answer["ledger_base64"]), validate=True) == ledger
    finally:
        subject.close()


def test_numbers_are_read_exactly() -> None:
    assert exact_json(b"[18446744073709551616,1.0,1]") == [2**64, 1.0, 1]
    assert [type(one) for one in exact_json(b"[1.0,1,true]")] == [float, int, bool]  # type: ignore[union-attr]


@pytest.mark.parametrize(("opened", "closed"), [(b"[", b"]"), (b'{"a":', b"}"), (b'[{"a":', b"}]")])
def test_nesting_is_bounded(opened: bytes, closed: bytes) -> None:
    times = DEEPEST // len(closed)
    exact_json(opened * times + b"1" + closed * times)
    for more in (1, 1_000, 100_000):
        with pytest.raises(ValueError, match=f"nests deeper than {DEEPEST} levels"):
            exact_json(opened * (times + more) + b"1" + closed * (times + more))


def test_staying_whether_it_is_still_tried() -> None:
    subject = long_lived("no-start")
    try:
        for given_up in (False, False, False, True):
            assert subject.given_up is given_up
            assert isinstance(subject.fold(LEDGER, RUN), Crashed)
    finally:
        subject.close()


def test_staying_what_it_said_beside_its_last_reply() -> None:
    subject = long_lived("twice")
    for _ in range(2):
        assert isinstance(subject.fold(LEDGER, RUN), Answered)
    problem = subject.stop()
    assert isinstance(problem, Crashed)
    assert "said '{" in problem.how


def test_findings_before_the_first_line_are_no_findings() -> None:
    subject = long_lived("negative-line")
    try:
        reply = subject.check(LEDGER)
        assert isinstance(reply, Crashed)
        assert "$.findings[0].line" in reply.how
    finally:
        subject.close()
