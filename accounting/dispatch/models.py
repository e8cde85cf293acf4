"""Which model an agent is told, where it is not left to choose: read only. Spec: dispatch.md 2.0, 2.1."""

import errno
import os
import stat
from collections.abc import Iterator, Mapping
from io import FileIO
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Raw, Struct

from accounting.dispatch.errors import DispatchTroubleError
from accounting.dispatch.profile import Model

_MOST: Final = 4 << 20


class ModelError(DispatchTroubleError):
    """What is to name a model names none."""


class _Named(Struct, frozen=True):
    """What is read of a model: no address of it, no key."""

    id: Raw = Raw(b"null")
    name: Raw = Raw(b"null")


class _Models(Struct, frozen=True):
    models: tuple[Raw, ...] | None = None


def model_of(wanted: Model, configuration: str | None, environ: Mapping[str, str], problems: list[str]) -> str | None:
    """The model that a person names, else the first of the file; `None` when it is the agent's to choose.

    What is wrong with the file is told in `problems`, without what is in it. Raises `ModelError` when the variable's
    value cannot be a model.
    """
    named = environ.get(wanted.variable, "").strip()
    if named:
        if not _may_be_one(named):
            raise ModelError(f"{wanted.variable}: {named!r} can be no model; correct or unset it")
        return named
    if configuration is None:
        return None
    path = Path(configuration, wanted.file)
    instead = f"the agent chooses its model, unless {wanted.variable} names one"
    try:
        entries = _entries(_read(path))
    except FileNotFoundError:
        return None
    except OSError as error:
        problems.append(f"{path}: cannot be read: {error.strerror or error}; {instead}")
        return None
    if entries is None:
        problems.append(f"{path}: no list of models; {instead}")
        return None
    for passed_over, entry in enumerate(entries):
        model = next(filter(_may_be_one, _names(entry)), None)
        if model is not None:
            if passed_over:
                problems.append(f"{path}: passed over {passed_over:,} before the first entry that names a model")
            return model
    if entries:
        problems.append(f"{path}: no entry names a model; {instead}")
    return None


def _read(path: Path) -> bytes:
    """A file's content. Raises `OSError`, also when it is no regular file, or larger than a list of models is."""
    # What is no file might keep whoever opens it waiting.
    with FileIO(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file")
        content = file.read(_MOST + 1)
    if len(content) > _MOST:
        raise OSError(errno.EFBIG, f"it is larger than {_MOST >> 20} MiB")
    return content


def _entries(content: bytes) -> tuple[Raw, ...] | None:
    """The models of a list, or of an object that holds one."""
    try:
        read = msgspec.json.decode(content, type=_Models | tuple[Raw, ...])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return read.models or () if isinstance(read, _Models) else read


def _names(entry: Raw) -> Iterator[str]:
    """Its id and its name, those that are texts."""
    try:
        named = msgspec.json.decode(entry, type=_Named)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return
    for raw in (named.id, named.name):
        try:
            yield msgspec.json.decode(raw, type=str)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            continue


def _may_be_one(text: str) -> bool:
    """Whether a text can be handed over as a model: no option, nothing that acts on a terminal."""
    return bool(text.strip()) and text.isprintable() and not text.startswith("-")
