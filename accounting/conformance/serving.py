"""Our own fold and checker as programs under test: an example of both contracts of schema/conformance/protocol.md.

python -m accounting.conformance.reference fold RUN < ledger.jsonl
python -m accounting.conformance.reference check < ledger.jsonl
python -m accounting.conformance.reference lines
"""

import base64
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO, Final

from msgspec import UNSET, Struct
from msgspec.json import Decoder, encode

from accounting.conformance.protocol import (
    PROTOCOL,
    Check,
    Checked,
    Findings,
    Fold,
    Found,
    Request,
    Start,
    Started,
    Stop,
)
from accounting.conformance.reference import reference_fold
from wire.answer.rounds import RoundsAnswer
from wire.check import Severity
from wire.scalars import run_id

NAME: Final = "rounds"
"""What the reference calls itself."""
_USAGE: Final = "usage: python -m accounting.conformance.reference fold RUN | check | lines\n"


class _Folded(Struct, frozen=True, kw_only=True, tag_field="re", tag="fold"):
    """As `protocol.Folded`, but the answer need not become JSON values before it is JSON text."""

    id: int
    answer: RoundsAnswer


def main(arguments: Sequence[str]) -> int:
    """Serve one of the contracts on standard input and output; the exit code."""
    match arguments:
        case ["fold", run]:
            asked = run_id(run)
            if asked is None:
                sys.stderr.write(f"{run!r} is no run id\n")
                return 1
            sys.stdout.buffer.write(encode(reference_fold(sys.stdin.buffer.read(), asked)) + b"\n")
        case ["check"]:
            sys.stdout.buffer.write(encode(Findings(findings=_check(sys.stdin.buffer.read()))) + b"\n")
        case ["lines"]:
            serve(sys.stdin.buffer, sys.stdout.buffer)
        case _:
            sys.stderr.write(_USAGE)
            return 2
    return 0


def serve(requests: BinaryIO, replies: BinaryIO) -> None:
    """Contract (b): a reply to each request, until told to stop."""
    decoder = Decoder(Request)
    for line in requests:
        request = decoder.decode(line)
        reply: Struct
        match request:
            case Start():
                reply = Started(protocol=PROTOCOL, name=NAME, version=version("rounds"))
            case Fold():
                reply = _Folded(id=request.id, answer=reference_fold(_ledger(request), request.run))
            case Check():
                reply = Checked(id=request.id, findings=_check(_ledger(request)))
            case Stop():
                return
        replies.write(encode(reply) + b"\n")
        replies.flush()


def _ledger(request: Fold | Check) -> bytes:
    if request.ledger is not UNSET:
        return request.ledger.encode()
    return base64.b64decode("" if request.ledger_base64 is UNSET else request.ledger_base64, validate=True)


def _check(ledger: bytes) -> tuple[Found, ...]:
    # A fold has no need of the hash of the chain, which checking loads.
    from accounting.ledger import verify

    with TemporaryDirectory(prefix="rounds-") as folder:
        file = Path(folder, "ledger.jsonl")
        file.write_bytes(ledger)
        return tuple(Found(code=one.code, line=one.line) for one in verify(file) if one.severity is Severity.fault)
