"""A run as lines for a terminal: what its journal says, and the agent's last word."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from rich.text import Text

from accounting.cli.draw.lines import DIM, MARGIN, draw_text, flow, indented, prose, safe, single, width_of
from accounting.cli.screen import screen, show_lines, width_for
from accounting.cli.units import date, dollars, lasted
from accounting.dispatch.store import RunStore
from wire.dispatch import TERMINAL, DispatchJournal, DispatchState, DispatchUsage

STYLES: Final = {
    DispatchState.queued: DIM,
    DispatchState.running: "cyan",
    DispatchState.succeeded: "green",
    DispatchState.failed: "bold red",
    DispatchState.cancelled: DIM,
    DispatchState.unknown: "bold red",
}
"""How each state is shown."""
_LABEL: Final = 16
_LEAST_BESIDE: Final = 24
"""How many columns have to be left beside a label; else what it stands for goes below it."""


def show_run(store: RunStore, journal: DispatchJournal) -> None:
    """Draw a run on standard output."""
    console = screen()
    show_lines(console, draw_run(store, journal, width_for(console)))


def draw_run(store: RunStore, journal: DispatchJournal, width: int | None) -> Iterator[Text]:
    """A run. On a terminal lines are wrapped to a width; `None` leaves them as they are."""
    yield from _head(journal, width)
    yield from labelled(_facts(store, journal), width)
    yield Text()
    yield Text("task", "bold")
    yield from draw_text(journal.task, width)
    if journal.result_text is not None:
        yield Text()
        yield Text("result", "bold")
        yield from draw_text(journal.result_text, width)
    if journal.session_id is not None:
        yield Text()
        yield from _wrapped(f"`rounds show {journal.run_id}` draws it turn by turn", width)


def _head(journal: DispatchJournal, width: int | None) -> Iterator[Text]:
    head = Text(journal.run_id, "bold")
    state = Text(journal.state, STYLES[journal.state])
    if journal.state_source is not None:
        state.append(f" by {journal.state_source}", DIM)
    reason = () if journal.stop_reason is None else (Text(safe(journal.stop_reason), DIM),)
    line = head.copy().append("  ").append_text(state)
    for text in reason:
        line.append(" · ", DIM).append_text(text)
    yield from (line,) if width is None or width_of(line) <= width else flow((head, state, *reason), width)


def labelled(facts: Iterable[tuple[str, str | None]], width: int | None) -> Iterator[Text]:
    """Labels and what they stand for, one below the other; nothing for what is `None`."""
    for label, value in facts:
        if value is None:
            continue
        if width is not None and width - MARGIN - _LABEL < _LEAST_BESIDE:
            yield indented(Text(label, DIM), MARGIN)
            yield from (indented(line, MARGIN) for line in draw_text(value, width - MARGIN))
            continue
        rows = (single(value),) if width is None else prose(value, width - MARGIN - _LABEL, sys.maxsize)
        shown = label
        for row in rows:
            line = Text(shown.ljust(_LABEL), DIM)
            line.append(row, "")
            yield indented(line, MARGIN)
            shown = ""


def _wrapped(text: str, width: int | None) -> Iterator[Text]:
    rows = (text,) if width is None else prose(text, width, sys.maxsize)
    return (Text(row, DIM) for row in rows)


def _facts(store: RunStore, journal: DispatchJournal) -> Iterator[tuple[str, str | None]]:
    yield "error", _error(journal)
    yield "agent", f"{journal.profile}, {journal.kind}"
    yield "workspace", journal.workspace
    yield "session", journal.session_id
    yield "session file", journal.session_file
    yield "process", _process(journal)
    yield "written down", date(journal.created_at)
    yield "started", None if journal.started_at is None else date(journal.started_at)
    yield "cancel asked", None if journal.cancel_asked_at is None else date(journal.cancel_asked_at)
    yield "ended", None if journal.finished_at is None else _ended(journal)
    yield "tool calls", f"{journal.tool_calls:,}"
    yield "tokens", None if journal.usage is None else _tokens(journal.usage)
    yield "cost", None if journal.cost_usd_micros is None else dollars(journal.cost_usd_micros)
    yield "turns", None if journal.num_turns is None else f"{journal.num_turns:,}"
    yield "other sessions", f"named {journal.other_sessions:,} times" if journal.other_sessions else None
    yield "printed", _path(store.stream_path(journal.run_id))
    yield "complained", _path(store.errors_path(journal.run_id))


def _error(journal: DispatchJournal) -> str | None:
    """What went wrong, without what is shown as the reason or the result already."""
    if journal.error is None or journal.error.message == journal.result_text:
        return None
    code = "" if journal.error.code == journal.stop_reason else f"{journal.error.code}: "
    return f"{code}{journal.error.message}"


def _process(journal: DispatchJournal) -> str | None:
    if journal.pid is None:
        return None
    if journal.signal is not None:
        return f"{journal.pid}, ended by {journal.signal}"
    if journal.exit_code is not None:
        return f"{journal.pid}, exit code {journal.exit_code}"
    return f"{journal.pid}, exit code unknown" if journal.state in TERMINAL else f"{journal.pid}"


def _ended(journal: DispatchJournal) -> str:
    at = date(journal.finished_at or 0)
    return at if journal.duration_ms is None else f"{at}, after {lasted(journal.duration_ms)} by its own account"


def _tokens(usage: DispatchUsage) -> str:
    parts = [f"{usage.input_tokens:,} in"]
    if usage.cache_read_tokens is not None:
        parts.append(f"{usage.cache_read_tokens:,} of them cached")
    if usage.cache_write_tokens is not None:
        parts.append(f"{usage.cache_write_tokens:,} written")
    return f"{', '.join(parts)} · {usage.output_tokens:,} out"


def _path(path: Path) -> str | None:
    """A file's path, where there is anything in it."""
    try:
        return str(path) if path.stat().st_size else None
    except OSError:
        return None
