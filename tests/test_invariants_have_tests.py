"""Every invariant names its tests and every test that shows one is named: both ways, without exception."""

import ast
import re
import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LISTED = tomllib.loads((ROOT / "spec-notes" / "invariants.toml").read_text())["invariant"]


def _marked() -> dict[str, set[str]]:
    """Invariant -> the tests that carry its mark, as pytest names them."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for file in (ROOT / "tests").rglob("test_*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef):
                for id_ in re.findall(r"\binvariant\('([A-Z]\d+)'\)", " ".join(map(ast.unparse, node.decorator_list))):
                    found[id_].add(f"{file.relative_to(ROOT).as_posix()}::{node.name}")
    return found


def test_lists_agree_both_ways() -> None:
    assert {one["id"]: set(one["tests"]) for one in LISTED} == _marked()


def test_all_are_listed_in_order_with_a_sentence_and_a_source() -> None:
    """The thirteen of rounds.md, then our own: of a check, an index, following, a writer, the kit, threads, runs."""
    ids = [one["id"] for one in LISTED]
    assert ids[:13] == [f"I{number}" for number in range(1, 14)]
    assert sorted(ids, key=lambda id_: ("ICXFWKAD".index(id_[0]), int(id_[1:]))) == ids
    assert all(one["sentence"] and one["source"] and one["tests"] for one in LISTED)
