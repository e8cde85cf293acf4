"""What belongs together across lines: those of one request, and a call with its sub-agent. Spec: foreign.md 3.1."""

from msgspec import Struct

from accounting.foreign.claude_code.rows import Usage
from accounting.foreign.fidelity import Standing
from accounting.foreign.request import RequestDraft
from wire.scalars import Json, TimeMs


class Group(Struct, eq=False, gc=False):
    """The lines of one request."""

    request: RequestDraft
    number: int
    message_id: str | None
    request_id: str | None
    is_further: bool = False
    """Whether another request of the file has the message's id already."""
    standing: Standing = Standing.exact
    blocks: list[Json] = []
    rows: int = 0
    stop: str | None = None
    t: TimeMs | None = None
    usage: Usage | None = None
    cost: float | None = None
    took_us: int | None = None

    @property
    def key(self) -> str | None:
        """What names the request in every file that tells of it; `None` without a message id.

        Not every such file has the request's own id, so that it counts only where one file has two with one message.
        """
        if self.message_id is None:
            return None
        key = f"claude:{self.message_id}"
        return f"{key} {self.request_id}" if self.is_further and self.request_id is not None else key

    def has_call(self, name: str) -> bool:
        """Whether a call of that id is among its blocks."""
        return any(call.data.get("id") == name for call in self.request.calls)


class Spawn:
    """A call that starts a sub-agent."""

    __slots__ = ("agent_id", "call", "prompt", "taken", "turn")

    def __init__(self, call: str, prompt: Json, turn: int) -> None:
        self.call = call
        self.prompt = prompt
        self.turn = turn
        self.agent_id: str | None = None
        self.taken = False
