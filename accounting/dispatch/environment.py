"""What of a person's environment an agent is given: names that are listed, nothing else. Spec: dispatch.md 2.0, 2.2.

Of what is given, a journal holds the names. Everything else - other programs' keys, above all - stays here.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from accounting.dispatch.homes import expanded, home, why_no_directory
from accounting.dispatch.profile import Configuration, Profile

BASE: Final = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TERM", "COLORTERM", "TZ"),
    *("TMPDIR", "TMP", "TEMP", "XDG_*"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "SSH_AUTH_SOCK"),
    # Windows, where programs do not start without some of them.
    *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA"),
    *("PROGRAMFILES", "USERPROFILE", "USERNAME", "HOMEDRIVE", "HOMEPATH"),
)
"""What every agent is given, where it is set; `NAME_*` is all whose names begin so."""


def chosen_environment(profile: Profile, environ: Mapping[str, str]) -> dict[str, str]:
    """The environment that a profile's agent is started with, by name in order: `BASE`, and what the profile names.

    Its own directory, and the home, are those that are looked at here: a variable that counts as not set is left out.
    Raises `PlaceError` when no home is known.
    """
    wanted = profile.configuration
    allowed = (*BASE, *profile.environment)
    whole = {name for name in allowed if not name.endswith("*")}
    beginnings = tuple(name[:-1] for name in allowed if name.endswith("*"))
    own = () if wanted is None else wanted.variables
    chosen = {
        name: value
        for name, value in environ.items()
        if (name in whole or name.startswith(beginnings)) and name not in own
    }
    if "HOME" in chosen:
        chosen["HOME"] = str(home(environ))
    if wanted is not None:
        chosen |= _told(wanted, environ)
    return dict(sorted(chosen.items()))


def _told(wanted: Configuration, environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that tell the agent which directory is its own."""
    where = _directory(wanted, environ)
    names = [name for name in wanted.variables if _value(name, environ) is not None]
    if wanted.told_as is not None:
        names.append(wanted.told_as)
    elif wanted.from_file:
        names += wanted.variables[:1]
    return {} if where is None else dict.fromkeys(names, where)


def configuration_directory(profile: Profile, environ: Mapping[str, str]) -> str | None:
    """The agent's own directory, from the root, there or not; `None` when it has none. Raises `PlaceError`."""
    return None if profile.configuration is None else _directory(profile.configuration, environ)


def _directory(wanted: Configuration, environ: Mapping[str, str]) -> str | None:
    values = () if wanted.from_file else (_value(name, environ) for name in wanted.variables)
    named = next((value for value in values if value is not None), None)
    if named is not None:
        return str(named)
    found = [path for path in (expanded(place, environ) for place in wanted.places) if path is not None]
    there = (path for path in found if why_no_directory(path) is None)
    return next((str(path) for path in (*there, *found)), None)


def _value(name: str, environ: Mapping[str, str]) -> Path | None:
    """What a variable says; a relative or blank path counts as not set."""
    value = environ.get(name, "")
    return expanded(value, environ) if value.strip() else None
