"""The conformance kit: folds and checkers in any language held to published cases. Page: docs/conformance.md."""

from accounting.conformance.cases import CheckCase, FoldCase, check_cases, fold_cases
from accounting.conformance.comparing import Difference, differences
from accounting.conformance.report import CaseReport, Outcome
from accounting.conformance.runner import run_cases, run_check_cases
from accounting.conformance.subject import (
    Answered,
    CheckerSubject,
    Crashed,
    LongLived,
    NoSubjectError,
    OncePerCase,
    Rejected,
    Reply,
    Subject,
    TimedOut,
)

__all__ = [
    "Answered",
    "CaseReport",
    "CheckCase",
    "CheckerSubject",
    "Crashed",
    "Difference",
    "FoldCase",
    "LongLived",
    "NoSubjectError",
    "OncePerCase",
    "Outcome",
    "Rejected",
    "Reply",
    "Subject",
    "TimedOut",
    "check_cases",
    "differences",
    "fold_cases",
    "run_cases",
    "run_check_cases",
]
