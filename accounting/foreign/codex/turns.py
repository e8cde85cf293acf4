"""The requests of a rollout, which has no name for them: each closes at the count of its tokens. Spec: foreign.md 3.3.

What the model makes opens a request where none is open. Where Codex's own turn began or ended, or a person spoke, the
request may be over without a count: the next thing that the model makes then opens another.
"""

from msgspec import Struct

from accounting.foreign.codex.counting import Accepted
from accounting.foreign.drafting import RunDraft
from accounting.foreign.fidelity import Fidelity, Standing
from accounting.foreign.request import RequestDraft
from accounting.ledger.problem import Place
from wire.scalars import Json, JsonObject, TimeMs


class Request(Struct, kw_only=True, eq=False):
    """A request under way."""

    draft: RequestDraft
    number: int
    turn_id: str | None
    t: TimeMs | None
    """Of its last row."""
    blocks: list[Json]
    rows: int = 1
    usage: JsonObject | None = None
    standing: Standing = Standing.unknown
    sum: str | None = None
    live: bool = True


class Turns:
    """The requests so far."""

    def __init__(self, draft: RunDraft, fidelity: Fidelity) -> None:
        self.all: list[Request] = []
        self.model: str | None = None
        """The model as last told."""
        self.turn_id: str | None = None
        """Codex's own turn as last told."""
        self._draft = draft
        self._fidelity = fidelity
        self._open: Request | None = None
        self._over = False

    @property
    def count(self) -> int:
        """How many requests there are so far."""
        return len(self.all)

    @property
    def is_open(self) -> bool:
        """Whether something of a request was met, and not yet its count."""
        return self._open is not None

    def made(self, t: TimeMs | None, place: Place) -> Request:
        """The request that something the model made is of."""
        request = self.signed(t, place)
        request.t = request.t if t is None else t
        return request

    def signed(self, t: TimeMs | None, place: Place) -> Request:
        """The request that a row is a sign of; where that adds nothing to its reply, the time of that stays."""
        if self._over:
            self._open = None
        if self._open is None:
            return self._begin(t, place)
        self._open.rows += 1
        return self._open

    def latest(self, t: TimeMs | None, place: Place) -> Request:
        """The request that something the model must have made before this row is of: the open one, else the last."""
        if self._open is None and not self._over and self.all:
            return self.all[-1]
        return self.made(t, place)

    def may_be_over(self) -> None:
        """A request that is open is over, unless its count follows at once."""
        self._over = True

    def counted(self, t: TimeMs | None, place: Place, accepted: Accepted) -> None:
        """The count of a request: it closes."""
        self._over = False
        request = self.made(t, place)
        request.usage, request.standing, request.sum = accepted.usage, accepted.standing, accepted.sum
        self._open = None

    def named(self, model: str | None) -> None:
        """The model from here on; also that of an open request that lacks one."""
        if not model:
            return
        self.model = model
        if self._open is not None and not self._over and self._open.draft.model is None:
            self._open.draft.model = model

    def finish(self) -> None:
        """Write the replies."""
        for request in self.all:
            if request.usage is None:
                self._fidelity.lower(Standing.unknown)
            elif request.standing is not Standing.exact:
                self._fidelity.lower(request.standing)
            request.draft.reply(request.t, request.draft.place, blocks=request.blocks, usage=request.usage)

    def _begin(self, t: TimeMs | None, place: Place) -> Request:
        self._over = False
        request = Request(
            draft=self._draft.request(t, place, model=self.model),
            number=len(self.all) + 1,
            turn_id=self.turn_id,
            t=t,
            blocks=[],
        )
        self.all.append(request)
        self._open = request
        return request
