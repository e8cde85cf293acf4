"""What every generated client has to do: one process of it reads every document, and is held to the schema."""

import json
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

import pytest

from tests.accounting.codegen.documents import CAREFUL, Careful, Document, damaged, examples, published

CLIENTS: Final = Path(__file__).parents[2] / "clients"


class Verdict(NamedTuple):
    """What a client made of it: the text it wrote again, or why it refused."""

    text: str
    why: str


def workshop(config: pytest.Config, name: str, files: Mapping[str, str]) -> Path:
    """A folder with the client's project and these files; it is kept, so that a compiler finds what it has compiled."""
    folder = config.cache.mkdir(f"client-{name}")
    kept = (path for path in (CLIENTS / name).rglob("*") if path.is_file())
    own = {
        str(path.relative_to(CLIENTS / name)): path.read_text(encoding="utf-8")
        for path in kept
        if not {"node_modules", "build", "target"} & set(path.parts)
    }
    for old in [*folder.glob("rounds/*"), *folder.glob("src/rounds/*")]:
        if str(old.relative_to(folder)) not in files:
            old.unlink()  # Nothing generates it any more.
    for place, text in {**own, **files}.items():
        path = folder / place
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return folder


def command(*words: str | Path, folder: Path, given: str = "", **environment: str) -> str:
    """What a command prints, all of it; it has to end well."""
    done = subprocess.run(
        words,
        cwd=folder,
        env=os.environ | environment,
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, f"{words}: {done.stdout}"
    return done.stdout


def spelled(text: str) -> str:
    """A JSON text as two equal values both spell it; `1` and `1.0` stay two things, and no integer is rounded."""
    return json.dumps(json.loads(text), sort_keys=True)


def known(text: str) -> str:
    """A JSON text less the keys that nobody knows yet, which a client may keep or not: all are named `newer`."""
    return json.dumps(json.loads(text, object_hook=lambda held: {key: held[key] for key in held if key != "newer"}))


def judged(client: Sequence[str | Path]) -> dict[Document, Verdict]:
    """What one process makes of every document: a line of JSON in for each, a line of JSON out."""
    careful = (one.document for one in CAREFUL)
    whole = [one for valid in (True, False) for of in (examples, published) for one in of(valid=valid)]
    every = [*whole, *(one for one, _ in damaged()), *careful]
    lines = "".join(json.dumps({"shape": one.shape, "text": one.text}) + "\n" for one in every)
    printed = command(*client, folder=CLIENTS, given=lines).removesuffix("\n").split("\n")
    return dict(zip(every, (Verdict(**json.loads(line)) for line in printed), strict=True))


class Contract:
    """The tests of a client; the module of each language has a fixture `client`, which says how to start it."""

    regardless: str = ""
    """A pattern of the reasons with which it refuses what the schema, but not the format, allows."""
    otherwise: Mapping[str, str | None] = MappingProxyType({})
    """How it writes some of `CAREFUL` otherwise, as its page says under "Where it differs"."""

    def test_what_is_valid_comes_back_as_it_was(self, verdicts: Mapping[Document, Verdict]) -> None:
        for one in [*examples(valid=True), *published(valid=True)]:
            assert verdicts[one].why == "", one.name
            assert spelled(known(verdicts[one].text)) == spelled(known(one.text)), one.name

    def test_what_is_invalid_is_refused_with_a_reason(self, verdicts: Mapping[Document, Verdict]) -> None:
        invalid = [*examples(valid=False), *published(valid=False)]
        assert [one.name for one in invalid if not verdicts[one].why] == []

    def test_a_damaged_example_is_taken_exactly_when_the_schema_allows_it(
        self, verdicts: Mapping[Document, Verdict]
    ) -> None:
        wrong = {
            one.name: verdicts[one]
            for one, valid in damaged()
            if valid is not (not verdicts[one].why) and not (valid and self._is_regardless(verdicts[one].why))
        }
        assert wrong == {}

    def test_what_is_taken_is_never_altered(self, verdicts: Mapping[Document, Verdict]) -> None:
        altered = {
            one.name: verdicts[one].text
            for one, _ in damaged()
            if not verdicts[one].why and spelled(verdicts[one].text) != spelled(one.text)
        }
        assert altered == {}

    @pytest.mark.parametrize("one", CAREFUL, ids=[one.document.name for one in CAREFUL])
    def test_a_careless_reader_would_alter_it(self, verdicts: Mapping[Document, Verdict], one: Careful) -> None:
        verdict = verdicts[one.document]
        written = self.otherwise.get(one.document.name, one.written)
        if written is None:
            assert verdict.why
        else:
            assert (verdict.why, verdict.text) == ("", written)

    def _is_regardless(self, why: str) -> bool:
        return bool(self.regardless) and re.search(self.regardless, why) is not None
