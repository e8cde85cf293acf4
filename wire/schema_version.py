"""The version and the hash of the exported schema: written by `rounds schema --out`, not by hand.

docs/clients/README.md tells how two sides compare them.
"""

from typing import Final

SCHEMA_VERSION: Final = "1.0"
"""Major and minor version of the schema; the major one stands in every `$id`."""

SCHEMA_HASH: Final = "bd553bc575b7f8a08d2643ea43ec4fcd6d263c8c7dbfcd7b7f63bf275681b144"
"""SHA-256, as hex, of every definition without its wording: equal hashes mean the same shapes."""
