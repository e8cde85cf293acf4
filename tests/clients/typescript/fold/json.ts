// JSON as the ledger needs it: integers exact whatever their size, the last of a repeated key, any depth.
// `JSON.parse` rounds integers past 2^53, and recursive parsers end on a line that nests far enough.
import type { Json } from "../rounds/rounds.js";

export interface JsonObject {
  readonly [key: string]: Json;
}

interface Open {
  readonly value: Json[] | { [key: string]: Json };
  /** Under which key the next value goes; a list has none. */
  key: string;
  /** Whether what is inside is kept. */
  readonly kept: boolean;
}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const WORD = /true|false|null/y;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** The one value that the text is. A container more than `depth` deep is there, and empty. Throws a SyntaxError. */
export function parse(text: string, depth: number): Json {
  let at = 0;

  const fail = (): never => {
    throw new SyntaxError(`no JSON at ${at}`);
  };
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    at += found?.[0].length ?? 0;
    return found;
  };
  const taken = (character: string): boolean => {
    match(SPACE);
    const found = text[at] === character;
    at += found ? 1 : 0;
    return found;
  };
  const string = (): string => {
    const from = at;
    for (at += 1; text[at] !== '"'; at += text[at] === "\\" ? 2 : 1) {
      if (at >= text.length) {
        fail();
      }
    }
    at += 1;
    // Half a surrogate pair, which only an escape can spell, reads as U+FFFD.
    return (JSON.parse(text.slice(from, at)) as string).replace(LONE_SURROGATE, "\uFFFD");
  };
  const key = (): string => {
    match(SPACE);
    const found = text[at] === '"' ? string() : fail();
    return taken(":") ? found : fail();
  };
  const scalar = (): Json => {
    if (text[at] === '"') {
      return string();
    }
    const number = match(NUMBER);
    if (number) {
      return number[1] || number[2] ? Number(number[0]) : BigInt(number[0]);
    }
    const word = match(WORD);
    return word ? (JSON.parse(word[0]) as boolean | null) : fail();
  };

  const stack: Open[] = [];
  for (;;) {
    // A value begins here.
    let value: Json;
    const opening = taken("{") ? "{" : taken("[") ? "[" : "";
    if (opening) {
      // Without a prototype, `__proto__` is a key as any other.
      const empty: Open["value"] = opening === "{" ? (Object.create(null) as { [key: string]: Json }) : [];
      if (!taken(opening === "{" ? "}" : "]")) {
        stack.push({ value: empty, key: opening === "{" ? key() : "", kept: stack.length < depth });
        continue;
      }
      value = empty;
    } else {
      value = scalar();
    }
    // A value has ended, and with it perhaps what it stands in.
    for (;;) {
      const around = stack.at(-1);
      if (!around) {
        match(SPACE);
        return at === text.length ? value : fail();
      }
      if (around.kept) {
        if (Array.isArray(around.value)) {
          around.value.push(value);
        } else {
          around.value[around.key] = value;
        }
      }
      const isList = Array.isArray(around.value);
      if (taken(",")) {
        around.key = isList ? "" : key();
        break;
      }
      if (!taken(isList ? "]" : "}")) {
        fail();
      }
      value = around.value;
      stack.pop();
    }
  }
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** On one line, the keys in the order they have. */
export function write(value: Json): string {
  return spell(value, Object.keys, "", "");
}

/** On one line, keys sorted. */
export function compact(value: Json): string {
  return spell(value, sortedKeys, "", "");
}

/** Two spaces for each level, keys sorted. */
export function pretty(value: Json): string {
  return spell(value, sortedKeys, "  ", "\n");
}

function spell(value: Json, keys: (of: JsonObject) => readonly string[], step: string, start: string): string {
  if (typeof value === "bigint") {
    return value.toString();
  }
  if (typeof value === "number") {
    // A fraction, which no ledger should have; how it is shown is not compared between folds.
    return Number.isInteger(value) ? `${value}.0` : `${value}`;
  }
  const inner = start + step;
  const colon = step ? ": " : ":";
  if (isList(value)) {
    const items = value.map((item) => inner + spell(item, keys, step, inner));
    return items.length ? `[${items.join(",")}${start}]` : "[]";
  }
  if (isObject(value)) {
    const items = keys(value).map(
      (key) => inner + JSON.stringify(key) + colon + spell(value[key] ?? null, keys, step, inner),
    );
    return items.length ? `{${items.join(",")}${start}}` : "{}";
  }
  // What JSON.stringify escapes in a string is just what a canonical line escapes.
  return JSON.stringify(value);
}

/** By the bytes of their UTF-8. */
function sortedKeys(of: JsonObject): readonly string[] {
  return Object.keys(of).sort(byBytes);
}

/** Bytes of UTF-8 are ordered as code points are; `<` orders UTF-16 units, which puts U+10000 before U+FFFD. */
function byBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
