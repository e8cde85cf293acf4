// One payload's values, each read on its own: one that does not read is null, and its neighbours stand (`rounds.md` 2).
import type {
  Effect,
  EffectOn,
  ErrorCode,
  ErrorShape,
  Gate,
  Json,
  Opening,
  Provider,
  RenderIntent,
  RunPolicy,
  Used,
} from "../rounds/rounds.js";
import { type Read, address, i64, runId, serverLabel, text, u32, u64, who, word } from "./grammar.js";
import { type JsonObject, isList, isObject } from "./json.js";
import type { Record } from "./record.js";

const U64_MAX = 2n ** 64n - 1n;

/** The texts of a reply's blocks of one kind, in order; null when there is none. An empty text is one. */
export function prose(message: Json | undefined, kind: "text" | "thinking"): string | null {
  const content = isObject(message) && isList(message["content"]) ? message["content"] : [];
  const texts = content
    .map((block) => (isObject(block) && block["kind"] === kind ? text(block[kind]) : null))
    .filter((each) => each !== null);
  return texts.length ? texts.join("\n") : null;
}

type Counts = Pick<Used, "input" | "output" | "cached" | "cache_write">;

/** All the counts or none: a wrong sum is worse than no sum. */
export function counts(usage: Json | undefined): Counts | null {
  if (!isObject(usage)) {
    return null;
  }
  const output = u64(usage["output_tokens"]);
  const [cached, cacheWrite] = [usage["cache_read_tokens"] ?? null, usage["cache_write_tokens"] ?? null];
  const input = u64(usage["input_tokens"]);
  if (input === null || output === null || !isCountOrNull(cached) || !isCountOrNull(cacheWrite)) {
    return null;
  }
  const version = usage["v"] ?? null;
  if (version !== null && version !== 1n) {
    return null;
  }
  // An older row whose cached parts are more than its prompt counted only what was not cached.
  const parts = (cached ?? 0n) + (cacheWrite ?? 0n);
  const whole = version === null && parts > input ? input + parts : input;
  return whole > U64_MAX ? null : { input: whole, output, cached, cache_write: cacheWrite };
}

function isCountOrNull(value: Json): value is bigint | null {
  return value === null || u64(value) !== null;
}

/** A result that is an object has its exit code inside, or none. */
export function exitCode(payload: JsonObject): bigint | null {
  const result = payload["result"];
  return i64(isObject(result) ? result["exit_code"] : payload["exit_code"]);
}

/** Every code that there is; the compiler sees to it that none is left out. */
const CODES: { readonly [code in ErrorCode]: true } = {
  E_PATH_NOT_FOUND: true,
  E_TOOL_UNKNOWN: true,
  E_TOOL_UNAVAILABLE: true,
  E_INVALID_ARGS: true,
  E_OUTSIDE_WRITE_DOMAIN: true,
  E_VERSION_CONFLICT: true,
  E_GATE_DENIED: true,
  E_BUDGET_EXHAUSTED: true,
  E_TIMEOUT: true,
  E_PROVIDER: true,
  E_PROVIDER_ACCOUNTS_EXHAUSTED: true,
  E_EVIDENCE_MISSING: true,
  E_LOOP_SUSPECTED: true,
  E_LOCATOR_INVALID: true,
  E_SANDBOX_DENIED: true,
  E_BUSY: true,
  E_DRAFT_STALE: true,
  E_GOAL_CONFLICT: true,
  E_TAINTED_ACTION: true,
  E_REPAIR_BUSY: true,
  E_DELEGATION_DEPTH: true,
  E_APPROVAL_PENDING: true,
  E_APPROVAL_DENIED: true,
  E_CROSS_BUILDING_DENIED: true,
  E_DIGEST_SUSPECT: true,
  E_CREDENTIAL_MISSING: true,
  E_MODEL_UNCHOSEN: true,
  E_CONFIG_INVALID: true,
  E_CAS_CORRUPT: true,
  E_STORAGE_FATAL: true,
  E_WORKTREE_BUSY: true,
  E_BROWSER_UNAVAILABLE: true,
  E_ENDPOINT_DIALECT_UNSUPPORTED: true,
  E_WIRE_MISMATCH: true,
  E_LOG_VERSION_UNSUPPORTED: true,
  E_LEDGER_HELD: true,
  E_HISTORY_UNPROVEN: true,
  E_SECRET_EGRESS: true,
  E_DISCARD_IRREVERSIBLE: true,
  E_BACKPRESSURE_SHED: true,
  E_TOOL_OUTCOME_UNKNOWN: true,
  E_PLAN_MISSING: true,
};

export const errorCode: Read<ErrorCode> = word(...(Object.keys(CODES) as ErrorCode[]));
const retryWord = word("yes", "no", "unknown");

/** The six required parts must read; each of the others that does not is left out. */
export function errorShape(data: JsonObject): ErrorShape | null {
  const code = errorCode(data["code"]);
  const action = text(data["action"]);
  const subject = text(data["subject"]);
  const nearby = texts(data["nearby"]);
  const recovery = text(data["recovery"]);
  const retry = retryWord(data["retry"]) ?? older(data["retriable"]);
  if (code === null || action === null || subject === null || nearby === null || recovery === null || retry === null) {
    return null;
  }
  const after = u64(data["retry_after_ms"]);
  const gate = gateOf(data["gate"]);
  const provider = providerOf(data["provider"]);
  return {
    code,
    action,
    subject,
    nearby,
    recovery,
    retry,
    ...(after === null ? {} : { retry_after_ms: after }),
    ...(gate === null ? {} : { gate }),
    ...(provider === null ? {} : { provider }),
  };
}

/** What older writers wrote in place of `retry`. */
function older(retriable: Json | undefined): "yes" | "no" | null {
  return typeof retriable === "boolean" ? (retriable ? "yes" : "no") : null;
}

/** A list of nothing but strings. */
export function texts(value: Json | undefined): readonly string[] | null {
  return isList(value) && value.every((each) => typeof each === "string") ? value : null;
}

function gateOf(value: Json | undefined): Gate | null {
  if (!isObject(value)) {
    return null;
  }
  const [rule, violation, alternative] = [text(value["rule"]), text(value["violation"]), text(value["alternative"])];
  return rule === null || violation === null || alternative === null ? null : { rule, violation, alternative };
}

const bareProvider = word("exchange", "cut", "silence", "unreadable", "reported", "unbuilt");
const statusProvider = word("refused", "overflow");

function providerOf(value: Json | undefined): Provider | null {
  if (!isObject(value)) {
    return null;
  }
  const bare = bareProvider(value["kind"]);
  if (bare !== null) {
    return { kind: bare };
  }
  const [kind, status] = [statusProvider(value["kind"]), u32(value["status"])];
  return kind === null || status === null ? null : { kind, status };
}

const effectWord = word("read", "egress", "spawn", "govern", "spend");
const renderWord = word("generic", "terminal", "signal");

/** A word, or an object with exactly one key. Unknown keys inside are dropped. */
export function effectOf(value: Json | undefined): Effect | null {
  const [tag, inside] = tagged(value);
  return effectWord(value) ?? (inside ? effectOn(tag, inside) : null);
}

function effectOn(tag: string, inside: JsonObject): EffectOn | null {
  if (tag === "write") {
    const domain = address(inside["domain"]);
    return domain === null ? null : { write: { domain } };
  }
  if (tag === "connector") {
    const label = serverLabel(inside["label"]);
    return label === null ? null : { connector: { label } };
  }
  if (tag === "attach_user_browser") {
    const where = inside["address"] ?? null;
    return where === null || typeof where === "string" ? { attach_user_browser: { address: where } } : null;
  }
  return null;
}

export function renderOf(value: Json | undefined): RenderIntent | null {
  const [tag, inside] = tagged(value);
  const locations = inside && tag === "diff" ? texts(inside["locations"]) : null;
  return renderWord(value) ?? (locations?.every((each) => address(each) !== null) ? { diff: { locations } } : null);
}

/** The one key of an object that has one, and the object under it. */
function tagged(value: Json | undefined): readonly [string, JsonObject | null] {
  const [only, ...more] = isObject(value) ? Object.entries(value) : [];
  return only && !more.length && isObject(only[1]) ? [only[0], only[1]] : ["", null];
}

const mode = word("chat", "work");
const writing = word("full", "create");
const admission = word("standing", "tested", "contract_kept", "double_validated");
const workLanding = word("ordinary", "experiment");
const effort = word("none", "low", "medium", "high", "xhigh", "max");

/** How the session began: it stands whatever the line lacks. Nobody looks names up here. */
export function openingOf({ t, data }: Record): Opening {
  return {
    task: text(data["task"]) ?? "",
    goal: text(data["goal"]) ?? "",
    at: t,
    dispatched_by: who(data["dispatched_by"]),
    policy: policyOf(data["policy"]),
    effort: effort(data["effort"]),
    names: null,
    parent: runId(data["parent"]),
  };
}

function policyOf(value: Json | undefined): RunPolicy | null {
  if (!isObject(value)) {
    return null;
  }
  const read = {
    mode: mode(value["mode"]),
    write: writing(value["write"]),
    admit: admission(value["admit"]),
    landing: workLanding(value["landing"]),
  };
  const isWhole = read.mode && read.write && read.admit && read.landing;
  return isWhole ? (read as RunPolicy) : null;
}
