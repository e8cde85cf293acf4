"""Large ledgers are read through an index in the cache; one run in figures."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import json

from accounting.cli import source
from accounting.conformance.strategies.history import histories
from accounting.ledger import Ledger
from accounting.sample import PATH
from accounting.views.rounds import read_rounds
from accounting.views.runs import read_runs
from tests.accounting.cli.help import environment, ledger, process, rounds
from tests.accounting.ledger.index.world import ABSENT, ASKED
from tests.build_sample import ARCHIVE, KEEPER
from tests.cases.build import NIL, OTHER, RUN, line, model, of, replied, text
from tests.compare import Plain
from tests.lines import canonical, write

COMMANDS = (("fold",), ("show",), ("show", "--json"), ("show", "--window", "3"), ("runs",), ("runs", "--json"))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache directory, and an index for ledgers of any size."""
    monkeypatch.setenv(source.CACHE, str(tmp_path / "cache"))
    monkeypatch.setattr(source, "INDEX_PAYS", 0)
    return tmp_path / "cache"


@pytest.fixture
def at(tmp_path: Path) -> Path:
    """A ledger with a problem in it."""
    path = ledger(tmp_path / "a.jsonl", model(), of(OTHER, model()), replied(text("x")), of(OTHER, model()))
    path.write_bytes(path.read_bytes() + b"junk\n")
    return path


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("run", [RUN, RUN[:6], OTHER, ABSENT])
def test_the_same_with_and_without(
    at: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], run: str
) -> None:
    def printed() -> tuple[int, str, str]:
        done = rounds(*command, at, "--run", run)
        return done.exit_code, done.stdout, done.stderr

    first, again = printed(), printed()
    assert [file.suffix for file in (cache / "index").iterdir()] == [".sqlite3"]
    assert first == again
    monkeypatch.setenv(source.CACHE, "")
    assert printed() == first


def test_where_none_is_kept(at: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def keeps_none(*arguments: str | Path, input: bytes | None = None) -> None:
        given = rounds(*arguments, input=input)
        assert given.exit_code in (0, 1), given.stderr
        assert not cache.exists()

    # All runs are read, it comes by a pipe, it is small, it is not wanted, it would lie inside the ledger.
    keeps_none("runs", at)
    keeps_none("fold", "-", "--run", RUN, input=at.read_bytes())
    monkeypatch.setattr(source, "INDEX_PAYS", at.stat().st_size + 1)
    keeps_none("fold", at, "--run", RUN)
    monkeypatch.setattr(source, "INDEX_PAYS", at.stat().st_size)
    monkeypatch.setenv(source.CACHE, "")
    keeps_none("fold", at, "--run", RUN)
    city = tmp_path / "city"
    city.mkdir()
    at.rename(city / f"ledger-{0:020d}.jsonl")
    monkeypatch.setenv(source.CACHE, str(city / "cache"))
    keeps_none("fold", city, "--run", RUN)
    assert len([*city.iterdir()]) == 1


def test_a_cache_that_cannot_be_used_costs_nothing(at: Path, cache: Path) -> None:
    cache.write_text("in the way")
    given = rounds("fold", at, "--run", RUN)
    assert (given.exit_code, given.stdout[:9]) == (1, '{"run":"1')
    assert given.stderr.count("\n") == 1


def test_the_users_own_cache(at: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(source.CACHE)
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: tmp_path / "own")  # pyright: ignore
    assert rounds("fold", at, "--run", RUN).exit_code == 1
    assert [file.suffix for file in (tmp_path / "own" / "index").iterdir()] == [".sqlite3"]
    # Where nobody's home is known the path is not absolute.
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: Path("~/.cache"))  # pyright: ignore
    monkeypatch.chdir(tmp_path)
    assert rounds("fold", at, "--run", RUN).exit_code == 1
    assert not Path("~").exists()


def test_a_large_ledger_by_a_real_process(tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    filler = b"".join(canonical({**LINE, "seq": seq, "data": {"text": "x" * 100_000}}) + b"\n" for seq in range(10))
    with path.open("wb") as file:
        for _ in range(source.INDEX_PAYS // len(filler) + 1):
            file.write(filler)
        file.write(canonical({**LINE, "run": OTHER, "kind": "model_called"}) + b"\n")
    env = environment(**{source.CACHE: str(tmp_path / "cache")})
    first, again = (process("fold", path, "--run", OTHER, env=env) for _ in range(2))
    assert (first.returncode, first.stderr) == (0, b"")
    assert json.decode(first.stdout)["turns"][0]["number"] == 1
    assert again.stdout == first.stdout
    assert len([*(tmp_path / "cache" / "index").iterdir()]) == 1


LINE: Plain = {"v": 2, "run": RUN, "seq": 0, "t": 5, "kind": "went_back", "data": {}}


def test_the_bar_says_what_is_being_done(monkeypatch: pytest.MonkeyPatch) -> None:
    labels: list[Callable[[], str]] = []

    def noted(label: Callable[[], str], *_: object) -> AbstractContextManager[None]:
        labels.append(label)
        return nullcontext()

    monkeypatch.setattr(source, "progress", noted)
    with source.reading(Ledger(PATH), "folding"):
        [label] = labels
        assert label() == "folding"
        monkeypatch.setattr(Ledger, "indexing", True)
        assert label() == "indexing"


# One run in figures.


def test_one_run_of_the_sample() -> None:
    every = json.decode(rounds("runs", PATH, "--json").stdout)
    assert [run["run"] for run in every] == [KEEPER, ARCHIVE]
    for run in every:
        for asked in (run["run"], run["run"][:10].upper()):
            given = rounds("runs", PATH, "--json", "--run", asked)
            assert (given.exit_code, json.decode(given.stdout)) == (0, [run])
    assert ARCHIVE not in rounds("runs", PATH, "--run", KEEPER).stdout


def test_a_run_that_is_not_there(at: Path) -> None:
    given = rounds("runs", at, "--run", "f")
    assert (given.exit_code, given.stdout) == (2, "")
    assert "no run 'f'; for --run there are:" in given.stderr
    assert rounds("runs", at, "--run", RUN).stderr.startswith(f"rounds: {at}:5 (byte ")


def test_the_nil_run_is_there_when_it_is_asked_for(tmp_path: Path) -> None:
    path = ledger(tmp_path / "a", of(NIL, line("city_initialized")), model())
    assert [run["run"] for run in json.decode(rounds("runs", path, "--json", "--run", NIL).stdout)] == [NIL]


@settings(max_examples=settings().max_examples // 5)
@given(histories(), st.integers(1, 5))
def test_one_run_has_the_figures_that_it_has_among_all(
    tmp_path_factory: pytest.TempPathFactory, records: list[Plain], window: int
) -> None:
    folder = tmp_path_factory.mktemp("runs")
    path = write(folder / "a.jsonl", [canonical(one) for one in records])
    every = {run.run: run for run in read_runs(path).runs}
    for run in ASKED:
        found = read_runs(path, run)
        assert found == read_runs(Ledger(path, index=folder / "index"), run)
        assert found.runs == ((every[run],) if run in every else ()) or (run == NIL and run not in every)
        assert bool(found.runs) == any(one["run"] == run for one in records)
        # A window costs its run and no other.
        assert read_rounds(Ledger(path, index=folder / "index"), run, window) == read_rounds(path, run, window)
