"""A report as SARIF 2.1.0, for code scanning and editors: what each of the report's parts becomes.

Message texts are SARIF's own small language: braces stand for placeholders and `[text](target)` is a link. What a
ledger holds is quoted so that it is neither.
"""

import os
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Final
from urllib.parse import quote

from accounting.cli.findings.sarif_shapes import (
    ArtifactLocation,
    AutomationDetails,
    Configuration,
    Driver,
    Invocation,
    Level,
    Location,
    Log,
    Message,
    Notification,
    PhysicalLocation,
    Properties,
    Region,
    Result,
    RuleDescriptor,
    Run,
    Tool,
)
from accounting.cli.findings.told import by_code, unlisted
from accounting.cli.source import STANDARD_INPUT
from accounting.cli.visible import visible
from accounting.ledger.checking.rules import RULES
from wire import encode
from wire.check import CheckReport, Finding, Severity

_LEVELS: Final = {Severity.fault: Level.error, Severity.warning: Level.warning, Severity.note: Level.note}
_BASE: Final = "%SRCROOT%"
"""What relative locations are relative to: code scanning takes this name for the repository's root."""
_RULE_INDEX: Final = {rule.code: index for index, rule in enumerate(RULES)}


def sarif(report: CheckReport) -> bytes:
    """The SARIF log, one line of JSON."""
    run = Run(
        tool=Tool(driver=Driver(name="rounds", version=version("rounds"), rules=tuple(_rules()))),
        automation_details=AutomationDetails(id=f"rounds check/{_category(report.path)}/"),
        invocations=(
            Invocation(
                execution_successful=True,
                exit_code=0 if report.conforms else 1,
                tool_execution_notifications=tuple(_notifications(report)),
            ),
        ),
        original_uri_base_ids={_BASE: ArtifactLocation(description=_message("The directory of the check."))},
        results=tuple(_results(report)),
    )
    return encode(Log(runs=(run,))) + b"\n"


def _rules() -> Iterator[RuleDescriptor]:
    for rule in RULES:
        yield RuleDescriptor(
            id=rule.code,
            short_description=_message(rule.says),
            full_description=_message(f"{rule.says} ({rule.spec})"),
            help=_message(rule.advice),
            default_configuration=Configuration(level=_LEVELS[rule.severity]),
        )


def _results(report: CheckReport) -> Iterator[Result]:
    alike: Counter[str] = Counter()
    for finding in report.findings:
        where = _fingerprint(finding)
        alike[where] += 1
        yield Result(
            rule_id=finding.code,
            rule_index=_RULE_INDEX.get(finding.code),
            level=_LEVELS[finding.severity],
            message=_message(f"Expected {finding.expected}, found {finding.found}. {finding.advice}"),
            locations=(_location(finding),),
            # The one that code scanning knows results by from one upload to the next.
            partial_fingerprints={"primaryLocationLineHash": f"{where}:{alike[where]}"},
            properties=Properties(byte_offset=finding.offset, seq=finding.seq, run=finding.run),
        )


def _fingerprint(finding: Finding) -> str:
    """What stays the same as the ledger grows, wherever it lies: the rule and the place of the line in its file."""
    known = f"{finding.code} {finding.offset} ".encode() + os.fsencode(Path(finding.segment).name)
    return sha256(known).hexdigest()[:16]


def _location(finding: Finding) -> Location:
    # A byte offset beside the line would have to be of the whole line, of which the length is not known here.
    region = Region(start_line=finding.line)
    return Location(physical_location=PhysicalLocation(artifact_location=_artifact(finding.segment), region=region))


def _artifact(segment: str) -> ArtifactLocation:
    if segment == STANDARD_INPUT:
        return ArtifactLocation(uri=quote(segment))
    inside = _inside(segment)
    if inside is None:
        return ArtifactLocation(uri=Path(os.path.abspath(segment)).as_uri())  # noqa: PTH100 - links stay as named
    return ArtifactLocation(uri=quote(os.fsencode(inside)), uri_base_id=_BASE)


def _inside(path: str) -> str | None:
    """The path from the working directory on, when it lies in there."""
    whole = Path(os.path.abspath(path))  # noqa: PTH100 - links stay as named
    return whole.relative_to(Path.cwd()).as_posix() if whole.is_relative_to(Path.cwd()) else None


def _category(path: str) -> str:
    return visible((None if path == "-" else _inside(path)) or path).strip("/")


def _notifications(report: CheckReport) -> Iterator[Notification]:
    if report.unlisted:
        text = f"Counted and not listed: {by_code(unlisted(report))}."
        yield Notification(level=Level.warning, message=_message(text))


def _message(text: str) -> Message:
    return Message(text=visible(text).replace("{", "{{").replace("}", "}}").replace("](", "] ("))
