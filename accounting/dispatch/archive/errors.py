"""Why a session cannot be archived. Nothing is left of the attempt."""

from pathlib import Path
from typing import Final

from accounting.dispatch.errors import DispatchTroubleError


class ArchiveError(DispatchTroubleError):
    """A session cannot be archived."""


class ArchiveNameError(ArchiveError):
    """A project or a session is named by what cannot be the name of one directory or file."""

    def __init__(self, what: str, name: str, why: str, allowed: str) -> None:
        super().__init__(f"{name!r} cannot be the {what}: {why}; {allowed}")
        self.what: Final = what
        """What was named."""
        self.name: Final = name
        """The name."""


class SourceChangedError(ArchiveError):
    """A session file was cut, rewritten, replaced or removed while it was copied. One that grows does no harm."""

    def __init__(self, path: Path, how: str) -> None:
        super().__init__(f"{path} was {how} while it was copied, and was not archived: archive it again")
        self.path: Final = path
        """The file."""


class ArchiveBusyError(ArchiveError):
    """Another process has been archiving for long."""

    def __init__(self, path: Path, holder: str) -> None:
        super().__init__(f"{path} is held by {holder}, which archives: try again later")
        self.path: Final = path
        """The index of the archive, which is locked by who adds to it."""
