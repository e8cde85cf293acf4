"""A report as JUnit XML: a test case for each case. Wrong and refused is a failure, crashed and late an error."""

from typing import Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from accounting.cli.conform.human import case_text, headline
from accounting.cli.visible import visible
from accounting.cli.xml import xml_text
from accounting.conformance.report import CaseReport, ConformReport, Outcome

_ERRORS: Final = frozenset((Outcome.crashed, Outcome.timed_out))


def junit(report: ConformReport) -> bytes:
    """The XML document, UTF-8."""
    left = report.leaving is not None
    figures = {
        "tests": str(len(report.cases) + left),
        "failures": str(sum(_element(case) == "failure" for case in report.cases)),
        "errors": str(sum(_element(case) == "error" for case in report.cases) + left),
        "skipped": str(sum(_element(case) == "skipped" for case in report.cases)),
        "time": _seconds(report.took_us),
    }
    name = f"rounds conform {report.of}"
    root = Element("testsuites", {"name": name, **figures})
    suite = SubElement(
        root, "testsuite", {"name": xml_text(visible(f"{name} -- {' '.join(report.subject)}")), **figures}
    )
    for case in report.cases:
        about = {"classname": f"rounds.{report.of}.{xml_text(visible(case.rule))}", "name": xml_text(visible(case.id))}
        test = SubElement(suite, "testcase", {**about, "time": _seconds(case.took_us or 0)})
        element = _element(case)
        if element is not None:
            found = SubElement(test, element, {"message": xml_text(headline(case)), "type": case.outcome.value})
            found.text = xml_text(case_text(case))
    if report.leaving is not None:
        test = SubElement(suite, "testcase", {"classname": f"rounds.{report.of}.protocol", "name": "leaving"})
        SubElement(test, "error", {"message": xml_text(visible(report.leaving)), "type": Outcome.crashed.value})
    indent(root)
    document: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _element(case: CaseReport) -> str | None:
    if case.outcome is Outcome.not_run or (case.ok and case.expected_failure is not None):
        return "skipped"
    if case.ok:
        return None
    return "error" if case.outcome in _ERRORS else "failure"


def _seconds(microseconds: int) -> str:
    return f"{microseconds / 1_000_000:.6f}"
