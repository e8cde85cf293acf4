# Made by `rounds codegen pydantic`: not to be edited, but made again.
# Schema of rounds, version 1.1, hash
# d2c17045c48f4fdd9626534114d7adbc726f8fdaba57c869b6adbec5df8b6014
# ruff: noqa
# fmt: off

from __future__ import annotations

from enum import StrEnum
from re import compile
from typing import Annotated, Any, Literal

from pydantic import MISSING
from pydantic import BaseModel as _BaseModel
from pydantic import (
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StrictStr,
    StringConstraints,
)
from typing_extensions import TypeAliasType
from math import isfinite as _isfinite
from pydantic import AfterValidator as _AfterValidator


def _finite(value: Any) -> Any:
    """Refuses NaN and infinities, which JSON has not: they would be written as null. `1e400` reads as one."""
    held = [value]
    while held:
        one = held.pop()
        if isinstance(one, float) and not _isfinite(one):
            raise ValueError("no number of JSON, or past those that a double holds")
        held += one.values() if isinstance(one, dict) else one if isinstance(one, list | tuple) else ()
    return value


Json = Annotated[Any, _AfterValidator(_finite)]
"""Any JSON. A number with a fraction or an exponent is a float."""


class BaseModel(_BaseModel):
    model_config = ConfigDict(
        validate_by_name=True, serialize_by_alias=True,
        frozen=True,
        use_attribute_docstrings=True,
    )


AbsolutePath = TypeAliasType(
    "AbsolutePath",
    Annotated[
        StrictStr,
        Field(min_length=1, pattern='^(?:(?:/|[A-Za-z]:[\\\\/]|\\\\\\\\)[^\\u0000]*)$'),
    ],
)
"""A path from the root of a file system, as POSIX or Windows spells it."""


Address = TypeAliasType(
    "Address",
    Annotated[
        StrictStr,
        Field(
            min_length=1,
            pattern='^(?:[^/\\\\:\\u0000-\\u001f\\u007f-\\u009f]*[^/\\\\:.\\u0000-\\u001f\\u007f-\\u009f\\u0009-\\u000d\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000](?:/[^/\\\\:\\u0000-\\u001f\\u007f-\\u009f]*[^/\\\\:.\\u0000-\\u001f\\u007f-\\u009f\\u0009-\\u000d\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000])*)$',
        ),
    ],
)
"""A canonical relative path; accepted text is never normalised."""


class Admission(StrEnum):
    """
    What has to hold before the session's work is admitted; the words are the city's own. A word that is not here is refused; a view of the ledger takes the whole policy for absent.

    - `standing`: The standing rules.
    - `tested`: The tests pass.
    - `contract_kept`: The contract is kept.
    - `double_validated`: Two validations agree.
    """

    standing = 'standing'
    tested = 'tested'
    contract_kept = 'contract_kept'
    double_validated = 'double_validated'


class ApprovalResolvedVerdict(StrEnum):
    """The person's word: `allow` lets it be done, `deny` does not. A word that is not here is refused; a view of the ledger does not look at it."""

    allow = 'allow'
    deny = 'deny'


ArchiveMode = TypeAliasType(
    "ArchiveMode", Annotated[Literal['copy'], Field(title='ArchiveMode')]
)
"""
How a session came into the archive. A word that is not here is refused.

- `copy`: By copying: the session file stays where it is.
"""


AskSeq = TypeAliasType("AskSeq", Annotated[StrictInt, Field(ge=1, le=9007199254740991)])
"""The number of a question in its thread, from 1, perhaps with gaps. Whatever answers it carries the same number."""


class AskState(StrEnum):
    """
    How a question stands: what settled it last, or else whether anything has been answered. A word that is not here is refused.

    - `waiting`: Not settled, and nothing but white space so far.
    - `answering`: Not settled, with a part of its answer.
    - `answered`: An `end` came last.
    - `cancelled`: An `aborted` came last.
    - `failed`: An `error` came last.
    """

    waiting = 'waiting'
    answering = 'answering'
    answered = 'answered'
    cancelled = 'cancelled'
    failed = 'failed'


class AskTurn(BaseModel):
    """A question and its whole answer: what a thread folds to, in order of `seq`, for each question that has one."""

    question: StrictStr
    """The question's text."""
    answer: Annotated[StrictStr, Field(min_length=1)]
    """The pieces of the answer joined, trimmed; never empty."""


class AttachUserBrowserEffect(BaseModel):
    """Takes over the person's own browser."""

    address: StrictStr | None | MISSING = MISSING
    """Where the browser listens; null when the default is meant."""


B3Hash = TypeAliasType(
    "B3Hash",
    Annotated[
        StrictStr, Field(max_length=64, min_length=64, pattern='^(?:[0-9a-f]{64})$')
    ],
)
"""A BLAKE3 hash: exactly 64 lower-case hex digits."""


class Cluster(BaseModel):
    """The kind of approval that was resolved."""

    class_: Annotated[StrictStr, Field(alias='class')]
    """The kind."""
    detail: StrictStr
    """Its own words."""


class Cut(BaseModel):
    """The provider's reply was cut off."""

    kind: Literal['cut']
    """Says which form this is."""


class Dialect(StrEnum):
    """
    The provider protocol that the counts came from. A word that is not here is refused; a view of the ledger does not look at it.

    - `anthropic`: Anthropic's messages.
    - `open_ai`: OpenAI's chat completions, and what is built alike.
    - `open_ai_responses`: OpenAI's responses.
    """

    anthropic = 'anthropic'
    open_ai = 'open_ai'
    open_ai_responses = 'open_ai_responses'


class DiffRender(BaseModel):
    """Shown as a change to files."""

    locations: list[Address]
    """The files."""


class DispatchError(BaseModel):
    """Why a run failed, or why nobody knows how it went."""

    code: StrictStr
    """A word for programs; a newer writer may know more."""
    message: StrictStr
    """A sentence for people."""


DispatchId = TypeAliasType(
    "DispatchId",
    Annotated[
        StrictStr, Field(max_length=19, min_length=19, pattern='^(?:wb-[0-9a-f]{16})$')
    ],
)
"""The id of a dispatched run: `wb-` and 16 lower-case hex digits."""


class DispatchKind(StrEnum):
    """
    What the agent may do in the workspace. A word that is not here is refused.

    - `review`: Read; it must not edit.
    - `run`: Edit, within the workspace.
    """

    review = 'review'
    run = 'run'


class DispatchState(StrEnum):
    """
    Where a dispatched run stands. The last four are final, but that `unknown` may become one of the two before. A word that is not here is refused.

    - `queued`: Written down, and nothing started yet.
    - `running`: The agent was started.
    - `succeeded`: The agent reported a result that is no error.
    - `failed`: The agent reported an error, or could not be started.
    - `cancelled`: Somebody cancelled it, and the process was seen to be gone.
    - `unknown`: The process is gone without a result: never counted as success.
    """

    queued = 'queued'
    running = 'running'
    succeeded = 'succeeded'
    failed = 'failed'
    cancelled = 'cancelled'
    unknown = 'unknown'


class EffectOnAttachUserBrowser(BaseModel):
    """EffectOn with the key `attach_user_browser`."""

    model_config = ConfigDict(
        extra='forbid',
    )
    attach_user_browser: AttachUserBrowserEffect
    """Takes over the person's own browser."""


class EffectWord(StrEnum):
    """An effect that names nothing more: `read` looks and changes nothing, `egress` sends something out, `spawn` starts a session, `govern` changes the rules, `spend` costs money. A word that is not here is refused; a view of the ledger takes it for absent."""

    read = 'read'
    egress = 'egress'
    spawn = 'spawn'
    govern = 'govern'
    spend = 'spend'


class Effort(StrEnum):
    """
    How hard the model was asked to think. Absent is not `none`. A word that is not here is refused; a view of the ledger takes it for absent.

    - `none`: Not at all.
    - `low`: A little.
    - `medium`: In between.
    - `high`: Much.
    - `xhigh`: More than `high`.
    - `max`: As much as the model can.
    """

    none = 'none'
    low = 'low'
    medium = 'medium'
    high = 'high'
    xhigh = 'xhigh'
    max = 'max'


class EndedByLeaving(BaseModel):
    """The other one left."""

    end: Literal['left']
    """Says which form this is."""


class EndedByTimeout(BaseModel):
    """The deadline passed."""

    end: Literal['timeout']
    """Says which form this is."""


class ErrorCode(StrEnum):
    """
    The closed set of failure codes. A word that is not here is refused; a view of the ledger calls such a refusal unreadable, and shows the error of a tool as it stands.

    - `E_PATH_NOT_FOUND`: There is nothing at the path.
    - `E_TOOL_UNKNOWN`: No tool has that name.
    - `E_TOOL_UNAVAILABLE`: The tool exists and cannot be used now.
    - `E_INVALID_ARGS`: The arguments do not fit.
    - `E_OUTSIDE_WRITE_DOMAIN`: It would write outside the place where writing is allowed.
    - `E_VERSION_CONFLICT`: What was to be changed has changed in the meantime.
    - `E_GATE_DENIED`: A gate denied the action; `gate` says which rule, and what is allowed instead.
    - `E_BUDGET_EXHAUSTED`: The budget is spent.
    - `E_TIMEOUT`: It took too long.
    - `E_PROVIDER`: The model's provider failed; `provider` says how, where that is known.
    - `E_PROVIDER_ACCOUNTS_EXHAUSTED`: Every account with the provider is used up.
    - `E_EVIDENCE_MISSING`: What was claimed is not shown.
    - `E_LOOP_SUSPECTED`: The session seems to go in circles.
    - `E_LOCATOR_INVALID`: A Locator does not read, or leads nowhere.
    - `E_SANDBOX_DENIED`: The sandbox denied it.
    - `E_BUSY`: Something else is using it.
    - `E_DRAFT_STALE`: The draft rests on something that has changed.
    - `E_GOAL_CONFLICT`: Two goals conflict.
    - `E_TAINTED_ACTION`: Untrusted content led to the action.
    - `E_REPAIR_BUSY`: A repair is under way.
    - `E_DELEGATION_DEPTH`: Work was handed on too many times.
    - `E_APPROVAL_PENDING`: A person has not answered yet.
    - `E_APPROVAL_DENIED`: A person said no.
    - `E_CROSS_BUILDING_DENIED`: It may not pass from one building to another.
    - `E_DIGEST_SUSPECT`: A digest is not to be trusted.
    - `E_CREDENTIAL_MISSING`: A credential is missing.
    - `E_MODEL_UNCHOSEN`: No model was chosen.
    - `E_CONFIG_INVALID`: The configuration does not read.
    - `E_CAS_CORRUPT`: Stored content does not match its hash.
    - `E_STORAGE_FATAL`: The storage failed for good.
    - `E_WORKTREE_BUSY`: The working tree is in use.
    - `E_BROWSER_UNAVAILABLE`: There is no browser to use.
    - `E_ENDPOINT_DIALECT_UNSUPPORTED`: The endpoint speaks a protocol that is not supported.
    - `E_WIRE_MISMATCH`: The two sides have different major versions of what travels.
    - `E_LOG_VERSION_UNSUPPORTED`: A line was written by a newer version of the format than is known.
    - `E_LEDGER_HELD`: Another writer holds the ledger's lock.
    - `E_HISTORY_UNPROVEN`: The history could not be verified.
    - `E_SECRET_EGRESS`: A secret would have left.
    - `E_DISCARD_IRREVERSIBLE`: What would be thrown away could not be brought back.
    - `E_BACKPRESSURE_SHED`: It was turned away because there was too much.
    - `E_TOOL_OUTCOME_UNKNOWN`: Whether the tool did its work is not known: the answer was supplied after a restart, and is not timed.
    - `E_PLAN_MISSING`: There is no plan.
    """

    e_path_not_found = 'E_PATH_NOT_FOUND'
    e_tool_unknown = 'E_TOOL_UNKNOWN'
    e_tool_unavailable = 'E_TOOL_UNAVAILABLE'
    e_invalid_args = 'E_INVALID_ARGS'
    e_outside_write_domain = 'E_OUTSIDE_WRITE_DOMAIN'
    e_version_conflict = 'E_VERSION_CONFLICT'
    e_gate_denied = 'E_GATE_DENIED'
    e_budget_exhausted = 'E_BUDGET_EXHAUSTED'
    e_timeout = 'E_TIMEOUT'
    e_provider = 'E_PROVIDER'
    e_provider_accounts_exhausted = 'E_PROVIDER_ACCOUNTS_EXHAUSTED'
    e_evidence_missing = 'E_EVIDENCE_MISSING'
    e_loop_suspected = 'E_LOOP_SUSPECTED'
    e_locator_invalid = 'E_LOCATOR_INVALID'
    e_sandbox_denied = 'E_SANDBOX_DENIED'
    e_busy = 'E_BUSY'
    e_draft_stale = 'E_DRAFT_STALE'
    e_goal_conflict = 'E_GOAL_CONFLICT'
    e_tainted_action = 'E_TAINTED_ACTION'
    e_repair_busy = 'E_REPAIR_BUSY'
    e_delegation_depth = 'E_DELEGATION_DEPTH'
    e_approval_pending = 'E_APPROVAL_PENDING'
    e_approval_denied = 'E_APPROVAL_DENIED'
    e_cross_building_denied = 'E_CROSS_BUILDING_DENIED'
    e_digest_suspect = 'E_DIGEST_SUSPECT'
    e_credential_missing = 'E_CREDENTIAL_MISSING'
    e_model_unchosen = 'E_MODEL_UNCHOSEN'
    e_config_invalid = 'E_CONFIG_INVALID'
    e_cas_corrupt = 'E_CAS_CORRUPT'
    e_storage_fatal = 'E_STORAGE_FATAL'
    e_worktree_busy = 'E_WORKTREE_BUSY'
    e_browser_unavailable = 'E_BROWSER_UNAVAILABLE'
    e_endpoint_dialect_unsupported = 'E_ENDPOINT_DIALECT_UNSUPPORTED'
    e_wire_mismatch = 'E_WIRE_MISMATCH'
    e_log_version_unsupported = 'E_LOG_VERSION_UNSUPPORTED'
    e_ledger_held = 'E_LEDGER_HELD'
    e_history_unproven = 'E_HISTORY_UNPROVEN'
    e_secret_egress = 'E_SECRET_EGRESS'
    e_discard_irreversible = 'E_DISCARD_IRREVERSIBLE'
    e_backpressure_shed = 'E_BACKPRESSURE_SHED'
    e_tool_outcome_unknown = 'E_TOOL_OUTCOME_UNKNOWN'
    e_plan_missing = 'E_PLAN_MISSING'


class Exchange(BaseModel):
    """The provider broke the protocol of the exchange."""

    kind: Literal['exchange']
    """Says which form this is."""


class FileDiscarded(BaseModel):
    """Files were thrown away."""

    paths: list[StrictStr]
    """The files."""
    restoration: Json | MISSING = MISSING
    """How to bring them back; any JSON, null or absent when there is no way."""


class Finished(BaseModel):
    """A child session finished its work."""

    verified_by: StrictStr
    """What the work was checked with."""


class FrozenNames(BaseModel):
    """The names that were in force when the session began."""

    mayor: StrictStr | None
    """The mayor's name; null for the default name of the reader's language."""


class Gate(BaseModel):
    """The gate that said no."""

    rule: StrictStr
    """The rule that was applied."""
    violation: StrictStr
    """How the action broke it."""
    alternative: StrictStr
    """What is allowed instead."""


GitOid = TypeAliasType(
    "GitOid",
    Annotated[
        StrictStr, Field(max_length=40, min_length=40, pattern='^(?:[0-9a-f]{40})$')
    ],
)
"""A git object id: exactly 40 lower-case hex digits."""


class HandbackFinished(BaseModel):
    """Handback with the key `finished`."""

    model_config = ConfigDict(
        extra='forbid',
    )
    finished: Finished
    """It finished."""


class Health(StrEnum):
    """
    How an automation does. A word that is not here is refused.

    - `well`: Its last run came out well, or it has not run yet, and nothing below holds.
    - `overdue`: It should have run by now.
    - `stuck`: It has been running longer than a run may take.
    - `failing`: Its last run came out badly, or the scheduler has an error down.
    - `unknown`: It has run, and how that came out is not told.
    - `paused`: It is not to run.
    """

    well = 'well'
    overdue = 'overdue'
    stuck = 'stuck'
    failing = 'failing'
    unknown = 'unknown'
    paused = 'paused'


I64 = TypeAliasType(
    "I64", Annotated[StrictInt, Field(ge=-9223372036854775808, le=9223372036854775807)]
)
"""An integer of -2^63..2^63-1. Can exceed 2^53: in JavaScript, read it with a parser that keeps big integers."""


class Invocation(BaseModel):
    """How the agent was started."""

    argv: list[StrictStr]
    """The command and its arguments."""
    env_keys: Annotated[list[StrictStr], Field(alias='envKeys')]
    """The names of what its environment was given; never the values."""


IsoTime = TypeAliasType(
    "IsoTime",
    Annotated[
        StrictStr,
        Field(
            max_length=24,
            min_length=24,
            pattern='^(?:[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\\.[0-9]{3}Z)$',
        ),
    ],
)
"""A time in UTC as text, with exactly three digits of a second: `2026-09-01T08:00:00.000Z`."""


JsonObject = TypeAliasType(
    "JsonObject", Annotated[dict[StrictStr, Json], Field(title='JsonObject')]
)
"""Any JSON object."""


class Kind(StrEnum):
    """
    What a line records: the closed set. A checker takes a line of another kind only with `ig`. A word that is not here is refused; an `AnyEvent` keeps it, and a view of the ledger passes over the line.

    - `city_initialized`: The city began: the first line of its ledger.
    - `building_created`: A building was put up.
    - `building_configured`: A building's settings were changed.
    - `building_removed`: A building was taken down.
    - `session_opened`: A session was opened.
    - `run_started`: A session began its work.
    - `run_forked`: A session was split off from another.
    - `prompt_assembled`: A prompt was put together.
    - `prompt_shape_compared`: The shape of a prompt was compared with another's.
    - `model_called`: A request went out to a model.
    - `model_returned`: A model's reply is whole.
    - `tool_called`: A tool was called.
    - `tool_result`: A tool answered, or failed.
    - `result_offloaded`: A long result was stored apart.
    - `gate_checked`: A gate was asked.
    - `gate_denied`: A gate denied an action.
    - `checkpoint_committed`: The work so far was committed, or a dispatch's job was pinned.
    - `handoff_written`: A hand-off to another session was written.
    - `steer_received`: Somebody spoke to the session while it worked.
    - `cancel_received`: The session was told to stop.
    - `watchdog_fired`: The watchdog stepped in.
    - `budget_limit`: A budget ran out.
    - `run_frozen`: A session ended.
    - `log_truncated`: A writer cut a torn tail off the ledger.
    - `signal_enqueued`: A letter was sent.
    - `signal_consumed`: A letter was taken in.
    - `draft_held`: A draft was held back.
    - `draft_resolved`: A draft that was held back was decided on.
    - `goal_registered`: A goal was entered.
    - `goal_conflict`: Two goals were found to conflict.
    - `arbitration_verdict`: A conflict was decided.
    - `repair_started`: A repair began.
    - `repair_reused`: An earlier repair was used again.
    - `worktree_opened`: A session got a working tree of its own.
    - `pr_opened`: A pull request was opened.
    - `pr_merged`: A pull request was merged.
    - `pr_rejected`: A pull request was rejected.
    - `roadmap_claimed`: An item of the roadmap was claimed.
    - `roadmap_finished`: An item of the roadmap was finished.
    - `roadmap_released`: A claim to an item of the roadmap was given up.
    - `roadmap_split`: An item of the roadmap was split.
    - `roadmap_blocked`: An item of the roadmap was blocked.
    - `pursuit_changed`: What is pursued was changed.
    - `approval_requested`: The session waits for a person's word.
    - `approval_resolved`: A person answered an approval.
    - `policy_created`: A policy was made.
    - `policy_revoked`: A policy was withdrawn.
    - `taint_promoted`: Tainted content was promoted.
    - `cross_building_transfer`: Something was moved from one building to another.
    - `city_halted`: The city was halted.
    - `backpressure_shed`: Work was turned away because there was too much.
    - `digest_invalidated`: A digest was declared void.
    - `endpoint_attached`: An endpoint was attached.
    - `endpoint_probed`: An endpoint was probed.
    - `endpoint_lost`: An endpoint was lost.
    - `model_selected`: A model was chosen.
    - `provider_degraded`: A provider refused, or the vault fell back to another store.
    - `login_started`: A login began.
    - `eval_run`: An evaluation was run.
    - `asset_archived`: An asset was archived.
    - `credential_lent`: A credential was lent.
    - `secret_captured`: A secret was taken into keeping.
    - `secret_egress_blocked`: A secret was kept from leaving.
    - `file_discarded`: Files were thrown away.
    - `discard_restored`: Files that were thrown away were brought back.
    - `autonomy_changed`: How much may be done unasked was changed.
    - `went_back`: The work went back to an earlier state.
    - `file_restored`: A file was restored.
    - `governed_document_written`: A governed document was written.
    - `spine_document_written`: A document of the spine was written.
    - `rules_changed`: The rules were changed.
    - `toolkit_link_opened`: A link to a toolkit was opened.
    - `embedding_called`: A request went out to an embedding model.
    - `rerank_called`: A request went out to a reranking model.
    - `adviser_asked`: An adviser was asked.
    - `adviser_answered`: An adviser answered.
    - `adviser_fell_back`: An adviser fell back to another way.
    - `cache_renewed`: A cache was renewed.
    - `harness_reported`: A harness reported.
    - `harness_answered`: A harness answered.
    - `remote_opened`: A remote connection was opened.
    - `remote_closed`: A remote connection was closed.
    - `device_paired`: A device was paired.
    - `device_revoked`: A device's pairing was revoked.
    - `remote_session_started`: A session was started from afar.
    - `document_written`: A document was written.
    - `proposal_offered`: A proposal was made.
    - `proposal_decided`: A proposal was decided on.
    - `proposal_withdrawn`: A proposal was withdrawn.
    - `run_policy_changed`: The terms a session runs under were changed.
    - `session_named`: A session was given a name.
    - `skill_audited`: A skill was audited.
    - `signal_wait_started`: The session began to wait for a reply.
    - `signal_wait_ended`: The session stopped waiting for a reply.
    - `signal_landed`: It became known where a letter went.
    """

    city_initialized = 'city_initialized'
    building_created = 'building_created'
    building_configured = 'building_configured'
    building_removed = 'building_removed'
    session_opened = 'session_opened'
    run_started = 'run_started'
    run_forked = 'run_forked'
    prompt_assembled = 'prompt_assembled'
    prompt_shape_compared = 'prompt_shape_compared'
    model_called = 'model_called'
    model_returned = 'model_returned'
    tool_called = 'tool_called'
    tool_result = 'tool_result'
    result_offloaded = 'result_offloaded'
    gate_checked = 'gate_checked'
    gate_denied = 'gate_denied'
    checkpoint_committed = 'checkpoint_committed'
    handoff_written = 'handoff_written'
    steer_received = 'steer_received'
    cancel_received = 'cancel_received'
    watchdog_fired = 'watchdog_fired'
    budget_limit = 'budget_limit'
    run_frozen = 'run_frozen'
    log_truncated = 'log_truncated'
    signal_enqueued = 'signal_enqueued'
    signal_consumed = 'signal_consumed'
    draft_held = 'draft_held'
    draft_resolved = 'draft_resolved'
    goal_registered = 'goal_registered'
    goal_conflict = 'goal_conflict'
    arbitration_verdict = 'arbitration_verdict'
    repair_started = 'repair_started'
    repair_reused = 'repair_reused'
    worktree_opened = 'worktree_opened'
    pr_opened = 'pr_opened'
    pr_merged = 'pr_merged'
    pr_rejected = 'pr_rejected'
    roadmap_claimed = 'roadmap_claimed'
    roadmap_finished = 'roadmap_finished'
    roadmap_released = 'roadmap_released'
    roadmap_split = 'roadmap_split'
    roadmap_blocked = 'roadmap_blocked'
    pursuit_changed = 'pursuit_changed'
    approval_requested = 'approval_requested'
    approval_resolved = 'approval_resolved'
    policy_created = 'policy_created'
    policy_revoked = 'policy_revoked'
    taint_promoted = 'taint_promoted'
    cross_building_transfer = 'cross_building_transfer'
    city_halted = 'city_halted'
    backpressure_shed = 'backpressure_shed'
    digest_invalidated = 'digest_invalidated'
    endpoint_attached = 'endpoint_attached'
    endpoint_probed = 'endpoint_probed'
    endpoint_lost = 'endpoint_lost'
    model_selected = 'model_selected'
    provider_degraded = 'provider_degraded'
    login_started = 'login_started'
    eval_run = 'eval_run'
    asset_archived = 'asset_archived'
    credential_lent = 'credential_lent'
    secret_captured = 'secret_captured'
    secret_egress_blocked = 'secret_egress_blocked'
    file_discarded = 'file_discarded'
    discard_restored = 'discard_restored'
    autonomy_changed = 'autonomy_changed'
    went_back = 'went_back'
    file_restored = 'file_restored'
    governed_document_written = 'governed_document_written'
    spine_document_written = 'spine_document_written'
    rules_changed = 'rules_changed'
    toolkit_link_opened = 'toolkit_link_opened'
    embedding_called = 'embedding_called'
    rerank_called = 'rerank_called'
    adviser_asked = 'adviser_asked'
    adviser_answered = 'adviser_answered'
    adviser_fell_back = 'adviser_fell_back'
    cache_renewed = 'cache_renewed'
    harness_reported = 'harness_reported'
    harness_answered = 'harness_answered'
    remote_opened = 'remote_opened'
    remote_closed = 'remote_closed'
    device_paired = 'device_paired'
    device_revoked = 'device_revoked'
    remote_session_started = 'remote_session_started'
    document_written = 'document_written'
    proposal_offered = 'proposal_offered'
    proposal_decided = 'proposal_decided'
    proposal_withdrawn = 'proposal_withdrawn'
    run_policy_changed = 'run_policy_changed'
    session_named = 'session_named'
    skill_audited = 'skill_audited'
    signal_wait_started = 'signal_wait_started'
    signal_wait_ended = 'signal_wait_ended'
    signal_landed = 'signal_landed'


KindWord = TypeAliasType(
    "KindWord",
    Annotated[
        StrictStr, Field(min_length=1, pattern='^(?:[a-z][a-z0-9]*(?:_[a-z0-9]+)*)$')
    ],
)
"""The spelling of a kind, known or not: lower-case words and digits joined by `_`."""


class Landing(StrEnum):
    """
    Where a letter went. A word that is not here is refused; a view of the ledger takes it for absent.

    - `delivered`: It was handed to its receiver.
    - `knocked`: Its receiver was called on.
    - `queued`: It waits in line.
    """

    delivered = 'delivered'
    knocked = 'knocked'
    queued = 'queued'


class Lane(StrEnum):
    """
    How soon a letter wants to be read. A word that is not here is refused; a view of the ledger does not look at it.

    - `urgent`: Before the others.
    - `ordinary`: In its turn.
    """

    urgent = 'urgent'
    ordinary = 'ordinary'


Locator = TypeAliasType(
    "Locator",
    Annotated[
        StrictStr,
        Field(
            min_length=1,
            pattern='^(?:(?:cas:b3-[0-9a-f]{64}|file:[^/\\\\:\\u0000-\\u001f\\u007f-\\u009f]*[^/\\\\:.\\u0000-\\u001f\\u007f-\\u009f\\u0009-\\u000d\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000](?:/[^/\\\\:\\u0000-\\u001f\\u007f-\\u009f]*[^/\\\\:.\\u0000-\\u001f\\u007f-\\u009f\\u0009-\\u000d\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000])*@[0-9a-f]{40})(?:#L[1-9][0-9]*-[1-9][0-9]*|#B(?:0|[1-9][0-9]*)-(?:0|[1-9][0-9]*))?)$',
        ),
    ],
)
"""Where content is kept: `cas:b3-<B3Hash>` or `file:<Address>@<GitOid>`, optionally `#L<a>-<b>` (lines, 1-based, closed) or `#B<a>-<b>` (bytes, 0-based, closed) with a <= b <= 2^64-1."""


ManifestVersion = TypeAliasType(
    "ManifestVersion", Annotated[StrictInt, Field(ge=1, le=1)]
)
"""The version of the manifest's form: 1."""


Micros = TypeAliasType(
    "Micros", Annotated[StrictInt, Field(ge=0, le=18446744073709551615)]
)
"""Microseconds. Can exceed 2^53: in JavaScript, read it with a parser that keeps big integers."""


class Mode(StrEnum):
    """
    What the session is for. A word that is not here is refused; a view of the ledger takes the whole policy for absent.

    - `chat`: Talk.
    - `work`: Work on files.
    """

    chat = 'chat'
    work = 'work'


class ModelCalled(BaseModel):
    """A request went out to a model."""

    segments: list[B3Hash]
    """Hashes of the prompt's segments, in order."""
    model: StrictStr
    """The model's name."""


NewerNote = TypeAliasType(
    "NewerNote",
    Annotated[
        dict[Annotated[str, StringConstraints(pattern=compile('^(?!(?:refused|checkpointed|waiting|arrived|awaiting_reply|discarded|unreadable)$)(?![\\s\\S]*["\\\\\\u0000-\\u001f])'), strict=True)], Json],
        Field(max_length=1, min_length=1, title='NewerNote'),
    ],
)
"""A note whose one key is not among those known here, kept whole: it encodes to that JSON without white space."""


class OpeningManner(StrEnum):
    """
    How a session came to its task. A word that is not here is refused; a view of the ledger does not look at it.

    - `from_job`: Out of a job file.
    - `inherited`: Taken over from another session.
    - `with_person`: Together with a person.
    """

    from_job = 'from_job'
    inherited = 'inherited'
    with_person = 'with_person'


class Outcome(StrEnum):
    """
    What became of a call. `failed` is a fact, not an alert. A word that is not here is refused.

    - `waiting`: No answer yet.
    - `answered`: It gave a result.
    - `failed`: It went wrong.
    """

    waiting = 'waiting'
    answered = 'answered'
    failed = 'failed'


Pid = TypeAliasType("Pid", Annotated[StrictInt, Field(ge=1, le=4294967295)])
"""The number of a process; another may have it once the process is gone."""


class PlannedInvocation(BaseModel):
    """How an agent would be started for a kind of work."""

    kind: DispatchKind
    """What it may do then."""
    invocation: Invocation
    """The command, its arguments, and the names of what its environment is given."""
    task_on_stdin: Annotated[StrictBool, Field(alias='taskOnStdin')]
    """Whether the task is handed over on standard input; otherwise `{task}` stands for it in an argument."""


class ProfileReport(BaseModel):
    """What was found of one agent on this machine, and how it would be started."""

    profile: StrictStr
    """The profile's name."""
    ready: StrictBool
    """Whether a run can be started by it."""
    program: AbsolutePath | None
    """What would be started; null when it was not found."""
    interpreter: AbsolutePath | None
    """What runs the program, when it is a script; null when it needs none, or none was found."""
    installation: AbsolutePath | None
    """Where the agent's command line is installed, when its profile looks for that; null otherwise."""
    configuration: AbsolutePath | None
    """The agent's own directory, where its sessions are; null when there is none."""
    planned: list[PlannedInvocation]
    """How it would be started, by kind; none when it is not ready."""
    problems: list[StrictStr]
    """What stands in the way or is odd, each with what to do."""


class QuestionCluster(BaseModel):
    """What kind of question an approval is."""

    class_: Annotated[Literal['question'], Field(alias='class')]
    """Always `question` in a request. A word that is not here is refused; a view of the ledger does not look at it."""
    detail: StrictStr
    """The question's own words."""


class RedactedThinkingBlock(BaseModel):
    """Reasoning that the provider keeps sealed."""

    kind: Literal['redacted_thinking']
    """Says which form this is."""
    data: StrictStr
    """The sealed reasoning."""


class RenderDiff(BaseModel):
    """The object form of a RenderIntent."""

    model_config = ConfigDict(
        extra='forbid',
    )
    diff: DiffRender
    """Shown as a change to files."""


class RenderIntentWord(StrEnum):
    """A way of drawing that names nothing more: `generic` is the plain one, `terminal` a command and what it printed, `signal` a letter. A word that is not here is refused; a view of the ledger takes it for absent."""

    generic = 'generic'
    terminal = 'terminal'
    signal = 'signal'


class ReplyEnd(StrEnum):
    """
    What ended a wait for a reply. A word that is not here is refused.

    - `reply`: The reply came.
    - `timeout`: The deadline passed.
    - `left`: The other one left.
    """

    reply = 'reply'
    timeout = 'timeout'
    left = 'left'


class Reported(BaseModel):
    """The provider reported an error of its own."""

    kind: Literal['reported']
    """Says which form this is."""


class Retry(StrEnum):
    """
    Whether trying the same again can help. A word that is not here is refused; a view of the ledger reads `retriable` where that is there, else calls the refusal unreadable, and shows the error of a tool as it stands.

    - `yes`: The same again may succeed.
    - `no`: The same again fails again.
    - `unknown`: Nobody can say.
    """

    yes = 'yes'
    no = 'no'
    unknown = 'unknown'


RunId = TypeAliasType(
    "RunId",
    Annotated[
        StrictStr,
        Field(
            max_length=36,
            min_length=36,
            pattern='^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$',
        ),
    ],
)
"""A session's id: a hyphenated lower-case uuid."""


Seq = TypeAliasType("Seq", Annotated[StrictInt, Field(ge=0, le=18446744073709551615)])
"""Position of a line in the whole ledger. Can exceed 2^53: in JavaScript, read it with a parser that keeps big integers."""


ServerLabel = TypeAliasType(
    "ServerLabel", Annotated[StrictStr, Field(min_length=1, pattern='^(?:[a-z0-9]+)$')]
)
"""The label of a connected server: not empty, `[a-z0-9]`."""


class Severity(StrEnum):
    """
    What a finding means for the ledger. A word that is not here is refused.

    - `fault`: The format forbids it: a strict reader and a writer stop here.
    - `warning`: The line is a line, but does not say what its kind says, or not in a place where it can be said.
    - `note`: Odd, and allowed.
    """

    fault = 'fault'
    warning = 'warning'
    note = 'note'


Sha256 = TypeAliasType(
    "Sha256",
    Annotated[
        StrictStr, Field(max_length=64, min_length=64, pattern='^(?:[0-9a-f]{64})$')
    ],
)
"""A SHA-256 digest: exactly 64 lower-case hex digits."""


SignalId = TypeAliasType(
    "SignalId",
    Annotated[
        StrictStr,
        Field(
            min_length=1,
            pattern='^(?:[^\\u0009-\\u000d\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+)$',
        ),
    ],
)
"""A letter's id: not empty, without Unicode White_Space."""


class SignalKind(StrEnum):
    """
    What sort of letter it is. A word that is not here is refused; a view of the ledger takes it for absent.

    - `mention`: Names the receiver.
    - `thread`: Belongs to a thread that the receiver takes part in.
    - `broadcast`: Goes to everybody in the room.
    - `steer`: Steers the receiver's work.
    """

    mention = 'mention'
    thread = 'thread'
    broadcast = 'broadcast'
    steer = 'steer'


class SignalLanded(BaseModel):
    """What became of a letter that was sent; the line stands under the sender's run."""

    signal: SignalId
    """The letter's id."""
    landing: Landing
    """Where it went."""


class Silence(BaseModel):
    """The provider stopped answering."""

    kind: Literal['silence']
    """Says which form this is."""


class Skill(BaseModel):
    """A skill the session was given."""

    name: StrictStr
    """The skill's name."""
    hash: B3Hash
    """Hash of its content."""


class Speaker(StrEnum):
    """
    Whose word arrived. A word that is not here is refused.

    - `user`: The person's.
    - `city`: The city's.
    - `resident`: Another resident's.
    """

    user = 'user'
    city = 'city'
    resident = 'resident'


class StateSource(StrEnum):
    """
    How a final state came to be known. A word that is not here is refused.

    - `observation`: A process of ours saw it: the result in the stream, a start that failed, a death after cancelling.
    - `transcript`: Recovered afterwards from the agent's own session file.
    - `process-exit`: The process is gone, with neither.
    """

    observation = 'observation'
    transcript = 'transcript'
    process_exit = 'process-exit'


class SteerReceived(BaseModel):
    """Somebody spoke to the session while it worked."""

    source: StrictStr
    """`user` for the person, `city` for the city, otherwise `@` and a resident."""
    text: StrictStr
    """What was said."""


class Stopped(BaseModel):
    """A child session stopped before its work was done."""

    because: StrictStr
    """Why."""


class StreamAnswer(BaseModel):
    """A tool call was answered."""

    call_id: Annotated[StrictStr | None, Field(alias='callId')]
    """The call; null when the line does not say."""
    is_error: Annotated[StrictBool, Field(alias='isError')]
    """Whether the line says that it failed."""


class StreamCall(BaseModel):
    """A tool call."""

    id: StrictStr | None
    """By which its answer names it; null when the line does not say."""
    name: StrictStr | None
    """The tool; null when the line does not say."""
    input: Json
    """The arguments; null when there are none."""


class StreamInit(BaseModel):
    """The session began."""

    event: Literal['init']
    """Says which form this is."""
    session_id: Annotated[StrictStr | None, Field(alias='sessionId')]
    """The agent's own id of the session; null when the line does not say."""
    model: StrictStr | None
    """The model that will be asked; null when the line does not say."""
    cwd: StrictStr | None
    """Where the agent works; null when the line does not say."""
    tools: list[StrictStr]
    """The tools that the model is given."""


class StreamOther(BaseModel):
    """An event that changes nothing here."""

    event: Literal['other']
    """Says which form this is."""
    kind: StrictStr
    """Its type, and its subtype after a `/` where it has one."""


class StreamUser(BaseModel):
    """Something was said to the model: answers of tools, mostly."""

    event: Literal['user']
    """Says which form this is."""
    answers: list[StreamAnswer]
    """The answers among it."""
    within: StrictStr | None
    """Id of the call whose sub-agent this is of; null for the main conversation."""


class TextBlock(BaseModel):
    """Prose."""

    kind: Literal['text']
    """Says which form this is."""
    text: StrictStr
    """The prose."""


class ThinkingBlock(BaseModel):
    """Reasoning."""

    kind: Literal['thinking']
    """Says which form this is."""
    thinking: StrictStr
    """The reasoning."""
    signature: StrictStr
    """The provider's seal on it."""


TimeMs = TypeAliasType(
    "TimeMs", Annotated[StrictInt, Field(ge=0, le=18446744073709551615)]
)
"""UTC milliseconds. Can exceed 2^53: in JavaScript, read it with a parser that keeps big integers."""


class Timing(StrEnum):
    """
    Whether the difference of a row's two times is how long it took. A word that is not here is refused.

    - `measured`: It is.
    - `unmeasured`: It is not: the times are stamps, not measurements.
    """

    measured = 'measured'
    unmeasured = 'unmeasured'


Tokens = TypeAliasType(
    "Tokens", Annotated[StrictInt, Field(ge=0, le=18446744073709551615)]
)
"""A count of tokens. Can exceed 2^53: in JavaScript, read it with a parser that keeps big integers."""


class ToolResultBlock(BaseModel):
    """A tool's answer as the model was shown it."""

    kind: Literal['tool_result']
    """Says which form this is."""
    tool_use_id: StrictStr
    """The call it answers."""
    content: Json
    """What the model was shown."""
    is_error: StrictBool
    """Whether it was shown as an error."""
    attachments: list[JsonObject] | None | MISSING = MISSING
    """What came with it; null when nothing did."""


class ToolUseBlock(BaseModel):
    """The model asked for a tool."""

    kind: Literal['tool_use']
    """Says which form this is."""
    id: StrictStr
    """The call's id."""
    name: StrictStr
    """The tool's name."""
    input: Json
    """Its arguments."""


class Toolkit(BaseModel):
    """What made the archive."""

    name: StrictStr
    """The program."""
    version: StrictStr
    """Its version."""


class TranscriptCall(BaseModel):
    """The model called a tool."""

    row: Literal['call']
    """Says which form this is."""
    id: StrictStr | None
    """The row's own id; null when it has none."""
    parent_id: Annotated[StrictStr | None, Field(alias='parentId')]
    """The row before it in the conversation; null for the first, and when it does not say."""
    t: TimeMs | None
    """When, UTC milliseconds; null when the row does not say."""
    call_id: Annotated[StrictStr | None, Field(alias='callId')]
    """By which its result names it; null when the row does not say."""
    name: StrictStr | None
    """The tool; null when the row does not say."""
    input: Json
    """The arguments: an object, or the text that they were sent as; null when there are none."""


class TranscriptMeta(BaseModel):
    """A row beside the conversation."""

    row: Literal['meta']
    """Says which form this is."""
    id: StrictStr | None
    """The row's own id; null when it has none."""
    parent_id: Annotated[StrictStr | None, Field(alias='parentId')]
    """The row before it; null for the first, and when it does not say."""
    t: TimeMs | None
    """When, UTC milliseconds; null when the row does not say."""
    kind: StrictStr
    """Its type, and its subtype after a `/` where it has one."""


class TranscriptResult(BaseModel):
    """A tool answered."""

    row: Literal['result']
    """Says which form this is."""
    id: StrictStr | None
    """The row's own id; null when it has none."""
    parent_id: Annotated[StrictStr | None, Field(alias='parentId')]
    """The row before it in the conversation; null for the first, and when it does not say."""
    t: TimeMs | None
    """When, UTC milliseconds; null when the row does not say."""
    call_id: Annotated[StrictStr | None, Field(alias='callId')]
    """The call; null when the row does not say."""
    text: StrictStr
    """The answer's text."""
    is_error: Annotated[StrictBool, Field(alias='isError')]
    """Whether the row says that it failed."""
    exit_code: Annotated[I64 | None, Field(alias='exitCode')]
    """A command's exit code; null when the row does not say."""


class TranscriptSaid(BaseModel):
    """Something was said."""

    row: Literal['said']
    """Says which form this is."""
    id: StrictStr | None
    """The row's own id; null when it has none."""
    parent_id: Annotated[StrictStr | None, Field(alias='parentId')]
    """The row before it in the conversation; null for the first, and when it does not say."""
    t: TimeMs | None
    """When, UTC milliseconds; null when the row does not say."""
    role: StrictStr
    """`user` or `assistant`, as the row has it; the former is not always a person."""
    text: StrictStr
    """What."""
    status: StrictStr | None
    """`completed` when the message is whole, as the row has it; null when it does not say."""


class TranscriptState(StrEnum):
    """
    How a transcript ends. A word that is not here is refused.

    - `completed`: Its last word is a whole message of the model, and no call is without a result.
    - `failed`: It ends in an interruption, or in an error that ended the round.
    - `open`: Something is still to come: a result of a call, or a word of the model.
    - `unknown`: What was read of it does not tell.
    """

    completed = 'completed'
    failed = 'failed'
    open = 'open'
    unknown = 'unknown'


class TranscriptThought(BaseModel):
    """The model thought something."""

    row: Literal['thought']
    """Says which form this is."""
    id: StrictStr | None
    """The row's own id; null when it has none."""
    parent_id: Annotated[StrictStr | None, Field(alias='parentId')]
    """The row before it in the conversation; null for the first, and when it does not say."""
    t: TimeMs | None
    """When, UTC milliseconds; null when the row does not say."""
    text: StrictStr
    """What."""


U32 = TypeAliasType("U32", Annotated[StrictInt, Field(ge=0, le=4294967295)])
"""An integer of 0..2^32-1."""


U64 = TypeAliasType("U64", Annotated[StrictInt, Field(ge=0, le=18446744073709551615)])
"""An integer of 0..2^64-1. Can exceed 2^53: in JavaScript, read it with a parser that keeps big integers."""


class Unbuilt(BaseModel):
    """The request could not be built."""

    kind: Literal['unbuilt']
    """Says which form this is."""


class Unreadable(BaseModel):
    """A line that earns a note could not be read."""

    cause: StrictStr
    """The kind in CamelCase, a colon, then free words: `GateDenied: no code`. Compare it up to the colon."""
    at: Seq
    """`seq` of the line that this note was read from."""


class UnreadableJournal(BaseModel):
    """A journal that does not read: half-written by another program, or damaged. It is never taken for a success."""

    path: AbsolutePath
    """Its file."""
    message: StrictStr
    """What is wrong with it, and where."""


class UnreadableReply(BaseModel):
    """The provider's reply could not be read."""

    kind: Literal['unreadable']
    """Says which form this is."""


class Usage(BaseModel):
    """Token counts as the provider gave them."""

    input_tokens: Tokens
    """With `v` 1 the whole prompt; without `v` perhaps only its uncached part."""
    output_tokens: Tokens
    """Tokens of the reply."""
    cache_read_tokens: Tokens | None | MISSING = MISSING
    """Prompt tokens read from the provider's cache; null when it did not say, 0 when it said zero."""
    cache_write_tokens: Tokens | None | MISSING = MISSING
    """Prompt tokens stored into the cache; null when it did not say, 0 when it said zero."""
    v: Annotated[StrictInt | None | MISSING, Field(ge=1, le=1)] = MISSING
    """Version of the counting: 1, or null on older rows."""
    dialect: Dialect | None | MISSING = MISSING
    """The provider protocol; null when not recorded. Plays no part in the reading."""


UsdMicros = TypeAliasType(
    "UsdMicros", Annotated[StrictInt, Field(ge=0, le=18446744073709551615)]
)
"""Millionths of a US dollar. Can exceed 2^53: in JavaScript, read it with a parser that keeps big integers."""


class Used(BaseModel):
    """Tokens of one turn, as absolute counts."""

    input: Tokens
    """The whole prompt, cached parts included."""
    output: Tokens
    """Tokens of the reply."""
    cached: Tokens | None | MISSING = MISSING
    """Tokens of `input` that came out of the provider's cache; null when not reported, which is not 0."""
    cache_write: Tokens | None | MISSING = MISSING
    """Tokens of `input` that were stored into the provider's cache; null when not reported, which is not 0."""
    first_us: Micros | None | MISSING = MISSING
    """Microseconds, request out to first content; null wherever the turn's `first_at` is."""
    took_us: Micros | None | MISSING = MISSING
    """Microseconds, request out to reply whole; null when not measured."""


class VaultFellBack(BaseModel):
    """The vault fell back to another store: not a refusal of a turn."""

    component: StrictStr
    """What fell back."""
    fallback: StrictStr
    """To what."""
    persistence: StrictStr
    """How long what is kept there lasts."""
    reason: StrictStr
    """Why."""


class Waiting(BaseModel):
    """The session asked a person for an approval."""

    at: Seq
    """`seq` of the line that this note was read from."""
    t: TimeMs
    """When it asked, UTC milliseconds."""
    answered: TimeMs | None
    """When the person answered, UTC milliseconds; null while nobody has."""


class WatchdogBackOff(BaseModel):
    """The watchdog holds the next call back."""

    action: Literal['back_off']
    """Says which form this is."""
    until_ms: TimeMs
    """When the next call may go out, UTC milliseconds."""
    code: ErrorCode
    """Why."""
    subject: StrictStr
    """What failed."""
    corrections: U32
    """Corrections so far."""
    provider_failures: U32
    """Provider failures so far."""


class WatchdogFreeze(BaseModel):
    """The watchdog stopped the session."""

    action: Literal['freeze']
    """Says which form this is."""
    reason: StrictStr
    """Why."""
    corrections: U32
    """Corrections so far."""
    provider_failures: U32
    """Provider failures so far."""


class WatchdogSteer(BaseModel):
    """The watchdog told the session something."""

    action: Literal['steer']
    """Says which form this is."""
    text: StrictStr
    """What it said."""
    corrections: U32
    """Corrections so far."""
    provider_failures: U32
    """Provider failures so far."""


class WatchdogSwitch(BaseModel):
    """The watchdog moved the session to another model."""

    action: Literal['switch']
    """Says which form this is."""
    to: StrictStr
    """To which."""
    code: ErrorCode
    """Why."""
    subject: StrictStr
    """What failed."""
    corrections: U32
    """Corrections so far."""
    provider_failures: U32
    """Provider failures so far."""


Who = TypeAliasType(
    "Who",
    Annotated[
        StrictStr,
        Field(
            min_length=1,
            pattern='^(?:[^/\\\\:\\u0000-\\u001f\\u007f-\\u009f]*[^/\\\\:.\\u0000-\\u001f\\u007f-\\u009f\\u0009-\\u000d\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000](?:/[^/\\\\:\\u0000-\\u001f\\u007f-\\u009f]*[^/\\\\:.\\u0000-\\u001f\\u007f-\\u009f\\u0009-\\u000d\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000])*)$',
        ),
    ],
)
"""An author: `city`, `person`, or an Address."""


class WorkLanding(StrEnum):
    """
    Where the session's work goes when it is done. A word that is not here is refused; a view of the ledger takes the whole policy for absent.

    - `ordinary`: Where work ordinarily goes.
    - `experiment`: Apart, as an experiment.
    """

    ordinary = 'ordinary'
    experiment = 'experiment'


class WorktreeOpened(BaseModel):
    """A session got a working tree of its own."""

    name: StrictStr
    """The tree's name, never a path."""
    disk_bytes: U64
    """Its size in bytes."""


class WriteEffect(BaseModel):
    """Writes below an address."""

    domain: Address
    """The only place it may write."""


class Writing(StrEnum):
    """
    What the session may write. A word that is not here is refused; a view of the ledger takes the whole policy for absent.

    - `full`: New files, and changes to those there are.
    - `create`: New files only.
    """

    full = 'full'
    create = 'create'


class AnyEvent(BaseModel):
    """One ledger line of any kind: the envelope of an `EventRecord`, and a kind that this schema need not know."""

    model_config = ConfigDict(
        extra='forbid',
    )
    v: Annotated[StrictInt, Field(ge=1, le=4294967295)]
    """Version of the log format that wrote the line."""
    run: RunId
    """Whose line it is; the nil uuid is the city itself."""
    seq: Seq
    """Position in the whole ledger: 0, 1, 2 ... with no gap, across runs and segments."""
    prev: B3Hash
    """BLAKE3 of the previous line's canonical bytes without the newline; 64 zeros on line 0."""
    t: TimeMs
    """UTC milliseconds. Not monotonic: order is `seq`."""
    who: StrictStr
    """The author: `city`, `person`, or a resident. Free text on read."""
    addr: Address | MISSING = MISSING
    """Where; omitted when absent, never null."""
    kind: KindWord
    """What the line records; the words of `Kind`, and any other. A checker wants `ig` on a line of another."""
    data: JsonObject
    """The payload: a JSON object of the kind's own shape; of a kind that is not in `Kind`, any JSON object."""
    ig: StrictBool | MISSING = MISSING
    """A reader that does not know `kind` may skip the line. Written only when true; absent is false."""


class ApprovalRequested(BaseModel):
    """The session waits for a person's word."""

    id: StrictStr
    """The request's id; its resolution names it."""
    actor: StrictStr
    """Who asks."""
    action_desc: StrictStr
    """What it wants to do."""
    artifact: Locator
    """What to look at."""
    cluster_key: QuestionCluster
    """What kind of question it is."""
    created: TimeMs
    """When it was asked, UTC milliseconds."""
    tainted: StrictBool
    """Whether untrusted content led to it."""


class ApprovalResolved(BaseModel):
    """A person answered an approval; written under the nil run."""

    id: StrictStr
    """The request's id."""
    verdict: Annotated[ApprovalResolvedVerdict, Field(title='ApprovalResolvedVerdict')]
    """The person's word: `allow` lets it be done, `deny` does not. A word that is not here is refused; a view of the ledger does not look at it."""
    cluster: Cluster
    """The kind of approval."""


class ArchiveCopy(BaseModel):
    """A copy in the archive; what it holds was read again and hashed."""

    path: StrictStr
    """Its path below the directory of its manifest, with `/` between names."""
    size: U64
    """Its bytes."""
    sha256: Sha256
    """SHA-256 of them."""


class ArchiveIndexLine(BaseModel):
    """One line of the index of an archive, to which lines are only added."""

    archived_at: Annotated[TimeMs, Field(alias='archivedAt')]
    """When, UTC milliseconds."""
    session_id: Annotated[StrictStr, Field(alias='sessionId')]
    """The agent's own id of the session."""
    project: StrictStr
    """What it was archived under."""
    dir: AbsolutePath
    """Where its manifest lies."""
    manifest: StrictStr
    """The manifest's file name."""
    sha256: Sha256
    """SHA-256 of the session file's copy."""
    size: U64
    """Bytes of it."""


class ArchiveSource(BaseModel):
    """The session file, as it was when it was copied."""

    path: AbsolutePath
    """Where it lies."""
    size: U64
    """Its bytes when it was opened: so many were copied."""
    mtime_ms: Annotated[TimeMs, Field(alias='mtimeMs')]
    """When it was last written then, UTC milliseconds."""
    sha256: Sha256
    """SHA-256 of those bytes."""


class AskAborted(BaseModel):
    """A person cancelled the question."""

    t: Literal['aborted']
    """Says which form this is."""
    seq: AskSeq
    """The question that was cancelled."""
    at: IsoTime
    """When it was cancelled."""


class AskChunk(BaseModel):
    """A piece of an answer; the pieces of one `seq` are joined in file order."""

    t: Literal['chunk']
    """Says which form this is."""
    seq: AskSeq
    """The question that it answers."""
    text: StrictStr
    """The piece, as the provider wrote it; it may be empty and may hold newlines."""


class AskEnd(BaseModel):
    """The answer is complete."""

    t: Literal['end']
    """Says which form this is."""
    seq: AskSeq
    """The question that was answered."""
    at: IsoTime
    """When the answer was complete."""


class AskError(BaseModel):
    """The question could not be answered."""

    t: Literal['error']
    """Says which form this is."""
    seq: AskSeq
    """The question."""
    at: IsoTime
    """When it failed."""
    message: StrictStr
    """What went wrong and, on a second line, what to do about it where that is known."""


class AskLock(BaseModel):
    """The whole of a lock file: one question of the thread is being answered."""

    pid: U32
    """The worker's process; 0 while none has been started yet."""
    started_at: Annotated[StrictStr, Field(alias='startedAt')]
    """When the question was taken up, as an IsoTime; a lock with any other text is stale."""


class AskMeta(BaseModel):
    """The thread began; written before its first question."""

    t: Literal['meta']
    """Says which form this is."""
    run_id: Annotated[StrictStr, Field(alias='runId')]
    """The thread's name as its file has it, repeated for people. A temporary thread's is `<pid>-<8 hex digits>`."""
    started_at: Annotated[IsoTime, Field(alias='startedAt')]
    """When the thread began."""
    provider: StrictStr
    """The provider's command, joined by spaces, without values of the environment; `(none)` when none is set up."""


class AskQuestion(BaseModel):
    """A person asked. Of two with one `seq` the later one counts."""

    t: Literal['question']
    """Says which form this is."""
    seq: AskSeq
    """Its number."""
    at: IsoTime
    """When it was asked."""
    focus: StrictStr | None
    """The session that the person was looking at; null when they were looking at none."""
    text: StrictStr
    """The question, trimmed."""


class AskShown(BaseModel):
    """One question as a person sees it, with all that is there of its answer."""

    seq: AskSeq
    """Its number."""
    at: StrictStr
    """When it was asked, an IsoTime; where its record holds another text, that text."""
    re: StrictStr | None
    """The session that the person was looking at, by its first 8 characters; null where the question before this one had the same, and where they were looking at none."""
    question: StrictStr
    """The question's text."""
    state: AskState
    """How it stands."""
    text: StrictStr
    """The pieces of the answer joined, trimmed; it may be empty."""
    message: StrictStr | None
    """What went wrong; null unless the state is `failed`, and where the record's message is blank."""


class AutomationRun(BaseModel):
    """One run of an automation."""

    thread_id: Annotated[StrictStr, Field(alias='threadId')]
    """Its id."""
    automation_id: Annotated[StrictStr | None, Field(alias='automationId')]
    """The automation; null when the row does not say."""
    status: StrictStr | None
    """`ACCEPTED`, `failed`, `timeout` or another word of the scheduler's; null when the row does not say."""
    result_success: Annotated[StrictBool | None, Field(alias='resultSuccess')]
    """Whether it came out well; null while it runs, and when the row does not say."""
    thread_title: Annotated[StrictStr | None, Field(alias='threadTitle')]
    """What it is called; null when the row does not say."""
    source_cwd: Annotated[StrictStr | None, Field(alias='sourceCwd')]
    """Where it ran; null when the row does not say."""
    created_at: Annotated[TimeMs | None, Field(alias='createdAt')]
    """When it began, UTC milliseconds; null when the row does not say."""
    updated_at: Annotated[TimeMs | None, Field(alias='updatedAt')]
    """When the row last changed, UTC milliseconds; null when it does not say."""
    read_at: Annotated[TimeMs | None, Field(alias='readAt')]
    """When a person looked at it, UTC milliseconds; null when nobody did."""
    failure_code: Annotated[StrictStr | None, Field(alias='failureCode')]
    """Why it failed, in a word; null when it did not, or the row does not say."""
    reason_code: Annotated[StrictStr | None, Field(alias='reasonCode')]
    """The reason behind that, in a word; null when there is none."""


class AutomationRuns(BaseModel):
    """Runs of automations, the one that was put down last first."""

    runs: list[AutomationRun]
    """Those that were asked for."""
    found: U64
    """How many there are in all."""
    notes: list[StrictStr]
    """What the database has no table or column for, and values that do not read."""


class AutomationStanding(BaseModel):
    """How one automation does."""

    id: StrictStr
    """Its id."""
    name: StrictStr | None
    """What it is called; null when the row does not say."""
    health: Health
    """The gravest that holds: stuck, failing, overdue, unknown, paused, well."""
    why: StrictStr
    """What shows it, in a sentence."""


class Checkpointed(BaseModel):
    """The work so far was committed."""

    oid: GitOid
    """The commit."""
    at: Seq
    """`seq` of the line that this note was read from."""


class Closing(BaseModel):
    """How the session ended."""

    completion: StrictStr
    """`done`, `limit` or `cancelled` today."""
    at: TimeMs
    """The time of the line that ended it, UTC milliseconds."""


class CommitCheckpoint(BaseModel):
    """A checkpoint that is a commit."""

    oid: GitOid
    """The commit."""
    model: StrictStr | None | MISSING = MISSING
    """The model that made it; null when not recorded."""
    effort: Effort | None | MISSING = MISSING
    """The effort it was made with; null when not recorded."""
    predecessor: GitOid | None | MISSING = MISSING
    """The checkpoint before it; null for the first."""
    scope: list[StrictStr] | None | MISSING = MISSING
    """The places it was allowed to touch; null or absent reads as empty."""
    files: list[StrictStr] | None | MISSING = MISSING
    """The files it touched; null or absent reads as empty."""


class ConnectorEffect(BaseModel):
    """Talks to a connected server."""

    label: ServerLabel
    """Which server."""


class Discarded(BaseModel):
    """Files were thrown away."""

    count: U64
    """How many files."""
    at: Seq
    """`seq` of the line that this note was read from."""


class DispatchUsage(BaseModel):
    """Tokens of a whole run, or of one request in its stream, as absolute counts."""

    input_tokens: Annotated[Tokens, Field(alias='inputTokens')]
    """All prompts, cached parts included."""
    output_tokens: Annotated[Tokens, Field(alias='outputTokens')]
    """All replies."""
    cache_read_tokens: Annotated[Tokens | None, Field(alias='cacheReadTokens')]
    """Tokens of `inputTokens` that came out of the provider's cache; null when not reported, which is not 0."""
    cache_write_tokens: Annotated[Tokens | None, Field(alias='cacheWriteTokens')]
    """Tokens of `inputTokens` that were stored into the provider's cache; null when not reported, which is not 0."""


class DoctorReport(BaseModel):
    """Whether runs can be dispatched from here. Nothing was started or written to find out."""

    state_directory: Annotated[AbsolutePath, Field(alias='stateDirectory')]
    """Where journals and streams are kept."""
    profiles: list[ProfileReport]
    """Every profile there is, by name."""
    problems: list[StrictStr]
    """What is wrong with the state directory or the configuration of profiles, each with what to do."""


class EffectOnConnector(BaseModel):
    """EffectOn with the key `connector`."""

    model_config = ConfigDict(
        extra='forbid',
    )
    connector: ConnectorEffect
    """Talks to a connected server."""


class EffectOnWrite(BaseModel):
    """EffectOn with the key `write`."""

    model_config = ConfigDict(
        extra='forbid',
    )
    write: WriteEffect
    """Writes below an address."""


class EndedByReply(BaseModel):
    """The reply came."""

    end: Literal['reply']
    """Says which form this is."""
    reply: SignalId
    """The reply's id."""


class EventRecord(BaseModel):
    """One ledger line, held to the closed set of kinds; fields stand in canonical order."""

    model_config = ConfigDict(
        extra='forbid',
    )
    v: Annotated[StrictInt, Field(ge=1, le=4294967295)]
    """Version of the log format that wrote the line."""
    run: RunId
    """Whose line it is; the nil uuid is the city itself."""
    seq: Seq
    """Position in the whole ledger: 0, 1, 2 ... with no gap, across runs and segments."""
    prev: B3Hash
    """BLAKE3 of the previous line's canonical bytes without the newline; 64 zeros on line 0."""
    t: TimeMs
    """UTC milliseconds. Not monotonic: order is `seq`."""
    who: StrictStr
    """The author: `city`, `person`, or a resident. Free text on read."""
    addr: Address | MISSING = MISSING
    """Where; omitted when absent, never null."""
    kind: Kind
    """What the line records."""
    data: JsonObject
    """The payload: a JSON object of the kind's own shape."""
    ig: StrictBool | MISSING = MISSING
    """A reader that does not know `kind` may skip the line. Written only when true; absent is false."""


class Evidence(BaseModel):
    """A line that shows what a completion claims."""

    seq: Seq
    """`seq` of the line."""
    kind: StrictStr
    """The kind of that line."""


class Finding(BaseModel):
    """One thing that checking a ledger found."""

    code: StrictStr
    """The id of the rule that was broken; docs/rules.md lists them. A newer checker may know more."""
    severity: Severity
    """What it means for the ledger."""
    segment: StrictStr
    """The file, as it was opened."""
    line: U64
    """The line's number in the file, from 1."""
    offset: U64
    """Byte offset of the line's first byte in the file, from 0."""
    seq: Seq | None
    """The line's `seq`; null when it does not read."""
    run: RunId | None
    """Whose line it is; null when that does not read."""
    expected: StrictStr
    """What should have been there."""
    found: StrictStr
    """What was."""
    advice: StrictStr
    """What to do, in one sentence."""


class HandbackStopped(BaseModel):
    """Handback with the key `stopped`."""

    model_config = ConfigDict(
        extra='forbid',
    )
    stopped: Stopped
    """It stopped before it was done."""


class ImageBlock(BaseModel):
    """A picture, stored apart."""

    kind: Literal['image']
    """Says which form this is."""
    locator: Locator
    """Where it is stored."""
    media_type: StrictStr
    """Its media type."""
    width: U32
    """Pixels."""
    height: U32
    """Pixels."""


class JobPinned(BaseModel):
    """A checkpoint that pins a dispatch's job; there is no commit."""

    job: Locator
    """The job file."""


class LogTruncated(BaseModel):
    """A writer cut a torn tail off the ledger."""

    dropped_bytes: U64
    """How many bytes it cut."""


class NoteCheckpointed(BaseModel):
    """Note with the key `checkpointed`."""

    model_config = ConfigDict(
        extra='forbid',
    )
    checkpointed: Checkpointed
    """The work so far was committed."""


class NoteDiscarded(BaseModel):
    """Note with the key `discarded`."""

    model_config = ConfigDict(
        extra='forbid',
    )
    discarded: Discarded
    """Files were thrown away."""


class NoteUnreadable(BaseModel):
    """Note with the key `unreadable`."""

    model_config = ConfigDict(
        extra='forbid',
    )
    unreadable: Unreadable
    """A line that earns a note could not be read."""


class NoteWaiting(BaseModel):
    """Note with the key `waiting`."""

    model_config = ConfigDict(
        extra='forbid',
    )
    waiting: Waiting
    """The session asked a person for an approval."""


class Output(BaseModel):
    """Text bounded by lines."""

    head: StrictStr
    """The first 12 lines, joined by a newline."""
    cut: U64
    """How many lines of the whole come after `head`; 0 when it is all of it."""
    pinned: Locator | None
    """Where the whole output is stored; null when it was not stored apart, and always on arguments."""


class Overflow(BaseModel):
    """The request was larger than the provider takes."""

    kind: Literal['overflow']
    """Says which form this is."""
    status: U32
    """The HTTP status."""


class RefusedByProvider(BaseModel):
    """The provider refused the request."""

    kind: Literal['refused']
    """Says which form this is."""
    status: U32
    """The HTTP status."""


RenderIntent = TypeAliasType("RenderIntent", RenderIntentWord | RenderDiff)
"""How a call wants to be drawn, externally tagged: a word, or an object with one key. A form that is not here is refused; a view of the ledger takes it for absent."""


class ReplyEnded(BaseModel):
    """How a wait for a reply ended."""

    by: ReplyEnd
    """What ended it."""
    t: TimeMs
    """The time of the line that ended the wait, UTC milliseconds."""


class RuleCount(BaseModel):
    """How often one rule was broken."""

    code: StrictStr
    """The rule's id."""
    severity: Severity
    """Its severity."""
    count: U64
    """How many findings."""


class RunFrozen(BaseModel):
    """A session ended."""

    completion: StrictStr
    """How: `done`, `limit`, `cancelled` today."""
    evidence: list[Evidence] | None | MISSING = MISSING
    """The lines that show it; null when none are named."""
    cause: Literal['process_died'] | None | MISSING = MISSING
    """What ended it from outside; null when nothing did. A word that is not here is refused; a view of the ledger does not look at it."""


class RunPolicy(BaseModel):
    """The terms a session runs under; all four are always stated."""

    mode: Mode
    """What the session is for."""
    write: Writing
    """What it may write."""
    admit: Admission
    """What has to hold before its work is admitted."""
    landing: WorkLanding
    """Where its work goes."""


class RunStarted(BaseModel):
    """A session began. Every field may be absent; `{}` is valid."""

    task: StrictStr | None | MISSING = MISSING
    """What to do; null or absent reads as empty."""
    goal: StrictStr | None | MISSING = MISSING
    """What it is for; null or absent reads as empty."""
    job: Locator | None | MISSING = MISSING
    """The job file the session was started from; null when there is none."""
    parent: RunId | None | MISSING = MISSING
    """The session that started this one; null when none did."""
    predecessor: RunId | None | MISSING = MISSING
    """The session this one takes over from; null when there is none."""
    skills: list[Skill] | None | MISSING = MISSING
    """The skills it was given; null when not recorded."""
    dispatched_by: Who | None | MISSING = MISSING
    """Who sent it; null when not recorded."""
    policy: RunPolicy | None | MISSING = MISSING
    """The terms it runs under; null when not recorded."""
    naming: B3Hash | None | MISSING = MISSING
    """Hash of the names in force when it began; null when not recorded."""
    opening: OpeningManner | None | MISSING = MISSING
    """How it came to its task; null when not recorded."""
    effort: Effort | None | MISSING = MISSING
    """How hard the model was asked to think; null when not recorded, which is not `none`."""


class SignalConsumed(BaseModel):
    """A letter was taken in; the line stands under the receiver's run."""

    id: SignalId
    """The letter's id."""
    by: StrictStr
    """Who took it."""


class SignalEnqueued(BaseModel):
    """A letter was sent; the line stands under the sender's run."""

    id: SignalId
    """The letter's id."""
    kind: SignalKind
    """What sort of letter."""
    from_: Annotated[StrictStr, Field(alias='from')]
    """Who sent it."""
    room: Address
    """Where it was sent."""
    room_version: U64
    """The room's version when it was sent."""
    payload: JsonObject
    """What it carries; the text stands in `text`."""
    at: TimeMs
    """When it was sent, UTC milliseconds."""
    lane: Lane | None | MISSING = MISSING
    """How soon it wants to be read; null when not recorded."""


class SignalWaitStarted(BaseModel):
    """The session began to wait for a reply."""

    on: Address
    """Whose reply."""
    signal: SignalId
    """The letter that wants one."""
    deadline_ms: U64
    """When it gives up, UTC milliseconds."""


class StreamAssistant(BaseModel):
    """The model answered, or a part of its answer came."""

    event: Literal['assistant']
    """Says which form this is."""
    texts: list[StrictStr]
    """What it said."""
    thoughts: list[StrictStr]
    """What it thought."""
    calls: list[StreamCall]
    """What it called."""
    usage: DispatchUsage | None
    """Tokens of the request, repeated with every part of its answer; null when not reported."""
    within: StrictStr | None
    """Id of the call whose sub-agent this is of; null for the main conversation."""


class StreamResult(BaseModel):
    """The run is over, as the agent sees it."""

    event: Literal['result']
    """Says which form this is."""
    subtype: StrictStr | None
    """`success`, or the word for an error; null when the line does not say."""
    is_error: Annotated[StrictBool, Field(alias='isError')]
    """Whether the line says that it ended in an error, which a `success` can too."""
    result: StrictStr | None
    """The last word; null when there is none."""
    stop_reason: Annotated[StrictStr | None, Field(alias='stopReason')]
    """Why the model stopped; null when the line does not say."""
    num_turns: Annotated[U64 | None, Field(alias='numTurns')]
    """How many turns it took; null when not reported."""
    duration_ms: Annotated[U64 | None, Field(alias='durationMs')]
    """Milliseconds that it took; null when not reported."""
    cost_usd_micros: Annotated[UsdMicros | None, Field(alias='costUsdMicros')]
    """Millionths of a US dollar; null when not reported, which is not free."""
    usage: DispatchUsage | None
    """Tokens of the whole run; null when not reported."""
    session_id: Annotated[StrictStr | None, Field(alias='sessionId')]
    """The agent's own id of the session; null when the line does not say."""


TranscriptRow = TypeAliasType(
    "TranscriptRow",
    Annotated[
        TranscriptSaid | TranscriptThought | TranscriptCall | TranscriptResult | TranscriptMeta,
        Field(discriminator='row'),
    ],
)
"""What a row does, tagged by `row`. A row that does several things gives several. A form that is not here is refused; what a session file holds that none of them is for is a `TranscriptMeta`."""


class TranscriptSummary(BaseModel):
    """A transcript in a few words, from its beginning and its end."""

    path: AbsolutePath
    """The file."""
    size: U64
    """Its bytes, when it was read."""
    bytes_read: Annotated[U64, Field(alias='bytesRead')]
    """How many of them were read."""
    truncated: StrictBool
    """Whether the middle was left out: then every count here is at least, not exactly, that."""
    modified_at: Annotated[TimeMs, Field(alias='modifiedAt')]
    """When it was last written, UTC milliseconds, as the file system says."""
    session_id: Annotated[StrictStr | None, Field(alias='sessionId')]
    """The session that its rows name; null when none does."""
    cwd: StrictStr | None
    """The directory that its first row with one names: the file's place does not tell; null when none does."""
    title: StrictStr | None
    """The last title that a row gives it; null when none does."""
    first_prompt: Annotated[StrictStr | None, Field(alias='firstPrompt')]
    """The first that a person said; null when that was not read."""
    last_text: Annotated[StrictStr | None, Field(alias='lastText')]
    """The last that the model said; null when that was not read."""
    began_at: Annotated[TimeMs | None, Field(alias='beganAt')]
    """The first time in it, UTC milliseconds; null when none was read."""
    ended_at: Annotated[TimeMs | None, Field(alias='endedAt')]
    """The last time in it, UTC milliseconds; null when none was read."""
    state: TranscriptState
    """How it ends."""
    state_at: Annotated[TimeMs | None, Field(alias='stateAt')]
    """The time of the row that makes it `completed` or `failed`; null when that has none, and otherwise."""
    state_offset: Annotated[U64 | None, Field(alias='stateOffset')]
    """Where the line of that row begins, in bytes from the beginning of the file; null when there is none."""
    reason: StrictStr | None
    """Why it failed, in a word; null unless it did."""
    rows: U64
    """Rows that were read."""
    unreadable: U64
    """Lines that are no rows, among those that were read whole."""
    user_messages: Annotated[U64, Field(alias='userMessages')]
    """Messages to the model."""
    assistant_messages: Annotated[U64, Field(alias='assistantMessages')]
    """Messages of the model."""
    tool_calls: Annotated[U64, Field(alias='toolCalls')]
    """Tool calls."""
    tool_errors: Annotated[U64, Field(alias='toolErrors')]
    """Results of tools that say that they failed."""
    waiting_calls: Annotated[U64, Field(alias='waitingCalls')]
    """Calls without a result: running, or waiting for leave."""


WaitEnd = TypeAliasType(
    "WaitEnd",
    Annotated[
        EndedByReply | EndedByTimeout | EndedByLeaving, Field(discriminator='end')
    ],
)
"""What ended a wait, tagged by `end`. A form that is not here is refused; a view of the ledger takes the wait for one that goes on."""


WatchdogFired = TypeAliasType(
    "WatchdogFired",
    Annotated[
        WatchdogSteer | WatchdogBackOff | WatchdogSwitch | WatchdogFreeze,
        Field(discriminator='action'),
    ],
)
"""What the watchdog did, tagged by `action`. A form that is not here is refused; a view of the ledger says that the line is unreadable."""


class ArchiveManifest(BaseModel):
    """What was archived of one session, where from and when. Lies beside the copy."""

    version: ManifestVersion
    """The version of this form."""
    session_id: Annotated[StrictStr, Field(alias='sessionId')]
    """The agent's own id of the session, whole."""
    project: StrictStr
    """What it was archived under: one name, no path."""
    archived_at: Annotated[TimeMs, Field(alias='archivedAt')]
    """When, UTC milliseconds."""
    mode: ArchiveMode
    """How it came here."""
    dir: AbsolutePath
    """Where the manifest lies."""
    source: ArchiveSource
    """What was copied."""
    source_grew: Annotated[StrictBool, Field(alias='sourceGrew')]
    """Whether it had grown when the copy was done: what came later is not in it."""
    copy_: Annotated[ArchiveCopy, Field(alias='copy')]
    """The copy."""
    run_id: Annotated[DispatchId | None, Field(alias='runId')]
    """The dispatched run that the session is of; null when it was named by itself."""
    subagents: list[ArchiveCopy]
    """Copies of the files of its sub-agents, by path."""
    toolkit: Toolkit
    """What made it."""


AskEvent = TypeAliasType(
    "AskEvent",
    Annotated[
        AskMeta | AskQuestion | AskChunk | AskEnd | AskAborted | AskError,
        Field(discriminator='t'),
    ],
)
"""One line of an ask thread, tagged by `t`. The last `end`, `aborted` or `error` of a question settles it. A form that is not here is ignored; a reader of a thread counts it and goes on."""


class Automation(BaseModel):
    """One automation."""

    id: StrictStr
    """Its id."""
    name: StrictStr | None
    """What it is called; null when the row does not say."""
    prompt: StrictStr | None
    """What it asks; null when the row does not say."""
    status: StrictStr | None
    """`ACTIVE`, `PAUSED` or another word, which a deletion does not change; null when the row does not say."""
    live: StrictBool
    """Whether it is not deleted."""
    soft_deleted: Annotated[StrictBool, Field(alias='softDeleted')]
    """Whether it was deleted: the row is kept."""
    overdue: StrictBool
    """Whether it should have run by now: live, active, past its next time, and not running."""
    running: StrictBool | None
    """Whether it runs now; null when the database does not tell."""
    running_started_at: Annotated[TimeMs | None, Field(alias='runningStartedAt')]
    """Since when, UTC milliseconds; null when it does not run, and when the database does not tell."""
    schedule_type: Annotated[StrictStr | None, Field(alias='scheduleType')]
    """`recurring` or another word; null when the row does not say."""
    rrule: StrictStr | None
    """The rule of its recurrence; null when it has none."""
    scheduled_at: Annotated[TimeMs | None, Field(alias='scheduledAt')]
    """When it is to run once, UTC milliseconds; null when it recurs."""
    next_run_at: Annotated[TimeMs | None, Field(alias='nextRunAt')]
    """When it is to run next, UTC milliseconds; null when it is not to."""
    last_run_at: Annotated[TimeMs | None, Field(alias='lastRunAt')]
    """When it ran last, UTC milliseconds; null when it never did, or the row does not say."""
    cwds: list[StrictStr]
    """Where it works; none when the row does not say."""
    model_id: Annotated[StrictStr | None, Field(alias='modelId')]
    """The model that it asks; null when the row does not say."""
    permission_mode: Annotated[StrictStr | None, Field(alias='permissionMode')]
    """What it may do without asking, in the agent's own word; null when the row does not say."""
    created_at: Annotated[TimeMs | None, Field(alias='createdAt')]
    """When it was made, UTC milliseconds; null when the row does not say."""
    updated_at: Annotated[TimeMs | None, Field(alias='updatedAt')]
    """When the row last changed, UTC milliseconds; null when it does not say."""
    deleted_at: Annotated[TimeMs | None, Field(alias='deletedAt')]
    """When it was deleted, UTC milliseconds; null when it was not."""
    last_error: Annotated[StrictStr | None, Field(alias='lastError')]
    """What went wrong last, as the scheduler has it; null when nothing did."""
    last_run: Annotated[AutomationRun | None, Field(alias='lastRun')]
    """The run that was put down last; null when there is none."""


class AutomationHealth(BaseModel):
    """How the live automations of a database do."""

    at: TimeMs
    """When, UTC milliseconds."""
    live: U64
    """How many are not deleted."""
    soft_deleted: Annotated[U64, Field(alias='softDeleted')]
    """How many are: they are not judged."""
    overdue: U64
    """How many should have run by now."""
    stuck: U64
    """How many have been running too long."""
    failing: U64
    """How many failed last, or have an error down."""
    unknown: U64
    """Of how many it is not told how they came out last."""
    standings: list[AutomationStanding]
    """Each live one, the gravest first."""
    notes: list[StrictStr]
    """What the database has no table or column for, and values that do not read."""


class AutomationList(BaseModel):
    """The automations of a database, as it was at one moment."""

    at: TimeMs
    """That moment, UTC milliseconds; what is overdue is so then."""
    automations: list[Automation]
    """All of them, deleted ones included, in the order of the table."""
    live: U64
    """How many are not deleted."""
    soft_deleted: Annotated[U64, Field(alias='softDeleted')]
    """How many are."""
    overdue: U64
    """How many of the live ones should have run by now."""
    notes: list[StrictStr]
    """What the database has no table or column for, and values that do not read."""


class AwaitingReply(BaseModel):
    """The session waits for the reply to a letter."""

    on: Address
    """Whose reply."""
    until: TimeMs
    """When it gives up, UTC milliseconds."""
    t: TimeMs
    """When it began to wait, UTC milliseconds."""
    ended: ReplyEnded | None
    """How the wait ended; null while it goes on."""
    at: Seq
    """`seq` of the line that this note was read from."""


Block = TypeAliasType(
    "Block",
    Annotated[
        TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock | ImageBlock | ToolResultBlock,
        Field(discriminator='kind'),
    ],
)
"""One block of a message, tagged by `kind`. A form that is not here is refused; a view of the ledger passes over the block."""


class CheckSummary(BaseModel):
    """A check in figures."""

    segments: U64
    """Files read."""
    lines: U64
    """Lines checked; those before the first that was asked for are not."""
    bytes: U64
    """Bytes read."""
    sound: U64
    """Lines before the first fault: these hang together. What follows rests on what was found there."""
    first_seq: Seq | None
    """`seq` of the first line checked; null when there is none, or it does not read."""
    last_seq: Seq | None
    """`seq` of the last line; null when there is none, or it does not read."""
    last_hash: B3Hash | None
    """BLAKE3 of the last line: what pins the end of the ledger; null when there is no line."""
    faults: U64
    """Findings of severity `fault`."""
    warnings: U64
    """Findings of severity `warning`."""
    notes: U64
    """Findings of severity `note`."""
    counts: list[RuleCount]
    """How often each rule was broken, in the order of docs/rules.md; rules that held are left out."""


CheckpointCommitted = TypeAliasType("CheckpointCommitted", JobPinned | CommitCheckpoint)
"""The work so far was committed, or a dispatch's job was pinned: what fits as a pinned job is one. A form that is not here is refused; a view of the ledger says that the line is unreadable."""


class DispatchJournal(BaseModel):
    """One dispatched run, as far as it is known."""

    run_id: Annotated[DispatchId, Field(alias='runId')]
    """The run's id; with an idempotency key, the first 16 digits of its SHA-256 after `wb-`."""
    idempotency_key_sha256: Annotated[
        Sha256 | None, Field(alias='idempotencyKeySha256')
    ]
    """SHA-256 of the idempotency key's UTF-8; null without a key. The key itself is not stored."""
    profile: StrictStr
    """The profile by which it was started: which agent it is, and how that is called."""
    kind: DispatchKind
    """What the agent may do."""
    state: DispatchState
    """Where the run stands."""
    state_source: Annotated[StateSource | None, Field(alias='stateSource')]
    """How the final state came to be known; null exactly while the state is not final."""
    stop_reason: Annotated[StrictStr | None, Field(alias='stopReason')]
    """Why it stopped: `end_turn` on success, else the agent's word for the error; null until then and if unknown."""
    workspace: AbsolutePath
    """The directory the agent works in."""
    task: StrictStr
    """What it was asked to do."""
    invocation: Invocation
    """How it was started."""
    configuration: AbsolutePath | None
    """The agent's own directory, where it keeps its sessions; null when it keeps none."""
    owner_pid: Annotated[Pid, Field(alias='ownerPid')]
    """The process that wrote the journal and starts the agent."""
    owner_pid_started_at: Annotated[StrictStr, Field(alias='ownerPidStartedAt')]
    """When and where the owner started: equal texts mean the same process."""
    pid: Pid | None
    """The agent's process; null until it was started."""
    pid_started_at: Annotated[StrictStr | None, Field(alias='pidStartedAt')]
    """When and where the agent's process started: machine, boot, namespace and time, between slashes, as its system spells them; null until it was started, and if the system does not say."""
    session_id: Annotated[StrictStr | None, Field(alias='sessionId')]
    """The agent's own id for the session, the first that it said; null until then."""
    session_file: Annotated[AbsolutePath | None, Field(alias='sessionFile')]
    """The agent's own file of the session; null until its id is known, and if the agent keeps none."""
    session_bytes: Annotated[U64 | None, Field(alias='sessionBytes')]
    """Bytes that `sessionFile` held when the run was first seen to name it; 0 when it was not there, null when it has none or could not be looked at. What stands before them is of an earlier run, unless its own time says otherwise."""
    cancel_asked_at: Annotated[TimeMs | None, Field(alias='cancelAskedAt')]
    """When somebody first set about cancelling it, UTC milliseconds, before its process was sent a signal; null when nobody did. It need not be cancelled: it may have been faster, or go on."""
    created_at: Annotated[TimeMs, Field(alias='createdAt')]
    """When the run was written down, UTC milliseconds."""
    started_at: Annotated[TimeMs | None, Field(alias='startedAt')]
    """When the agent was started, UTC milliseconds; null until then."""
    finished_at: Annotated[TimeMs | None, Field(alias='finishedAt')]
    """When the final state was reached, or noticed, UTC milliseconds; null until then."""
    updated_at: Annotated[TimeMs, Field(alias='updatedAt')]
    """When the journal was last written, UTC milliseconds."""
    tool_calls: Annotated[U64, Field(alias='toolCalls')]
    """How many tools the agent has called so far, as far as seen; those of its sub-agents included."""
    other_sessions: Annotated[U64, Field(alias='otherSessions')]
    """How many times the stream has named another session than `sessionId`."""
    ignored_lines: Annotated[U64, Field(alias='ignoredLines')]
    """Lines of the stream so far that told nothing here: warnings, and events of other kinds than are used."""
    usage: DispatchUsage | None
    """Tokens; null until the agent reported a result with counts."""
    cost_usd_micros: Annotated[UsdMicros | None, Field(alias='costUsdMicros')]
    """Millionths of a US dollar that the agent reported; null when it reported none, which is not free."""
    num_turns: Annotated[U64 | None, Field(alias='numTurns')]
    """How many turns the agent reported; null when it reported none."""
    duration_ms: Annotated[U64 | None, Field(alias='durationMs')]
    """Milliseconds that the agent reported to have taken; null when it reported none."""
    result_text: Annotated[StrictStr | None, Field(alias='resultText')]
    """The agent's last word; null until it reported a result, and when that holds no text."""
    exit_code: Annotated[I64 | None, Field(alias='exitCode')]
    """The agent's exit code; null unless a parent of ours reaped it, and when a signal ended it."""
    signal: StrictStr | None
    """The name of the signal that ended the agent, as `SIGTERM`; null when none did, or nobody of ours reaped it."""
    error: DispatchError | None
    """Why it failed, or why nobody knows; null otherwise."""
    idempotent_replay: Annotated[
        StrictBool | MISSING, Field(alias='idempotentReplay')
    ] = MISSING
    """Only in an answer: true when the key named a run that was there already. Absent in the file; never null."""
    replay_differs: Annotated[
        list[StrictStr] | MISSING, Field(alias='replayDiffers')
    ] = MISSING
    """Only in an answer to a replay: which of `profile`, `kind`, `workspace` and `task` were asked for otherwise than this run was started. Absent in the file, and when none was; never null."""


class DispatchList(BaseModel):
    """Dispatched runs, the newest first."""

    runs: list[DispatchJournal]
    """Their journals."""
    unreadable: list[UnreadableJournal]
    """Journals that do not read, by path."""


EffectOn = TypeAliasType("EffectOn", EffectOnWrite | EffectOnConnector | EffectOnAttachUserBrowser)
"""An effect that names what it touches: an object with exactly one key. A form that is not here is refused; a view of the ledger takes it for absent."""


Handback = TypeAliasType("Handback", HandbackFinished | HandbackStopped)
"""A child session gave its work back: an object with exactly one key, which says how. A form that is not here is refused."""


class Message(BaseModel):
    """The reply, as blocks."""

    role: StrictStr | None | MISSING = MISSING
    """Who speaks; null when not recorded."""
    content: list[Block] | None | MISSING = MISSING
    """The blocks in order; null when there are none."""


class ModelReturned(BaseModel):
    """A model's reply is whole."""

    message: Message
    """The reply."""
    calls: U64
    """How many tools it asked for."""
    usage: Usage | None | MISSING = MISSING
    """Token counts; null when the provider gave none."""
    stop: StrictStr | None | MISSING = MISSING
    """The provider's word for why it stopped; null when it gave none."""
    billed_usd_micros: UsdMicros | None | MISSING = MISSING
    """Millionths of a US dollar billed for the request; null when unknown."""
    first_at: TimeMs | None | MISSING = MISSING
    """When the first content arrived, UTC ms; null when it did not stream, streamed only calls, or on older lines."""
    first_us: Micros | None | MISSING = MISSING
    """Microseconds from request out to first content; null when not measured."""
    took_us: Micros | None | MISSING = MISSING
    """Microseconds from request out to reply whole; null when not measured."""


class NoteAwaitingReply(BaseModel):
    """Note with the key `awaiting_reply`."""

    model_config = ConfigDict(
        extra='forbid',
    )
    awaiting_reply: AwaitingReply
    """The session waits for the reply to a letter."""


class Opening(BaseModel):
    """How the session began."""

    task: StrictStr
    """What to do; empty when not recorded."""
    goal: StrictStr
    """What it is for; empty when not recorded."""
    at: TimeMs
    """When it began, UTC milliseconds."""
    dispatched_by: Who | None
    """Who sent it; null when not recorded."""
    policy: RunPolicy | None | MISSING = MISSING
    """The terms it runs under; null when not recorded."""
    effort: Effort | None | MISSING = MISSING
    """How hard the model was asked to think; null when not recorded, which is not `none`."""
    names: FrozenNames | None | MISSING = MISSING
    """The names in force when it began; null when not at hand: fall back to address and role."""
    parent: RunId | None | MISSING = MISSING
    """The session that started this one; null when none did."""


Provider = TypeAliasType(
    "Provider",
    Annotated[
        Exchange | Cut | Silence | UnreadableReply | Reported | Unbuilt | RefusedByProvider | Overflow,
        Field(discriminator='kind'),
    ],
)
"""What went wrong at the model's provider, tagged by `kind`. A form that is not here is refused; a view of the ledger takes it for absent."""


class RecordedError(BaseModel):
    """The error shape as a line may spell it: older lines say `retriable` in place of `retry`."""

    code: ErrorCode
    """What failed, one of the closed set."""
    action: StrictStr
    """What was attempted."""
    subject: StrictStr
    """What it was attempted on."""
    nearby: list[StrictStr]
    """Names close to the subject that do exist."""
    recovery: StrictStr
    """What to do about it."""
    retry: Retry | None | MISSING = MISSING
    """Whether trying the same again can help; absent or null only on older lines, which say `retriable`."""
    retriable: StrictBool | None | MISSING = MISSING
    """The older spelling of `retry`: true is yes, false is no; absent or null on newer lines."""
    retry_after_ms: U64 | None | MISSING = MISSING
    """Milliseconds to wait before the next try; null or absent when nobody said."""
    gate: Gate | None | MISSING = MISSING
    """The gate that denied the action; null or absent when none did."""
    provider: Provider | None | MISSING = MISSING
    """What went wrong at the provider; null or absent when none was involved."""


class SessionListed(BaseModel):
    """One session in a list."""

    profile: StrictStr
    """The profile of the agent whose session it is."""
    session_id: Annotated[StrictStr, Field(alias='sessionId')]
    """The agent's own id of it: its file's name."""
    project: StrictStr
    """The directory of the agent's that it lies in, by name."""
    live: StrictBool | None
    """Whether a process is at it; null where the agent does not tell."""
    summary: TranscriptSummary
    """What it holds."""


class SignalWaitEnded(BaseModel):
    """The session stopped waiting for a reply."""

    signal: SignalId
    """The letter that wanted one."""
    by: WaitEnd
    """What ended the wait."""


StreamEvent = TypeAliasType(
    "StreamEvent",
    Annotated[
        StreamInit | StreamAssistant | StreamUser | StreamResult | StreamOther,
        Field(discriminator='event'),
    ],
)
"""One event, tagged by `event`. A form that is not here is refused; what a stream holds that none of them is for is a `StreamOther`."""


class ToolResult(BaseModel):
    """A tool answered: exactly one of `result` and `error` is there."""

    tool_use_id: StrictStr
    """The call it answers."""
    name: StrictStr
    """The tool's name."""
    result: JsonObject | StrictStr | None | MISSING = MISSING
    """What it gave: an object from a city, text from an importer; null when it failed."""
    error: RecordedError | StrictStr | None | MISSING = MISSING
    """How it failed: the error shape from a city, text from an importer; null when untold, absent when it did not."""
    took_us: Micros | None | MISSING = MISSING
    """Microseconds the call took; null when not measured."""
    exit_code: I64 | None | MISSING = MISSING
    """The exit code, when it stands beside the result (an importer); null otherwise."""


class Arrived(BaseModel):
    """A word reached the session: a person's or the city's steer, or another resident's letter."""

    from_: Annotated[StrictStr | None, Field(alias='from')]
    """Who sent it; null for a letter whose sending is not at hand."""
    said: StrictStr | None
    """What was said; null for a letter whose sending is not at hand or carries no text."""
    by: Speaker
    """Whose word it is."""
    t: TimeMs
    """When it was taken in, UTC milliseconds."""
    handback: Handback | None
    """Work given back with the letter; null when none is, or none is readable."""
    kind: SignalKind | None
    """What sort of letter; null for a steer, and when the sending is not at hand."""
    session: RunId | None
    """The session that sent the letter; null for a steer, and when the sending is not at hand."""
    at: Seq
    """`seq` of the line that this note was read from."""


BudgetLimit = TypeAliasType("BudgetLimit", RecordedError)
"""A budget ran out."""


class CancelAnswer(BaseModel):
    """What cancelling a run came to."""

    cancelled: StrictBool
    """Whether the run is cancelled now: its process was proven gone."""
    why: StrictStr | None
    """Why it is not: it had ended before, or its process cannot be ended. And what was found of a run that had ended before, its own process or what that had started, and whether it was ended; null when there is nothing to say."""
    run: DispatchJournal
    """The run as it stands."""


class CheckReport(BaseModel):
    """One check of one ledger."""

    path: StrictStr
    """What was checked, as it was asked for."""
    conforms: StrictBool
    """Whether it passes: no fault, and when `strict` no warning either."""
    strict: StrictBool
    """Whether warnings count against it."""
    summary: CheckSummary
    """The whole in figures."""
    findings: list[Finding]
    """What was found, in ledger order; where there is more than was asked for, the gravest."""
    unlisted: U64
    """Findings past the most that were asked for: they are in the figures only."""


Effect = TypeAliasType("Effect", EffectWord | EffectOn)
"""What a tool does to the world, externally tagged: a word, or an object with one key. A form that is not here is refused; a view of the ledger takes it for absent."""


class ErrorShape(BaseModel):
    """A failure, flat. Its optional parts are omitted when absent, never null."""

    code: ErrorCode
    """What failed, one of the closed set."""
    action: StrictStr
    """What was attempted."""
    subject: StrictStr
    """What it was attempted on."""
    nearby: list[StrictStr]
    """Names close to the subject that do exist."""
    recovery: StrictStr
    """What to do about it."""
    retry: Retry
    """Whether trying the same again can help."""
    retry_after_ms: U64 | MISSING = MISSING
    """Milliseconds to wait before the next try; absent when nobody said."""
    gate: Gate | MISSING = MISSING
    """The gate that denied the action; absent when none did."""
    provider: Provider | MISSING = MISSING
    """What went wrong at the provider; absent when none was involved."""


GateDenied = TypeAliasType("GateDenied", RecordedError)
"""A gate denied an action."""


class NoteArrived(BaseModel):
    """Note with the key `arrived`."""

    model_config = ConfigDict(
        extra='forbid',
    )
    arrived: Arrived
    """A word reached the session."""


ProviderDegraded = TypeAliasType("ProviderDegraded", RecordedError | VaultFellBack)
"""A provider refused, or the vault fell back to another store: what fits as an error is one. A form that is not here is refused; a view of the ledger says that the line is unreadable."""


class Refused(BaseModel):
    """Something was refused: by a gate, a budget, a provider or the watchdog."""

    error: ErrorShape
    """Why, and what to do."""
    at: Seq
    """`seq` of the line that this note was read from."""


class SessionList(BaseModel):
    """Sessions that agents keep on this machine, the last written first."""

    sessions: list[SessionListed]
    """Those that were asked for."""
    found: U64
    """How many there are in all."""
    notes: list[StrictStr]
    """What could not be listed, and why."""


class ToolCalled(BaseModel):
    """A tool was called."""

    id: StrictStr
    """The call's id; its result names it."""
    name: StrictStr
    """The tool's name. A city's own are `[a-z0-9_]+`; other agents' are any text."""
    args: JsonObject
    """Its arguments."""
    subject: StrictStr | None | MISSING = MISSING
    """What it acts on, chosen from the arguments by the writer; null when nothing was."""
    effect: Effect | None | MISSING = MISSING
    """What it is registered to do; null for an unregistered tool and on older lines."""
    render: RenderIntent | None | MISSING = MISSING
    """How it wants to be drawn; null for an unregistered tool and on older lines."""


class Call(BaseModel):
    """One tool call in a turn."""

    tool: StrictStr
    """The tool's name as recorded; `tool` when the record names none."""
    subject: StrictStr | None
    """What it acted on, as the record states it; null when it states nothing."""
    arguments: Output | None
    """What it was called with, as indented JSON; null when the record holds none, or holds null."""
    outcome: Outcome
    """What became of it."""
    at: Seq
    """The line that made the call."""
    output: Output | None
    """What it gave; null until answered, and when there was nothing to read."""
    called: TimeMs
    """When it was called, UTC milliseconds."""
    answered: TimeMs | None
    """When it was answered, UTC milliseconds; null exactly when `outcome` is `waiting`."""
    timing: Timing
    """Whether `answered - called` is how long it took."""
    effect: Effect | None
    """What the tool was registered to do; null for an unregistered tool and on older lines."""
    render: RenderIntent | None
    """How it wants to be drawn; null for an unregistered tool and on older lines: draw it as generic."""
    exit_code: I64 | None | MISSING = MISSING
    """The exit code of a tool that ran a command; null when stopped by a signal, not awaited, or no command."""
    took_us: Micros | None | MISSING = MISSING
    """Microseconds the call took; null on older lines."""
    landing: Landing | None | MISSING = MISSING
    """Where the letter of a sending call went; null when it sent none, or that is not known."""


class NoteRefused(BaseModel):
    """Note with the key `refused`."""

    model_config = ConfigDict(
        extra='forbid',
    )
    refused: Refused
    """Something was refused."""


Note = TypeAliasType("Note", NoteRefused | NoteCheckpointed | NoteWaiting | NoteArrived | NoteAwaitingReply | NoteDiscarded | NoteUnreadable | NewerNote)
"""One note: an object with exactly one key, which says what it is. A `NewerNote` has a key that is not here. A form that is not here is kept; it is a `NewerNote`, to be shown as a newer note."""


class Turn(BaseModel):
    """One request to the model, its reply, and what came of it."""

    number: Annotated[StrictInt, Field(ge=1, le=4294967295)]
    """From 1, in the order turns opened."""
    opened: Seq
    """The `model_called` line."""
    t: TimeMs
    """That line's time, UTC milliseconds."""
    timing: Timing
    """Whether `t` is a measured moment."""
    first_at: TimeMs | None
    """When the reply's first content arrived; null when it did not stream, streamed only calls, or on older lines."""
    returned: TimeMs | None | MISSING = MISSING
    """The reply line's own measured moment; null without a reply and on older lines."""
    model: StrictStr | None
    """The model asked; null when the record names none."""
    said: StrictStr | None
    """The reply's prose; null when there is none."""
    thought: StrictStr | None
    """The reply's reasoning, apart from its prose; null when there is none."""
    spent: UsdMicros | None
    """Millionths of a US dollar billed for this turn; null without a reply or a bill: unknown, not free."""
    used: Used | None
    """Tokens of the request and its reply; null without a reply, and when the counts are absent or do not all read."""
    stopped: StrictStr | None
    """The provider's own word for why the reply ended; null when it gave none."""
    calls: list[Call]
    """In the order called."""
    notes: list[Note]
    """In ledger order."""


class RoundsAnswer(BaseModel):
    """One session, whole or the newest part of it, as turns."""

    run: RunId
    """The session."""
    turns: list[Turn]
    """In the order they opened."""
    opened_at: GitOid | None
    """The tree as the work found it: the first commit checkpoint; null when there is none."""
    opening: Opening | None
    """How the session began; null when its start is not at hand."""
    closing: Closing | None
    """How it ended; null while it goes on, and when its ending could not be read (a problem beside the answer)."""
    worktree: StrictStr | None | MISSING = MISSING
    """The name of its working tree, never a path; null when it has none."""
