"""The page of rules, docs/rules.md: what `rounds check --rules` prints."""

from collections.abc import Iterator
from typing import Final

from accounting.ledger.checking.rules import RULES
from wire.check import Severity

_HEAD: Final = """\
# Rules

What `rounds check` holds a ledger to. `rounds check --rules` prints this page; it is not edited by hand.

A rule's id never changes its meaning. Of one line only the first fault is told, in the order in which they stand here.
"""
_PARTS: Final = {
    Severity.fault: "The format forbids it: a strict reader and a writer stop here. The exit code is 1.",
    Severity.warning: "The line is a line, but does not say what its kind says, or not where it can be said."
    " The exit code is 1 with `--strict`.",
    Severity.note: "Odd, and allowed. The exit code is 0.",
}


def rules_page() -> str:
    """The page as Markdown: each rule with what is wrong where it is broken, what to do, and where that is written."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield _HEAD
    for severity, means in _PARTS.items():
        yield f"## {severity.capitalize()}s\n\n{means}\n"
        for rule in RULES:
            if rule.severity is severity:
                yield f"### {rule.code}\n\n{rule.says}\n\n**What to do.** {rule.advice}\n\nSpec: {rule.spec}\n"
