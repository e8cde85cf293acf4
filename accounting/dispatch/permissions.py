"""Permissions are never widened: a command that switches an agent's asking off is refused. Spec: dispatch.md 2.0, 2.1.

What an agent may do without asking is between a person and that agent's own settings. No profile decides it here, be it
bundled or configured. What a command only names (a file of settings, a script) is not looked into.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, cast

import msgspec

from accounting.dispatch.errors import DispatchTroubleError
from wire.scalars import Json

# A flag may stand alone, be joined to its value by `=`, or lie within JSON or the line of a shell.
_pieces = re.compile(r"[^\s=,;:|&\"'`(){}\[\]\\<>$]+").findall
_between_words = re.compile(r"[-_]")
# `-y` says yes to everything; `-py` is `-p -y`. Only letters that take no value can stand before it.
_is_yes = re.compile(r"-[acdhpsvV]*y[acdhpsvVy]*").fullmatch
# `--dangerously-skip-permissions`, `--skip-permissions-unsafe`, `--yolo-mode`, keys of settings that mean the same.
_is_danger = re.compile(
    r"(?:allow)?dangerously.+|(?:allow|enable)?(?:skip|bypass|disable).*permission.*|(?:enable)?yolo(?:mode)?"
).fullmatch
_WORDS: Final = frozenset({"fullaccess", "dangerfullaccess"})
"""Words that switch asking off wherever they stand, without what joins their parts."""
_FLAGS: Final = frozenset(
    {"yesalways", "allowall", "allowalltools", "allowallpaths", "allowallurls", "alwaysapprove", "autoapprove",
     "trustalltools"}
)  # fmt: skip
"""Options that do, likewise."""
_NARROWING: Final = frozenset({"disablebypasspermissionsmode"})
"""What reads alike and takes permissions away."""
_escape = re.compile(r"\\u([0-9A-Fa-f]{4})").sub
_quoting = re.compile(r"[\\\"']").sub
_variable = re.compile(r"\$\w+").sub
# A word of an option whose value says what an agent may do.
_words_of_option = re.compile(r"[A-Z]?[a-z]+|[A-Z]+").findall
_DECIDING: Final = frozenset(
    {"allow", "allowed", "approval", "approvals", "config", "mode", "permission", "permissions", "policy", "sandbox",
     "setting", "settings", "tools", "trust"}
)  # fmt: skip
_LONGEST_SHOWN: Final = 80


class PermissionWideningError(DispatchTroubleError):
    """A command would have an agent do things without asking that its own settings have it ask for."""

    def __init__(self, piece: str, place: str) -> None:
        shown = piece if len(piece) <= _LONGEST_SHOWN else f"{piece[:_LONGEST_SHOWN]}…"
        super().__init__(
            f"{place}: `{shown}` widens the agent's permissions, and no run is started so;"
            " leave it out, and allow what the agent may do in its own settings, or name single tools"
        )
        self.piece: Final = piece
        """What does it, without what stands around it, which may be a secret."""
        self.place: Final = place
        """Where it stands."""


def refuse_widening(argv: Sequence[str], where: str) -> None:
    """Raise `PermissionWideningError` for the first argument of a command that widens permissions.

    `where` is what holds the arguments; a place in it is told as `run[1]`. Known are the spellings of Claude Code,
    CodeBuddy, Codex, Gemini CLI, Copilot CLI and their like, in any case, joined to a value or not, alone or within
    another argument, also where that is JSON or is quoted for a shell.
    """
    for index, argument in enumerate(argv):
        piece = _widening(argument)
        if piece is not None:
            raise PermissionWideningError(piece, f"{where}[{index}]")


def refuse_widening_task(task: str) -> None:
    """Raise `PermissionWideningError` for a task that an agent would take for an option or settings, as an argument.

    That is a single word, or JSON. Words within a sentence do nothing.
    """
    piece = _widening(task) if len(task.split()) == 1 or _json(task) is not None else None
    if piece is not None:
        raise PermissionWideningError(piece, "the task")


def decides_permissions(option: str) -> bool:
    """Whether the value of an option says what an agent may do, by its name: `--permission-mode`, `--settings`."""
    return option.startswith("-") and any(word.lower() in _DECIDING for word in _words_of_option(option))


def _widening(argument: str) -> str | None:
    """What of an argument widens permissions; `None` when nothing does."""
    return next((piece for text in _texts(argument) for piece in _pieces(text) if _widens(piece)), None)


def _texts(argument: str) -> Iterator[str]:
    """An argument, as a shell or JSON would read it too."""
    yield argument
    yield _variable(" ", argument)
    yield _quoting("", _escape(lambda match: chr(int(match[1], 16)), argument))
    for text in (argument, argument.partition("=")[2]):
        yield from _strings(_json(text))


def _json(text: str) -> Json:
    """What a text holds as a JSON document; `None` when it is none, or only a number or the like."""
    if not text.lstrip().startswith(("{", "[", '"')):
        return None
    try:
        return cast("Json", msgspec.json.decode(text))
    except (ValueError, RecursionError):
        return None


def _strings(value: Json) -> Iterator[str]:
    """The strings in a JSON value, keys among them."""
    left = [value]
    while left:
        match left.pop():
            case str() as text:
                yield text
            case dict() as members:
                left += [*members, *members.values()]
            case list() as items:
                left += items
            case _:
                continue


def _widens(piece: str) -> bool:
    bare = piece.lstrip("-")
    word = _between_words.sub("", bare).lower()
    if word in _NARROWING:
        return False
    if word in _WORDS or _is_danger(word):
        return True
    return bare != piece and (word in _FLAGS or _is_yes(piece) is not None)
