"""The profiles that are bundled. Spec: dispatch.md 2.0, 2.1, 2.3.

Claude Code (`claude`). `-p` prints and ends, and reads the task from standard input when no argument holds it;
`stream-json` prints an event a line, which `-p` allows with `--verbose` only. `--permission-mode` stands above the mode
of the person's settings. What a print-mode run would have to ask for is denied, so that `default` allows reading below
the workspace, and `acceptEdits` editing there. A rule without a path, as `Read`, would allow it everywhere.
`--disallowedTools` takes tools away whatever else allows them: a review is left none that edits or runs commands.
`--strict-mcp-config` without `--mcp-config` connects to no server. Its directory is `CLAUDE_CONFIG_DIR`, or
`~/.claude`; setting the variable to the latter moves a file of it, so that the agent is told only what a person named.

WorkBuddy brings the command line of CodeBuddy (`codebuddy`, `cbc`) along: a script for node, of the same options, in
the directory that `DWB_CLI_DIR` names. It reads without asking in directories that were marked as trusted, which a
workspace need not be: so a review is allowed the tools that read. Node is to be 22.19 or newer, for its SQLite; the
application keeps copies of it below its own directory. By itself the script would use `~/.codebuddy`:
`CODEBUDDY_CONFIG_DIR` has it use the directory that is told here. Its manual wants `-y` in print mode, without which
what it would ask for is denied: that is what is meant here.
"""

from typing import Final

from accounting.dispatch.profile import Configuration, Installation, Interpreter, Model, Profile

_EVENTS: Final = ("-p", "--output-format", "stream-json", "--verbose")
_READING: Final = ("--permission-mode", "default", "--strict-mcp-config")
_NOT_EDITING: Final = ("--disallowedTools", "Bash,Edit,EnterWorktree,Monitor,MultiEdit,NotebookEdit,PowerShell,Write")
_EDITING: Final = ("--permission-mode", "acceptEdits")
_UNPACKED: Final = "app.asar.unpacked/cli"

CLAUDE_CODE: Final = Profile(
    name="claude_code",
    programs=("claude", "~/.local/bin/claude", "~/.claude/local/claude"),
    review=(*_EVENTS, *_READING, "--allowedTools", "Read(./**)", *_NOT_EDITING),
    run=(*_EVENTS, *_EDITING),
    environment=("ANTHROPIC_*", "CLAUDE_CODE_*", "CLAUDE_CONFIG_DIR"),
    configuration=Configuration(variables=("CLAUDE_CONFIG_DIR",), places=("~/.claude",)),
)
"""Claude Code."""

WORKBUDDY: Final = Profile(
    name="workbuddy",
    programs=("codebuddy", "cbc"),
    installation=Installation(
        variable="DWB_CLI_DIR",
        places=(
            f"/Applications/WorkBuddy.app/Contents/Resources/{_UNPACKED}",
            f"/Applications/WorkBuddy AI.app/Contents/Resources/{_UNPACKED}",
            f"~/Applications/WorkBuddy.app/Contents/Resources/{_UNPACKED}",
            f"$LOCALAPPDATA/Programs/WorkBuddy/resources/{_UNPACKED}",
            f"$PROGRAMFILES/WorkBuddy/resources/{_UNPACKED}",
            f"/opt/WorkBuddy/resources/{_UNPACKED}",
        ),
        programs=("bin/codebuddy", "dist/codebuddy.js"),
    ),
    interpreter=Interpreter(
        name="node",
        places=("binaries/node/versions/*/bin/node", "binaries/node/versions/*/node.exe"),
        at_least=(22, 19),
    ),
    review=(*_EVENTS, *_READING, "--allowedTools", "Read,Grep,Glob", *_NOT_EDITING),
    run=(*_EVENTS, *_EDITING),
    environment=("CODEBUDDY_*", "WORKBUDDY_*"),
    configuration=Configuration(
        variables=("DWB_CONFIG_DIR", "WORKBUDDY_CONFIG_DIR", "CODEBUDDY_CONFIG_DIR"),
        places=("~/.workbuddy", "~/.codebuddy"),
        told_as="CODEBUDDY_CONFIG_DIR",
    ),
    model=Model(variable="DWB_DEFAULT_MODEL", file="models.json", option="--model"),
)
"""WorkBuddy, by the command line of CodeBuddy."""

BUNDLED: Final = (CLAUDE_CODE, WORKBUDDY)
"""All of them."""
