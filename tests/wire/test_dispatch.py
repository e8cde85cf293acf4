"""The journal of a dispatched run: which state goes with which source, and how it is written."""

import json
from itertools import product

import pytest
from msgspec import UNSET, DecodeError, ValidationError, structs

import wire
from wire.dispatch import SOURCES, TERMINAL
from wire.export import schema_dir

QUEUED = (schema_dir() / "examples/DispatchJournal/1-queued.json").read_bytes()
JOURNAL = wire.decode(QUEUED, wire.DispatchJournal)

# dispatch.md 2.0 and 2.2, by hand.
ALLOWED = {
    ("queued", None),
    ("running", None),
    ("succeeded", "observation"),
    ("succeeded", "transcript"),
    ("failed", "observation"),
    ("failed", "transcript"),
    ("cancelled", "observation"),
    ("unknown", "process-exit"),
}


@pytest.mark.parametrize(("state", "source"), [*product(wire.DispatchState, (None, *wire.StateSource))])
def test_a_state_goes_with_its_sources(state: wire.DispatchState, source: wire.StateSource | None) -> None:
    text = json.dumps(json.loads(QUEUED) | {"state": state, "stateSource": source})
    if (state.value, source and source.value) in ALLOWED:
        assert wire.decode(text, wire.DispatchJournal).state is state
    else:
        with pytest.raises(ValidationError, match=f"`stateSource` of a run that is {state}"):
            wire.decode(text, wire.DispatchJournal)
        with pytest.raises(ValueError, match="stateSource"):
            structs.replace(JOURNAL, state=state, state_source=source)


def test_the_last_four_states_are_final() -> None:
    assert list(SOURCES) == list(wire.DispatchState)
    assert list(wire.DispatchState)[2:] == [state for state in wire.DispatchState if state in TERMINAL]


def test_the_message_says_what_goes() -> None:
    with pytest.raises(ValueError, match="is unknown is process-exit"):
        structs.replace(JOURNAL, state=wire.DispatchState.unknown)
    with pytest.raises(ValueError, match="is queued is null"):
        structs.replace(JOURNAL, state_source=wire.StateSource.observation)
    with pytest.raises(ValueError, match="is failed is observation or transcript"):
        structs.replace(JOURNAL, state=wire.DispatchState.failed)


def test_the_replay_is_only_in_answers() -> None:
    assert (JOURNAL.idempotent_replay, JOURNAL.replay_differs) == (UNSET, UNSET)
    assert b"eplay" not in wire.encode(JOURNAL)
    answer = wire.encode(structs.replace(JOURNAL, idempotent_replay=True))
    assert answer.endswith(b',"idempotentReplay":true}')
    answer = wire.encode(structs.replace(JOURNAL, idempotent_replay=True, replay_differs=("kind", "task")))
    assert answer.endswith(b',"idempotentReplay":true,"replayDiffers":["kind","task"]}')


@pytest.mark.parametrize("cut", [0, 1, 40, len(QUEUED) - 3])
def test_a_journal_that_is_half_written_does_not_read(cut: int) -> None:
    with pytest.raises(DecodeError):
        wire.decode(QUEUED[:cut], wire.DispatchJournal)
