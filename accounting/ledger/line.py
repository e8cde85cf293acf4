"""A line in canonical spelling, as it is read natively. Spec: ledger.md 1."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from accounting.ledger.plain import Shallow
from wire.record.envelope import NEWEST_VERSION
from wire.scalars import JsonObject


class Line(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """The envelope with its keys in canonical order; loose where writing it again and comparing bytes says the rest."""

    v: Annotated[int, Meta(ge=1, le=NEWEST_VERSION)]
    run: str
    seq: Annotated[int, Meta(ge=0)]
    prev: str
    t: Annotated[int, Meta(ge=0)]
    who: str
    addr: str | UnsetType = UNSET
    kind: str
    data: Shallow
    ig: bool = False


class DeepLine(Line, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """The same with any payload; key order is the parent's."""

    data: JsonObject
