// A checker of an evening: JSON, the envelope, the numbering, numbers, spelling. It follows no chain, knows no kinds,
// and integers past 2^53 are beyond it: what only those show it misses.
import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const ENVELOPE = ["v", "run", "seq", "prev", "t", "who", "addr", "kind", "data", "ig"];
const RUN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const count = (value) => Number.isInteger(value) && value >= 0;
const object = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

function address(value) {
  if (typeof value !== "string" || /[\\:\p{Cc}]/u.test(value)) return false;
  return value.split("/").every((part) => /[^.\s]$/u.test(part));
}

// The first fault of a line, in the order of faults.md; `numbers` are those that it may have, any when there are none.
function fault(text, record, bytes, numbers) {
  if (!object(record) || !("v" in record)) return "not-a-line";
  if (!Number.isInteger(record.v) || record.v < 1) return "not-a-version";
  if (record.v > 2) return "version-ahead";
  if (ENVELOPE.some((key) => key !== "addr" && key !== "ig" && !(key in record))) return "not-a-line";
  if (!count(record.seq) || typeof record.prev !== "string" || typeof record.kind !== "string") return "not-a-line";
  if (numbers && !numbers.includes(record.seq)) return "seq-gap";
  if (!isUtf8(bytes)) return "bad-utf8";
  if (Object.keys(record).some((key) => !ENVELOPE.includes(key))) return "unknown-key";
  const { run, t, who, addr = "a", data, ig = true } = record;
  if (!RUN.test(run) || !count(t) || typeof who !== "string" || !address(addr)) return "envelope-field";
  if (!object(data) || ig !== true) return "envelope-field";
  if (/\d[.eE]/.test(text.replace(/"(?:[^"\\]|\\.)*"/g, ""))) return "float";
  if (JSON.stringify(data) !== JSON.stringify(sorted(data))) return "unsorted-keys";
  const ordered = ENVELOPE.filter((key) => key in record).map((key) => [key, record[key]]);
  return JSON.stringify(Object.fromEntries(ordered)) === text ? null : "not-canonical";
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  return object(value) ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])])) : value;
}

function parsed(text) {
  try { return JSON.parse(text); } catch { return null; }
}

function check(ledger) {
  const findings = [];
  let [due, numbers, before] = [0, [0], null];
  for (const [index, line] of ledger.toString("latin1").split("\n").slice(0, -1).entries()) {
    const bytes = Buffer.from(line, "latin1");
    const text = bytes.toString(); // what is not UTF-8 reads as U+FFFD
    const record = parsed(text);
    const code = fault(text, record, bytes, numbers);
    if (code && !(code === "not-a-line" && before === code)) findings.push({ code, line: index + 1 });
    // faults.md, going on: one more than this line has, or, after a fault, what was due here, or one more than that.
    const next = Number.isInteger(record?.seq) ? record.seq + 1 : null;
    numbers = next === null ? null : code && due !== null ? [next, due, due + 1] : [next];
    [due, before] = [next, code];
  }
  return findings;
}

const say = (reply) => console.log(JSON.stringify(reply));
if (process.argv[2] === "once") say({ findings: check(readFileSync(0)) });
else for await (const line of createInterface({ input: process.stdin })) {
  const { cmd, id, ledger, ledger_base64: bytes } = JSON.parse(line);
  if (cmd === "start") say({ re: cmd, protocol: 1, name: "evening", version: "0.1" });
  const content = bytes ? Buffer.from(bytes, "base64") : Buffer.from(ledger ?? "");
  if (cmd === "check") say({ re: cmd, id, findings: check(content) });
  if (cmd === "stop") break;
}
