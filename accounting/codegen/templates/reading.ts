import { Ajv2020 as Ajv, type ValidateFunction } from "ajv/dist/2020.js";
import { isSafeNumber, parse, stringify } from "lossless-json";

import type { Shapes } from "./rounds.js";
import { schema } from "./schema.js";

/** What was read, or was to be written, is no such shape. */
export class ShapeError extends Error {
  override readonly name = "ShapeError";
}

/**
 * Reads one JSON text as a shape: `read("RoundsAnswer", text)`. Every integer becomes a bigint, so none is altered.
 *
 * @throws SyntaxError when it is no JSON, or holds a fraction with more digits than a number keeps.
 * @throws ShapeError when the schema does not allow it.
 */
export function read<Shape extends keyof Shapes>(shape: Shape, text: string): Shapes[Shape] {
  const value = parse(text, undefined, { parseNumber: numeral, onDuplicateKey: ({ newValue }) => newValue });
  check(shape, value);
  return value as Shapes[Shape];
}

/**
 * Writes a value as JSON text.
 *
 * @throws ShapeError when the schema does not allow it.
 */
export function write<Shape extends keyof Shapes>(shape: Shape, value: Shapes[Shape]): string {
  check(shape, value);
  return stringify(value) as string; // Undefined only for what is no JSON, which no shape allows.
}

function check(shape: keyof Shapes, value: unknown): void {
  const validate = ajv.getSchema(`rounds#/$defs/${shape}`) as ValidateFunction;
  if (!validate(value)) {
    throw new ShapeError(ajv.errorsText(validate.errors, { dataVar: shape }));
  }
}

function numeral(text: string): bigint | number {
  if (/^-?[0-9]+$/.test(text)) {
    return BigInt(text);
  }
  if (!isSafeNumber(text)) {
    throw new SyntaxError(`${text} has more digits than a number keeps`);
  }
  return Number(text);
}

// JSON Schema's `integer` is for numbers; in `schema` each one is a `whole` between two limits, written as texts.
const ajv = new Ajv({ strictTypes: false, discriminator: true, validateFormats: false });
ajv.addKeyword({
  keyword: "whole",
  metaSchema: { type: "array", items: { type: "string" }, minItems: 2, maxItems: 2 },
  error: { message: ({ schema: limits }) => `must be an integer (bigint) from ${limits[0]} to ${limits[1]}` },
  compile([least, most]: [string, string]) {
    const [from, to] = [BigInt(least), BigInt(most)];
    return (value: unknown) => typeof value === "bigint" && value >= from && value <= to;
  },
});
ajv.addSchema(schema, "rounds");
