"""Who answers: `--provider`, or `provider` in `ask.toml` in the user's configuration directory.

provider = "claude -p"                      # split into words as a shell does
provider = ["/opt/my agent/ask", "--fast"]  # or word by word
"""

import shlex
import tomllib
from pathlib import Path
from typing import Final, cast

from accounting.cli.trouble import Trouble

NAME: Final = "ask.toml"
_KEY: Final = "provider"


def config_path() -> Path:
    """Where the configuration is: `ask.toml` in `rounds`, in the directory that the platform has for that."""
    from platformdirs import user_config_path

    return user_config_path("rounds", appauthor=False) / NAME


def provider_meant(command: str | None) -> tuple[str, ...]:
    """The command that answers, in words; empty when none is set up.

    Raises `Trouble` for a command that does not split into words, and a configuration that does not read.
    """
    return _configured() if command is None else _words(command, "--provider")


def _configured() -> tuple[str, ...]:
    path = config_path()
    try:
        with path.open("rb") as file:
            found = tomllib.load(file)
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise Trouble(f"{path}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # no TOML, or no UTF-8
        raise Trouble(f"{path}: no TOML: {error}") from None
    unknown = [key for key in found if key != _KEY]
    if unknown:
        raise Trouble(f"{path}: there is no setting {unknown[0]!r}; there is `{_KEY}`")
    value: object = found.get(_KEY, "")
    if isinstance(value, str):
        return _words(value, f"{path}: {_KEY}") if value else ()
    words = cast("list[object]", value) if isinstance(value, list) else [None]
    command = tuple(word for word in words if isinstance(word, str))
    if len(command) != len(words):
        raise Trouble(f"{path}: `{_KEY}` is a command, or a list of its words, each of them text")
    _named(command, f"{path}: {_KEY}")
    return command


def _words(command: str, where: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise Trouble(f"{where}: {command!r} does not split into words: {str(error).lower()}") from None
    _named(words, where)
    return words


def _named(words: tuple[str, ...], where: str) -> None:
    if not words or not words[0].strip():
        raise Trouble(f"{where}: it is blank; name a command that answers, for example 'claude -p'")
