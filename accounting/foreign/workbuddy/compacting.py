"""Where history was compacted: a boundary, and the summary that stands for what was before. Spec: dispatch.md 2.4."""

from msgspec import structs

from accounting.foreign.claude_code.rows import Compacted
from accounting.foreign.outline import Compaction
from accounting.foreign.times import whole_us
from accounting.ledger.problem import Place
from wire.scalars import TimeMs, u64


def boundary(found: list[Compaction], meta: Compacted | None, turns: int, t: TimeMs | None, place: Place) -> None:
    """A row that says that history was compacted after so many turns."""
    told = meta or Compacted()
    found.append(
        Compaction(
            after=turns,
            place=place,
            t=t,
            trigger=told.trigger,
            tokens_before=u64(told.pre_tokens),
            tokens_after=u64(told.post_tokens),
            took_us=whole_us(told.duration_ms),
        )
    )


def summarised(found: list[Compaction], text: str, turns: int, t: TimeMs | None, place: Place) -> None:
    """The text that stands for the history from here on: of the boundary just before it, else of its own."""
    last = found[-1] if found else None
    if last is not None and last.summary is None and last.after == turns:
        found[-1] = structs.replace(last, summary=text)
    else:
        found.append(Compaction(after=turns, place=place, t=t, summary=text))
