// The grammars of single values (`ledger.md` 4). What does not read is null, whatever it is instead.
import type { Json } from "../rounds/rounds.js";

const U64_MAX = 2n ** 64n - 1n;

const RUN_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const GIT_OID = /^[0-9a-f]{40}$/;
const SERVER_LABEL = /^[a-z0-9]+$/;
// Unicode White_Space is not what `\s` means: that lacks U+0085 and has U+FEFF.
const SIGNAL_ID = /^\P{White_Space}+$/u;
const ADDRESS_NEVER = /[\\:\p{Cc}]/u;
const SEGMENT_END_NEVER = /[.\p{White_Space}]$/u;

const RANGE = "(?:#([LB])(0|[1-9][0-9]*)-(0|[1-9][0-9]*))?";
const STORED = new RegExp(`^cas:b3-[0-9a-f]{64}${RANGE}$`);
// The address is greedy, so that the oid stands after the last `@`.
const COMMITTED = new RegExp(`^file:(?<address>.*)@[0-9a-f]{40}${RANGE}$`, "s");

export type Read<T> = (value: Json | undefined) => T | null;

/** The string itself; a number is not made into one. */
export const text: Read<string> = (value) => (typeof value === "string" ? value : null);

export const u64: Read<bigint> = (value) => integer(value, 0n, U64_MAX);
export const u32: Read<bigint> = (value) => integer(value, 0n, 2n ** 32n - 1n);
export const i64: Read<bigint> = (value) => integer(value, -(2n ** 63n), 2n ** 63n - 1n);

export const runId: Read<string> = (value) => matching(value, RUN_ID);
export const gitOid: Read<string> = (value) => matching(value, GIT_OID);
export const serverLabel: Read<string> = (value) => matching(value, SERVER_LABEL);
export const signalId: Read<string> = (value) => matching(value, SIGNAL_ID);

export const address: Read<string> = (value) => {
  const words = text(value);
  return words !== null && isAddress(words) ? words : null;
};

/** `city` and `person` have the form of an Address. */
export const who: Read<string> = address;

export const locator: Read<string> = (value) => {
  const words = text(value) ?? "";
  const stored = STORED.exec(words);
  if (stored) {
    return isRange(stored[1], stored[2], stored[3]) ? words : null;
  }
  const file = COMMITTED.exec(words);
  const place = file?.groups?.["address"] ?? "";
  return file && isAddress(place) && isRange(file[2], file[3], file[4]) ? words : null;
};

/** One of these words. */
export function word<W extends string>(...words: readonly W[]): Read<W> {
  const known = new Map<Json | undefined, W>(words.map((each) => [each, each]));
  return (value) => known.get(value) ?? null;
}

function integer(value: Json | undefined, least: bigint, most: bigint): bigint | null {
  // An integer is a bigint here; a number is a fraction, `1.0` too.
  return typeof value === "bigint" && least <= value && value <= most ? value : null;
}

function matching(value: Json | undefined, pattern: RegExp): string | null {
  return typeof value === "string" && pattern.test(value) ? value : null;
}

/** A leading `/`, and one at the end, make an empty segment. */
function isAddress(words: string): boolean {
  return (
    !ADDRESS_NEVER.test(words) &&
    words.split("/").every((segment) => segment !== "" && !SEGMENT_END_NEVER.test(segment))
  );
}

function isRange(unit: string | undefined, from: string | undefined, to: string | undefined): boolean {
  if (unit === undefined || from === undefined || to === undefined) {
    return true;
  }
  const first = BigInt(from);
  const last = BigInt(to);
  return first >= (unit === "L" ? 1n : 0n) && first <= last && last <= U64_MAX;
}
