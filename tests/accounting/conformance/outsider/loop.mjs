// The loop of README.md, with the published files and node alone: prints the cases that the fold gets wrong.
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { fold, read } from "./fold.mjs";

const file = (path) => readFileSync(`conformance/${path}`, "utf8");
for (const { id, of, rule, about } of JSON.parse(file("index.json")).cases) {
  if (of !== "fold") continue;
  const expected = read(file(`cases/${id}/rounds.json`));
  const actual = fold(file(`cases/${id}/ledger.jsonl`), expected.run);
  if (!isDeepStrictEqual(normal(actual), normal(expected))) console.log(`${id}: ${rule}: ${about}`);
}

function normal(value, key) {
  if (Array.isArray(value)) return value.map((item) => normal(item));
  if (typeof value === "string" && key === "cause") return value.split(":", 1) + ":";
  if (value === null || typeof value !== "object") return value;
  const there = Object.entries(value).filter(([, item]) => (item ?? null) !== null);
  return Object.fromEntries(there.map(([name, item]) => [name, normal(item, name)]));
}
