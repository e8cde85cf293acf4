"""Which turns are on the live branch, and where the person went back. Spec: foreign.md 3.1, order and branches.

The lines form a tree by `parentUuid`. The live branch runs from the last line of the main conversation up to a root.
Where it ends at a line that is not in the file, what lies before is not known to be off it.
"""

from collections.abc import Sequence

from accounting.foreign.claude_code.chain import Chain
from accounting.foreign.claude_code.group import Group
from accounting.foreign.outline import Compaction, Rewind


def live_turns(chain: Chain) -> list[bool | None]:
    """Of each turn whether it is on the live branch; `None` where the lines do not tell."""
    live: list[bool | None] = [None] * len(chain.groups)
    leaf = chain.leaf
    if leaf is None:
        return live
    # Most are one straight line.
    if len(chain.lines) > 1 and chain.lines[-1] == leaf and chain.lines[:-1] == chain.parents[1:]:
        for turn in chain.turns:
            live[turn - 1] = True
        return live
    turn_of = dict(zip(chain.spoken, chain.turns, strict=True))
    parents = dict(zip(chain.lines, chain.parents, strict=True))
    # A root is rare; where most lines name no line before them, there is no tree to speak of.
    if sum(parent is None for parent in parents.values()) * 2 > len(parents):
        return live
    branch: set[str] = set()
    at: str | None = leaf
    while at is not None and at in parents and at not in branch:
        branch.add(at)
        at = parents[at]
    # Off it are only turns whose branch ends in a root, and not in a line that was lost on the way, or in a ring.
    for uuid, turn in turn_of.items():
        if uuid in branch:
            live[turn - 1] = True
        elif at is None and live[turn - 1] is None:
            live[turn - 1] = False
    return live


def rewinds(
    groups: Sequence[Group], live: Sequence[bool | None], compactions: Sequence[Compaction]
) -> tuple[Rewind, ...]:
    """Where the person went back: each stretch of turns off the live branch that no compaction accounts for."""
    compacted = max((compaction.after for compaction in compactions), default=0)
    found: list[Rewind] = []
    stretch: list[int] = []
    for number, is_live in enumerate(live, 1):
        if is_live is False and number > compacted:
            stretch.append(number)
        elif stretch:
            found.append(_rewind(groups[number - 1], stretch))
            stretch = []
    if stretch:
        found.append(_rewind(groups[-1], stretch))
    return tuple(found)


def _rewind(new: Group, left: list[int]) -> Rewind:
    return Rewind(place=new.request.place, t=new.request.called.t, turns=tuple(left))
