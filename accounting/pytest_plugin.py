"""The pytest plugin `rounds`: a fixture that holds a ledger to the format. Spec: ledger.md 8.

    def test_my_ledger(ledger_conforms):
        write_my_ledger("out/ledger")
        ledger_conforms("out/ledger")

pytest loads this in every session where rounds is installed: nothing else of it is imported before the fixture is used.
"""

import os
from typing import TYPE_CHECKING, Protocol

import pytest

if TYPE_CHECKING:
    from wire import B3Hash, CheckReport, Seq


class LedgerConforms(Protocol):
    """What the fixture `ledger_conforms` is."""

    def __call__(
        self,
        path: str | os.PathLike[str],
        *,
        strict: bool = False,
        from_seq: "Seq | None" = None,
        expect_last: "B3Hash | Seq | None" = None,
    ) -> "CheckReport":
        """The report on a ledger that conforms; fails the test for one that does not, or that cannot be read.

        `strict` lets warnings count. `from_seq` begins at the line of that `seq` and believes what is before it.
        `expect_last` is the hash, or the `seq`, that the last line must have: without it a change inside the last line
        and whole lines missing at the end go unseen.
        """
        ...


@pytest.fixture(scope="session")
def ledger_conforms() -> LedgerConforms:
    """Hold a ledger to the format: `ledger_conforms(path, strict=False, from_seq=None, expect_last=None)`."""
    return _conforms


def _conforms(
    path: str | os.PathLike[str],
    *,
    strict: bool = False,
    from_seq: "Seq | None" = None,
    expect_last: "B3Hash | Seq | None" = None,
) -> "CheckReport":
    # pytest leaves this frame out of what it shows where something raises all the same.
    __tracebackhide__ = True
    from accounting.ledger import NotALedgerError, check

    try:
        report = check(path, strict=strict, max_findings=_LISTED, from_seq=from_seq, expect_last=expect_last)
    except (NotALedgerError, ModuleNotFoundError) as error:
        why = str(error)
    except OSError as error:
        why = f"{error.filename or path}: cannot be read: {error.strerror or error}"
    else:
        if report.conforms:
            return report
        from accounting.cli.findings.human import plain, report_lines

        why = plain(report_lines(report, expect_last))
    # Not within the handlers: pytest would show what they handle, too.
    pytest.fail(why, pytrace=False)


_LISTED = 100
"""How many findings a failure lists."""
