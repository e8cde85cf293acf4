// An afternoon's fold: turns, replies, calls, answers. JSON.parse rounds long integers: they pass it as marked text.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
const marked = (line) => line.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}/g, (it) => (it[0] === '"' ? it : `"\uE000${it}"`));
export const read = (line) => { try { return JSON.parse(marked(line)) ?? {}; } catch { return {}; } };
const write = (value, indent) => JSON.stringify(value, null, indent).replace(/"\uE000(-?\d+)"/g, "$1");
const bounded = (lines) => ({ head: lines.slice(0, 12).join("\n"), cut: Math.max(0, lines.length - 12) });

export function fold(ledger, run) {
  const [answer, awaiting] = [{ run, turns: [] }, { __proto__: null }];
  for (const { run: its, v, seq, t, kind, data } of ledger.split("\n").slice(0, -1).map(read)) {
    if (its !== run || !data) continue;
    const [turn, number, timing] = [answer.turns.at(-1), answer.turns.length + 1, v > 1 ? "measured" : "unmeasured"];
    if (kind === "run_started") answer.opening ??= { task: data.task ?? "", goal: data.goal ?? "", at: t };
    if (kind === "model_called") {
      answer.turns.push({ number, opened: seq, t, timing, model: data.model, calls: [], notes: [] });
    } else if (kind === "model_returned" && turn) {
      const all = [data.message?.content].flat().filter((it) => it?.kind === "text").map((it) => it.text);
      Object.assign(turn, { said: all.length ? all.join("\n") : null, stopped: data.stop, returned: v > 1 ? t : null });
    } else if (kind === "tool_called" && turn) {
      const call = { tool: data.name, subject: data.subject, outcome: "waiting", at: seq, called: t, timing };
      turn.calls.push({ ...call, arguments: data.args && bounded(write(data.args, 2).split("\n")) });
      (awaiting[data.id] ??= []).push(turn.calls.at(-1));
    } else if (kind === "tool_result" && awaiting[data.tool_use_id]?.length) {
      const [call, value] = [awaiting[data.tool_use_id].shift(), "error" in data ? data.error : data.result ?? ""];
      Object.assign(call, { outcome: "error" in data ? "failed" : "answered", answered: t, took_us: data.took_us });
      call.output = value === "" ? null : bounded((typeof value === "string" ? value : write(value)).split("\n"));
    }
  }
  return answer;
}

const [, script, asked] = process.argv;
if (asked) console.log(write(fold(readFileSync(0, "utf8"), asked)));
else if (script.endsWith("fold.mjs")) for await (const line of createInterface({ input: process.stdin })) {
  const { cmd, id, run, ledger, ledger_base64: bytes } = JSON.parse(line);
  const answer = cmd === "fold" && fold(ledger ?? Buffer.from(bytes, "base64").toString(), run);
  if (cmd === "stop") break;
  console.log(write({ re: cmd, ...(answer ? { id, answer } : { protocol: 1, name: "afternoon", version: "0.1" }) }));
}
