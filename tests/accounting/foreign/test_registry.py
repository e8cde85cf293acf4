"""Which reader is asked: told by records at both ends of a file, never by its name or first line alone."""

from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from accounting import foreign
from accounting.foreign import NotForeignError, UnknownAgentError, read, readers, registry, sources
from accounting.foreign.sample import WINDOW, Sample, take_sample
from accounting.foreign.session import Session, Source, run_of
from tests.accounting.foreign.claude_files import SESSION, Writer, text, write


class Strange:
    """A reader from elsewhere."""

    name = "strange"

    def recognise(self, sample: Sample) -> float:
        return float(bool(sample.rows) and all("strange" in row for row in sample.rows))

    def find(self, path: Path, sample: Sample | None) -> Iterator[Source]:
        if sample is not None:
            yield Source(agent=self.name, path=path)

    def read(self, source: Source) -> Iterator[Session]:
        return iter(())


STRANGE = Strange()


@pytest.fixture
def joined(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    entries = [
        EntryPoint("strange", f"{__name__}:STRANGE", registry.GROUP),
        EntryPoint("broken", "no.such.module:READER", registry.GROUP),
    ]

    def entry_points(*, group: str) -> list[EntryPoint]:
        return [entry for entry in entries if entry.group == group]

    monkeypatch.setattr(registry, "entry_points", entry_points)
    registry.load_again()
    yield
    registry.load_again()


def claude(path: Path) -> Path:
    writer = Writer()
    writer.says("go")
    writer.replies("a", text("hi"))
    return write(path, writer.lines)


def test_records_tell_and_not_names(tmp_path: Path) -> None:
    path = claude(tmp_path / "rollout-x.json")
    path.write_bytes(b'{"type":"brand-new"}\nnoise\n' + path.read_bytes())
    known = registry.recognise(path)
    assert known is not None
    assert known[0].name == "claude_code"


def test_readers_join_by_entry_point(joined: None, tmp_path: Path) -> None:
    assert "strange" in [reader.name for reader in readers()]
    assert "broken" in registry.broken_readers()
    path = tmp_path / "x.jsonl"
    path.write_text('{"strange":1}\n')
    assert [source.agent for source in sources(path)] == ["strange"]


def test_an_unknown_file_names_who_was_asked(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"some":"thing"}\n')
    with pytest.raises(NotForeignError) as caught:
        read(path)
    assert "claude_code" in caught.value.tried
    assert str(path) in str(caught.value)


def test_an_unknown_agent_names_the_known(tmp_path: Path) -> None:
    with pytest.raises(UnknownAgentError, match="claude_code"):
        read(claude(tmp_path / "x.jsonl"), "nobody")


def test_a_directory_gives_what_is_known_in_name_order(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    for name in ("z.jsonl", "b/y.jsonl", "a.jsonl"):
        claude(tmp_path / name)
    (tmp_path / "other.jsonl").write_text("{}\n")
    (tmp_path / "notes.txt").write_text("x")
    assert [source.path.relative_to(tmp_path).as_posix() for source in sources(tmp_path)] == [
        "a.jsonl",
        "b/y.jsonl",
        "z.jsonl",
    ]


def test_the_run_is_known_without_reading_on(tmp_path: Path) -> None:
    (source,) = sources(claude(tmp_path / f"{SESSION}.jsonl"))
    assert source.run == SESSION == read(source.path).run


def test_both_ends_of_a_large_file_are_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    line = b'{"n":%d,"pad":"' + b"x" * 1000 + b'"}\n'
    path.write_bytes(b"".join(line % n for n in range(500)))
    sample = take_sample(path)
    numbers = [row["n"] for row in sample.rows]
    assert sample.size > 2 * WINDOW
    assert numbers[0] == 0
    assert numbers[-1] == 499
    assert not sample.document


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        (b"", 0),
        (b'[{"a":1},{"a":2}]', 2),
        (b'[\n {"a":1},\n {"a":', 1),
        (b'{\n "a": 1\n}', 1),
        (b'{"a":1}\n{"a":2}', 2),
        (b'{"a":1}{"a":2}\n', 2),
        (b"\0\0\n\xff\n[1]\n", 0),
    ],
)
def test_what_a_sample_holds(tmp_path: Path, data: bytes, rows: int) -> None:
    path = tmp_path / "x"
    path.write_bytes(data)
    assert len(take_sample(path).rows) == rows


def test_half_a_surrogate_pair_in_an_id(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"type":"user","sessionId":"\\ud800","uuid":"u","parentUuid":null,"message":{"content":"hi"}}\n')
    (source,) = sources(path)
    assert source.run == read(path).run == run_of("claude_code", "\ufffd")
    assert run_of("a", "\ud800") == run_of("a", "?")


def test_a_run_is_the_uuid_or_made_from_agent_and_id() -> None:
    assert run_of("a", SESSION.upper()) == SESSION
    assert run_of("a", "x") == run_of("a", "x") != run_of("b", "x")


def test_loading_the_readers_leaves_the_public_names_alone() -> None:
    registry.load_again()
    readers()
    assert callable(foreign.unread)
    assert callable(foreign.sources)
    assert callable(foreign.sessions)


def test_a_message_that_any_agent_may_write_is_nobodys(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"type":"message","role":"user","content":"x"}\n')
    assert registry.recognise(path) is None


def test_printed_messages_without_a_time_are_vouched_for(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    message = '{"type":"message","role":"assistant","content":"x","delta":true}\n'
    path.write_text('{"type":"init","session_id":"s","model":"m"}\n' + 40 * message)
    known = registry.recognise(path)
    assert known is not None
    assert known[0].name == "gemini"
