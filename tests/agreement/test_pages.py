"""The pages for second clients do what they say: their Python runs, what they name is there, tables are current."""

import contextlib
import io
import json
import re
import sys
from pathlib import Path
from shutil import which
from typing import Any, Final

import pytest

from accounting.codegen import LANGUAGES
from tests.accounting.codegen.clients import command
from tests.agreement.pages import DOCS, GENERATED, part
from wire.export import bundle

PAGES: Final = ("agreement.md", "evolution.md", "numbers-and-times.md", "clients/README.md")
PROGRAMS: Final = ("numbers-and-times.md", "clients/README.md")


def _text(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PROGRAMS)
def test_its_python_runs(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(DOCS.parent)
    shared: dict[str, Any] = {}
    printed = io.StringIO()
    blocks = re.findall(r"```python\n(.*?)```", _text(page), re.DOTALL)
    with contextlib.redirect_stdout(printed):
        for block in blocks:
            exec(compile(block, page, "exec"), shared)
    assert blocks
    assert "2 turns" in printed.getvalue() or page != "clients/README.md"


@pytest.mark.skipif(which("node") is None, reason="no node")
def test_javascript_alters_what_the_page_says() -> None:
    [(words, printed)] = re.findall(r"```console\n\$ (.*?)\n(.*?)```", _text("numbers-and-times.md"), re.DOTALL)
    assert command("bash", "-euc", words, folder=DOCS) == printed


def test_the_bounds_are_those_of_the_schema() -> None:
    rows = re.findall(r"^\| (.*?) \| (\S+) \| (\S+) \| (yes|no)", _text("numbers-and-times.md"), re.MULTILINE)
    told = {
        name: (_number(least), _number(most), past == "yes")
        for names, least, most, past in rows
        for name in re.findall("`([A-Z].*?)`", names)
    }
    definitions = bundle()["$defs"]
    limits = {name: (one["minimum"], one["maximum"]) for name, one in definitions.items() if "maximum" in one}
    inside = {
        (name, key): (one["minimum"], one["maximum"])
        for name, shape in definitions.items()
        for key, one in shape.get("properties", {}).items()
        if "maximum" in one
    }
    wanted = {name: (least, most, most > 2**53) for name, (least, most) in limits.items()}
    assert {name: told.get(name) for name in wanted} == wanted
    assert inside.keys() == {("Turn", "number"), ("EventRecord", "v"), ("AnyEvent", "v")}
    assert {"`Pid` (a process), the `number` of a `Turn`, the `v` of a record"} <= {names for names, *_ in rows}
    assert {(*found, False) for found in inside.values()} == {told["Pid"]}


def _number(told: str) -> int:
    """What `-2^63` or `2^64-1` is."""
    power = re.fullmatch(r"(-?)2\^([0-9]+)(-1)?", told)
    if power is None:
        return int(told)
    sign, exponent, less = power.groups()
    return (-1 if sign else 1) * (1 << int(exponent)) - (1 if less else 0)


def test_the_ways_to_the_documents_lead_there() -> None:
    text = _text("clients/README.md").partition("## From the schema alone")[2]
    rounds = str(Path(sys.executable).parent / "rounds")
    here = DOCS.parent
    document = (here / "schema" / "rounds-answer.schema.json").read_text(encoding="utf-8")
    assert "`rounds schema rounds-answer` prints" in text
    assert command(rounds, "schema", "rounds-answer", folder=here) == document
    [program] = re.findall(r"`python -c '(.*?)'`", text)
    assert Path(command(sys.executable, "-c", program, folder=here).strip()) == here / "schema"
    [show] = re.findall(r"`(git show .*?)`", text)
    if which("git") and (here / ".git").exists():
        assert json.loads(command(*show.split(), folder=here))["title"] == "RoundsAnswer"


def test_the_languages_are_those_that_there_are() -> None:
    named = set(re.findall(r"rounds codegen (\w+) --out", _text("clients/README.md")))
    assert named <= LANGUAGES.keys()
    assert {"typescript", "go", "rust"} <= named


@pytest.mark.parametrize("page", PAGES)
def test_its_links_lead_somewhere(page: str) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", _text(page))
    assert links
    assert [link for link in links if not ((DOCS / page).parent / link).exists()] == []


@pytest.mark.parametrize(("page", "name"), GENERATED, ids=[" ".join(key) for key in GENERATED])
def test_what_is_made_from_data_shows_it(page: str, name: str) -> None:
    assert part(page, name) == GENERATED[page, name], "python -m tests.agreement.pages"
