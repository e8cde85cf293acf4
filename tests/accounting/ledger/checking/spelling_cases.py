"""Lines that are spelled otherwise than they have to be, one for each way; and lines that are in order, or skipped."""

from tests.accounting.ledger.checking.line_cases import LINE, PREV, RUN, Case


def _envelope(key: str, old: str, new: str, expected: str, found: str, run: str | None = RUN) -> Case:
    return Case("envelope-field", old, new, f"`{key}`: {expected}", found, 1, run)


def _addr(spelled: str, found: str) -> Case:
    return _envelope("addr", '"kind"', f'"addr":{spelled},"kind"', "an Address, or no key", found)


def _data(rule: str, spelled: str | bytes, expected: str, found: str) -> Case:
    new = b'"data":' + (spelled if isinstance(spelled, bytes) else spelled.encode())
    return Case(rule, '"data":{}', new, expected, found)


def _spelling(at: int, old: str, new: str, canonical: str, found: str) -> Case:
    """The same value in another spelling; `at` is the first byte that differs, and ten before it are shown."""
    return Case("not-canonical", old, new, f"{canonical} {at} bytes into the line", found)


def _payload(at: int, spelled: str, canonical: str, found: str) -> Case:
    return _spelling(at, '"data":{}', f'"data":{spelled}', canonical, found)


def _lists(depth: int) -> str:
    """A payload of so many containers inside each other."""
    return '{"a":' + "[" * (depth - 1) + "]" * (depth - 1) + "}"


def _objects(depth: int) -> str:
    """The same of objects."""
    return '{"a":' * (depth - 1) + "{}" + "}" * (depth - 1)


UUID = "a hyphenated lower-case uuid"
MILLIS = "an integer of 0..2^64-1"
PAIR = "both halves of a surrogate pair"
KEYS = "only v run seq prev t who addr kind data ig"
FITS = "an integer that fits i64 or u64"
BEYOND = str(2**64)
DEEP = "at most 126 containers inside each other"
DEEPER = "more than 126 containers"
EMOJI = "\U0001f600"

SPELLING_CASES = (
    _data("bad-utf8", b'{"a":"\xff"}', "UTF-8", "byte 0xff, 188 bytes into the line"),
    _data("bad-utf8", b'{"\xc3":1}', "UTF-8", "byte 0xc3, 184 bytes into the line"),
    _data("bad-utf8", b'{"a":"\xed\xa0\x80"}', "UTF-8", "byte 0xed, 188 bytes into the line"),
    _data("bad-utf8", b'{"a":"\xc0\xaf\\ud800"}', "UTF-8", "byte 0xc0, 188 bytes into the line"),
    #
    _data("lone-surrogate", r'{"a":"x\ud800y"}', PAIR, r'"x\ud800y" at data.a'),
    _data("lone-surrogate", r'{"a":{"\udfff":1}}', PAIR, r'"\udfff" at data.a'),
    _data("lone-surrogate", r'{"a":"\ude00\ud83d"}', PAIR, r'"\ude00\ud83d" at data.a'),
    Case("lone-surrogate", '"city"', r'"\uD800"', PAIR, r'"\uD800" at who'),
    #
    _data("repeated-key", '{"a":1,"a":1}', "each key once", "a at data.a"),
    _data("repeated-key", '{"a":[{"b":1,"c":[],"b":2}]}', "each key once", "b at data.a[0].b"),
    _data("repeated-key", r'{"a":1,"\u0061":1.5}', "each key once", "a at data.a"),
    Case("repeated-key", '"t":1001', '"t":1001,"t":1001', "each key once", "t at t"),
    Case("repeated-key", '"t":1001', '"x":1,"t":-5,"t":1001', "each key once", "t at t"),
    #
    Case("unknown-key", '"t":1001', '"t":1001,"x":1.5', KEYS, "x"),
    Case("unknown-key", '"data":{}', '"data":{},"":[]', KEYS, ""),
    Case("unknown-key", '"v":2', '"V":3,"v":2', KEYS, "V"),
    Case("unknown-key", '"data":{}', '"data":1,"more":{}', KEYS, "more"),
    #
    _envelope("run", RUN, RUN.upper(), UUID, f'"{RUN.upper()}"', None),
    _envelope("run", RUN, RUN.replace("-", ""), UUID, '"' + RUN.replace("-", "") + '"', None),
    _envelope("run", f'"{RUN}"', "null", UUID, "nothing", None),
    *(
        _envelope("t", "1001", spelled, MILLIS, found)
        for spelled, found in (
            ("-1", "-1"), ("18446744073709551616", "18446744073709551616"), ("1001.0", "1001.0"), ('"1"', '"1"'),
            ("true", "true"), ("null", "nothing"),
        )
    ),
    *(
        _envelope("who", '"city"', spelled, "a string", found)
        for spelled, found in (("null", "nothing"), ("1", "1"), ("[]", "a list"), ("1.5", "1.5"))
    ),
    *(
        _addr(spelled, found)
        for spelled, found in (
            ("null", "nothing"), ('""', '""'), ('"/a"', '"/a"'), ('"a/"', '"a/"'), ('"a//b"', '"a//b"'),
            ('"a:b"', '"a:b"'), (r'"a\\b"', r'"a\b"'), ('"a/../b"', '"a/../b"'), ('"."', '"."'), ('"a."', '"a."'),
            ('"a "', '"a "'), ('"a\u2003/b"', '"a\u2003/b"'), ('"a\x7fb"', '"a\x7fb"'), ("false", "false"),
        )
    ),
    *(
        _envelope("data", "{}}", spelled + "}", "a JSON object", found)
        for spelled, found in (("[]", "a list"), ("null", "nothing"), ('"x"', '"x"'), ("1.5", "1.5"))
    ),
    *(
        _envelope("ig", "{}}", '{},"ig":' + spelled + "}", "true, or no key", found)
        for spelled, found in (("false", "false"), ("null", "nothing"), ("1", "1"), ('"true"', '"true"'))
    ),
    #
    *(
        _data("float", f'{{"a":{spelled}}}', "an integer", f"{spelled} at data.a")
        for spelled in (
            "1.0", "1e3", "1E3", "-0.0", "0.5", "1e400", "-1e-400", "5e-324", "1.5e0", "18446744073709551616.0",
        )
    ),
    _data("float", '{"a":[1,{"b":[[[[[2.5]]]]]}]}', "an integer", "2.5 at data.a[1].b[0][0][0][0][0]"),
    _data("float", '{"b":18446744073709551616,"a":1.5}', "an integer", "1.5 at data.a"),
    #
    *(
        _data("integer-range", f'{{"a":{spelled}}}', FITS, f"{found} at data.a")
        for spelled, found in (
            (BEYOND, BEYOND), ("-9223372036854775809", "-9223372036854775809"), ("1" + "0" * 30, "1" + "0" * 30),
            ("7" * 5000, "7" * 60 + "…"),
        )
    ),
    _data("integer-range", f'{{"a":[[[[[[[{BEYOND}]]]]]]]}}', FITS, f"{BEYOND} at data.a" + "[0]" * 7),
    _data("integer-range", f'{{"a":{{"b":{_lists(200)},"c":{BEYOND}}}}}', FITS, f"{BEYOND} at data.a.c"),
    #
    _data("too-deep", _lists(127), DEEP, f"{DEEPER} at data.a" + "[0]" * 18),
    _data("too-deep", _objects(127), DEEP, f"{DEEPER} at data" + ".a" * 19),
    _data("too-deep", f'{{"z":1,"a":{_lists(500)}}}', DEEP, f"{DEEPER} at data.a.a" + "[0]" * 17),
    #
    _data("unsorted-keys", '{"b":1,"a":1}', "`a` before `b`", "after it, in data"),
    _data("unsorted-keys", '{"x":[1,{"b":1,"a":1}]}', "`a` before `b`", "after it, in data.x[1]"),
    _data("unsorted-keys", '{"a":1,"B":1}', "`B` before `a`", "after it, in data"),
    _data("unsorted-keys", '{"aa":1,"a":1}', "`a` before `aa`", "after it, in data"),
    _data("unsorted-keys", '{"a":1,"":1}', "`` before `a`", "after it, in data"),
    _data("unsorted-keys", '{"9":1,"10":1}', "`10` before `9`", "after it, in data"),
    _data("unsorted-keys", '{"\U00010000":1,"\uffff":1}', "`\uffff` before `\U00010000`", "after it, in data"),
    _data("unsorted-keys", '{ "b":1, "a":-0}', "`a` before `b`", "after it, in data"),
    #
    _spelling(1, '{"v"', '{ "v"', '{"v":2,"run":"0aaaaaaa-0000-400', '{ "v":2,"run":"0aaaaaaa-0000-40'),
    _spelling(0, '{"v"', ' {"v"', '{"v":2,"run":"0aaaaaaa-0000-40', ' {"v":2,"run":"0aaaaaaa-0000-4'),
    _spelling(185, "{}}", "{}}\r", '"data":{}}', '"data":{}}\r'),
    _spelling(185, "{}}", "{}} ", '"data":{}}', '"data":{}} '),
    _spelling(182, ":{}}", ":\t{}}", 'k","data":{}}', 'k","data":\t{}}'),
    _payload(188, r'{"a":"\/"}', r'ta":{"a":"/"}}', r'ta":{"a":"\/"}}'),
    _payload(188, r'{"a":"\u0041"}', r'ta":{"a":"A"}}', r'ta":{"a":"\u0041"}}'),
    _payload(193, r'{"a":"\u001F"}', r'"a":"\u001f"}}', r'"a":"\u001F"}}'),
    _payload(189, r'{"a":"\u000a"}', r'a":{"a":"\n"}}', r'a":{"a":"\u000a"}}'),
    _payload(188, r'{"a":"\u007f"}', 'ta":{"a":"\x7f"}}', r'ta":{"a":"\u007f"}}'),
    _payload(188, r'{"a":"\u2028"}', 'ta":{"a":"\u2028"}}', r'ta":{"a":"\u2028"}}'),
    _payload(188, r'{"a":"\ud83d\ude00"}', f'ta":{{"a":"{EMOJI}"}}}}', r'ta":{"a":"\ud83d\ude00"}}'),
    _payload(184, r'{"\u0061":1}', ',"data":{"a":1}}', r',"data":{"\u0061":1}}'),
    _payload(187, '{"a":-0}', 'ata":{"a":0}}', 'ata":{"a":-0}}'),
    _payload(190, '{"a":[1, 2]}', '":{"a":[1,2]}}', '":{"a":[1, 2]}}'),
    _payload(196, '{"a":[[[[[[[1, 2]]]]]]]}', ':[[[[[[[1,2]]]]]]]}}', ':[[[[[[[1, 2]]]]]]]}}'),
    _spelling(168, "went_back", r"went\u005fback",
        'ind":"went_back","data":{}}', r'ind":"went\u005fback","data":{}}'),
    _spelling(150, '"city"', r'"\u0063ity"',
        '01,"who":"city","kind":"went_back","data', r'01,"who":"\u0063ity","kind":"went_back",'),
    _spelling(135, '"t":1001,"who":"city"', '"who":"city","t":1001',
        f'{PREV[-7:]}","t":1001,"who":"city","kind":"w', f'{PREV[-7:]}","who":"city","t":1001,"kind":"w'),
    _spelling(157, '"kind":"went_back","data":{}', '"data":{},"kind":"went_back"',
        '":"city","kind":"went_back","data":{}}', '":"city","data":{},"kind":"went_back"}'),
    _spelling(157, '"kind":"went_back"', '"kind":"went_back","addr":"a"',
        '":"city","addr":"a","kind":"went_back","', '":"city","kind":"went_back","addr":"a","'),
    _spelling(176, '"data":{}', '"ig":true,"data":{}',
        'nt_back","data":{},"ig":true}', 'nt_back","ig":true,"data":{}}'),
)  # fmt: skip
"""What is wrong with how a line is spelled, in the order in which a line is held to it."""

GOOD = (
    LINE,
    LINE.replace('"v":2', '"v":1'),
    LINE.replace(RUN, "00000000-0000-0000-0000-000000000000"),
    LINE.replace("1001", "0"),
    LINE.replace("1001", str(2**64 - 1)),
    LINE.replace('"city"', '""'),
    LINE.replace('"city"', '"any words: at all/"'),
    LINE.replace('"kind"', '"addr":".a/..b/\u200b c","kind"'),
    LINE.replace("{}}", '{},"ig":true}'),
    *(
        LINE.replace('"data":{}', f'"data":{spelled}')
        for spelled in (
            f'{{"a":{2**64 - 1},"b":{2**63},"c":{-(2**63)},"d":0,"e":-1}}',
            f'{{"a":[[[[[[[[{2**64 - 1},true,false,null,""]]]]]]]]}}',
            _lists(126),
            _objects(126),
            '{"":1,"\x7f":2,"é":3,"\u2028":4,"\uffff":5,"\U00010000":6}',
            r'{"a":"\"\\\b\f\n\r\t\u0000\u001f"}',
            '{"a":"\x7f\x80\u2028\u2029\ufeff\uffff\U0001f600/"}',
            '{"10":1,"9":2,"A":3,"a":4,"aa":5,"prev":6,"v":99}',
            r'{"a":"\\ud800"}',
        )
    ),
)
"""Lines that are in order, each at the edge of a rule."""

FURTHER = LINE.replace("went_back", "went_further").encode()
SKIPPED = (
    FURTHER.replace(b"{}}", b'{},"ig":true}'),
    FURTHER.replace(b"{}}", b'{"b":1.5,"a":[18446744073709551616],"a":2} ,"x":1,"ig":true}'),
    FURTHER.replace(b"{}}", b'1,"ig":true}').replace(b"1001", b'"soon"'),
    FURTHER.replace(b"{}}", b'"\xff","ig":true,"addr":null}').replace(RUN.encode(), b"nobody"),
)
"""Lines of an unknown kind that a reader may skip, whatever else is wrong with them."""
