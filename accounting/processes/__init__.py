"""Other processes: whether one lives, which one it is, and ending it with all that it started.

Where platforms differ, and where tests put stand-ins. Spec: asks.md 1.6, 1.9; dispatch.md 2.2.
"""

import sys
from typing import Final

from accounting.processes.origin import Where
from accounting.processes.posix import PosixProcesses
from accounting.processes.presence import Presence, is_group_left, presence
from accounting.processes.protocol import Processes
from accounting.processes.windows import WindowsProcesses

__all__ = ["PROCESSES", "Presence", "Processes", "Where", "is_group_left", "presence", "processes_of"]


def processes_of(platform: str) -> Processes:
    """The operations of a platform that is called as `sys.platform` calls it."""
    return WindowsProcesses() if platform == "win32" else PosixProcesses()


PROCESSES: Final = processes_of(sys.platform)
"""Those of the platform at hand."""
