"""What becomes of each message and part, for the fidelity report. Spec: foreign.md 3.5."""

from typing import Final

from accounting.foreign.fidelity import Fidelity
from accounting.foreign.opencode.kept import KeptMessage, KeptPart
from accounting.foreign.opencode.rows import FIELDLESS, TOLD

_NO_FIELD: Final = "our records have no field for it"


def tally(message: KeptMessage, fidelity: Fidelity) -> None:
    """Count a message and its parts."""
    kind = "message/assistant" if message.is_reply else "message/user"
    if message.told and message.info.role is not None:
        fidelity.mapped(message.place, kind)
    else:
        fidelity.derived(message.place, kind, None, "only its parts are left")
    for kept in message.parts.values():
        _part(kept, fidelity)


def _part(kept: KeptPart, fidelity: Fidelity) -> None:
    kind, place = kept.part.type, kept.place
    if kind in FIELDLESS:
        fidelity.dropped(place, f"part/{kind}", None, _NO_FIELD)
    elif kind not in TOLD:
        fidelity.unknown(place, f"part/{kind or '(no type)'}")
    elif kind in ("compaction", "retry"):
        fidelity.beside(place, f"part/{kind}")
    elif kind == "text" and kept.is_aside:
        fidelity.dropped(place, "part/text", None, "written by OpenCode itself, or left out of the talk")
    else:
        fidelity.mapped(place, f"part/{kind}")
