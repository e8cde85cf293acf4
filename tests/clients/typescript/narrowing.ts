// What the types tell apart, also where `strict` is all that a project asks for.
import type { EventRecord, NewerNote, Note } from "./rounds/rounds.js";

/** The kind says what `data` is, and the one key which note it is. */
export function narrowed(record: EventRecord, one: Note): string {
  if (record.kind === "tool_called") {
    return record.data.name;
  }
  if (record.kind === "session_named") {
    // @ts-expect-error: a kind without a shape has any object.
    return record.data.name;
  }
  if (one.refused) {
    return one.refused.error.code;
  }
  return one.arrived?.said ?? "";
}

/** A note of a newer writer has any key but those that are known. */
export const newer: NewerNote = { sung: { times: 1n } };

// @ts-expect-error: this one is known.
export const known: NewerNote = { discarded: { count: 0n, at: 0n } };
