// What the types themselves refuse: each of these lines has to be an error for the compiler.
import type { Note, Outcome, ToolResult, U64 } from "./rounds/rounds.js";

// @ts-expect-error: a count is a bigint, never a number.
export const count: U64 = 1;

// @ts-expect-error: no such word.
export const outcome: Outcome = "lost";

// @ts-expect-error: null stands for what is not known; undefined does not.
export const result: ToolResult = { tool_use_id: "a", name: "b", took_us: undefined };

// @ts-expect-error: one key only.
export const note: Note = { checkpointed: { oid: "", at: 0n }, discarded: { count: 0n, at: 0n } };
