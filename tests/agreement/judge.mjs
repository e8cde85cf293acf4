// Judges documents with ajv, parsed in two ways: each line of standard input names a shape and has the document's text,
// each line of output says of both whether it is taken. The schema of the second is the bundle, as it is published.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

import { Ajv2020 } from "ajv/dist/2020.js";

import { read } from "./build/rounds/reading.js";

const ajv = new Ajv2020({ strict: false, discriminator: true, validateFormats: false });
ajv.addSchema(JSON.parse(readFileSync(process.argv[2], "utf8")), "rounds");

function takes(judge) {
  try {
    return judge();
  } catch (error) {
    if (error.name === "ShapeError" || error instanceof SyntaxError) {
      return false;
    }
    return `${error}`;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { shape, text } = JSON.parse(line);
  const lossless = takes(() => read(shape, text) !== undefined);
  const plain = takes(() => ajv.getSchema(`rounds#/$defs/${shape}`)(JSON.parse(text)));
  process.stdout.write(`${JSON.stringify([lossless, plain])}\n`);
}
