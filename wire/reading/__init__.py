"""Readings: pure functions from one payload to the values that travel. Spec: rounds.md 2.

Each uses only the fields it names, and each field reads on its own: one that does not read is absent, its
neighbours stand. None of them raises, whatever JSON it is given.
"""

from wire.reading.errors import error_shape
from wire.reading.notes import note
from wire.reading.texts import arguments, bounded, output, pinned, said, text, thought
from wire.reading.tokens import used
from wire.reading.tool import effect, exit_code, render
from wire.reading.words import word

__all__ = [
    "arguments",
    "bounded",
    "effect",
    "error_shape",
    "exit_code",
    "note",
    "output",
    "pinned",
    "render",
    "said",
    "text",
    "thought",
    "used",
    "word",
]
