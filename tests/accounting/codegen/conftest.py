"""What a client in another language makes of every document: read once for all tests of a module."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.accounting.codegen.clients import Verdict, judged
from tests.accounting.codegen.documents import Document


@pytest.fixture(scope="module")
def verdicts(client: Sequence[str | Path]) -> Mapping[Document, Verdict]:
    return judged(client)
