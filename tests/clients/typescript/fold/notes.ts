// Which kinds earn a note, and what it says (`rounds.md` 2, note). What is paired with it later is null here.
import type { Arrived, ErrorShape, Note } from "../rounds/rounds.js";
import { address, gitOid, locator, signalId, text, u64 } from "./grammar.js";
import { errorCode, errorShape, texts } from "./readings.js";
import type { Record } from "./record.js";

/** Null when the record earns none. One that should have said something and does not read is `unreadable`. */
export function noteOf(record: Record): Note | null {
  const { kind, seq: at, t, data } = record;
  switch (kind) {
    case "gate_denied":
    case "budget_limit":
      return refused(record, errorShape(data), "no error shape");
    case "provider_degraded": {
      const error = errorShape(data);
      const isFallback = error === null && text(data["component"]) !== null;
      return isFallback ? null : refused(record, error, "neither an error shape nor a component");
    }
    case "watchdog_fired":
      return watchdog(record);
    case "approval_requested":
      return { waiting: { at, t, answered: null } };
    case "checkpoint_committed": {
      // The form with a job is tried first: a dispatch pins its job, and commits nothing.
      if (locator(data["job"]) !== null) {
        return null;
      }
      const oid = gitOid(data["oid"]);
      return oid === null ? unreadable(record, "no oid") : { checkpointed: { oid, at } };
    }
    case "steer_received": {
      const [from, said] = [text(data["source"]), text(data["text"])];
      if (from === null || said === null) {
        return unreadable(record, "no source or no text");
      }
      return arrived(record, { from, said, by: from === "user" || from === "city" ? from : "resident" });
    }
    case "signal_consumed":
      return signalId(data["id"]) === null
        ? unreadable(record, "no id")
        : arrived(record, { from: null, said: null, by: "resident" });
    case "signal_wait_started": {
      const [on, until] = [address(data["on"]), u64(data["deadline_ms"])];
      return on === null || until === null
        ? unreadable(record, "no address or no deadline")
        : { awaiting_reply: { on, until, t, ended: null, at } };
    }
    case "file_discarded": {
      const paths = texts(data["paths"]);
      return paths === null
        ? unreadable(record, "no list of paths")
        : { discarded: { count: BigInt(paths.length), at } };
    }
    default:
      return null;
  }
}

function watchdog(record: Record): Note | null {
  const action = text(record.data["action"]);
  if (action === "steer" || action === "switch" || action === "freeze") {
    return null;
  }
  const until = u64(record.data["until_ms"]);
  const code = errorCode(record.data["code"]);
  const subject = text(record.data["subject"]);
  if (action !== "back_off" || until === null || code === null || subject === null) {
    return unreadable(record, "no action that is known, or not all of it");
  }
  const error: ErrorShape = {
    code,
    action: "call the provider",
    subject,
    nearby: [],
    recovery: `the next call goes out no earlier than ${until} ms`,
    retry: "no",
  };
  return { refused: { error, at: record.seq } };
}

function refused(record: Record, error: ErrorShape | null, why: string): Note {
  return error === null ? unreadable(record, why) : { refused: { error, at: record.seq } };
}

function arrived({ seq, t }: Record, known: Pick<Arrived, "from" | "said" | "by">): Note {
  return { arrived: { ...known, t, handback: null, kind: null, session: null, at: seq } };
}

/** `gate_denied` reads `GateDenied: why`. Only what stands before the colon is compared. */
function unreadable({ kind, seq }: Record, why: string): Note {
  const name = kind.replace(/(?:^|_)([a-z])/g, (_, first: string) => first.toUpperCase());
  return { unreadable: { cause: `${name}: ${why}`, at: seq } };
}
