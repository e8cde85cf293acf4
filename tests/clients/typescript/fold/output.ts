// Arguments and output: text bounded by lines (`rounds.md` 1 and 2).
import type { Json, Output } from "../rounds/rounds.js";
import { locator } from "./grammar.js";
import { compact, isList, isObject, pretty } from "./json.js";

const OUTPUT_LINES = 12;
const BLANK = /^\p{White_Space}*$/u;

/** What a call was called with; null for absent and null. A string shows in quotes. */
export function argumentsOf(value: Json | undefined): Output | null {
  return value === undefined || value === null ? null : bounded(pretty(value), null);
}

/** What a result gave; null when it is absent. A null that is there is the text `null`. */
export function resultOf(value: Json | undefined): Output | null {
  return value === undefined ? null : bounded(shown(value), pinned(value));
}

/** What went wrong. Only what is read from a result is ever stored apart. */
export function errorOf(value: Json): Output | null {
  return bounded(shown(value), null);
}

function shown(value: Json): string {
  return typeof value === "string" ? value : compact(value);
}

function bounded(whole: string, pinned: string | null): Output | null {
  if (BLANK.test(whole)) {
    return null;
  }
  const lines = linesOf(whole);
  const head = lines.slice(0, OUTPUT_LINES).join("\n");
  return { head, cut: BigInt(lines.length - Math.min(lines.length, OUTPUT_LINES)), pinned };
}

/** Lines end at `\n` only, which takes one `\r` before it along; after the last one no further line opens. */
function linesOf(whole: string): readonly string[] {
  const lines = whole.split("\n");
  const last = lines.pop() ?? "";
  const ended = lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  return last === "" ? ended : [...ended, last];
}

/** Where the whole output is stored: the first entry decides, also when it does not read. */
function pinned(result: Json): string | null {
  if (!isObject(result)) {
    return null;
  }
  const [sieved] = listOf(result["sieve"]);
  const [offloaded] = listOf(result["offload"]);
  const entry = sieved === undefined ? offloaded : sieved;
  return isObject(entry) ? locator(entry["original"]) : null;
}

function listOf(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}
