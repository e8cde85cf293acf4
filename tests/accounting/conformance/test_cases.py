"""Case files: what is written reads back, and what is no case is named with its file."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounting.conformance.cases import (
    About,
    ExpectedFault,
    FoldCase,
    check_cases,
    conformance_dir,
    fold_cases,
    read_about,
    read_check_case,
    read_fold_case,
    write_fold_case,
)
from tests.cases.build import RUN, U64, x_answer

ONE_LINE = st.from_regex(r"[A-Za-z][ -~]{0,30}[a-z]\.", fullmatch=True)
ANSWER: Any = x_answer()


@settings(max_examples=50)
@given(
    ONE_LINE,
    st.lists(ONE_LINE, min_size=1, max_size=3).map("\n\n".join),
    st.binary(max_size=50),
    st.booleans(),
    st.none() | ONE_LINE,
)
def test_a_written_case_reads_back(rule: str, text: str, ledger: bytes, generated: bool, unsealed: str | None) -> None:
    with TemporaryDirectory() as home:
        folder = Path(home) / "cases" / "some-case"
        where = write_fold_case(
            folder, rule=rule, about=text, ledger=ledger, expected=ANSWER, generated=generated, unsealed=unsealed
        )
        assert where == folder
        [case] = fold_cases(Path(home))
        assert check_cases(Path(home)) == ()
    said = About(id="some-case", rule=rule, text=text, generated=generated, unsealed=unsealed)
    assert case == FoldCase(folder=folder, about=said, ledger=ledger, run=ANSWER["run"], expected=ANSWER)
    assert case.id == "some-case"


def test_large_integers_are_exact(tmp_path: Path) -> None:
    expected: Any = x_answer(opened_at=None, turns=[{"t": U64, "n": 2**70}])
    case = read_fold_case(write_fold_case(tmp_path / "c", rule="I1", about="Large.", ledger=b"", expected=expected))
    assert case.expected == expected


def test_answers_are_written_to_be_read(tmp_path: Path) -> None:
    folder = write_fold_case(tmp_path / "c", rule="I1", about="Small.", ledger=b"", expected={"run": RUN, "é": []})
    assert (folder / "rounds.json").read_text("utf-8") == f'{{\n  "run": "{RUN}",\n  "é": []\n}}\n'
    assert (folder / "about.md").read_text("utf-8") == "# c\n\nRule: I1\n\nSmall.\n"


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("One. Two.", "One."),
        ("Of `a.b` the\nfirst stands. More.\n\nMore.", "Of `a.b` the first stands."),
        ("Version 1.0 is old.", "Version 1.0 is old."),
        ("No end", "No end"),
    ],
)
def test_the_first_sentence_is_the_summary(text: str, summary: str) -> None:
    assert About(id="c", rule="I1", text=text).summary == summary


def about(folder: Path, text: str) -> Path:
    folder.mkdir()
    (folder / "about.md").write_text(text, "utf-8")
    return folder


def test_heads_may_follow_each_other_without_empty_lines(tmp_path: Path) -> None:
    read = read_about(about(tmp_path / "c", "# c\nRule: I1\nGenerated.\nUnsealed: why.\nBecause.\n"))
    assert read == About(id="c", rule="I1", text="Because.", generated=True, unsealed="why.")


@pytest.mark.parametrize("text", ["", "# d\nRule: I1\nBecause.", "# c\nBecause.", "Rule: I1\n# c\nBecause."])
def test_an_about_without_its_heads_is_none(tmp_path: Path, text: str) -> None:
    with pytest.raises(ValueError, match=r"about\.md: expects the lines `# c` and `Rule: …` first"):
        read_about(about(tmp_path / "c", text))


def test_an_about_derives_something(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"about\.md: says nothing"):
        read_about(about(tmp_path / "c", "# c\nRule: I1\nGenerated.\nUnsealed: why."))


@pytest.mark.parametrize(
    ("answer", "words"), [("{", "not JSON"), ("[]", "expects a JSON object"), ('{"run": "x"}', "`run` is no run id")]
)
def test_an_answer_that_is_none_is_named(tmp_path: Path, answer: str, words: str) -> None:
    folder = about(tmp_path / "c", "# c\nRule: I1\nBecause.")
    (folder / "rounds.json").write_text(answer)
    with pytest.raises(ValueError, match=rf"rounds\.json: {words}"):
        read_fold_case(folder)


def test_findings(tmp_path: Path) -> None:
    folder = about(tmp_path / "check-c", "# check-c\nRule: ledger.md 8\nBecause.")
    (folder / "ledger.jsonl").write_bytes(b"\n")
    (folder / "findings.json").write_text('{"conforms": false, "faults": [{"code": "not-a-line", "line": 1}]}')
    case = read_check_case(folder)
    assert (case.conforms, case.faults) == (False, (ExpectedFault(code="not-a-line", line=1),))


@pytest.mark.parametrize(
    "findings", ["{}", '{"conforms": 1, "faults": []}', '{"conforms": true, "faults": [{"code": "x"}]}']
)
def test_findings_that_are_none_are_named(tmp_path: Path, findings: str) -> None:
    folder = about(tmp_path / "check-c", "# check-c\nRule: ledger.md 8\nBecause.")
    (folder / "findings.json").write_text(findings)
    with pytest.raises(ValueError, match=r"findings\.json: "):
        read_check_case(folder)


def test_published_cases_are_found_without_a_folder() -> None:
    assert conformance_dir().name == "conformance"
    assert len(fold_cases()) > 200
    assert all(case.id.startswith("check-") for case in check_cases())
