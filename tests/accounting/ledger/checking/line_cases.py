"""Lines that break one rule each, spelled out: what is changed in a line that is in order, and what is said of it.

Here the rules of what a line is and where it stands; spelling_cases.py has those of how it is spelled.

`BEFORE`, the line at hand and one more make a ledger of three; the line at hand is the second. A case changes one
piece of its text, or puts other bytes in its place.
"""

from typing import NamedTuple

from accounting.ledger.canonical import line_hash

RUN = "0aaaaaaa-0000-4000-8000-00000000000a"
BEFORE = (
    b'{"v":2,"run":"0aaaaaaa-0000-4000-8000-00000000000a","seq":0,"prev":"'
    + b"0" * 64
    + b'","t":1000,"who":"city","kind":"went_back","data":{}}'
)
PREV = line_hash(BEFORE)
LINE = (
    '{"v":2,"run":"0aaaaaaa-0000-4000-8000-00000000000a","seq":1,"prev":"'
    f'{PREV}","t":1001,"who":"city","kind":"went_back","data":{{}}}}'
)
OFFSET = 186
"""Where the line at hand begins: 185 bytes and a newline stand before it."""


class Case(NamedTuple):
    rule: str
    old: str
    new: str | bytes
    expected: str
    found: str
    seq: int | None = 1
    run: str | None = RUN

    @property
    def line(self) -> bytes:
        """The line that breaks the rule."""
        new = self.new.encode() if isinstance(self.new, str) else self.new
        assert LINE.count(self.old) == 1
        return LINE.encode().replace(self.old.encode(), new)


def _bytes(content: bytes, expected: str, found: str) -> Case:
    """No JSON at all."""
    return Case("not-a-line", LINE, content, expected, found, None, None)


def _lacks(pair: str, key: str, seq: int | None = 1, run: str | None = RUN) -> Case:
    return Case("not-a-line", pair, "", f"an envelope with `{key}`", "none of that", seq, run)


VALUE = "a JSON value (0 bytes into the line)"
CHARACTER = "a string's end, or a character that may stand in it"
OBJECT = "a JSON object with an envelope"
SEQ = "`seq`, an integer of 0..2^64-1"
VERSION = "`v`, an integer from 1 to 2"
TWICE = " (the same as the line before: written twice, or by two writers)"
KIND = 'a kind of ledger.md 3, or `"ig":true`'

PLACE_CASES = (
    _bytes(b"", VALUE, "an empty line"),
    _bytes(b"\0\0\0", VALUE, "zero bytes"),
    _bytes(b"oops", VALUE, "oops"),
    _bytes(b"\xef\xbb\xbf" + LINE.encode(), VALUE, f"\ufeff{LINE[:59]}…"),
    _bytes(b"\xc3\xff" + LINE.encode(), VALUE, f"\ufffd\ufffd{LINE[:58]}…"),
    _bytes(b'{"a":"\xff","\xff', f"{CHARACTER} (9 bytes into the line)", '"\ufffd'),
    _bytes(b"{", "a key in quotes (1 bytes into the line)", "the line's end"),
    _bytes('{"é":1,}'.encode(), "a key in quotes (8 bytes into the line)", "}"),
    _bytes(b"[]", OBJECT, "a list"),
    _bytes(b"null", OBJECT, "nothing"),
    _bytes(b"1", OBJECT, "1"),
    _bytes(b'"\\u0041"', OBJECT, '"A"'),
    _bytes(b"{}", OBJECT, "an object without `v`, {}"),
    _bytes(b"NaN", VALUE, "NaN"),
    _bytes(b"1 2", "the end of the line (2 bytes into the line)", "2"),
    _bytes(b"{} {}", "the end of the line (3 bytes into the line)", "{}"),
    _bytes(b'{"a" 1}', "a colon after the key (5 bytes into the line)", "1}"),
    _bytes(b'{"a":01}', "a comma or the end of the object or list (6 bytes into the line)", "1}"),
    _bytes(b'{"a":"\t"}', f"{CHARACTER} (6 bytes into the line)", '\t"}'),
    _bytes(b'{"a":"\\x"}', f"{CHARACTER} (6 bytes into the line)", '\\x"}'),
    _bytes(b"[1,]", "a JSON value (3 bytes into the line)", "]"),
    _bytes(b'{"v":1}', "an envelope with `run` `seq` `prev` `t` `who` `kind` `data`", "none of that"),
    _lacks(f'"run":"{RUN}",', "run", run=None),
    _lacks('"seq":1,', "seq", seq=None),
    _lacks(f'"prev":"{PREV}",', "prev"),
    _lacks('"t":1001,', "t"),
    _lacks('"who":"city",', "who"),
    _lacks('"kind":"went_back",', "kind"),
    _lacks(',"data":{}', "data"),
    *(
        Case("not-a-line", '"seq":1', f'"seq":{spelled}', SEQ, found, None)
        for spelled, found in (
            ("-1", "-1"), ("18446744073709551616", "18446744073709551616"), ("1.0", "1.0"), ('"1"', '"1"'),
            ("true", "true"), ("null", "nothing"), ("[1]", "a list"), ("1" * 5000, "1" * 60 + "…"),
        )
    ),
    Case("not-a-line", f'"{PREV}"', "null", "`prev`, a string", "nothing"),
    Case("not-a-line", f'"{PREV}"', "[]", "`prev`, a string", "a list"),
    Case("not-a-line", '"went_back"', "null", "`kind`, a string", "nothing"),
    Case("not-a-line", '"went_back"', "{}", "`kind`, a string", "an object"),
    #
    *(
        Case("version-ahead", '"v":2', f'"v":{spelled}', "`v` up to 2", found)
        for spelled, found in (
            ("3", "3"), ("4294967296", "4294967296"), ("18446744073709551616", "18446744073709551616"),
            ("9" * 5000, "9" * 60 + "…"),
        )
    ),
    # Whatever else is wrong with it.
    Case("version-ahead", LINE, '{"v":3}', "`v` up to 2", "3", None, None),
    Case("version-ahead", LINE, '{"v":3, "seq":7,"data":1.5,"data":1}', "`v` up to 2", "3", 7, None),
    Case("version-ahead", '"v":2', b'"who":"\xff","v":4', "`v` up to 2", "4"),
    #
    *(
        Case("not-a-version", '"v":2', f'"v":{spelled}', VERSION, found)
        for spelled, found in (
            ("0", "0"), ("-1", "-1"), ('"2"', '"2"'), ("2.0", "2.0"), ("3.0", "3.0"), ("2e0", "2.0"), ("true", "true"),
            ("null", "nothing"), ("[2]", "a list"), ("{}", "an object"), ("1e400", "1E+400"),
            ("-" + "9" * 5000, "-" + "9" * 59 + "…"),
        )
    ),
    Case("not-a-version", LINE, '{"v":0}', VERSION, "0", None, None),
    #
    Case("chain-break", PREV, "f" * 64, f"prev {PREV}", "f" * 64),
    Case("chain-break", PREV, PREV.upper(), f"prev {PREV}", PREV.upper()),
    Case("chain-break", PREV, "", f"prev {PREV}", ""),
    Case("chain-break", PREV, "0" * 64, f"prev {PREV}", "0" * 64 + TWICE),
    # The chain comes before the number.
    Case("chain-break", f'1,"prev":"{PREV}"', '5,"prev":"x"', f"prev {PREV}", "x", 5),
    #
    *(
        Case("seq-gap", '"seq":1', f'"seq":{seq}', "seq 1", f"seq {seq}", seq)
        for seq in (0, 2, 3, 2**63, 2**64 - 1)
    ),
    # Both come before the kind.
    Case("seq-gap", LINE, LINE.replace('"seq":1', '"seq":9').replace("went_back", "new"), "seq 1", "seq 9", 9),
    #
    *(
        Case("unknown-kind", '"went_back"', f'"{kind}"', KIND, f'"{kind}"')
        for kind in ("went_further", "", "Went_back", "went_back ", "x" * 60)
    ),
    Case("unknown-kind", "went_back", "x" * 61, KIND, '"' + "x" * 60 + '…"'),
    Case("unknown-kind", '"went_back","data":{}', '"new","data":{},"ig":false', KIND, '"new"'),
    Case("unknown-kind", '"went_back","data":{}', '"new","data":1.5,"ig":1', KIND, '"new"'),
)  # fmt: skip
"""What is wrong with a line before its spelling is looked at, in the order in which a line is held to it."""
