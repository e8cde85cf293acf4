"""What the commands print where, and with which exit code."""

from pathlib import Path

import pytest
from msgspec import json

from accounting.cli import main
from accounting.sample import PATH
from tests.accounting.cli.help import ledger, process, rounds
from tests.cases.build import RUN, called, checkpoint, line, model, replied, result, text
from tests.lines import canonical

RUN_OF_SAMPLE = ("--run", "019a1f7c")
COMMANDS = (
    "show", "fold", "runs", "usage", "import", "ask", "dispatch", "check", "repair", "schema", "codegen", "conform",
    "tools",
)  # fmt: skip


def test_json_is_what_fold_prints_and_the_library_encodes() -> None:
    from accounting.views.rounds import read_rounds
    from wire import encode
    from wire.scalars import run_id

    shown, folded = (rounds(*words, PATH, *RUN_OF_SAMPLE) for words in (("show", "--json"), ("fold",)))
    assert shown.exit_code == folded.exit_code == 0
    assert shown.stdout_bytes == folded.stdout_bytes
    assert shown.stderr == folded.stderr == ""
    run = run_id(json.decode(folded.stdout)["run"])
    assert run is not None
    assert folded.stdout_bytes == encode(read_rounds(PATH, run).answer) + b"\n"
    assert folded.stdout.count("\n") == 1


def test_the_sample_is_drawn_a_hundred_columns_wide_where_there_is_no_terminal() -> None:
    given = rounds("show", PATH, *RUN_OF_SAMPLE, env={"COLUMNS": "40"})
    assert (given.exit_code, given.stderr) == (0, "")
    assert given.stdout.endswith("\n")
    assert max(map(len, given.stdout.splitlines())) == 100
    assert "\x1b" not in given.stdout


@pytest.mark.parametrize("command", ["show", "fold", "runs"])
def test_a_problem_is_told_with_its_place_and_the_answer_is_there(tmp_path: Path, command: str) -> None:
    path = ledger(tmp_path / "a.jsonl", model(), replied(text("x")))
    size = path.stat().st_size
    path.write_bytes(path.read_bytes() + b'{"v":2}\n' + canonical(
        {"v": 2, "run": RUN, "seq": 5, "t": 0, "kind": "went_back", "data": {"x": 1.5}}) + b"\n")  # fmt: skip
    given = rounds(command, path)
    assert given.exit_code == 1
    assert given.stdout
    assert given.stderr == (
        f"rounds: {path}:3 (byte {size}): not-a-record: expected `run`, a hyphenated lower-case uuid, found nothing\n"
        f"rounds: {path}:4 (byte {size + 8}): float: expected integers only, found 1.5 at data.x\n"
    )


def test_many_problems_are_counted_by_code(tmp_path: Path) -> None:
    path = tmp_path / "a"
    record = canonical({"v": 2, "run": RUN, "seq": 1, "t": 0, "kind": "x", "data": {}})
    lines = [b"not json"] * 30 + [b"{}"] * 5 + [record]
    path.write_bytes(b"\n".join(lines) + b"\n")
    told = rounds("fold", path).stderr.splitlines()
    assert len(told) == 21
    assert told[-1] == "rounds: and 15 more: 10 not-json, 5 not-a-record"
    many = b"no\n" * 1500
    path.write_bytes(many + lines[-1] + b"\n")
    assert rounds("fold", path).stderr.splitlines()[-1] == "rounds: and 1,480 more: 1,480 not-json"


def test_what_problems_quote_is_made_visible(tmp_path: Path) -> None:
    path = tmp_path / "a\x1b[2J"
    path.write_bytes(b"\x1b[31m\xe2\x80\xaered\n" + canonical(
        {"v": 2, "run": RUN, "seq": 1, "t": 0, "kind": "x", "data": {}}) + b"\n")  # fmt: skip
    given = rounds("fold", path)
    assert given.exit_code == 1
    assert r"a\x1b[2J:1 (byte 0): not-json: " in given.stderr
    assert r"found \x1b[31m\u202ered" in given.stderr
    gone = rounds("fold", tmp_path / "b\x07")
    assert gone.exit_code == 2
    assert gone.stderr.startswith(rf"rounds: {tmp_path}/b\x07: no such file")


def test_show_tells_what_found_no_place(tmp_path: Path) -> None:
    path = ledger(
        tmp_path / "a",
        checkpoint(),
        checkpoint(),
        result("gone", result="x"),
        model(),
        called("a"),
        result("b", error="x"),
    )
    given = rounds("show", path)
    assert given.exit_code == 0
    assert given.stderr == ("rounds: 3 records found no place in the drawing: 1 checkpoint_committed, 2 tool_result\n")
    assert rounds("fold", path).stderr == rounds("show", path, "--json").stderr == ""


def test_an_ending_that_cannot_be_read_is_told_twice(tmp_path: Path) -> None:
    path = ledger(tmp_path / "a", model(), line("run_frozen", completion=3))
    given = rounds("show", path)
    assert given.exit_code == 1
    assert "━━ ended; how cannot be read ━" in given.stdout
    assert "closing-unreadable: expected a `completion` that is a string" in given.stderr


# Wrong usage and paths that cannot be read: one line, exit 2.


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["show"], "Missing argument 'PATH'; see `rounds show --help`"),
        (["fold", "{tmp}", "--window", "0"],
         "Invalid value for '--window': 0 is not in the range x>=1; see `rounds fold --help`"),
        (["fold", "{tmp}", "--window", "x"],
         "Invalid value for '--window': 'x' is not a valid integer range; see `rounds fold --help`"),
        (["show", "{tmp}/none"],
         "{tmp}/none: no such file or directory; give a ledger's directory, a file of its lines, or -"),
        (["runs", "{tmp}"],
         "{tmp}: neither a ledger nor a session of an agent that is known here"),
        (["show", "{tmp}/file/below"], "{tmp}/file/below: cannot be read: Not a directory"),
        (["schema", "nothing"], "no schema document 'nothing'; there are:"),
    ],
)  # fmt: skip
def test_trouble_is_one_line(tmp_path: Path, arguments: list[str], told: str) -> None:
    (tmp_path / "file").touch()
    given = rounds(*(argument.format(tmp=tmp_path) for argument in arguments))
    assert (given.exit_code, given.stdout) == (2, "")
    assert given.stderr.splitlines()[0] == f"rounds: {told.format(tmp=tmp_path)}"


def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = ledger(tmp_path / "a", model())
    path.chmod(0)
    try:
        path.read_bytes()
    except PermissionError:
        given = rounds("show", path)
        assert (given.exit_code, given.stderr) == (2, f"rounds: {path}: cannot be read: Permission denied\n")
    else:
        pytest.skip("this user may read everything")


def test_no_word_and_wrong_words() -> None:
    assert rounds().exit_code == 2
    assert rounds("shw").stderr.startswith("rounds: No such command 'shw'")
    assert rounds("--what").stderr.startswith("rounds: No such option")
    assert rounds("show", "a", "--what").stderr.startswith("rounds: No such option")


# Help.


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples(command: str) -> None:
    given = rounds(command, "--help")
    assert given.exit_code == 0
    examples = given.stdout.partition("Examples:")[2]
    assert f"rounds {command}" in examples
    assert all(line.startswith("    ") for line in examples.strip("\n").splitlines())


def test_help_names_every_command() -> None:
    given = rounds("--help")
    assert all(f"  {command} " in given.stdout for command in COMMANDS)
    assert rounds("-h").stdout == given.stdout
    assert set(main.commands) == set(COMMANDS)


def test_version() -> None:
    from importlib.metadata import version

    assert rounds("--version").stdout == f"rounds {version('rounds')}\n"


def test_shells_can_complete() -> None:
    given = process(env={"_ROUNDS_COMPLETE": "bash_source", "PATH": "/usr/bin:/bin"})
    assert given.returncode == 0
    assert b"_ROUNDS_COMPLETE=bash_complete" in given.stdout


# The schema.


def test_schema_lists_and_prints() -> None:
    from wire.export import schemas

    listed = rounds("schema")
    assert listed.stdout.splitlines() == list(schemas())
    for name, document in schemas().items():
        assert rounds("schema", name).stdout_bytes == document
        assert rounds("schema", name.removesuffix(".schema.json")).stdout_bytes == document


def test_schema_writes_and_compares(tmp_path: Path) -> None:
    from wire.export import schemas

    folder = tmp_path / "new" / "schema"
    written = rounds("schema", "--out", folder)
    assert written.exit_code == 0
    assert written.stdout.splitlines() == [str(folder / name) for name in schemas()]
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == schemas()
    assert rounds("schema", "--check", "--out", folder).exit_code == 0


def test_schema_names_what_is_stale(tmp_path: Path) -> None:
    assert rounds("schema", "--out", tmp_path).exit_code == 0
    first, second, *_ = sorted(tmp_path.iterdir())
    first.write_bytes(first.read_bytes() + b"\n")
    second.unlink()
    (tmp_path / "old.schema.json").touch()
    (tmp_path / "README.md").touch()
    given = rounds("schema", "--check", "--out", tmp_path)
    assert (given.exit_code, given.stdout) == (1, "")
    told = given.stderr.splitlines()
    assert sorted(line.split(";")[0] for line in told) == sorted(
        [
            f"rounds: {first}: not what would be exported",
            f"rounds: {second}: missing",
            f"rounds: {tmp_path / 'old.schema.json'}: no longer exported",
        ]
    )


def test_schema_takes_a_name_or_all() -> None:
    given = rounds("schema", "rounds-answer", "--check")
    assert (given.exit_code, given.stdout) == (2, "")
    assert given.stderr.startswith("rounds: a NAME is printed")
