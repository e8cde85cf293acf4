// The fold (`rounds.md` 3): the records of a ledger in, one run as turns out. Pure: no clock, no files, nothing kept.
import type { Call, Closing, Note, Opening, RoundsAnswer, Turn } from "../rounds/rounds.js";
import { gitOid, locator, text, u64 } from "./grammar.js";
import { isObject } from "./json.js";
import { noteOf } from "./notes.js";
import { argumentsOf, errorOf, resultOf } from "./output.js";
import { Approvals, Arrivals, type Draft, Landings, ReplyWaits } from "./pairings.js";
import { counts, effectOf, exitCode, openingOf, prose, renderOf } from "./readings.js";
import type { Record } from "./record.js";

type DraftCall = Draft<Call>;
type DraftTurn = Draft<Omit<Turn, "calls" | "notes">> & { readonly calls: DraftCall[]; readonly notes: Note[] };

/** Lines of other runs matter to two pairings only; any run may be asked for. */
export function fold(records: Iterable<Record>, run: string): RoundsAnswer {
  const folding = new Folding();
  for (const record of records) {
    folding.ofAnyRun(record);
    if (record.run === run) {
      folding.ofTheRun(record);
    }
  }
  return { run, ...folding.answer() };
}

class Folding {
  readonly #turns: DraftTurn[] = [];
  /** Calls that await an answer, by id, the earliest first. */
  readonly #awaiting = new Map<string, DraftCall[]>();
  readonly #approvals = new Approvals();
  readonly #arrivals = new Arrivals();
  readonly #replyWaits = new ReplyWaits();
  readonly #landings = new Landings();
  #openedAt: string | null = null;
  #opening: Opening | null = null;
  /** The first ending, whether or not it reads: a later one does not stand in for it. */
  #ending: Record | null = null;
  #worktree: Record | null = null;

  ofAnyRun(record: Record): void {
    this.#approvals.see(record);
    this.#arrivals.see(record);
  }

  ofTheRun(record: Record): void {
    const turn = this.#turns.at(-1);
    switch (record.kind) {
      case "model_called":
        this.#turns.push(opened(record, this.#turns.length + 1));
        break;
      case "tool_called":
        if (turn) {
          this.#call(record, turn);
        }
        break;
      case "tool_result":
        this.#result(record);
        break;
      case "model_returned":
        // The latest attempt's, and the latest attempt is the last turn.
        if (turn) {
          reply(record, turn);
        }
        break;
      default:
        this.#other(record, turn);
    }
  }

  answer(): Omit<RoundsAnswer, "run"> {
    return {
      turns: this.#turns,
      opened_at: this.#openedAt,
      opening: this.#opening,
      closing: this.#closing(),
      worktree: text(this.#worktree?.data["name"]),
    };
  }

  #call(record: Record, turn: DraftTurn): void {
    const call = called(record);
    turn.calls.push(call);
    this.#landings.called(record, call);
    const id = text(record.data["id"]);
    if (id !== null) {
      this.#awaiting.set(id, [...(this.#awaiting.get(id) ?? []), call]);
    }
  }

  #result(record: Record): void {
    // A result that nobody awaits goes to no other call.
    const id = text(record.data["tool_use_id"]);
    const call = id === null ? undefined : this.#awaiting.get(id)?.shift();
    if (call) {
      answer(record, call);
      this.#landings.answered(call);
    }
  }

  #other(record: Record, turn: DraftTurn | undefined): void {
    switch (record.kind) {
      case "run_started":
        this.#opening ??= openingOf(record);
        break;
      case "run_frozen":
        this.#ending ??= record;
        break;
      case "worktree_opened":
        this.#worktree ??= record;
        break;
      case "checkpoint_committed":
        // In a turn or before the first; one that pins a job has no commit.
        this.#openedAt ??= locator(record.data["job"]) === null ? gitOid(record.data["oid"]) : null;
        break;
      case "signal_enqueued":
        this.#landings.enqueued(record);
        break;
      case "signal_landed":
        this.#landings.landed(record);
        break;
      case "signal_wait_ended":
        this.#replyWaits.ended(record);
        break;
    }
    const note = turn ? noteOf(record) : null;
    if (note) {
      turn?.notes.push(note);
      this.#pair(record, note);
    }
  }

  /** A note whose other half comes later waits for it; one whose other half came before is filled now. */
  #pair(record: Record, note: Note): void {
    if (note.waiting) {
      this.#approvals.asked(record, note.waiting);
    } else if (note.awaiting_reply) {
      this.#replyWaits.started(record, note.awaiting_reply);
    } else if (note.arrived && record.kind === "signal_consumed") {
      this.#arrivals.taken(record, note.arrived);
    }
  }

  #closing(): Closing | null {
    const completion = text(this.#ending?.data["completion"]);
    return this.#ending && completion !== null ? { completion, at: this.#ending.t } : null;
  }
}

/** Rule 1. */
function opened({ seq, t, moment, data }: Record, number: number): DraftTurn {
  return {
    number: BigInt(number),
    opened: seq,
    t,
    timing: moment === null ? "unmeasured" : "measured",
    first_at: null,
    returned: null,
    model: text(data["model"]),
    said: null,
    thought: null,
    spent: null,
    used: null,
    stopped: null,
    calls: [],
    notes: [],
  };
}

/** Rule 2. */
function called({ seq, t, moment, data }: Record): DraftCall {
  return {
    tool: text(data["name"]) ?? "tool",
    subject: text(data["subject"]),
    arguments: argumentsOf(data["args"]),
    outcome: "waiting",
    at: seq,
    output: null,
    called: t,
    answered: null,
    timing: moment === null ? "unmeasured" : "measured",
    effect: effectOf(data["effect"]),
    render: renderOf(data["render"]),
    exit_code: null,
    took_us: null,
    landing: null,
  };
}

/** Rule 3. */
function answer({ t, moment, data }: Record, call: DraftCall): void {
  // The key decides, not what is under it: an error of null is one.
  const error = data["error"];
  call.outcome = error === undefined ? "answered" : "failed";
  call.output = error === undefined ? resultOf(data["result"]) : errorOf(error);
  call.answered = t;
  call.exit_code = exitCode(data);
  call.took_us = u64(data["took_us"]);
  // After a restart somebody else supplied the answer: when it came says nothing of the tool.
  const isSupplied = isObject(error) && error["code"] === "E_TOOL_OUTCOME_UNKNOWN";
  if (moment === null || isSupplied) {
    call.timing = "unmeasured";
  }
}

/** Rule 4: all seven from this line, also where an earlier reply had more. */
function reply({ moment, data }: Record, turn: DraftTurn): void {
  const used = counts(data["usage"]);
  const firstAt = u64(data["first_at"]);
  turn.said = prose(data["message"], "text");
  turn.thought = prose(data["message"], "thinking");
  turn.spent = u64(data["billed_usd_micros"]);
  turn.used = used && {
    ...used,
    first_us: firstAt === null ? null : u64(data["first_us"]),
    took_us: u64(data["took_us"]),
  };
  turn.stopped = text(data["stop"]);
  turn.first_at = firstAt;
  turn.returned = moment;
}
