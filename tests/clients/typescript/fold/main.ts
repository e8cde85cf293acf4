// The fold as a program that `rounds conform fold` drives: `node main.js RUN` folds the ledger on standard input once;
// without a run it stays, and answers one request after the other, a line of JSON each.
import { createInterface } from "node:readline";

import type { Json } from "../rounds/rounds.js";
import { fold } from "./fold.js";
import { text } from "./grammar.js";
import { type JsonObject, isObject, parse, write } from "./json.js";
import { records } from "./record.js";

const DEPTH = 16;

function answer(ledger: Buffer, run: string): Json {
  return fold(records(ledger), run) as unknown as Json;
}

function ledgerOf(request: JsonObject): Buffer {
  const encoded = text(request["ledger_base64"]);
  return encoded === null ? Buffer.from(text(request["ledger"]) ?? "", "utf8") : Buffer.from(encoded, "base64");
}

async function serve(): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    const request = parse(line, DEPTH);
    if (!isObject(request)) {
      throw new SyntaxError("a request is an object");
    }
    const id = request["id"] ?? null;
    switch (request["cmd"]) {
      case "start":
        say({ re: "start", protocol: 1n, name: "fold in TypeScript", version: "1.0" });
        break;
      case "fold":
        say({ re: "fold", id, answer: answer(ledgerOf(request), text(request["run"]) ?? "") });
        break;
      case "stop":
        return;
      default:
        throw new SyntaxError(`no such command: ${write(request["cmd"] ?? null)}`);
    }
  }
}

function say(reply: Json): void {
  process.stdout.write(`${write(reply)}\n`);
}

async function whole(): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

const [run] = process.argv.slice(2);
if (run === undefined) {
  await serve();
} else {
  say(answer(await whole(), run));
}
