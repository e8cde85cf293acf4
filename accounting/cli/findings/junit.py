"""A report as JUnit XML, for what shows test results: one test case for each rule, which passes where the rule held.

A rule fails where the verdict counts it: faults always, warnings when they are counted, notes never. What was found
against a rule that passes all the same stands in its test case's output.
"""

from typing import Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from accounting.cli.findings.human import plain, summary_lines
from accounting.cli.findings.told import place, told, unlisted
from accounting.cli.units import several
from accounting.cli.visible import visible
from accounting.cli.xml import xml_text
from accounting.ledger.checking.rules import RULES
from wire.check import CheckReport, Finding, Severity
from wire.scalars import B3Hash

_SUITE: Final = "rounds check"


def junit(report: CheckReport, expected: B3Hash | int | None) -> bytes:
    """The XML document, UTF-8. `expected` is the end that the ledger was held to, if any."""
    counts = {rule.code: 0 for rule in RULES} | {one.code: one.count for one in report.summary.counts}
    severities = {rule.code: rule.severity for rule in RULES} | {
        one.code: one.severity for one in report.summary.counts
    }
    failed = {code for code, count in counts.items() if count and _counts(severities[code], strict=report.strict)}
    # Readers take an absent time for no number at all.
    figures = {"tests": str(len(counts)), "failures": str(len(failed)), "errors": "0", "skipped": "0", "time": "0"}
    root = Element("testsuites", {"name": _SUITE, **figures})
    suite = SubElement(root, "testsuite", {"name": xml_text(visible(f"{_SUITE} {report.path}")), **figures})
    says = {rule.code: rule.says for rule in RULES}
    left = unlisted(report)
    for code, count in counts.items():
        findings = [finding for finding in report.findings if finding.code == code]
        case = SubElement(suite, "testcase", _case(code, severities[code], findings))
        if not count:
            continue
        text = xml_text(_text(findings, says.get(code), left.get(code, 0)))
        if code in failed:
            first = f", first at {place(findings[0])}" if findings else ""
            message = {"message": xml_text(f"{several(count, 'finding')}{first}"), "type": severities[code].value}
            SubElement(case, "failure", message).text = text
        else:
            SubElement(case, "system-out").text = text
    SubElement(suite, "system-out").text = xml_text(plain(summary_lines(report, expected)))
    indent(root)
    document: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _counts(severity: Severity, *, strict: bool) -> bool:
    return severity is Severity.fault or (strict and severity is Severity.warning)


def _case(code: str, severity: Severity, findings: list[Finding]) -> dict[str, str]:
    case = {"classname": f"rounds.{severity.value}", "name": xml_text(visible(code)), "time": "0"}
    return case | {"file": xml_text(visible(findings[0].segment))} if findings else case


def _text(findings: list[Finding], says: str | None, left: int) -> str:
    lines = [] if says is None else [says]
    # Each advice once, in the order of what it is about.
    lines += dict.fromkeys(visible(finding.advice) for finding in findings)
    lines += [told(finding) for finding in findings]
    return "\n".join([*lines, f"and {left:,} more, not listed"] if left else lines)
