"""Output and arguments: JSON text, lines, what is blank; exit codes and where the whole is stored."""

from __future__ import annotations

from collections.abc import Sequence

from .build import I64, LOC, LOC2, U64, Case, Json, Line, called, case, line, model, result, x_output


def _out(id: str, about: str, value: Json, head: str | None, cut: int = 0) -> Case:
    """One answered call with this result."""
    wanted = None if head is None else x_output(head, cut)
    lines = [model(), called("c1"), result("c1", result=value)]
    return case(id, "rounds.md 2 output", about, lines, {"call.output": wanted, "call.outcome": "answered"})


def _outs(id: str, about: str, pairs: Sequence[tuple[Json, str | None]]) -> Case:
    """One call for each result, and the head of its output (None: no output); nothing is cut."""
    lines: list[Line] = [model()]
    expect: dict[str, Json] = {}
    for i, (value, head) in enumerate(pairs):
        lines += [called(f"c{i}"), result(f"c{i}", result=value)]
        expect[f"turn.calls.{i}.output"] = None if head is None else x_output(head)
    return case(id, "rounds.md 2 output", about, lines, expect)


def _args(id: str, about: str, value: Json, head: str | None, cut: int = 0) -> Case:
    """One call with these arguments."""
    wanted = None if head is None else x_output(head, cut)
    return case(id, "rounds.md 2 arguments", about, [model(), called("c1", args=value)], {"call.arguments": wanted})


def _exits(id: str, about: str, pairs: Sequence[tuple[dict[str, Json], Json]]) -> Case:
    """One call for each payload of a result, and its exit code."""
    lines: list[Line] = [model()]
    for i, (payload, _) in enumerate(pairs):
        lines += [called(f"c{i}"), result(f"c{i}", **payload)]
    expect = {f"turn.calls.{i}.exit_code": code for i, (_, code) in enumerate(pairs)}
    return case(id, "rounds.md 2 exit_code", about, lines, expect)


def _pin(id: str, about: str, pinned: str | None, **payload: Json) -> Case:
    """One call with this payload of a result."""
    lines = [model(), called("c1"), result("c1", **payload)]
    return case(id, "rounds.md 2 pinned", about, lines, {"call.output.pinned": pinned})


def _deep(depth: int) -> Json:
    """Lists in lists."""
    value: Json = []
    for _ in range(depth - 1):
        value = [value]
    return value


FORMS: tuple[Case, ...] = (
    _out("output-string", "A string is itself, without quotes.", 'say "hi"', 'say "hi"'),
    _out("output-null", "A null that is there is the text null.", None, "null"),
    _outs(
        "output-scalars",
        "Booleans and integers are their JSON.",
        [
            (True, "true"),
            (False, "false"),
            (0, "0"),
            (-5, "-5"),
            (U64, "18446744073709551615"),
            (-I64 - 1, "-9223372036854775808"),
        ],
    ),
    _outs(
        "output-integer-beyond-u64",
        "An integer past u64 is kept digit for digit.",
        [
            (2**70, "1180591620717411303424"),
            ({"n": -(2**64)}, '{"n":-18446744073709551616}'),
            ([2**53 + 1], "[9007199254740993]"),
        ],
    ),
    _outs("output-empty-containers", "Empty containers are something to read.", [({}, "{}"), ([], "[]")]),
    _outs(
        "output-blank-inside-json",
        "Blank strings inside JSON stand in quotes and are not blank.",
        [([""], '[""]'), ({"": " "}, '{"":" "}')],
    ),
    _out(
        "output-object",
        "An object is compact, keys sorted at every depth, list order kept.",
        {"b": 1, "a": [2, {"d": None, "c": False}, 1]},
        '{"a":[2,{"c":false,"d":null},1],"b":1}',
    ),
    _out("output-list", "A list is compact.", [1, "a", None, [True]], '[1,"a",null,[true]]'),
    _out(
        "output-keys-bytewise",
        "Keys sort by their UTF-8 bytes: a letter past U+FFFF comes after U+FFFD.",
        {"\U0001f600": 1, "\ufffd": 2, "\uff01": 3, "\u00e9": 4, "a": 5, "B": 6, "": 7},
        '{"":7,"B":6,"a":5,"\u00e9":4,"\uff01":3,"\ufffd":2,"\U0001f600":1}',
    ),
    _out(
        "output-keys-prefix",
        "A prefix sorts first; digits sort as characters.",
        {"aa": 1, "a": 2, "a b": 3, "10": 4, "9": 5},
        '{"10":4,"9":5,"a":2,"a b":3,"aa":1}',
    ),
    _out(
        "output-keys-unescaped",
        "Keys sort as they are, not as they are escaped.",
        {"#": 1, '"': 2, "!": 3, "\n": 4},
        '{"\\n":4,"!":3,"\\"":2,"#":1}',
    ),
    _out(
        "output-escapes-short",
        "The short escapes; a slash is not escaped.",
        ['"', "\\", "\b", "\f", "\n", "\r", "\t", "/"],
        r'["\"","\\","\b","\f","\n","\r","\t","/"]',
    ),
    _out(
        "output-escapes-control",
        "Other characters below 0x20 are \\u00xx in lower-case hex.",
        ["\x00", "\x01", "\x0b", "\x1b", "\x1f"],
        r'["\u0000","\u0001","\u000b","\u001b","\u001f"]',
    ),
    _out(
        "output-escapes-raw",
        "Everything else is raw: 0x7f, C1, line separators, any letter.",
        ["\x7f", "\x85", "\u2028\u2029", "\u00e9\u4e2d", "\U0001f600", "<&>'"],
        '["\x7f","\x85","\u2028\u2029","\u00e9\u4e2d","\U0001f600","<&>\'"]',
    ),
    _out(
        "output-json-one-line",
        "A newline inside JSON is escaped: the text is one line.",
        {"k": "1\n2\r\n3"},
        '{"k":"1\\n2\\r\\n3"}',
    ),
    _out("output-deep", "Nesting past 126 prints as it is.", _deep(200), "[" * 200 + "]" * 200),
    case(
        "output-absent",
        "rounds.md 3.3",
        "An answer with neither result nor error has no output and no code.",
        [model(), called("c1"), result("c1")],
        {
            "call.outcome": "answered",
            "call.output": None,
            "call.answered": 1020,
            "call.exit_code": None,
            "outside": {},
        },
    ),
)

BLANK: tuple[Case, ...] = (
    _out("output-empty-string", "An empty text holds nothing to read.", "", None),
    _outs(
        "blank-white-space",
        "Each character of Unicode White_Space alone is blank.",
        [
            (char, None)
            for char in (
                "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
                "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
            )
        ],
    ),
    _outs(
        "blank-not-white-space",
        "Separators 1c-1f, zero-width and other invisible characters are not blank.",
        [
            (char, char)
            for char in (
                "\x1c",
                "\x1d",
                "\x1e",
                "\x1f",
                "\x00",
                "\u180e",
                "\u200b",
                "\u200d",
                "\u2060",
                "\ufeff",
            )
        ],
    ),
    _out("blank-many-lines", "Blank lines without end are blank.", " \t\r\n\n\u3000\n" * 20, None),
    _out("blank-but-one", "One character that is no white space keeps the rest.", " \x1f ", " \x1f "),
    _out(
        "blank-head",
        "Text below twelve empty lines: not blank, and none of it is in the head.",
        "\n" * 12 + "x",
        "\n" * 11,
        1,
    ),
    case(
        "blank-error",
        "rounds.md 2 bounded",
        "A blank error leaves no output; the call failed all the same.",
        [model(), called("c1"), result("c1", error=" \n")],
        {"call.outcome": "failed", "call.output": None, "call.answered": 1020},
    ),
)

LINES: tuple[Case, ...] = (
    _out(
        "lines-twelve",
        "Twelve lines are all kept.",
        "\n".join("abcdefghijkl"),
        "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl",
    ),
    _out(
        "lines-twelve-ended",
        "A final newline opens no further line.",
        "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n",
        "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl",
    ),
    _out("lines-thirteen", "The thirteenth is counted.", "l\n" * 12 + "l", "l\n" * 11 + "l", 1),
    _out("lines-thirteen-ended", "With or without its newline.", "l\n" * 13, "l\n" * 11 + "l", 1),
    _out(
        "lines-empty-thirteenth",
        "An empty line that is ended is a line.",
        "l\n" * 12 + "\n",
        "l\n" * 11 + "l",
        1,
    ),
    _out("lines-many", "The rest is counted.", "l\n" * 100, "l\n" * 11 + "l", 88),
    _out("lines-crlf", "The carriage return before a newline goes with it.", "a\r\nb\r\nc\r\n", "a\nb\nc"),
    _out("lines-crlf-thirteen", "Line ends of two characters count once.", "l\r\n" * 13, "l\n" * 11 + "l", 1),
    _out("lines-one-cr-only", "Only one carriage return goes.", "a\r\r\nb", "a\r\nb"),
    _out("lines-cr-lone", "A lone carriage return ends no line.", "a\rb\nc", "a\rb\nc"),
    _out("lines-cr-final", "A final carriage return without its newline stays.", "a\nb\r", "a\nb\r"),
    _out("lines-cr-after-newline", "Also one that is the whole last line.", "a\n\r", "a\n\r"),
    _out("lines-lf-cr", "A carriage return after a newline starts the next line.", "a\n\rb", "a\n\rb"),
    _out("lines-blank-kept", "Empty lines and edges are kept.", "\n  a\n\n b \n\n", "\n  a\n\n b \n"),
    _out(
        "lines-other-separators",
        "Nothing else ends a line: thirteen pieces, one line.",
        "1\v2\f3\x1c4\x1d5\x1e6\x857\u20288\u20299\v10\f11\x8512\u202813",
        "1\v2\f3\x1c4\x1d5\x1e6\x857\u20288\u20299\v10\f11\x8512\u202813",
    ),
    _out("lines-cr-thirteen", "Thirteen pieces between carriage returns are one line.", "l\r" * 13, "l\r" * 13),
    _out("lines-width", "Columns are not bounded.", "x" * 5000, "x" * 5000),
    case(
        "lines-error",
        "rounds.md 3.3",
        "A text error is bounded like a result.",
        [model(), called("c1"), result("c1", error="l\n" * 14)],
        {"call.output": x_output("l\n" * 11 + "l", 2)},
    ),
)

ARGUMENTS: tuple[Case, ...] = (
    case(
        "args-absent",
        "rounds.md 2 arguments",
        "Absent arguments are null; so are null ones.",
        [model(), line("tool_called", id="c1", name="probe"), called("c2", args=None)],
        {"turn.calls.0.arguments": None, "turn.calls.1.arguments": None},
    ),
    _args(
        "args-pretty",
        "Two spaces a level, a space after the colon, keys sorted, empty containers closed.",
        {"b": {}, "a": [], "c": [1, {"z": None, "y": "t"}]},
        '{\n  "a": [],\n  "b": {},\n  "c": [\n    1,\n    {\n      "y": "t",\n      "z": null\n    }\n  ]\n}',
    ),
    _args("args-empty-object", "An empty object.", {}, "{}"),
    _args("args-empty-list", "An empty list.", [], "[]"),
    _args("args-string", "A string shows in quotes.", "ls", '"ls"'),
    _args("args-string-blank", "Quotes are no white space.", " ", '" "'),
    _args("args-string-empty", "Nor around nothing.", "", '""'),
    _args("args-string-lines", "A newline in a string is escaped.", "a\nb", '"a\\nb"'),
    _args("args-false", "False is not absent.", False, "false"),
    _args("args-zero", "Zero is not absent.", 0, "0"),
    _args("args-null-inside", "A null inside is printed.", [None], "[\n  null\n]"),
    _args(
        "args-keys-bytewise",
        "Keys sort by bytes here too, non-ASCII raw.",
        {"\U0001f600": 1, "\ufffd": 2, "z": "\u2028\x7f/"},
        '{\n  "z": "\u2028\x7f/",\n  "\ufffd": 2,\n  "\U0001f600": 1\n}',
    ),
    _args(
        "args-escapes",
        "Strings carry the escapes of a line.",
        {"a\t": '\x01\x1f"\\'},
        '{\n  "a\\t": "\\u0001\\u001f\\"\\\\"\n}',
    ),
    _args(
        "args-ten-keys",
        "Twelve lines fit.",
        dict.fromkeys("abcdefghij", 0),
        "{\n" + ",\n".join(f'  "{c}": 0' for c in "abcdefghij") + "\n}",
    ),
    _args(
        "args-eleven-items",
        "Thirteen lines: the closing bracket is cut, the last comma is not there.",
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
        "[\n  1,\n  2,\n  3,\n  4,\n  5,\n  6,\n  7,\n  8,\n  9,\n  10,\n  11",
        1,
    ),
    _args(
        "args-cut",
        "A cut in the middle keeps the comma of the last line kept.",
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
        "[\n  1,\n  2,\n  3,\n  4,\n  5,\n  6,\n  7,\n  8,\n  9,\n  10,\n  11,",
        3,
    ),
    case(
        "args-never-pinned",
        "rounds.md 1 Output",
        "Arguments are never pinned, whatever they hold or the result says.",
        [
            model(),
            called("c1", args={"sieve": [{"original": LOC}]}),
            result("c1", result={"sieve": [{"original": LOC}]}),
        ],
        {"call.arguments.pinned": None, "call.output.pinned": LOC},
    ),
)

EXITS: tuple[Case, ...] = (
    _exits(
        "exit-inside",
        "An object result has the code inside.",
        [
            ({"result": {"exit_code": 3}}, 3),
            ({"result": {"exit_code": 0}}, 0),
            ({"result": {"exit_code": -9}}, -9),
        ],
    ),
    _exits(
        "exit-inside-rules",
        "An object result alone decides: a code beside it is not read.",
        [
            ({"result": {}, "exit_code": 3}, None),
            ({"result": {"exit_code": 1}, "exit_code": 3}, 1),
            ({"result": {"exit_code": None}, "exit_code": 3}, None),
            ({"result": {"exit_code": "x"}, "exit_code": 3}, None),
        ],
    ),
    _exits(
        "exit-beside",
        "Any other result has the code beside it.",
        [
            ({"result": "text", "exit_code": 3}, 3),
            ({"result": None, "exit_code": 4}, 4),
            ({"result": [{"exit_code": 9}], "exit_code": 5}, 5),
            ({"result": 1, "exit_code": 0}, 0),
            ({"exit_code": 6}, 6),
            ({"result": "text"}, None),
        ],
    ),
    _exits(
        "exit-failed",
        "A failure has its code beside it; the error's own keys are not read.",
        [
            ({"error": "text", "exit_code": 3}, 3),
            ({"error": {"exit_code": 9}, "exit_code": 4}, 4),
            ({"error": {"exit_code": 9}}, None),
            ({"error": None, "exit_code": 5}, 5),
        ],
    ),
    _exits(
        "exit-range",
        "A code fits i64.",
        [
            ({"exit_code": I64}, I64),
            ({"exit_code": I64 + 1}, None),
            ({"exit_code": -I64 - 1}, -I64 - 1),
            ({"exit_code": -I64 - 2}, None),
            ({"result": {"exit_code": I64}}, I64),
            ({"result": {"exit_code": I64 + 1}}, None),
            ({"result": {"exit_code": U64}}, None),
        ],
    ),
    _exits(
        "exit-no-integer",
        "A boolean, a string, a fraction or null is no code.",
        [
            ({"exit_code": True}, None),
            ({"exit_code": False}, None),
            ({"exit_code": "1"}, None),
            ({"exit_code": 1.0}, None),
            ({"exit_code": None}, None),
            ({"result": {"exit_code": True}}, None),
            ({"result": {"exit_code": False}}, None),
            ({"result": {"exit_code": [1]}}, None),
        ],
    ),
)

PINNED: tuple[Case, ...] = (
    _pin("pin-sieve", "A command's own output.", LOC, result={"sieve": [{"original": LOC}]}),
    _pin("pin-offload", "A connector's output.", LOC2, result={"offload": [{"original": LOC2}]}),
    _pin(
        "pin-sieve-first",
        "The sieve goes before the offload.",
        LOC,
        result={"offload": [{"original": LOC2}], "sieve": [{"original": LOC}]},
    ),
    _pin(
        "pin-sieve-empty",
        "A sieve without entry leaves the offload.",
        LOC2,
        result={"sieve": [], "offload": [{"original": LOC2}]},
    ),
    _pin(
        "pin-sieve-no-list",
        "A sieve that is no list has no entry.",
        LOC2,
        result={"sieve": {"original": LOC}, "offload": [{"original": LOC2}]},
    ),
    _pin(
        "pin-sieve-null",
        "Nor has a null one.",
        LOC2,
        result={"sieve": None, "offload": [{"original": LOC2}]},
    ),
    _pin(
        "pin-first-entry-no-object",
        "An entry that is no object is an entry: the offload is not asked.",
        None,
        result={"sieve": [LOC, {"original": LOC}], "offload": [{"original": LOC2}]},
    ),
    _pin(
        "pin-first-entry-null",
        "Even a null entry.",
        None,
        result={"sieve": [None], "offload": [{"original": LOC2}]},
    ),
    _pin(
        "pin-first-entry-bad",
        "A first entry whose locator does not read ends the search.",
        None,
        result={"sieve": [{"original": "secret:x"}, {"original": LOC}], "offload": [{"original": LOC2}]},
    ),
    _pin(
        "pin-first-entry-without",
        "So does one without a locator.",
        None,
        result={"sieve": [{"len": 5}], "offload": [{"original": LOC2}]},
    ),
    _pin("pin-original-number", "A number is no locator.", None, result={"sieve": [{"original": 5}]}),
    _pin(
        "pin-offload-first-only",
        "Of the offload, too, only the first entry.",
        None,
        result={"offload": [{}, {"original": LOC}]},
    ),
    _pin("pin-lists-empty", "Two empty lists pin nothing.", None, result={"sieve": [], "offload": []}),
    _pin(
        "pin-beside-result",
        "Lists beside the result are not read.",
        None,
        result={"ok": True},
        sieve=[{"original": LOC}],
    ),
    _pin("pin-text-result", "A text result pins nothing.", None, result="text", sieve=[{"original": LOC}]),
    _pin("pin-list-result", "Nor does a list.", None, result=[{"sieve": [{"original": LOC}]}]),
    _pin("pin-error", "An error is never pinned.", None, error={"sieve": [{"original": LOC}]}),
    _pin(
        "pin-error-beside-result",
        "Nor by the result that stands beside it.",
        None,
        error="broke",
        result={"sieve": [{"original": LOC}]},
    ),
    case(
        "pin-waiting",
        "rounds.md 4 I7",
        "A waiting call has no output to pin; an answered one shows its JSON too.",
        [model(), called("c1"), called("c2"), result("c2", result={"sieve": [{"original": LOC}]})],
        {
            "turn.calls.0.output": None,
            "turn.calls.1.output": x_output('{"sieve":[{"original":"' + LOC + '"}]}', 0, LOC),
        },
    ),
)

CASES: tuple[Case, ...] = FORMS + BLANK + LINES + ARGUMENTS + EXITS + PINNED
