"""A page of docs/clients as a newcomer follows it: its files written, its commands run, what they print compared."""

import os
import re
import sys
from pathlib import Path
from typing import Final, NamedTuple

from tests.accounting.codegen.clients import command

ROOT: Final = Path(__file__).parents[3]


class Page(NamedTuple):
    """What a page tells to do."""

    files: dict[str, str]
    """Texts by path: each stands in a block right behind its path and a colon."""
    steps: list[tuple[str, str]]
    """Commands and what each prints."""


def page(name: str) -> Page:
    """Reads `docs/clients/<name>.md`."""
    text = (ROOT / "docs" / "clients" / f"{name}.md").read_text(encoding="utf-8")
    files: dict[str, str] = dict(re.findall(r"`([\w./-]+)`:\n\n```\w+\n(.*?)```", text, re.DOTALL))
    consoles: list[str] = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    steps: list[tuple[str, str]] = re.findall(
        r"^\$ (.*?)\n(.*?)(?=^\$ |\Z)", "".join(consoles), re.DOTALL | re.MULTILINE
    )
    assert files
    assert steps
    return Page(files, steps)


def follow(told: Page, folder: Path, *, instead: str = "", **environment: str) -> None:
    """Does what the page says in an empty folder; `instead` is shell for what needs a network."""
    for place, text in told.files.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text, encoding="utf-8")
    (folder / "ledger").symlink_to(ROOT / "accounting" / "sample")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for step, printed in told.steps:
        found = command("bash", "-euc", f"{instead}\n{step}", folder=folder, PATH=path, **environment)
        assert found.strip() == printed.strip(), f"{step}: {found}"
