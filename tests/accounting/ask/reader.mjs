// Another reader of ask threads, written from the page and sharing nothing with ours. Its argument is the folder of the
// published cases; it prints, as JSON, what it makes of each thread.
import { readdirSync, readFileSync, existsSync } from "node:fs";
import { join } from "node:path";

const SETTLES = { end: "answered", aborted: "cancelled", error: "failed" };
const NEEDED = {
  meta: ["runId", "startedAt", "provider"],
  question: ["at", "text"],
  chunk: ["text"],
  end: ["at"],
  aborted: ["at"],
  error: ["at", "message"],
};

function isEvent(value) {
  if (typeof value !== "object" || value === null || typeof value.t !== "string") return false;
  if (!Object.hasOwn(NEEDED, value.t)) return false;
  if (value.t !== "meta" && !(Number.isSafeInteger(value.seq) && value.seq >= 1)) return false;
  return NEEDED[value.t].every((key) => typeof value[key] === "string");
}

function read(bytes) {
  const lines = bytes.toString("utf8").split("\n");
  const events = [];
  let torn = false;
  lines.forEach((line, index) => {
    if (line.trim() === "") return;
    let value;
    try {
      value = JSON.parse(line, (_, one) => (typeof one === "string" ? one.toWellFormed() : one));
    } catch {
      torn ||= index === lines.length - 1;
      return;
    }
    if (isEvent(value)) events.push(value);
  });
  return { events, torn };
}

function fold({ events, torn }, bound) {
  const of = (kind) => events.filter((event) => event.t === kind);
  const questions = of("question").sort((a, b) => a.seq - b.seq);
  const answer = (seq) => of("chunk").filter((one) => one.seq === seq).map((one) => one.text).join("").trim();
  const settle = (seq) => events.findLast((one) => one.seq === seq && one.t in SETTLES);
  const latest = questions.at(-1)?.seq ?? 0;
  const last = questions.filter((one, index) => questions[index + 1]?.seq !== one.seq);
  const turns = last
    .filter((one) => settle(one.seq)?.t === "end" && answer(one.seq) !== "")
    .map((one) => ({ question: one.text, answer: answer(one.seq) }));
  const focus = (one) => (typeof one?.focus === "string" ? one.focus : null);
  const display = questions.map((one, index) => {
    const [by, text] = [settle(one.seq), answer(one.seq)];
    const named = focus(one) !== null && focus(one) !== focus(questions[index - 1]);
    return {
      seq: one.seq,
      at: one.at,
      re: named ? focus(one).slice(0, 8) : null,
      question: one.text,
      state: by ? SETTLES[by.t] : text === "" ? "waiting" : "answering",
      text,
      message: by?.t === "error" && by.message.trim() !== "" ? by.message : null,
    };
  });
  return {
    events: events.length,
    torn,
    next_seq: latest + 1,
    in_flight: latest > 0 && !settle(latest) ? latest : null,
    turns: bound === null ? turns : bound === 0 ? [] : turns.slice(-bound),
    display,
  };
}

const folder = process.argv[2];
const found = {};
for (const id of readdirSync(folder)) {
  if (!existsSync(join(folder, id, "turns.json"))) continue;
  const { max_turns = 8 } = JSON.parse(readFileSync(join(folder, id, "turns.json"), "utf8"));
  found[id] = fold(read(readFileSync(join(folder, id, "thread.jsonl"))), max_turns);
}
console.log(JSON.stringify(found));
