"""The codec and five readers that know only the schema say the same of every document, or the table says why not."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

import pytest

from tests.accounting.codegen.documents import Document
from tests.agreement.differences import DIFFERENCES, Way, explaining
from tests.agreement.documents import documents
from tests.agreement.judges import IN_PYTHON, JUDGES, WITH_NODE, by_ajv, by_codec, has_node
from tests.agreement.pages import DOCS
from wire.export import ROOTS, Root

Verdicts: TypeAlias = Mapping[str, Sequence[bool]]
"""By judge, in the order of the documents."""
FEWEST: Final = 13_000
"""How many documents the page says are judged."""
without_node: Final = pytest.mark.skipif(
    not has_node(), reason="no node, or not what ajv needs: `npm ci` in tests/clients/typescript"
)
COLUMNS: Final = [pytest.param(name, marks=without_node if name in WITH_NODE else ()) for name in JUDGES]


@pytest.fixture(scope="module")
def judged() -> tuple[Document, ...]:
    return documents(drawn=15, every=5)


@pytest.fixture(scope="module")
def verdicts(
    judged: tuple[Document, ...], pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Verdicts:
    return _verdicts(judged, pytestconfig, tmp_path_factory.mktemp("typescript"))


def _verdicts(judged: Sequence[Document], config: pytest.Config, folder: Path) -> Verdicts:
    in_python = {"wire": by_codec, **IN_PYTHON}
    found = {name: [judge(one.shape, one.text) for one in judged] for name, judge in in_python.items()}
    return {**found, **(by_ajv(config, folder, judged) if has_node() else {})}


def _apart(judged: Sequence[Document], verdicts: Verdicts, judge: str) -> Iterator[tuple[Document, Way]]:
    for one, ours, theirs in zip(judged, verdicts["wire"], verdicts[judge], strict=True):
        if ours is not theirs:
            yield one, "takes" if theirs else "refuses"


def _unexplained(judged: Sequence[Document], verdicts: Verdicts, judge: str) -> dict[str, str]:
    apart = _apart(judged, verdicts, judge)
    return {f"{one.name} ({way})": one.text[:400] for one, way in apart if not explaining(one, judge, way)}


@pytest.mark.parametrize("judge", COLUMNS)
def test_what_is_judged_otherwise_is_in_the_table(judged: tuple[Document, ...], verdicts: Verdicts, judge: str) -> None:
    assert _unexplained(judged, verdicts, judge) == {}


@pytest.mark.parametrize("judge", COLUMNS)
def test_what_is_in_the_table_occurs(judged: tuple[Document, ...], verdicts: Verdicts, judge: str) -> None:
    apart = list(_apart(judged, verdicts, judge))
    told = [each for each in DIFFERENCES if judge in each.judges]
    idle = [each.name for each in told if not any(way == each.way and each.is_one(one) for one, way in apart)]
    assert idle == []


@pytest.mark.parametrize("root", ROOTS, ids=[root.name for root in ROOTS])
def test_every_root_has_documents_of_both_sorts(judged: tuple[Document, ...], verdicts: Verdicts, root: Root) -> None:
    taken = [ours for one, ours in zip(judged, verdicts["wire"], strict=True) if one.shape == root.shape]
    assert taken.count(True) >= 15
    assert taken.count(False) >= 15


def test_the_documents_are_as_many_as_the_page_says(judged: tuple[Document, ...]) -> None:
    assert len(judged) >= FEWEST
    assert f"more than {FEWEST:,} documents" in " ".join((DOCS / "agreement.md").read_text(encoding="utf-8").split())


@pytest.mark.soak
def test_many_more_documents(pytestconfig: pytest.Config, tmp_path: Path) -> None:
    judged = documents(drawn=300)
    verdicts = _verdicts(judged, pytestconfig, tmp_path)
    assert {judge: _unexplained(judged, verdicts, judge) for judge in verdicts if judge in JUDGES} == {
        judge: {} for judge in verdicts if judge in JUDGES
    }
