"""Sessions copied into an archive beside them, with proof of what was copied. Spec: dispatch.md 2.5.

    from accounting.dispatch.archive import archive

    manifest = archive(file, session_id=own, project="site", configuration=home, now=now, toolkit=toolkit)

A session is copied, never moved; nothing of the agent's own is written, and nothing in the archive is replaced.
"""

from accounting.dispatch.archive.archiving import archive
from accounting.dispatch.archive.errors import ArchiveBusyError, ArchiveError, ArchiveNameError, SourceChangedError

__all__ = ["ArchiveBusyError", "ArchiveError", "ArchiveNameError", "SourceChangedError", "archive"]
