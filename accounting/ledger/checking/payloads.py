"""Whether a payload reads as its kind. Spec: ledger.md 6."""

from typing import Any, Final, Union

from msgspec import Raw, ValidationError, convert

from accounting.ledger.canonical import GENESIS, encode_sorted
from accounting.ledger.line import Line
from wire import PAYLOADS, EventRecord, payload
from wire.record.kinds import Kind
from wire.scalars import NIL_RUN


def _form(forms: tuple[Any, ...]) -> Any:
    return forms[0] if len(forms) == 1 else Union[forms]  # noqa: UP007 - the forms are a tuple


# Where one conversion can tell: forms that a tag tells apart, or a single one. The others are tried one by one.
_FORMS: Final[dict[str, Any]] = {
    kind.value: _form(forms)
    for kind, forms in PAYLOADS.items()
    if len(forms) == 1 or forms[0].__struct_config__.tag is not None
}


def misfit(line: Line) -> str | None:
    """Why the payload does not read as its kind; `None` when it does, or its kind has no shape."""
    form = _FORMS.get(line.kind)
    if form is not None:
        try:
            convert(line.data, form)
        except ValidationError:
            pass
        else:
            return None
    elif line.kind not in _SEVERAL:
        return None
    # `payload` has the last word, and the words.
    record = EventRecord(
        v=line.v,
        run=NIL_RUN,
        seq=line.seq,
        prev=GENESIS,
        t=line.t,
        who=line.who,
        kind=Kind(line.kind),
        data=Raw(encode_sorted(line.data)),
    )
    try:
        payload(record)
    except ValidationError as error:
        return str(error)
    return None


_SEVERAL: Final = frozenset(kind.value for kind in PAYLOADS if kind.value not in _FORMS)
