"""msgspec Structs: the package's own, with their codec, as a package to keep beside other code.

The generator that writes the other Python types cannot write these: a union told by its one key (`Note`) becomes
several Structs without a tag, which msgspec refuses to read, and the limit 2^64-1 is left out. The Structs that the
schema is exported from have both, and need msgspec alone.
"""

import re
from pathlib import Path
from typing import Final

import wire
from accounting.codegen.files import header, write

_NAME: Final = "msgspec_structs"
_TOOLS: Final = ("export", "pydantic")
"""What in `wire` is not needed to read and write."""
_import: Final = re.compile(r"^from wire\b\.?", re.MULTILINE)
_told: Final = re.compile(r"\bwire(?=\.[a-z]| import)")


def generate(out: Path) -> tuple[Path, ...]:
    """Writes the package; it refers to itself by relative imports, so it works in any place."""
    root = Path(wire.__file__).parent
    sources = {path.relative_to(root): path.read_text("utf-8") for path in sorted(root.rglob("*.py"))}
    head = f"{header('msgspec', '#')}# SPDX-License-Identifier: Apache-2.0\n"
    files = {
        f"{_NAME}/{path.as_posix()}": f"{head}\n{_moved(text, depth=len(path.parts))}"
        for path, text in sources.items()
        if path.parts[0] not in _TOOLS
    }
    return write(out, "msgspec", {**files, f"{_NAME}/py.typed": head})


def _moved(source: str, depth: int) -> str:
    """The source with its own package under another name: in what it imports, and in what its texts tell."""
    return _told.sub(_NAME, _import.sub(f"from {'.' * depth}", source))
