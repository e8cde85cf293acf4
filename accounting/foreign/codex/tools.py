"""Calls as Codex writes them down, and what each acts on. Spec: foreign.md 3.3."""

import re
from typing import Final

from msgspec import DecodeError, Struct, json

from accounting.foreign.codex.rows import Fields, Item
from accounting.foreign.drafting import arguments
from accounting.foreign.fidelity import Fidelity
from accounting.foreign.payload import subject_of
from accounting.ledger.problem import Place
from wire.scalars import Json, JsonObject, run_id

_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+?)\s*$", re.MULTILINE).search
_FLAGS: Final = ("-c", "-lc", "-ic", "-Command")
_COMMANDS: Final = ("command", "cmd", "chars")
"""The arguments of the shell tools that hold what is run or typed."""


class Call(Struct, frozen=True, kw_only=True):
    """A tool call."""

    id: str | None
    """Its id; `None` when the row lacks one."""
    name: str
    """The tool's own name."""
    args: JsonObject
    """Its arguments."""
    subject: str | None
    """What it acts on."""


CALLS: Final = frozenset(
    [
        "function_call",
        "custom_tool_call",
        "local_shell_call",
        "web_search_call",
        "tool_search_call",
        "image_generation_call",
        "tool_call",
    ]
)
"""The kinds of item, and an old kind of event, that are calls."""
SPAWN: Final = "spawn_agent"
"""The tool that starts a sub-agent."""
SELF_ANSWERED: Final = frozenset(("web_search_call", "image_generation_call"))
"""Calls that the provider itself runs: their item says whether they are done, and no other answers them."""


def call_of(item: Item, place: Place, fidelity: Fidelity, where: str) -> Call:
    """The call that an item is; `where` is its kind in the report."""
    kind = item.type or ""
    told: Json
    match kind:
        case "function_call" | "tool_search_call":
            told = _parsed(item.arguments)
        case "custom_tool_call" | "tool_call":
            told = item.input if isinstance(item.input, dict) else _given(input=item.input)
        case "image_generation_call":
            told = _given(revised_prompt=item.revised_prompt)
        case _:
            told = item.action
    name = item.name or ("" if kind in ("function_call", "custom_tool_call") else kind.removesuffix("_call"))
    return _call(item.own, name, told, place, fidelity, where)


def call_of_end(event: Fields, place: Place, fidelity: Fidelity, where: str) -> Call:
    """The call that an event tells of, for files that lack its item; `where` is its kind in the report."""
    told: Json
    match event.type:
        case "exec_command_end" | "CommandExecution":
            name, told = "exec_command", _given(command=event.command, cwd=event.cwd)
        case "patch_apply_end" | "FileChange":
            name, told = "apply_patch", _given(changes=event.changes)
        case "mcp_tool_call_end" if event.invocation is not None:
            name, told = mcp_name(event.invocation.server, event.invocation.tool), event.invocation.arguments
        case "McpToolCall" | "mcp_tool_call_end":
            name, told = mcp_name(event.server, event.tool), event.arguments
        case "web_search_end" | "WebSearch" | "Extension":
            name, told = "web_search", _given(query=event.query) if event.action is None else event.action
        case "image_generation_end":
            name, told = "image_generation", _given(revised_prompt=event.revised_prompt)
        case "view_image_tool_call":
            name, told = "view_image", _given(path=event.path)
        case _:
            name, told = event.tool or "", event.arguments
    return _call(event.own, name, told, place, fidelity, where)


def _call(own: str | None, name: str, told: Json, place: Place, fidelity: Fidelity, where: str) -> Call:
    if isinstance(told, str):
        fidelity.derived(place, where, "arguments", "no JSON: kept as text")
    args = arguments(told, fidelity, place, where)
    return Call(id=own, name=name or "tool", args=args, subject=subject_of_call(name, args))


def _given(**parts: Json) -> JsonObject:
    """An object of what is there."""
    return {name: value for name, value in parts.items() if value is not None}


def mcp_name(server: str | None, tool: str | None) -> str:
    """The name under which the model calls a tool of an MCP server."""
    return f"mcp__{server}__{tool or ''}" if server else tool or ""


def subject_of_call(name: str, args: JsonObject) -> str | None:
    """What a call acts on: a shell tool's command, the first file of a patch; otherwise as ledger.md 6 has it."""
    for key in _COMMANDS:
        if key in args:
            return command_line(args[key])
    patch = args.get("input", args.get("patch"))
    if isinstance(patch, str) and "*** " in patch:
        found = _PATCHED(patch)
        if found is not None:
            return found[1]
    changes = args.get("changes")
    if name == "apply_patch" and isinstance(changes, dict):
        return min(changes, default=None)
    return subject_of(args)


def command_line(command: Json) -> str | None:
    """A command as it would be typed: what a shell was given to run, or the words with spaces between them."""
    if isinstance(command, str):
        return command
    if not isinstance(command, list):
        return None
    words = [word for word in command if isinstance(word, str)]
    if len(words) == 3 and words[1] in _FLAGS:
        return words[2]
    return " ".join(words) if words else None


def spawned_thread(answer: str) -> str | None:
    """The thread that a call of `SPAWN` started, by its answer; `None` when that names none."""
    told = _parsed(answer)
    thread = told.get("agent_id") if isinstance(told, dict) else None
    return thread if isinstance(thread, str) and run_id(thread.lower()) is not None else None


def _parsed(text: Json) -> Json:
    """Arguments in a string of JSON; a string that is none stays as it is."""
    if not isinstance(text, str):
        return text
    if not text.strip():
        return None
    try:
        value: Json = json.decode(text)
    except (DecodeError, RecursionError, UnicodeEncodeError):
        return text
    return value
