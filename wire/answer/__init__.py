"""Answers: the shapes that a client draws a session from. Spec: rounds.md 1."""
