"""Which run a command means: by its id, or a beginning of it that no other shares."""

from typing import TYPE_CHECKING, Final

from accounting.cli.trouble import Trouble

if TYPE_CHECKING:
    from accounting.dispatch.store import RunStore
    from wire.scalars import DispatchId

_LISTED: Final = 20


def own_store() -> "RunStore":
    """The runs of whoever calls. Raises `PlaceError` (`accounting.dispatch.homes`) when it cannot be told where."""
    from accounting.dispatch.places import state_directory
    from accounting.dispatch.store import RunStore

    return RunStore(state_directory())


def run_meant(store: "RunStore", named: str) -> "DispatchId":
    """The run that is meant. Raises `Trouble` when there is none or more than one, `OSError`."""
    # `wb-` begins all of them, and means none.
    found = [run for run in store.ids() if named != "wb-" and named.startswith("wb-") and run.startswith(named)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise Trouble(f"{named}: no such run in {store.runs}; `rounds dispatch list` shows those there are")
    more = (f"and {len(found) - _LISTED:,} more",) if len(found) > _LISTED else ()
    raise Trouble(f"{len(found):,} runs begin with {named!r}; give more of the id", (*found[:_LISTED], *more))
