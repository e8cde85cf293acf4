"""`python -m bench.conform`: what searching for a ledger that a fold gets wrong costs, and whose the time is.

The subject is our own fold as a long-lived process, spoken to as any other: contract (b). The kit's own is our fold
for the expected answer, speaking to the subject, and comparing.
"""

import sys

from accounting.conformance.finds import FuzzReport
from accounting.conformance.fuzzing import fuzz
from accounting.conformance.subject import LongLived

LEDGERS = 1_000

SUBJECT = """
import json, sys
from accounting.conformance.reference import reference_answer
for line in sys.stdin:
    asked = json.loads(line)
    if asked["cmd"] == "stop":
        break
    reply = {"re": asked["cmd"]}
    if asked["cmd"] == "start":
        reply |= {"protocol": 1, "name": "ours", "version": "0"}
    else:
        answer = reference_answer(asked["ledger"].encode(), asked["run"])
        reply |= {"id": asked["id"], "answer": answer}
    print(json.dumps(reply), flush=True)
"""


def shown(report: FuzzReport) -> str:
    spent = report.spent
    whole = spent.subject + spent.generation + spent.kit
    parts = {"generation": spent.generation, "subject": spent.subject, "the kit": spent.kit}
    shares = ", ".join(
        f"{name} {took * 1000 / report.ledgers:.2f} ms ({took / whole:.0%})" for name, took in parts.items()
    )
    return f"{report.rate:,.0f} ledgers a second; a ledger: {shares}"


def main() -> None:
    subject = LongLived([sys.executable, "-c", SUBJECT])
    try:
        report = fuzz(subject, examples=LEDGERS, seed=1)
    finally:
        subject.close()
    assert report.failure is None, report.failure
    print(f"conform fold --fuzz {report.ledgers:,}  {shown(report)}")


if __name__ == "__main__":
    main()
