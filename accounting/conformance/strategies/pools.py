"""Words of the format for payloads to hold: good ones and near misses, the plainest first."""

from typing import Final, cast

from accounting.conformance.strategies.values import Pool
from wire.scalars import NIL_RUN, Json, RunId

RUNS: Final[tuple[RunId, ...]] = (
    cast("RunId", "0aaaaaaa-0000-4000-8000-00000000000a"),
    cast("RunId", "0bbbbbbb-0000-4000-8000-00000000000b"),
    NIL_RUN,
)
"""The runs that generated records belong to; the last is the nil run."""
HASHES: Final = ("a" * 64, "0123456789abcdef" * 4, "b" * 64)
NAMES: Final[dict[str, str | None]] = {HASHES[0]: "Ada", HASHES[1]: None}
"""What the frozen names of two of the hashes are; the third has none."""
ABSENT: Final = object()
"""The choice to leave a field out."""

# fmt: off
OIDS: Pool = ("c" * 40, "0123456789" * 4, "C" * 40, "c" * 39, "c" * 41, "c" * 40 + "\n")
ROOMS = ("hall", "attic/desk")
ADDRESSES: Pool = (*ROOMS, " lead", ".a/..b", "a@b#L1-2", "é\u200b", "a\u2026")
BAD_ADDRESSES: Pool = (
    "", "/a", "a/", "a//b", "a\\b", "a:b", "a/./b", "..", "a.", "a ", "a\u3000/b", "a\x85", "a\x07b",
    "a\u2028",
)
CAS, FILE = "cas:b3-" + HASHES[1], f"file:attic/desk@{OIDS[0]}"
LOCATORS: Pool = (
    CAS, FILE, CAS + "#L1-2", FILE + "#B0-0", f"{CAS}#B0-{2**64 - 1}", f"file:a@b#L1-2@{OIDS[1]}#L3-3",
)
BAD_LOCATORS: Pool = (
    CAS + "#L0-1", CAS + "#L2-1", CAS + "#L01-2", f"{CAS}#B0-{2**64}", CAS + "#L1", CAS + "#L1-2#B0-1",
    CAS[:-1], CAS.upper(), CAS + "\n", CAS + "#L\u0661-\u0662", CAS + "#L+1-2", CAS + "#l1-2", FILE[:-1],
    f"file:@{OIDS[0]}", f"file:a:b@{OIDS[0]}", f"file:a./b@{OIDS[0]}", "file:hall", "secret:x",
    "b3-" + HASHES[0],
)
CALL_IDS, SIGNALS, APPROVALS = ("c1", "c2", ""), ("s1", "s2", "s\u200b\x1c"), ("a1", "a2", "")
ANY_SIGNAL = (*SIGNALS, "s1", "s2", "", "s 1", "s1\u2003")
POLICY = {"mode": "work", "write": "full", "admit": "tested", "landing": "ordinary"}
POLICIES: Pool = (
    ABSENT, POLICY, {"mode": "chat", "write": "create", "admit": "standing", "landing": "experiment", "z": 1},
    POLICY | {"mode": "Work"}, {"mode": "chat", "write": "create"}, POLICY | {"admit": None},
)
EFFECTS: Pool = (
    ABSENT, "read", {"write": {"domain": "hall"}}, {"connector": {"label": "x9"}}, "spend", "egress",
    "govern", "spawn", {"attach_user_browser": {}}, {"attach_user_browser": {"address": "a", "z": 1}},
    {"attach_user_browser": None}, {"write": {"domain": "a:"}}, {"connector": {"label": "X-"}},
    {"read": None}, {"read": {}}, "write", "Read", {"write": {"domain": "a"}, "connector": {"label": "x"}},
    {"attach_user_browser": {"address": 1}}, {"write": "a"},
)
RENDERS: Pool = (
    ABSENT, "generic", "signal", "terminal", {"diff": {"locations": ["hall"]}}, {"diff": {"locations": []}},
    "diff", {"diff": {"locations": ["a", "b."]}}, {"diff": {}}, {"signal": {}}, {"signal": None},
    {"diff": {"locations": "a"}}, {"diff": {"locations": ["a"], "z": 1}},
    {"diff": {"locations": ["a"]}, "z": 1}, {"diff": ["a"]}, "Signal", "signal",
)
# What other splitters and strippers of text take otherwise.
ELEVEN: dict[str, Json] = {f"k{i}": [] for i in range(11)}
# By UTF-8 in this order, by UTF-16 in the other.
ASTRAL: dict[str, Json] = {"\uffff": 1, "\U00010000": {}}
BREAKS: Pool = ("a\r", "a\r\r\n", "\x1c", "a\x85b\u2028c\vd", "a\n\n", "\u3000", "\r\n\ta", "\x85\n", "\ufeff")
STORED: Pool = (
    ABSENT, [{"original": CAS, "len": 9, "rest_path": "x"}], [{"original": FILE + "#L1-9"}, 1], [], [{}],
    None, [{"original": "cas:b3-"}, {"original": CAS}], [None, {"original": CAS}], {"original": CAS}, [[CAS]],
    [CAS],
)
BLOCKS: Pool = (
    {"kind": "text", "text": "hi"}, {"kind": "thinking", "thinking": "hm", "signature": "s"},
    {"kind": "text", "text": ""}, {"kind": "thinking", "thinking": "two\nlines"},
    {"kind": "text", "text": "\r\n \x1c", "z": 1}, {"kind": "text"},
    {"kind": "tool_use", "id": "c1", "name": "x", "input": {}},
    {"kind": "redacted_thinking", "data": "x", "text": "no"}, {"kind": "thinking", "text": "no"},
    {"kind": "text", "text": 1}, {"text": "no"}, {"kind": ["text"], "text": "no"},
    {"kind": "tool_result", "tool_use_id": "c1", "content": "x", "is_error": False},
    {"kind": "Text", "text": "no"}, None, "text", [],
)
# fmt: on
