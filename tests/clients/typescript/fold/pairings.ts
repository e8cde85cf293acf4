// What ties lines together across turns and runs (`rounds.md` 3, "over the whole window"). Every one fills fields that the
// fold left null; "earlier" and "later" mean the order of the file.
import type { Arrived, AwaitingReply, Call, Waiting } from "../rounds/rounds.js";
import { address, signalId, text, word } from "./grammar.js";
import { isObject } from "./json.js";
import type { Record } from "./record.js";

export type Draft<T> = { -readonly [K in keyof T]: T[K] };

const NIL_RUN = "00000000-0000-0000-0000-000000000000";
const REACH = 4096n;

const signalKind = word("mention", "thread", "broadcast", "steer");
const landingWord = word("delivered", "knocked", "queued");
const replyEnd = word("reply", "timeout", "left");

/** A person's answers, which stand under the nil run. The first one after a request is its answer. */
export class Approvals {
  readonly #waiting = new Map<string, Draft<Waiting>[]>();

  asked({ data }: Record, note: Draft<Waiting>): void {
    const id = text(data["id"]);
    if (id) {
      this.#waiting.set(id, [...(this.#waiting.get(id) ?? []), note]);
    }
  }

  see({ run, kind, t, data }: Record): void {
    const id = text(data["id"]);
    if (kind !== "approval_resolved" || run !== NIL_RUN || !id) {
      return;
    }
    for (const note of this.#waiting.get(id) ?? []) {
      note.answered = t;
    }
    this.#waiting.delete(id);
  }
}

/** Letters sent by any run: the nearest earlier one says what arrived, unless it is too far back. */
export class Arrivals {
  readonly #sent = new Map<string, Record>();

  see(record: Record): void {
    const id = record.kind === "signal_enqueued" ? signalId(record.data["id"]) : null;
    if (id !== null) {
      this.#sent.set(id, record);
    }
  }

  taken({ seq, data }: Record, note: Draft<Arrived>): void {
    const sent = this.#sent.get(signalId(data["id"]) ?? "");
    if (!sent || seq - sent.seq > REACH) {
      return;
    }
    const payload = sent.data["payload"];
    note.from = text(sent.data["from"]);
    note.said = isObject(payload) ? text(payload["text"]) : null;
    note.kind = signalKind(sent.data["kind"]);
    note.session = sent.run;
  }
}

/** Waits for a reply, ended by the first line after them that says how. */
export class ReplyWaits {
  readonly #waiting = new Map<string, Draft<AwaitingReply>[]>();

  started({ data }: Record, note: Draft<AwaitingReply>): void {
    const id = signalId(data["signal"]);
    if (id !== null) {
      this.#waiting.set(id, [...(this.#waiting.get(id) ?? []), note]);
    }
  }

  ended({ t, data }: Record): void {
    const id = signalId(data["signal"]);
    const by = isObject(data["by"]) ? replyEnd(data["by"]["end"]) : null;
    if (id === null || by === null) {
      return;
    }
    for (const note of this.#waiting.get(id) ?? []) {
      note.ended = { by, t };
    }
    this.#waiting.delete(id);
  }
}

/** Letters that calls of this run sent, and where they went. */
export class Landings {
  /** Calls that no letter has taken and nothing has answered, in the order called. */
  readonly #open = new Map<Draft<Call>, string>();
  readonly #taken = new Map<string, Draft<Call>>();

  called({ data }: Record, call: Draft<Call>): void {
    const to = call.render === "signal" && isObject(data["args"]) ? address(data["args"]["to"]) : null;
    if (to !== null) {
      this.#open.set(call, to);
    }
  }

  answered(call: Draft<Call>): void {
    this.#open.delete(call);
  }

  enqueued({ data }: Record): void {
    const id = signalId(data["id"]);
    if (id === null || this.#taken.has(id)) {
      return;
    }
    for (const [call, to] of this.#open) {
      if (to === data["room"]) {
        this.#open.delete(call);
        this.#taken.set(id, call);
        return;
      }
    }
  }

  landed({ data }: Record): void {
    const call = this.#taken.get(signalId(data["signal"]) ?? "");
    const landing = landingWord(data["landing"]);
    if (call && landing !== null) {
      call.landing = landing;
    }
  }
}
