"""The pages for second clients do what they say: their Python runs, what they name is there, tables are current."""

import contextlib
import io
import re
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
    limits = {name: (one.get("minimum"), one.get("maximum")) for name, one in bundle()["$defs"].items()}
    assert limits["I64"] == (-(2**63), 2**63 - 1)
    assert limits["AskSeq"] == (1, 2**53 - 1)
    wide = {name for name, (_, most) in limits.items() if most is not None and most >= 2**53}
    told = _text("numbers-and-times.md").partition("## Past")[0]
    assert wide == {"U64", "Seq", "TimeMs", "Tokens", "UsdMicros", "Micros", "I64"}
    assert [name for name in wide if f"`{name}`" not in told] == []


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
