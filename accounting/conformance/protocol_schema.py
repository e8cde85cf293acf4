"""The JSON Schema of the protocol's messages, exported from the Structs: schema/conformance/protocol.schema.json."""

import json
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from accounting.conformance.protocol import PROTOCOL, Check, Checked, Fold, Folded, ProtocolReply, Request
from wire.export.document import Document, Rule
from wire.export.keywords import DIALECT, Schema
from wire.export.roots import Root
from wire.export.source import aliases
from wire.export.unknown import Unknown

FILE: Final = "conformance/protocol.schema.json"
"""Where it stands in the schema folder."""
_FATES: Final = {
    "Request": Unknown("refused", "a subject of this version of the protocol is never sent one"),
    "ProtocolReply": Unknown("refused", "the kit takes it for a crash"),
}


def _one_of(*names: str) -> Rule:
    """The rule of a shape that has exactly one of these keys."""

    def rule(document: Document, cls: type[Struct]) -> Schema:
        return {**document.object(cls), "oneOf": [{"required": [name]} for name in names]}

    return rule


_RULES: Final[Mapping[type[Struct], Rule]] = {
    Fold: _one_of("ledger", "ledger_base64"),
    Check: _one_of("ledger", "ledger_base64"),
    Folded: _one_of("answer", "rejected"),
    Checked: _one_of("findings", "rejected"),
}


def protocol_schema() -> bytes:
    """The document's text. A message of either side fits it; `$defs` has `Request` and `ProtocolReply` apart."""
    known = (*aliases(__name__, "accounting"), *aliases("wire.export", "wire"))
    document = Document(known, _RULES, _FATES, itself=None)
    sides = (Root("request", "Request", Request), Root("reply", "ProtocolReply", ProtocolReply))
    schema = {
        "$schema": DIALECT,
        "$id": f"urn:rounds:conformance-protocol:{PROTOCOL}",
        "title": "ConformanceProtocol",
        "description": "One line of the protocol between the conformance kit and a long-lived subject.",
        "anyOf": [document.define_root(side) for side in sides],
        "$defs": document.definitions(),
    }
    return (json.dumps(schema, indent=2, ensure_ascii=False) + "\n").encode()
