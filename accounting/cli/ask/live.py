"""A question and its answer on the screen, as the answer comes."""

from collections.abc import Generator
from contextlib import contextmanager

from msgspec.structs import replace

from accounting.ask.thread import AskThread
from accounting.ask.trim import trim
from accounting.cli.ask.answering import Again, Left, Pieces, Settle, Tick, Unclaimed, answering
from accounting.cli.ask.drawing import UNCLAIMED, draw_question, thinking
from accounting.cli.ask.which import called
from accounting.cli.draw.lines import MARGIN, safe
from accounting.cli.out import put
from accounting.cli.screen import on_terminal, screen, show_lines
from accounting.cli.telling import tell
from accounting.clock import system_clock
from wire import encode
from wire.ask import AskAborted, AskChunk, AskEnd, AskError, AskEvent, AskQuestion, AskShown, AskState

_MARGIN = " " * MARGIN


def watch_answer(
    thread: AskThread, question: AskShown, start: int, *, as_json: bool, headed: bool = True
) -> AskState | None:
    """Show a question's answer as it comes, and how it stands then; `None` when nobody is answering.

    `start` is a byte of the thread at or before the question; `headed` says whether the question is shown too. With
    `as_json` its records are printed, a line each. Raises `OSError` when the thread cannot be read.
    """
    with _recording() if as_json else _drawing(question, headed=headed) as face:
        settled: Settle | None = None
        told = on_terminal()
        for event in answering(thread, start, question.seq):
            if event is Left:
                return None
            if event is Again:
                settled = None
                face.again()
            elif event is Tick or event is Unclaimed:
                if event is Unclaimed and not told:
                    told = True
                    tell(f"{UNCLAIMED}; `rounds ask cancel --thread {called(thread)}` gives the question up")
                face.tick(unclaimed=event is Unclaimed)
            elif not isinstance(event, type):
                settled = event if isinstance(event, Settle) else settled
                face.take(event)
        return face.settle(settled)


class _Records:
    """The records, as JSON lines."""

    def take(self, event: AskEvent) -> None:
        put(encode(event), b"\n")

    def tick(self, *, unclaimed: bool) -> None:
        """Nothing to show."""

    def again(self) -> None:
        """The records come again."""

    def settle(self, settled: Settle | None) -> AskState:
        return _state(settled)


@contextmanager
def _recording() -> Generator[_Records]:
    yield _Records()


class _Drawing:
    """The question, then the answer growing, with `thinking… Ns` on a terminal until it begins."""

    def __init__(self, question: AskShown, *, headed: bool) -> None:
        self._question = question
        self._headed = headed
        console = screen()
        self._console = console
        self._moves = on_terminal() and not console.is_dumb_terminal
        self._pieces = Pieces()
        self._thinking = ""
        self._open = False
        """Whether the cursor stands within a line of the answer."""
        self._due = headed
        """Whether the question is still to be shown: it may yet come in other words."""

    def take(self, event: AskEvent) -> None:
        if isinstance(event, AskChunk):
            self._write(self._pieces.take(event))
        elif isinstance(event, AskQuestion) and event.text != self._question.question:
            self._question = replace(self._question, question=event.text, at=event.at)
            if not self._due:
                self.leave()
                self._due = self._headed

    def tick(self, *, unclaimed: bool) -> None:
        self._head()
        if not self._moves or self._pieces.begun:
            return
        words = thinking(self._question.at, system_clock(), unclaimed=unclaimed)
        if words != self._thinking:
            self._thinking = words
            put(f"\r{_MARGIN}{words}\x1b[K".encode())

    def again(self) -> None:
        self.leave()
        self._pieces = Pieces()
        self._due = self._headed

    def settle(self, settled: Settle | None) -> AskState:
        self._head()
        match settled:
            case AskError(message=message):
                self._line(message if trim(message) else "the answer failed")
            case AskAborted():
                self._line("(cancelled)")
            case _:
                pass
        return _state(settled)

    def leave(self) -> None:
        """Take what is only there for now off the screen, and end the line."""
        if self._thinking:
            put(b"\r\x1b[K")
            self._thinking = ""
        if self._open:
            put(b"\n")
            self._open = False

    def _head(self) -> None:
        if self._due:
            self._due = False
            show_lines(self._console, draw_question(self._question, None))

    def _line(self, text: str) -> None:
        self.leave()
        self._write(text)
        self.leave()

    def _write(self, text: str) -> None:
        if not text:
            return
        self._head()
        if self._thinking:
            self.leave()
        rows = text.replace("\r\n", "\n").split("\n")
        first = _MARGIN if rows[0] and not self._open else ""
        drawn = "".join(f"\n{_MARGIN if row else ''}{safe(row)}" for row in rows[1:])
        self._open = True  # said first: Ctrl-C may come as soon as it is written
        put(f"{first}{safe(rows[0])}{drawn}".encode(errors="replace"))


@contextmanager
def _drawing(question: AskShown, *, headed: bool) -> Generator[_Drawing]:
    drawing = _Drawing(question, headed=headed)
    try:
        yield drawing
    finally:
        drawing.leave()


def _state(settled: Settle | None) -> AskState:
    match settled:
        case AskEnd():
            return AskState.answered
        case AskAborted():
            return AskState.cancelled
        case AskError():
            return AskState.failed
        case None:
            return AskState.waiting
