"""The version and the hash of the exported schema: written by `rounds schema --out`, not by hand.

schema/README.md tells how two sides compare them.
"""

from typing import Final

SCHEMA_VERSION: Final = "1.0"
"""Major and minor version of the schema; the major one stands in every `$id`."""

SCHEMA_HASH: Final = "a4c5d9ba8429f391aa99dc5f9a52316e281e54e9134c92aaa8c63dbfcba90e17"
"""SHA-256, as hex, of every definition without its wording: equal hashes mean the same shapes."""
