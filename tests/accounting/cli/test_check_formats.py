"""The forms of a report, for any findings whatever: what each of them says agrees with it."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json as native
from msgspec import structs

from accounting.cli.findings.human import plain, report_lines
from accounting.cli.findings.junit import junit
from accounting.cli.findings.sarif import sarif
from accounting.cli.findings.sarif_shapes import Log
from accounting.cli.findings.told import told, unlisted
from accounting.cli.source import STANDARD_INPUT
from accounting.cli.visible import visible
from accounting.ledger.checking.rules import RULE, RULES
from tests.wire.shapes import Json, inside
from wire import CheckReport, CheckSummary, Finding, RuleCount, Severity
from wire.scalars import b3_hash, run_id

HASH, RUN = b3_hash("5c1f9a3b7e2d4860" * 4), run_id("0aaaaaaa-0000-4000-8000-00000000000a")
NEWER = {"a-rule-of-tomorrow": Severity.warning}
SEVERITIES = {rule.code: rule.severity for rule in RULES} | NEWER

# What a ledger may hold, and what the formats make something of.
PIECES = (
    *(
        "x",
        "é",
        "\x1b[31m",
        "\x9b",
        "\x00",
        "\n",
        "\r",
        "\t",
        "\u202e",
        "\u2028",
        "\ufffe",
        "\uffff",
        "\ud800",
        "\U0001f600",
    ),
    *("{0}", "}", "{", "](", "[a](javascript:b)", "]]>", "<b>", "&amp;", '"', "'", "\\", "% ", "`"),
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
PATHS = ("a.jsonl", "city/ledger/ledger-00000000000000000000.jsonl", "../up.jsonl", "/elsewhere/a b.jsonl")
ODD_PATHS = ("c:d.jsonl", "%41?#.jsonl", "\udcff.jsonl", "漢\x1b.jsonl", STANDARD_INPUT)
SEGMENTS = st.sampled_from(PATHS + ODD_PATHS)
U64 = st.sampled_from((0, 1, 2**53, 2**64 - 1))
FINDINGS = st.builds(
    Finding,
    code=st.sampled_from(sorted(SEVERITIES)),
    severity=st.just(Severity.fault),
    segment=SEGMENTS,
    line=st.sampled_from((1, 2, 2**64 - 1)),
    offset=U64,
    seq=st.one_of(st.none(), U64),
    run=st.sampled_from((None, RUN)),
    expected=TEXTS,
    found=TEXTS,
    advice=TEXTS,
)


def report_of(findings: list[Finding], *, listed: int = 1000, strict: bool = False) -> CheckReport:
    """The report that has found these."""
    of = {severity: sum(one.severity is severity for one in findings) for severity in Severity}
    codes = [code for code in SEVERITIES if any(one.code == code for one in findings)]
    counts = tuple(
        RuleCount(code=code, severity=SEVERITIES[code], count=sum(one.code == code for one in findings))
        for code in codes
    )
    summary = CheckSummary(
        segments=1,
        lines=len(findings),
        bytes=0,
        sound=0,
        last_hash=HASH,
        faults=of[Severity.fault],
        warnings=of[Severity.warning],
        notes=of[Severity.note],
        counts=counts,
    )
    return CheckReport(
        path="city/ledger",
        conforms=not of[Severity.fault] and not (strict and of[Severity.warning]),
        strict=strict,
        summary=summary,
        findings=tuple(findings[:listed]),
        unlisted=len(findings[listed:]),
    )


def of_its_rule(finding: Finding) -> Finding:
    return structs.replace(finding, severity=SEVERITIES[finding.code])


REPORTS = st.builds(
    report_of,
    st.lists(FINDINGS.map(of_its_rule), max_size=8),
    listed=st.sampled_from((0, 3, 1000)),
    strict=st.booleans(),
)


def finding(code: str, line: int = 1, **changes: Any) -> Finding:
    said = {
        "segment": "a.jsonl",
        "offset": 100 * line,
        "expected": "this",
        "found": "that",
        "advice": RULE[code].advice,
    }
    every: dict[str, Any] = said | {"code": code, "severity": RULE[code].severity, "line": line} | changes
    return Finding(**every)


# For people.


@given(REPORTS)
def test_people_are_told_every_listed_finding_and_how_many_more_there_are(report: CheckReport) -> None:
    text = plain(report_lines(report, None))
    lines = text.split("\n")
    for one in report.findings:
        lines.remove(told(one))
    assert all(visible(line) == line for line in text.split("\n"))
    assert lines[0].startswith("city/ledger conforms" if report.conforms else "city/ledger does not conform")
    assert any(line.startswith(f"and {report.unlisted} more, not listed: ") for line in lines) is bool(report.unlisted)
    assert sum(unlisted(report).values()) == report.unlisted
    advice = [line for line in lines if line.startswith("   → ")]
    assert len(advice) == len({(one.code, one.advice) for one in report.findings})
    rests = "   What follows rests on what was found there." in lines
    first = next((at for at, one in enumerate(report.findings) if one.severity is Severity.fault), None)
    assert rests is (first is not None and bool(report.findings[first + 1 :] or report.unlisted))


def test_what_rests_on_a_fault_may_be_unlisted() -> None:
    found = [finding("float", 1), finding("tool-name", 2)]
    for listed, rests in ((found[:1], False), (found, True)):
        assert ("What follows rests" in plain(report_lines(report_of(listed, listed=1), None))) is rests


def test_what_a_chain_cannot_see_depends_on_what_was_pinned() -> None:
    report = report_of([])
    change, missing = "a change inside the last line", "whole lines missing at the end"
    for expected, said in ((None, (True, True)), (7, (True, False)), (HASH, (False, False))):
        text = plain(report_lines(report, expected))
        assert (change in text, missing in text) == said
        assert ("--expect-last" in text) is any(said)


# JUnit.


@given(REPORTS)
def test_junit_fails_exactly_what_the_verdict_counts(report: CheckReport) -> None:
    root = ET.fromstring(junit(report, None))
    [suite] = root
    cases = suite.findall("testcase")
    failures = [case for case in cases if case.find("failure") is not None]
    for one in (root, suite):
        assert (one.attrib["tests"], one.attrib["failures"]) == (str(len(cases)), str(len(failures)))
        assert (one.attrib["errors"], one.attrib["skipped"]) == ("0", "0")
    assert (not failures) is report.conforms
    assert [case.attrib["name"] for case in cases][: len(RULES)] == [rule.code for rule in RULES]
    counted = {one.code: one for one in report.summary.counts}
    assert {case.attrib["name"] for case in cases} == {rule.code for rule in RULES} | counted.keys()
    for case in cases:
        code = case.attrib["name"]
        output = [child for child in case if child.tag in ("failure", "system-out")]
        assert bool(output) is (code in counted)
        if not output:
            continue
        text = output[0].text or ""
        said = [_legal(told(one)) for one in report.findings if one.code == code]
        assert [line for line in text.split("\n") if line in said] == said
        left = unlisted(report).get(code, 0)
        assert f"\n{text}".endswith(f"\nand {left} more, not listed") is bool(left)
    assert (suite.findtext("system-out") or "").startswith("city/ledger ")


def _legal(text: str) -> str:
    return text.replace("\ufffe", r"\ufffe").replace("\uffff", r"\uffff")


def test_a_junit_document() -> None:
    report = report_of([finding("float", 3), finding("float", 4), finding("payload-shape", 5)], listed=3)
    suite = ET.fromstring(junit(report, None))[0]
    cases = {case.attrib["name"]: case for case in suite.findall("testcase")}
    failed = cases["float"]
    assert failed.attrib == {"classname": "rounds.fault", "name": "float", "time": "0", "file": "a.jsonl"}
    failure = failed[0]
    assert failure.attrib == {"message": "2 findings, first at a.jsonl:3 (byte 300)", "type": "fault"}
    assert (failure.text or "").split("\n") == [
        RULE["float"].says,
        RULE["float"].advice,
        "a.jsonl:3 (byte 300): fault float: expected this, found that",
        "a.jsonl:4 (byte 400): fault float: expected this, found that",
    ]
    assert [child.tag for child in cases["payload-shape"]] == ["system-out"]
    assert cases["chain-break"].attrib == {"classname": "rounds.fault", "name": "chain-break", "time": "0"}


# SARIF.


@given(REPORTS)
def test_sarif_has_every_listed_finding_as_a_result(report: CheckReport) -> None:
    text = sarif(report)
    assert text.endswith(b"}\n")
    assert text.count(b"\n") == 1
    # Nothing is there that the shapes do not have, and what is there is of the right type.
    assert native.decode(native.encode(native.decode(text, type=Log))) == json.loads(text)
    [run] = json.loads(text)["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [rule.code for rule in RULES]
    assert len(run["results"]) == len(report.findings)
    for result, one in zip(run["results"], report.findings, strict=True):
        assert result["ruleId"] == one.code
        assert ("ruleIndex" in result) is (one.code not in NEWER)
        assert one.code in NEWER or rules[result["ruleIndex"]]["id"] == one.code
        assert result["level"] == {"fault": "error", "warning": "warning", "note": "note"}[one.severity]
        assert result["properties"]["byteOffset"] == one.offset
        [location] = result["locations"]
        assert location["physicalLocation"]["region"] == {"startLine": one.line}
        place: dict[str, str] = location["physicalLocation"]["artifactLocation"]
        assert re.fullmatch(r"[\x21-\x7e]+", place["uri"])
        assert not re.search(r'[ "<>\\^`{|}]', place["uri"])
        assert place.get("uriBaseId", "%SRCROOT%") in run["originalUriBaseIds"]
        assert ("uriBaseId" in place) is (not urlsplit(place["uri"]).scheme and one.segment != STANDARD_INPUT)
        assert unquote(urlsplit(place["uri"]).path, errors="surrogateescape").endswith(Path(one.segment).name)
    for message in _messages(run):
        # No placeholder and no link: braces only in twos, no bracket before a parenthesis.
        assert not re.search(r"[{}]", re.sub(r"\{\{|\}\}", "", message))
        assert "](" not in message
        assert visible(message) == message
    prints = [(result["ruleId"], *result["partialFingerprints"].values()) for result in run["results"]]
    assert len(set(prints)) == len(prints)
    [invocation] = run["invocations"]
    assert invocation["executionSuccessful"] is True
    assert invocation["exitCode"] == (0 if report.conforms else 1)
    assert ("toolExecutionNotifications" in invocation) is bool(report.unlisted)


def _messages(value: Json) -> list[str]:
    return [text for key, item in inside(value) for text in ([item] if key == "text" else _messages(item))]


REQUIRED = {  # what the standard requires of each of its objects that a report has
    "": {"version", "runs"},
    "runs": {"tool"},
    "tool": {"driver"},
    "driver": {"name"},
    "rules": {"id"},
    "results": {"message"},
    "invocations": {"executionSuccessful"},
    "toolExecutionNotifications": {"message"},
    "message": {"text"},
    "shortDescription": {"text"},
    "fullDescription": {"text"},
    "help": {"text"},
    "description": {"text"},
}


def test_a_sarif_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    inside, outside = str(tmp_path / "über all" / "a.jsonl"), "/elsewhere/a.jsonl"
    found = [
        finding("float", 3, seq=7, run=RUN, segment=inside, found="{1.5}"),
        finding("float", 4, segment=outside),
        finding("tool-name", 4),
    ]
    log = json.loads(sarif(report_of(found, listed=2)))
    _requires("", log)
    assert log["$schema"].endswith("/sarif-schema-2.1.0.json")
    assert log["version"] == "2.1.0"
    [run] = log["runs"]
    assert run["automationDetails"] == {"id": "rounds check/city/ledger/"}
    assert run["originalUriBaseIds"] == {"%SRCROOT%": {"description": {"text": "The directory of the check."}}}
    assert run["tool"]["driver"]["rules"][run["results"][0]["ruleIndex"]] == {
        "id": "float",
        "shortDescription": {"text": RULE["float"].says},
        "fullDescription": {"text": f"{RULE['float'].says} ({RULE['float'].spec})"},
        "help": {"text": RULE["float"].advice},
        "defaultConfiguration": {"level": "error"},
    }
    first, second = run["results"]
    assert first["message"] == {"text": f"Expected this, found {{{{1.5}}}}. {RULE['float'].advice}"}
    assert first["properties"] == {"byteOffset": 300, "seq": 7, "run": RUN}
    places = [one["locations"][0]["physicalLocation"]["artifactLocation"] for one in (first, second)]
    assert places == [
        {"uri": "%C3%BCber%20all/a.jsonl", "uriBaseId": "%SRCROOT%"},
        {"uri": "file:///elsewhere/a.jsonl"},
    ]
    assert run["invocations"] == [
        {
            "executionSuccessful": True,
            "exitCode": 1,
            "toolExecutionNotifications": [
                {"level": "warning", "message": {"text": "Counted and not listed: 1 tool-name."}}
            ],
        }
    ]


def _requires(name: str, value: Json) -> None:
    for key, item in inside(value):
        _requires(name if isinstance(value, list) else key, item)
    if isinstance(value, dict):
        assert {*map(str, dict(inside(value)))} >= REQUIRED.get(name, set()), name


def test_a_result_is_known_again_as_the_ledger_grows_and_wherever_it_lies() -> None:
    def prints(*findings: Finding) -> list[str]:
        results = json.loads(sarif(report_of(list(findings))))["runs"][0]["results"]
        return [result["partialFingerprints"]["primaryLocationLineHash"] for result in results]

    one = finding("float", 3, segment="here/a.jsonl")
    again = finding("float", 3, segment="/there/a.jsonl", found="another")
    assert prints(one) == prints(again, finding("seq-gap", 9))[:1]
    first, second = prints(one, again)
    assert (first[:-2], first[-2:], second[-2:]) == (second[:-2], ":1", ":2")
    others = prints(one, finding("float", 4), finding("seq-gap", 3), finding("float", 3, segment="b.jsonl"))
    assert len({other.rpartition(":")[0] for other in others}) == 4
