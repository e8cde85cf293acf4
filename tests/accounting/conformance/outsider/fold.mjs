// A fold of an afternoon: turns, replies, calls and their answers. What it does not do yet it leaves out: absent is null.
import { createInterface } from "node:readline";

function fold(ledger, run) {
  const answer = { run, turns: [] };
  const awaiting = {};
  for (const record of ledger.split("\n").slice(0, -1).map(read)) {
    if (record.run !== run) continue;
    const { seq, t, kind, data } = record;
    const timing = record.v >= 2 ? "measured" : "unmeasured";
    const turn = answer.turns.at(-1);
    if (kind === "run_started") {
      answer.opening ??= { task: data.task ?? "", goal: data.goal ?? "", at: t };
    } else if (kind === "model_called") {
      const number = answer.turns.length + 1;
      answer.turns.push({ number, opened: seq, t, timing, model: data.model, calls: [], notes: [] });
    } else if (kind === "model_returned" && turn) {
      const texts = (data.message?.content ?? []).filter((block) => block.kind === "text").map((block) => block.text);
      turn.said = texts.length ? texts.join("\n") : null;
      Object.assign(turn, { stopped: data.stop, spent: data.billed_usd_micros, returned: record.v >= 2 ? t : null });
    } else if (kind === "tool_called" && turn) {
      const call = { tool: data.name, subject: data.subject, outcome: "waiting", at: seq, called: t, timing };
      turn.calls.push({ arguments: shown(data.args && write(data.args, 2)), ...call });
      (awaiting[data.id] ??= []).push(turn.calls.at(-1));
    } else if (kind === "tool_result" && awaiting[data.tool_use_id]?.length) {
      const call = awaiting[data.tool_use_id].shift();
      Object.assign(call, { outcome: "error" in data ? "failed" : "answered", answered: t, took_us: data.took_us });
      call.output = shown("error" in data ? data.error : data.result);
      call.timing = timing === "measured" ? call.timing : timing;
    }
  }
  return answer;
}

function shown(value) {
  if (value === undefined) return null;
  const lines = (typeof value === "string" ? value : write(value)).split("\n");
  return { head: lines.slice(0, 12).join("\n"), cut: Math.max(0, lines.length - 12) };
}

// JSON.parse rounds long integers: they pass through it as text with a mark.
function read(line) {
  const marked = line.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}/g, (part) => (part[0] === '"' ? part : `"\uE000${part}"`));
  try { return JSON.parse(marked) ?? {}; } catch { return {}; }
}

const write = (value, indent) => JSON.stringify(value, null, indent).replace(/"\uE000(-?\d+)"/g, "$1");

for await (const line of createInterface({ input: process.stdin })) {
  const { cmd, id, ledger, ledger_base64, run } = JSON.parse(line);
  if (cmd === "stop") break;
  const text = ledger ?? Buffer.from(ledger_base64 ?? "", "base64").toString();
  const started = { protocol: 1, name: "afternoon", version: "0.1" };
  console.log(write({ re: cmd, ...(cmd === "start" ? started : { id, answer: fold(text, run) }) }));
}
