"""Where the agent of a profile keeps its own files."""

from collections.abc import Mapping
from pathlib import Path

from accounting.dispatch.environment import configuration_directory
from accounting.dispatch.profiles import profile_named, profiles_that_read
from accounting.tools.tool import ToolError


def configuration_of(profile: str, environ: Mapping[str, str]) -> Path:
    """The directory of a profile's agent, there or not; that others do not read does not matter.

    Raises `ToolError` when it keeps none, `accounting.dispatch.profiles.ProfileError` when there is no such profile.
    """
    readable, _ = profiles_that_read(environ)
    found = readable[profile] if profile in readable else profile_named(profile, environ)
    directory = configuration_directory(found, environ)
    if directory is None:
        raise ToolError(f"profile {profile!r} has no directory of its own: give its `configuration` in dispatch.toml")
    return Path(directory)
