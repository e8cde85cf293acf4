"""A call, from the record that made it and the one that answered it. Spec: rounds.md 3, rules 2 and 3."""

from wire.answer.rounds import Call, Outcome, Timing
from wire.error import ErrorCode
from wire.reading import arguments, effect, exit_code, output, pinned, render, text
from wire.record.envelope import Record, moment
from wire.scalars import Json, u64


def timing(record: Record) -> Timing:
    """Whether the record's time is a measured moment."""
    return Timing.unmeasured if moment(record) is None else Timing.measured


def waiting_call(called: Record, *, texts: bool) -> Call:
    """The call that a `tool_called` makes."""
    data = called.data
    name = text(data.get("name"))
    return Call(
        tool="tool" if name is None else name,
        subject=text(data.get("subject")),
        arguments=arguments(data.get("args")) if texts else None,
        outcome=Outcome.waiting,
        at=called.seq,
        called=called.t,
        timing=timing(called),
        effect=effect(data.get("effect")),
        render=render(data.get("render")),
    )


def answered_call(call: Call, result: Record, *, texts: bool) -> Call:
    """The same call, answered by a `tool_result`. The key `error`, even as null, says that it failed."""
    data = result.data
    failed = "error" in data
    shown = None
    if texts and failed:
        shown = output(data["error"])
    elif texts and "result" in data:
        shown = output(data["result"], pinned(data["result"]))
    measured = call.timing is Timing.measured and moment(result) is not None and not _supplied(data.get("error"))
    return Call(
        tool=call.tool,
        subject=call.subject,
        arguments=call.arguments,
        outcome=Outcome.failed if failed else Outcome.answered,
        at=call.at,
        output=shown,
        called=call.called,
        answered=result.t,
        timing=Timing.measured if measured else Timing.unmeasured,
        effect=call.effect,
        render=call.render,
        exit_code=exit_code(data),
        took_us=u64(data.get("took_us")),
        landing=call.landing,
    )


def _supplied(error: Json) -> bool:
    """Whether an answer was supplied after a restart: nobody was there when the tool finished."""
    return isinstance(error, dict) and error.get("code") == ErrorCode.E_TOOL_OUTCOME_UNKNOWN
