// Reads documents with the generated types: each line of standard input names a shape and has the document's text,
// each line of output has what it was written as again, or what was wrong with it.
import { createInterface } from "node:readline";

import { ShapeError, read, write } from "./rounds/reading.js";
import type { Shapes } from "./rounds/rounds.js";

interface Task {
  readonly shape: keyof Shapes;
  readonly text: string;
}

function judge({ shape, text }: Task): { readonly text: string; readonly why: string } {
  try {
    return { text: write(shape, read(shape, text)), why: "" };
  } catch (error) {
    if (error instanceof ShapeError || error instanceof SyntaxError) {
      return { text: "", why: error.message };
    }
    throw error;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(judge(JSON.parse(line) as Task))}\n`);
}
