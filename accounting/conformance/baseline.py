"""Failures that are expected of a subject, kept beside it: a case's id and the reason on each line.

It is strict: a case of the list that passes is an error, as is an id that no case has.
"""

from collections.abc import Collection, Mapping
from pathlib import Path


class BaselineError(ValueError):
    """The file cannot be used. The message names the file and the line, and says what to do."""


def read_baseline(file: Path, known: Collection[str]) -> Mapping[str, str]:
    """The reasons by case id. `known` are the ids of every case there is, chosen or not.

    Empty lines and lines that begin with `#` say nothing; a tab is as good as a space.

    Raises `BaselineError`; `OSError` when it cannot be read.
    """
    try:
        text = file.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BaselineError(f"{file}: not UTF-8 at byte {error.start}") from None
    reasons: dict[str, str] = {}
    for number, line in enumerate(text.split("\n"), 1):
        words = line.strip()
        if not words or words.startswith("#"):
            continue
        case, *rest = words.split(None, 1)
        if not rest:
            raise BaselineError(f"{file}:{number}: {case}: say after the id why this case fails")
        if case in reasons:
            raise BaselineError(f"{file}:{number}: {case}: is in the list already; remove one of the two lines")
        if case not in known:
            raise BaselineError(f"{file}:{number}: {case}: there is no such case; remove the line, or mend the id")
        reasons[case] = rest[0]
    return reasons
