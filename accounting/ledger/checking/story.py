"""What the lines of a run say one after the other: calls, answers, attempts, endings. Spec: rounds.md 3, ledger.md 2.

Nothing is said that rests on lines which may be missing: after a fault, a run under way may have made any call.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from accounting.ledger.line import Line
from accounting.ledger.parse import shortened
from wire.record.kinds import Kind
from wire.scalars import u64

Said: TypeAlias = tuple[str, str, str]
"""Rule, what was expected, what was found."""


class _Run(Struct):
    whole: bool
    """Whether every line of it so far was read."""
    attempted: bool = False
    frozen: bool = False
    calls: dict[str, int] = {}
    """Calls made: how many await an answer under each id."""


class Story:
    """Follows every run of a ledger."""

    def __init__(self, *, whole: bool) -> None:
        self._whole = whole
        """Whether every line so far was read."""
        self._runs: dict[str, _Run] = {}
        self._t = 0
        """`t` of the line before; 0 where there is none to go by."""
        self._tools: set[str] = set()
        self._said: list[Said] = []
        self._told: dict[str, Callable[[_Run, Line], None]] = {
            Kind.model_called.value: self._called_model,
            Kind.model_returned.value: self._returned,
            Kind.tool_called.value: self._called_tool,
            Kind.tool_result.value: self._answered,
            Kind.run_frozen.value: self._froze,
        }

    def lost(self) -> None:
        """Lines may be missing here."""
        self._whole = False
        self._t = 0
        for run in self._runs.values():
            run.whole = False

    def read(self, line: Line) -> Sequence[Said]:
        """Take a line in; what is to be said of it comes back."""
        run = self._runs.get(line.run) or self._begin(line)
        told = self._told.get(line.kind)
        if told is not None:
            told(run, line)
        t = line.t
        if t < self._t:
            self._say("time-backwards", f"t from {self._t}", f"t {t}")
        self._t = t
        said = self._said
        if not said:
            return ()
        self._said = []
        return said

    def _begin(self, line: Line) -> _Run:
        run = self._runs[line.run] = _Run(whole=self._whole or line.kind == Kind.run_started)
        return run

    def _say(self, rule: str, expected: str, found: str) -> None:
        self._said.append((rule, expected, found))

    def _called_model(self, run: _Run, _: Line) -> None:
        run.attempted = True
        if run.frozen:
            self._say("turn-after-freeze", "no turn after the run's `run_frozen`", "model_called")

    def _returned(self, run: _Run, line: Line) -> None:
        if not run.attempted and run.whole:
            self._say("returned-without-attempt", "a `model_called` of the run before it", "none")
        first_at = u64(line.data.get("first_at"))
        if first_at is not None and line.v >= 2 and first_at > line.t:
            self._say("first-after-returned", f"`first_at` up to the reply's own t, {line.t}", str(first_at))
        usage = line.data.get("usage")
        if isinstance(usage, dict) and u64(usage.get("v")) == 1:
            whole = u64(usage.get("input_tokens"))
            parts = [u64(usage.get(key)) or 0 for key in ("cache_read_tokens", "cache_write_tokens")]
            if whole is not None and sum(parts) > whole:
                found = f"{parts[0]} read and {parts[1]} written"
                self._say("cache-above-input", f"cache parts of up to {whole} tokens", found)

    def _called_tool(self, run: _Run, line: Line) -> None:
        id_ = line.data.get("id")
        if isinstance(id_, str):
            open_ = run.calls.get(id_, 0)
            run.calls[id_] = open_ + 1
            if open_ and run.whole:
                self._say("call-reused", "an id that awaits no answer", shortened(id_))
        name = line.data.get("name")
        if isinstance(name, str) and name not in self._tools:
            self._tools.add(name)
            if not _is_own_name(name):
                self._say("tool-name", "[a-z0-9_]+", shortened(name))

    def _answered(self, run: _Run, line: Line) -> None:
        id_ = line.data.get("tool_use_id")
        if not isinstance(id_, str):
            return
        open_ = run.calls.get(id_)
        if open_:
            run.calls[id_] = open_ - 1
        elif not run.whole:
            return
        elif open_ is None:
            self._say("result-for-no-call", "the id of a call that the run made", shortened(id_))
        else:
            self._say("second-result", "one result for the call", f"another for {shortened(id_)}")

    def _froze(self, run: _Run, _: Line) -> None:
        if run.frozen:
            self._say("second-freeze", "one `run_frozen`", "another")
        run.frozen = True


_is_own_name: Final = re.compile("[a-z0-9_]+").fullmatch
