"""The tools for dispatched runs: what can be started, starting, waiting, cancelling. Spec: dispatch.md 2.2, 2.7.

Nothing here takes a permission: `start_review` may read, `start_run` may edit within the workspace, and the profile
says how its agent is told so.
"""

import os
from typing import Annotated, Final

from msgspec import Meta, Struct

from accounting.dispatch.cancel import cancel
from accounting.dispatch.dispatching import dispatch
from accounting.dispatch.doctor import doctor
from accounting.dispatch.listing import list_runs
from accounting.dispatch.places import state_directory
from accounting.dispatch.start import StartRequest
from accounting.dispatch.store import RunStore
from accounting.dispatch.wait import wait
from accounting.tools.dispatched_text import cancel_text, doctor_text, journal_text, runs_text
from accounting.tools.shortened import answered, cancelled, listed
from accounting.tools.tool import Effects, Tool, tool
from wire.dispatch import CancelAnswer, DispatchJournal, DispatchKind, DispatchList, DoctorReport
from wire.scalars import AbsolutePath, DispatchId

LONGEST_WAIT_S: Final = 600
"""The most that one call waits."""


class Doctor(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What `doctor` takes: nothing."""


class Start(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What `start_review` and `start_run` take."""

    profile: str
    """Which agent: the name of a profile that `doctor` lists."""
    workspace: AbsolutePath
    """The directory it works in: a whole path, from the root; it has to be there."""
    task: str
    """What it is to do, in full: it knows nothing of this conversation."""
    key: str | None = None
    """A name of your own for this very piece of work: asked again with it, the run that is there is answered and
    nothing is started, until it is cancelled. Without one, each call starts a run."""


class Wait(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, rename="camel"):
    """What `wait_run` takes."""

    run_id: DispatchId
    """The run, as starting it answered: `wb-` and 16 hex digits."""
    seconds: Annotated[int, Meta(ge=0, le=LONGEST_WAIT_S)] = 45
    """How long to wait at most, 0 to 600 seconds; 0 only looks. Many clients give a call up after 60."""


class Cancel(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, rename="camel"):
    """What `cancel_run` takes."""

    run_id: DispatchId
    """The run, as starting it answered: `wb-` and 16 hex digits."""


class ListRuns(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What `list_runs` takes."""

    limit: Annotated[int, Meta(ge=1, le=200)] = 20
    """How many at most, 1 to 200."""


def dispatched() -> tuple[Tool, ...]:
    """The entries of the table."""
    return (
        tool(
            "doctor",
            "Which agents can be started on this machine, how, and what stands in the way. Starts and writes nothing.",
            Doctor,
            DoctorReport,
            lambda _: doctor(os.environ),
            doctor_text,
        ),
        tool(
            "start_review",
            "Start an agent that reads a workspace and must not edit it. Answers within some seconds with the run's"
            " journal, mostly before the work is done: `wait_run` tells how it ends.",
            Start,
            DispatchJournal,
            lambda asked: _start(asked, DispatchKind.review),
            journal_text,
            Effects(reads_only=False, destroys=False, repeatable=False, reaches_out=True),
        ),
        tool(
            "start_run",
            "Start an agent that may edit files within a workspace. Answers within some seconds with the run's journal,"
            " mostly before the work is done: `wait_run` tells how it ends.",
            Start,
            DispatchJournal,
            lambda asked: _start(asked, DispatchKind.run),
            journal_text,
            Effects(reads_only=False, destroys=True, repeatable=False, reaches_out=True),
        ),
        tool(
            "wait_run",
            "Wait for a run to end, and answer its journal: as it stands when the time is up, which is no failure; call"
            " again then. Many clients give a call up after 60 seconds: better wait often than long. Only `succeeded`"
            " is success; `unknown` is not.",
            Wait,
            DispatchJournal,
            lambda asked: answered(wait(_store(), asked.run_id, asked.seconds * 1000)),
            journal_text,
        ),
        tool(
            "cancel_run",
            "End a run's agent with all it started. A run that has ended stays as it is; `cancelled` says whether its"
            " process was proven gone.",
            Cancel,
            CancelAnswer,
            lambda asked: cancelled(cancel(_store(), asked.run_id)),
            cancel_text,
            Effects(reads_only=False, destroys=True, repeatable=True, reaches_out=False),
        ),
        tool(
            "list_runs",
            "The runs that were started, the newest first, each as it stands now. Tasks and last words are cut to 300"
            " characters, the cut marked by `…`.",
            ListRuns,
            DispatchList,
            lambda asked: listed(list_runs(_store(), limit=asked.limit)),
            runs_text,
        ),
    )


def _start(asked: Start, kind: DispatchKind) -> DispatchJournal:
    request = StartRequest(
        profile=asked.profile, kind=kind, workspace=asked.workspace, task=asked.task, key=asked.key or None
    )
    return answered(dispatch(request, os.environ))


def _store() -> RunStore:
    return RunStore(state_directory())
