"""The version and the hash of the exported schema: written by `rounds schema --out`, not by hand.

docs/clients/README.md tells how two sides compare them.
"""

from typing import Final

SCHEMA_VERSION: Final = "1.1"
"""Major and minor version of the schema; the major one stands in every `$id`."""

SCHEMA_HASH: Final = "d2c17045c48f4fdd9626534114d7adbc726f8fdaba57c869b6adbec5df8b6014"
"""SHA-256, as hex, of every definition without its wording: equal hashes mean the same shapes."""
