"""Ledger records: the envelope, the kinds, the payloads by family. Spec: ledger.md."""
