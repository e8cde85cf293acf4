"""Profiles: which agents can be started, and how each is told what it may do. Spec: dispatch.md 2.0.

    agent = profile_named("claude_code", os.environ)

Two are bundled (`accounting.dispatch.bundled`). A person's own are in `dispatch.toml`, a table each:

    [profiles.harbour]
    program = "harbour-agent"                 # a name on PATH, or a path
    run = ["--json-events", "--may-edit"]     # its arguments for work that may edit
    review = ["--json-events", "--read-only"] # its arguments for work that must not

A table that is called as a bundled profile changes that one: each key in place of what is bundled, but for
`environment`, which adds to it.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final, cast

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict, replace

from accounting.dispatch.bundled import BUNDLED
from accounting.dispatch.errors import DispatchTroubleError
from accounting.dispatch.homes import based, expanded, from_root
from accounting.dispatch.permissions import decides_permissions, refuse_widening
from accounting.dispatch.profile import TASK, Configuration, Interpreter, Profile, TaskBy
from wire.dispatch import DispatchKind

CONFIG: Final = "ROUNDS_DISPATCH_CONFIG"
"""The environment variable that names the configuration file."""

_is_name = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}").fullmatch
_is_variable = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\*?").fullmatch
_is_place_for_task = re.compile(r"(?:--[A-Za-z][A-Za-z0-9-]*=)?\{task\}").fullmatch


class ProfileError(DispatchTroubleError):
    """A profile is not there, is not written as it should be, or cannot do what is asked."""


class _Table(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A profile as the file has it."""

    program: str | UnsetType = UNSET
    interpreter: str | UnsetType = UNSET
    review: tuple[str, ...] | UnsetType = UNSET
    run: tuple[str, ...] | UnsetType = UNSET
    task: TaskBy | UnsetType = UNSET
    environment: tuple[str, ...] | UnsetType = UNSET
    configuration: str | UnsetType = UNSET


KEYS: Final = _Table.__struct_fields__
"""The keys of a profile in the file."""


def config_path(environ: Mapping[str, str]) -> Path:
    """The configuration file: `$ROUNDS_DISPATCH_CONFIG`, else `rounds/dispatch.toml` where configuration is kept.

    That is `$XDG_CONFIG_HOME`, or `~/.config` when it is not set, blank, or no absolute path. Raises `PlaceError`.
    """
    named = environ.get(CONFIG, "")
    if named.strip():
        return from_root(Path(named))
    return based("XDG_CONFIG_HOME", ".config", environ) / "rounds" / "dispatch.toml"


def profiles(environ: Mapping[str, str] | None = None) -> dict[str, Profile]:
    """Every profile, by name: the bundled, and those of the configuration file. `None` is this environment.

    Raises `ProfileError` for a file that does not read or does not hold profiles, with the file, the key and what to
    do. A file that is not there holds none, but for one that the environment names.
    """
    environ = os.environ if environ is None else environ
    found, wrong = _read(config_path(environ), environ)
    for error in wrong.values():
        raise error
    return found


def profiles_that_read(environ: Mapping[str, str]) -> tuple[dict[str, Profile], tuple[str, ...]]:
    """Every profile that reads, by name, the bundled in any case; and what is wrong with the others."""
    path = config_path(environ)
    try:
        found, wrong = _read(path, environ)
    except DispatchTroubleError as error:
        return {one.name: one for one in sorted(BUNDLED, key=lambda one: one.name)}, (str(error),)
    return found, tuple(map(str, wrong.values()))


def profile_named(name: str, environ: Mapping[str, str] | None = None) -> Profile:
    """The profile of that name, whatever is wrong with others. `None` is this environment.

    Raises `ProfileError` when there is none, when its own table is not as it should be, be it that of a bundled one,
    and when the file as a whole does not read: nobody knows then whether it changes that profile.
    """
    environ = os.environ if environ is None else environ
    path = config_path(environ)
    found, wrong = _read(path, environ)
    if name in wrong:
        raise wrong[name]
    if name not in found:
        there = ", ".join(one for one in found if one not in wrong)
        raise ProfileError(f"there is no profile {name!r}; there are: {there}; {path} may hold more")
    return found[name]


def _read(path: Path, environ: Mapping[str, str]) -> tuple[dict[str, Profile], dict[str, DispatchTroubleError]]:
    """The profiles that read, and what is wrong with each other; a bundled one is among the former in any case."""
    found = {one.name: one for one in BUNDLED}
    wrong: dict[str, DispatchTroubleError] = {}
    for name, table in _tables(path, named=bool(environ.get(CONFIG, "").strip())).items():
        try:
            found[name] = _profile(path, name, table, found.get(name), environ)
        except DispatchTroubleError as error:
            wrong[name] = error
    return dict(sorted(found.items())), wrong


def _tables(path: Path, *, named: bool) -> dict[str, object]:
    try:
        with path.open("rb") as file:
            content = tomllib.load(file)
    except FileNotFoundError:
        if named:
            raise ProfileError(f"{path}: no such file, but {CONFIG} names it; make it, or unset {CONFIG}") from None
        return {}
    except OSError as error:
        raise ProfileError(f"{path}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # no TOML, or no UTF-8
        raise ProfileError(f"{path}: no TOML: {error}") from None
    except RecursionError:
        raise ProfileError(f"{path}: no profiles: it is nested too deep to be read") from None
    unknown = next((key for key in content if key != "profiles"), None)
    if unknown is not None:
        raise ProfileError(f"{path}: there is no setting {unknown!r}; profiles are tables `[profiles.NAME]`")
    tables: object = content.get("profiles", {})
    if not isinstance(tables, dict):
        raise ProfileError(f"{path}: `profiles` is no table; write a profile as `[profiles.NAME]`")
    return cast("dict[str, object]", tables)


def _profile(path: Path, name: str, content: object, bundled: Profile | None, environ: Mapping[str, str]) -> Profile:
    where = f"{path}: [profiles.{name}]"
    if _is_name(name) is None:
        raise ProfileError(f"{where}: a name is up to 64 letters, digits, `_` or `-`, a letter or a digit first")
    try:
        table = msgspec.convert(content, _Table)
    except msgspec.ValidationError as error:
        raise ProfileError(f"{where}: {_told(error)}; its keys are {', '.join(f'`{key}`' for key in KEYS)}") from None
    given = {key: value for key, value in asdict(table).items() if value is not UNSET}
    if table.program is UNSET and bundled is None:
        raise ProfileError(f"{where}: `program` is missing: a name on PATH, or a path")
    for key in ("program", "interpreter", "configuration"):
        if key in given:
            _check_path(f"{where}: `{key}`", cast("str", given[key]), environ, name=key != "configuration")
    base = bundled or Profile(name=name, programs=())
    made = replace(base, source=str(path), **_changes(base, given))
    _check(where, made)
    return made


def _changes(base: Profile, given: dict[str, object]) -> dict[str, object]:
    """The fields of a profile that a table changes."""
    changes = dict(given)
    if "program" in changes:
        changes |= {"programs": (changes.pop("program"),), "installation": None}
    if "interpreter" in changes:
        changes["interpreter"] = Interpreter(name=cast("str", changes["interpreter"]))
    if "environment" in changes:
        added = cast("tuple[str, ...]", changes["environment"])
        changes["environment"] = tuple(dict.fromkeys((*base.environment, *added)))
    if "configuration" in changes:
        before = base.configuration or Configuration(places=())
        places = (cast("str", changes["configuration"]),)
        changes["configuration"] = replace(before, places=places, from_file=True)
    return changes


def _check(where: str, profile: Profile) -> None:
    wrong = next((name for name in profile.environment if not _is_variable(name)), None)
    if wrong is not None:
        raise ProfileError(f"{where}: `environment`: {wrong!r} names no variable; give `NAME`, or `NAME_*` for several")
    if profile.review is None and profile.run is None:
        raise ProfileError(f"{where}: it can do nothing; give `run`, `review` or both, lists of arguments")
    for kind in DispatchKind:
        words = profile.arguments(kind)
        if words is not None:
            refuse_widening(words, f"{where}: {kind}")
            _check_words(f"{where}: `{kind}`", words, profile.task)


def _check_words(where: str, words: tuple[str, ...], task: TaskBy) -> None:
    if any("\0" in word for word in words):
        raise ProfileError(f"{where} holds a NUL, which no argument can; leave it out")
    places = [index for index, word in enumerate(words) if TASK in word]
    if task is TaskBy.stdin:
        if places:
            raise ProfileError(f'{where} has `{TASK}`, which is for `task = "argument"`')
        return
    if len(places) != 1 or not _is_place_for_task(words[places[0]]):
        why = f"`{TASK}` stands in it once, as an argument of its own or after `--name=`"
        raise ProfileError(f'{where} does not place the task: with `task = "argument"`, {why}')
    (index,) = places
    option = words[index].removesuffix(TASK) or ("" if index == 0 else words[index - 1])
    if decides_permissions(option):
        name = option.removesuffix("=")
        raise ProfileError(f"{where}: `{name}` says what the agent may do, and no task does; place `{TASK}` elsewhere")


def _check_path(where: str, text: str, environ: Mapping[str, str], *, name: bool) -> None:
    if not text.strip() or "\0" in text:
        raise ProfileError(
            f"{where}: it is blank, or holds a NUL; give {'a name on PATH, or a path' if name else 'a path'}"
        )
    if name and os.sep not in text and (os.altsep is None or os.altsep not in text):
        return
    if expanded(text, environ) is None:
        raise ProfileError(f"{where}: {text!r} is no whole path; begin it at the root, or with `~/`")


def _told(error: msgspec.ValidationError) -> str:
    """What is wrong, in our words: `expected `array`, got `str` at `review``."""
    what, _, at = str(error).partition(" - at ")
    place = at.strip("`").removeprefix("$").removeprefix(".")
    return f"{what[:1].lower()}{what[1:]}{f' at `{place}`' if place else ''}"
