"""The session files that agents keep: where they are, what their rows do, and how they end. Spec: dispatch.md 2.4."""
