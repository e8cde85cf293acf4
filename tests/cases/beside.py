"""What the fold tells beside the answers of the published cases, which an answer has no field for.

How many records of each kind fell outside or were passed (rounds.md 4, I13), and whether the ending could not be read.
A published case that is not named here leaves nothing outside, passes nothing and has no such problem.
"""

from __future__ import annotations

from accounting.conformance.cases import fold_cases

from .build import Case, Obj
from .plain_lines import records

BESIDE: dict[str, Obj] = {
    "a-call-for-each-line": {"outside": {"tool_result": 1}},
    "answer-before-call": {"outside": {"tool_result": 1}},
    "answer-call-without-id": {"outside": {"tool_result": 1}},
    "answer-duplicate-both": {"outside": {"tool_result": 1}},
    "answer-id-no-text": {"outside": {"tool_result": 3}},
    "answer-other-id": {"outside": {"tool_result": 3}},
    "answer-second-outside": {"outside": {"tool_result": 1}},
    "arrival-before-turn": {"outside": {"signal_consumed": 1}},
    "arrival-distance-own": {"passed": {"signal_enqueued": 1}},
    "arrival-own-before-turn": {"passed": {"signal_enqueued": 1}},
    "arrival-own-run": {"passed": {"signal_enqueued": 1}},
    "call-id-proto": {"outside": {"tool_result": 1}},
    "call-without-turn": {"outside": {"tool_called": 1, "tool_result": 1}},
    "closing-missing": {"outside": {"run_frozen": 1}, "problems": ["closing-unreadable"]},
    "closing-not-repaired": {"outside": {"run_frozen": 3}, "problems": ["closing-unreadable"]},
    "closing-null": {"outside": {"run_frozen": 1}, "problems": ["closing-unreadable"]},
    "closing-number": {"outside": {"run_frozen": 1}, "problems": ["closing-unreadable"]},
    "closing-object": {"outside": {"run_frozen": 1}, "problems": ["closing-unreadable"]},
    "closing-second": {"outside": {"run_frozen": 2}},
    "counts-halves": {
        "passed": {"signal_enqueued": 1, "signal_landed": 2, "signal_wait_ended": 2, "approval_resolved": 1}
    },
    "counts-nil-run": {"outside": {"tool_result": 1}, "passed": {"log_truncated": 1, "approval_resolved": 1}},
    "counts-whole-session": {"passed": {"session_opened": 1, "prompt_assembled": 1, "gate_checked": 1}},
    "empty-payload-each": {"outside": {"tool_result": 1}},
    "kinds-unknown": {"passed": {"teleported": 2}},
    "landing": {"passed": {"signal_enqueued": 1, "signal_landed": 1}},
    "landing-after-freeze": {"passed": {"signal_enqueued": 1, "signal_landed": 1}},
    "landing-answer-after-letter": {"passed": {"signal_enqueued": 1, "signal_landed": 1}},
    "landing-answered-closes": {"passed": {"signal_enqueued": 1, "signal_landed": 1}},
    "landing-call-outside": {"outside": {"tool_called": 1}, "passed": {"signal_enqueued": 1, "signal_landed": 1}},
    "landing-call-without-id": {"outside": {"tool_result": 1}, "passed": {"signal_enqueued": 1, "signal_landed": 1}},
    "landing-closed-to-others": {"passed": {"signal_enqueued": 2, "signal_landed": 3}},
    "landing-earlier": {"passed": {"signal_landed": 1, "signal_enqueued": 1}},
    "landing-earlier-turn": {"passed": {"signal_enqueued": 1, "signal_landed": 1}},
    "landing-earliest-open": {"passed": {"signal_enqueued": 2, "signal_landed": 2}},
    "landing-failed-closes": {"passed": {"signal_enqueued": 1, "signal_landed": 1}},
    "landing-id-reused": {"passed": {"signal_enqueued": 1, "signal_landed": 1}},
    "landing-last-wins": {"passed": {"signal_enqueued": 1, "signal_landed": 3}},
    "landing-letter-again-after-landing": {"passed": {"signal_enqueued": 2, "signal_landed": 2}},
    "landing-letter-bare": {"passed": {"signal_enqueued": 1, "signal_landed": 1}},
    "landing-letter-before-call": {"passed": {"signal_enqueued": 1, "signal_landed": 1}},
    "landing-letter-once-other-room": {"passed": {"signal_enqueued": 2, "signal_landed": 1}},
    "landing-letter-takes-later": {"passed": {"signal_enqueued": 3, "signal_landed": 2}},
    "landing-letter-takes-once": {"passed": {"signal_enqueued": 2, "signal_landed": 1}},
    "landing-none": {"passed": {"signal_enqueued": 1}},
    "landing-orphan-answer": {"outside": {"tool_result": 1}, "passed": {"signal_enqueued": 1, "signal_landed": 1}},
    "landing-other-room": {"passed": {"signal_enqueued": 3, "signal_landed": 3}},
    "landing-other-run": {"passed": {"signal_landed": 1, "signal_enqueued": 1}},
    "landing-other-run-takes-nothing": {"passed": {"signal_enqueued": 1, "signal_landed": 1}},
    "landing-render-other": {"passed": {"signal_enqueued": 1, "signal_landed": 1}},
    "landing-right-room": {"passed": {"signal_enqueued": 1, "signal_landed": 1}},
    "landing-signal-bad": {"passed": {"signal_enqueued": 4, "signal_landed": 4}},
    "landing-to-bad": {"passed": {"signal_enqueued": 4, "signal_landed": 4}},
    "landing-unknown-skipped": {"passed": {"signal_enqueued": 1, "signal_landed": 6}},
    "landing-without-letter": {"passed": {"signal_landed": 1}},
    "landing-words": {"passed": {"signal_enqueued": 3, "signal_landed": 3}},
    "note-before-turn": {
        "outside": {
            "gate_denied": 2,
            "budget_limit": 1,
            "provider_degraded": 1,
            "watchdog_fired": 2,
            "approval_requested": 1,
            "checkpoint_committed": 1,
            "steer_received": 1,
            "signal_consumed": 1,
            "signal_wait_started": 1,
            "file_discarded": 1,
        }
    },
    "note-checkpoint": {"passed": {"checkpoint_committed": 3}},
    "note-none-before-turn": {"passed": {"provider_degraded": 2, "watchdog_fired": 2, "checkpoint_committed": 2}},
    "note-order": {"passed": {"prompt_assembled": 1}},
    "note-provider-degraded": {"passed": {"provider_degraded": 3}},
    "note-watchdog-none": {"passed": {"watchdog_fired": 6}},
    "opened-at-job-only": {"passed": {"checkpoint_committed": 2}},
    "opened-at-job-skipped": {"passed": {"checkpoint_committed": 2}},
    "opened-at-second-before-turn": {"outside": {"checkpoint_committed": 2}},
    "opened-at-unreadable-skipped": {"outside": {"checkpoint_committed": 1}},
    "opening-first-only": {"outside": {"run_started": 2}},
    "outside-each-kind": {
        "outside": {
            "model_returned": 1,
            "tool_called": 1,
            "tool_result": 1,
            "run_started": 1,
            "worktree_opened": 1,
            "run_frozen": 1,
            "approval_requested": 1,
            "checkpoint_committed": 1,
        }
    },
    "outside-second-in-turn": {"outside": {"run_started": 1, "worktree_opened": 1, "run_frozen": 1}},
    "passed-before-turn": {
        "passed": {
            "city_initialized": 1,
            "building_created": 1,
            "building_configured": 1,
            "building_removed": 1,
            "session_opened": 1,
            "run_forked": 1,
        }
    },
    "passed-quiet-kinds-1": {
        "passed": {
            "city_initialized": 1,
            "building_created": 1,
            "building_configured": 1,
            "building_removed": 1,
            "session_opened": 1,
            "run_forked": 1,
            "prompt_assembled": 1,
            "prompt_shape_compared": 1,
            "result_offloaded": 1,
            "gate_checked": 1,
            "handoff_written": 1,
            "cancel_received": 1,
            "log_truncated": 1,
        }
    },
    "passed-quiet-kinds-2": {
        "passed": {
            "signal_enqueued": 1,
            "draft_held": 1,
            "draft_resolved": 1,
            "goal_registered": 1,
            "goal_conflict": 1,
            "arbitration_verdict": 1,
            "repair_started": 1,
            "repair_reused": 1,
            "pr_opened": 1,
            "pr_merged": 1,
            "pr_rejected": 1,
            "roadmap_claimed": 1,
            "roadmap_finished": 1,
        }
    },
    "passed-quiet-kinds-3": {
        "passed": {
            "roadmap_released": 1,
            "roadmap_split": 1,
            "roadmap_blocked": 1,
            "pursuit_changed": 1,
            "approval_resolved": 1,
            "policy_created": 1,
            "policy_revoked": 1,
            "taint_promoted": 1,
            "cross_building_transfer": 1,
            "city_halted": 1,
            "backpressure_shed": 1,
            "digest_invalidated": 1,
            "endpoint_attached": 1,
        }
    },
    "passed-quiet-kinds-4": {
        "passed": {
            "endpoint_probed": 1,
            "endpoint_lost": 1,
            "model_selected": 1,
            "login_started": 1,
            "eval_run": 1,
            "asset_archived": 1,
            "credential_lent": 1,
            "secret_captured": 1,
            "secret_egress_blocked": 1,
            "discard_restored": 1,
            "autonomy_changed": 1,
            "went_back": 1,
            "file_restored": 1,
        }
    },
    "passed-quiet-kinds-5": {
        "passed": {
            "governed_document_written": 1,
            "spine_document_written": 1,
            "rules_changed": 1,
            "toolkit_link_opened": 1,
            "embedding_called": 1,
            "rerank_called": 1,
            "adviser_asked": 1,
            "adviser_answered": 1,
            "adviser_fell_back": 1,
            "cache_renewed": 1,
            "harness_reported": 1,
            "harness_answered": 1,
            "remote_opened": 1,
        }
    },
    "passed-quiet-kinds-6": {
        "passed": {
            "remote_closed": 1,
            "device_paired": 1,
            "device_revoked": 1,
            "remote_session_started": 1,
            "document_written": 1,
            "proposal_offered": 1,
            "proposal_decided": 1,
            "proposal_withdrawn": 1,
            "run_policy_changed": 1,
            "session_named": 1,
            "skill_audited": 1,
            "signal_wait_ended": 1,
            "signal_landed": 1,
        }
    },
    "passed-unknown-kinds": {"passed": {"teleported": 2, "Model_Called": 1, "": 1, "tool_results": 1}},
    "prefix-04": {"passed": {"signal_enqueued": 1}},
    "prefix-05": {"passed": {"signal_enqueued": 1, "signal_landed": 1}},
    "prefix-06": {"passed": {"signal_enqueued": 1, "signal_landed": 1}},
    "prefix-07": {"passed": {"signal_enqueued": 1, "signal_landed": 1}},
    "prefix-08": {"passed": {"signal_enqueued": 1, "signal_landed": 1}},
    "prefix-09": {"passed": {"signal_enqueued": 1, "signal_landed": 1}},
    "prefix-10": {"passed": {"signal_enqueued": 1, "signal_landed": 1}},
    "reply-before-call": {"outside": {"model_returned": 1}},
    "reply-wait-all-unknown": {"passed": {"signal_wait_ended": 1}},
    "reply-wait-bad-note": {"passed": {"signal_wait_ended": 1}},
    "reply-wait-earlier": {"passed": {"signal_wait_ended": 1}},
    "reply-wait-later-turn": {"passed": {"signal_wait_ended": 1}},
    "reply-wait-left": {"passed": {"signal_wait_ended": 1}},
    "reply-wait-other-kinds": {"passed": {"signal_landed": 1, "signal_wait_end": 1}},
    "reply-wait-other-signal": {"passed": {"signal_wait_ended": 1}},
    "reply-wait-reply": {"passed": {"signal_wait_ended": 1}},
    "reply-wait-reply-unread": {"passed": {"signal_wait_ended": 2}},
    "reply-wait-signal-bad": {"passed": {"signal_wait_ended": 4}},
    "reply-wait-timeout": {"passed": {"signal_wait_ended": 1}},
    "reply-wait-two": {"passed": {"signal_wait_ended": 2}},
    "reply-wait-unknown-skipped": {"passed": {"signal_wait_ended": 8}},
    "wait-nil-run-asked": {"passed": {"approval_resolved": 1}},
    "wait-not-nil-run": {"passed": {"approval_resolved": 1}},
    "worktree-nameless": {"outside": {"worktree_opened": 1}},
    "worktree-not-repaired": {"outside": {"worktree_opened": 2}},
    "worktree-second": {"outside": {"worktree_opened": 1}},
}


def _case(id: str, rule: str, about: str, ledger: bytes, run: str) -> Case:
    expect: Obj = {"outside": {}, "passed": {}, "problems": []}
    return Case(id, rule, about, tuple(records(ledger)), expect | BESIDE.get(id, {}), run)


CASES: tuple[Case, ...] = tuple(
    _case(one.id, one.about.rule, one.about.summary, one.ledger, one.run) for one in fold_cases()
)
