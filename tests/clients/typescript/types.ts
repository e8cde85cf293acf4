// What the types themselves refuse: each of these lines has to be an error for the compiler.
import type { EventRecord, Note, Outcome, ToolResult, U64 } from "./rounds/rounds.js";

// @ts-expect-error: a count is a bigint, never a number.
export const count: U64 = 1;

// @ts-expect-error: no such word.
export const outcome: Outcome = "lost";

// @ts-expect-error: null stands for what is not known; undefined does not.
export const result: ToolResult = { tool_use_id: "a", name: "b", took_us: undefined };

// @ts-expect-error: one key only.
export const note: Note = { checkpointed: { oid: "", at: 0n }, discarded: { count: 0n, at: 0n } };

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
