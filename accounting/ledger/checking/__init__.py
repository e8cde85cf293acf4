"""A ledger held to every rule, finding by finding. Spec: ledger.md 8."""

from accounting.ledger.checking.proof import End, FaultError, proven_end
from accounting.ledger.checking.rules import RULE, RULES, Rule
from accounting.ledger.checking.verification import Verification, check, verify

__all__ = ["RULE", "RULES", "End", "FaultError", "Rule", "Verification", "check", "proven_end", "verify"]
