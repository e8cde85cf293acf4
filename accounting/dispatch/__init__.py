"""Dispatched runs: agents that are started once, and never lost sight of. Spec: dispatch.md."""
