// A ledger's bytes to its records (`rounds.md` 0). What is no record is skipped: a view never fails on content.
import type { Json } from "../rounds/rounds.js";
import { runId, text, u64 } from "./grammar.js";
import { type JsonObject, isObject, parse } from "./json.js";

export interface Record {
  readonly run: string;
  readonly seq: bigint;
  readonly t: bigint;
  readonly kind: string;
  readonly data: JsonObject;
  /** The line's `t` as a measurement (`ledger.md` 2); null when the line's version or kind says that it is none. */
  readonly moment: bigint | null;
}

/** Containers of a payload that are read, and the one around the payload. */
const DEPTH = 900 + 1;
const MEASURED = new Set(["model_called", "model_returned", "tool_called", "tool_result"]);
const NEWLINE = 0x0a;

/** In the order of the file, which is the order: times never reorder, and neither does `seq`. */
export function* records(ledger: Buffer): Generator<Record> {
  // Bytes that are not UTF-8 read as U+FFFD; a byte order mark is not dropped, and leaves no JSON.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let from = 0;
  // Bytes after the last newline are a line being written, even when they are whole.
  for (let to = ledger.indexOf(NEWLINE); to !== -1; to = ledger.indexOf(NEWLINE, from)) {
    const found = record(decoder.decode(ledger.subarray(from, to)));
    if (found) {
      yield found;
    }
    from = to + 1;
  }
}

function record(line: string): Record | null {
  const read = parsed(line);
  if (!isObject(read)) {
    return null;
  }
  const version = read["v"];
  const run = runId(read["run"]);
  const seq = u64(read["seq"]);
  const t = u64(read["t"]);
  const kind = text(read["kind"]);
  const data = read["data"];
  if (typeof version !== "bigint" || version < 1n) {
    return null;
  }
  if (run === null || seq === null || t === null || kind === null || !isObject(data)) {
    return null;
  }
  const moment = version >= 2n && MEASURED.has(kind) ? t : null;
  return { run, seq, t, kind, data, moment };
}

function parsed(line: string): Json {
  try {
    return parse(line, DEPTH);
  } catch (error) {
    if (error instanceof SyntaxError) {
      return null;
    }
    throw error;
  }
}
