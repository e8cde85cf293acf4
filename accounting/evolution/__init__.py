"""How a schema changes: what is different between two of them, and what that does to readers of old and of new data.

from pathlib import Path

from accounting.evolution import compare

for one in compare(Path("schema/released"), Path("schema")).differences:
    print(one.change.value, one.path, one.new_reads_old.value, one.old_reads_new.value)
"""

from accounting.evolution.compare import compare, differences
from accounting.evolution.difference import Change, Comparison, Difference, Reading, Step
from accounting.evolution.keywords import SchemaError

__all__ = ["Change", "Comparison", "Difference", "Reading", "SchemaError", "Step", "compare", "differences"]
