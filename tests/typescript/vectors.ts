/**
 * Checks examples/args-hash/typescript against the vectors of RFC 8785 and of its faults.
 *
 * Usage: vectors.js JCS_JSON
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

import { argsHash, canonical, hashOfText } from "./args-hash.js";

interface Vector {
  name: string;
  group: string;
  input?: string;
  input_hex?: string;
  canonical?: string;
  sha256_12?: string;
  error?: string;
}

function textOf(vector: Vector): string {
  if (vector.input !== undefined) return vector.input;
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
    Buffer.from(vector.input_hex!, "hex"),
  );
}

/** What is wrong with a vector; undefined where all is well. */
function check(vector: Vector): string | undefined {
  let found;
  try {
    found = canonical(JSON.parse(textOf(vector)), 256);
  } catch (fault) {
    return vector.error === undefined ? `fails: ${fault}` : undefined;
  }
  if (vector.error !== undefined) return `should fail: ${vector.error}`;
  if (found !== vector.canonical) return "another text";
  const hash = createHash("sha256").update(found).digest("hex").slice(0, 12);
  return hash === vector.sha256_12 ? undefined : "another hash";
}

const vectors: Vector[] = JSON.parse(readFileSync(process.argv[2]!, "utf8"));
const wrong: string[] = [];
for (const vector of vectors) {
  const fault = check(vector);
  // JSON.parse keeps the last of two equal keys and tells nobody.
  if (vector.group === "duplicates" && vector.error !== undefined) {
    if (fault !== "should fail: duplicate_key") wrong.push(`${vector.name}: is told after all`);
  } else if (fault !== undefined) {
    wrong.push(`${vector.name}: ${fault}`);
  }
}
// Worked out from args-hash.md section 7.
const deep = JSON.parse("[".repeat(129) + "]".repeat(129));
const cases: [string, unknown, unknown][] = [
  ["no arguments are {}", argsHash(undefined), "44136fa355b3"],
  ["an empty attribute too", hashOfText(" "), "44136fa355b3"],
  ["key order does not matter", argsHash({ b: 1, a: 2 }), argsHash({ a: 2, b: 1.0 })],
  ["integer-like keys sort as texts", canonical({ 2: 0, 10: 0 }), '{"10":0,"2":0}'],
  ["a key called toJSON is data", canonical({ toJSON: 1, a: 2 }), '{"a":2,"toJSON":1}'],
  ["what is undefined is not sent", argsHash({ a: undefined }), "44136fa355b3"],
  ["redacted", argsHash({ a: ["[REDACTED]"] }), undefined],
  ["cut", hashOfText('{"q": "select * fr'), undefined],
  ["a lone surrogate", argsHash({ q: "\ud83d" }), undefined],
  ["nested too deep", argsHash(deep), undefined],
  ["a date is no JSON", argsHash({ a: new Date(0) }), undefined],
  ["2^53 + 1 is a double", argsHash(2n ** 53n + 1n), argsHash(2 ** 53)],
  ["a bigint past every double", argsHash(10n ** 400n), undefined],
  [
    "a wrapper of OpenLLMetry",
    hashOfText('{"tool_name": "x", "arguments": {"a": 1}}'),
    argsHash({ a: 1 }),
  ],
];
for (const [name, found, right] of cases) {
  if (found !== right) wrong.push(`${name}: ${found} is not ${right}`);
}
if (wrong.length > 0) {
  console.error(wrong.join("\n"));
  process.exit(1);
}
console.log(`${vectors.length} vectors hold`);
