/**
 * Hashes tool arguments where they are, so that they never leave the process.
 *
 *     const exporter = new ArgsHashExporter(new OTLPTraceExporter());
 *     const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
 *
 * On the spans of tool calls `args_hash` then stands in the place of the arguments: the first
 * twelve hex digits of SHA-256 over their RFC 8785 form. Where no honest hash can be made (text
 * that was cut, a redacted value, a lone surrogate) there is none, and the arguments go all the
 * same. For spans that carry no arguments, call `noteArguments` where they are known.
 */
import { createHash } from "node:crypto";

import { trace, type Attributes, type Span } from "@opentelemetry/api";
import type { ExportResult } from "@opentelemetry/core";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace-base";

const MAX_DEPTH = 128;
/** Attributes that hold arguments on the spans of tool calls, the best first. */
const ARGUMENTS = [
  "gen_ai.tool.call.arguments",
  "ai.toolCall.args",
  "mcp.tool.arguments",
  "tool_arguments",
  "traceloop.entity.input",
  "langfuse.observation.input",
  "input.value",
  "gen_ai.tool.input",
];
/** Further places of the same arguments, in other words or with an attribute for each. */
const ALSO = ["mcp.request.payload", "tool.parameters", "gen_ai.input.messages", "input.mime_type"];
const EACH = "mcp.request.argument.";
const MARKS = ["***", "[redacted]", "<redacted>", "__redacted__", "[filtered]"];
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The RFC 8785 text of a JSON value; an error where it has none. */
export function canonical(value: unknown, depth = MAX_DEPTH): string {
  switch (typeof value) {
    case "boolean":
      return String(value);
    case "bigint":
      return canonical(Number(value));
    case "number":
      if (!Number.isFinite(value)) throw new TypeError("not a finite number");
      return JSON.stringify(value);
    case "string":
      if (LONE_SURROGATE.test(value)) throw new TypeError("a lone surrogate");
      return JSON.stringify(value);
    case "object":
      break;
    default:
      throw new TypeError(`${typeof value} is no JSON value`);
  }
  if (value === null) return "null";
  if (depth === 0) throw new TypeError("nested too deep");
  if (Array.isArray(value)) {
    return `[${value.map((each) => canonical(each, depth - 1)).join(",")}]`;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError("an object of a class is no JSON value");
  }
  const object = value as Record<string, unknown>;
  // JavaScript compares texts by their UTF-16, as RFC 8785 asks. What is undefined is not sent.
  const keys = Object.keys(object)
    .filter((key) => object[key] !== undefined)
    .sort();
  return `{${keys.map((key) => `${canonical(key)}:${canonical(object[key], depth - 1)}`).join(",")}}`;
}

const digest = (bytes: string | Buffer): string =>
  createHash("sha256").update(bytes).digest("hex").slice(0, 12);

/** The args_hash of arguments, a JSON value; undefined where no honest one can be made. */
export function argsHash(args: unknown): string | undefined {
  try {
    return hides(args) ? undefined : digest(canonical(args ?? {}));
  } catch {
    return undefined;
  }
}

/** Whether a redaction stands somewhere in it: what it hides may differ. */
function hides(value: unknown): boolean {
  if (typeof value === "string") return MARKS.includes(value.trim().toLowerCase());
  return typeof value === "object" && value !== null && Object.values(value).some(hides);
}

/** The args_hash of arguments as an attribute holds them. */
export function hashOfText(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return argsHash({});
  if (!["{", "[", '"'].includes(trimmed[0]!)) {
    // A single argument, bare: its bytes are hashed behind a mark that no JSON begins with.
    if (MARKS.includes(trimmed.toLowerCase()) || /(\.\.\.|…)$/.test(trimmed)) return undefined;
    try {
      return argsHash(JSON.parse(trimmed));
    } catch {
      return digest(Buffer.concat([Buffer.from("\0r\0"), Buffer.from(trimmed)]));
    }
  }
  try {
    return argsHash(unwrapped(JSON.parse(trimmed)));
  } catch {
    return undefined; // cut, or no JSON: nothing honest can be said
  }
}

/** The arguments out of what frameworks wrap around them. */
function unwrapped(value: unknown): unknown {
  if (typeof value === "string") {
    return value.startsWith("{") || value.startsWith("[") ? unwrapped(JSON.parse(value)) : value;
  }
  if (typeof value !== "object" || value === null) return value;
  const object = value as Record<string, unknown>;
  const keys = Object.keys(object).sort().join(" ");
  if (keys === "arguments tool_name" || keys === "arguments name") return object["arguments"];
  const args = object["args"];
  if (keys === "args kwargs" && Array.isArray(args) && args.length === 0) return object["kwargs"];
  return value;
}

/** Whether a span's attributes say that it is a tool's call. */
function isToolCall(attributes: Attributes): boolean {
  const is = (key: string, ...words: string[]) => words.includes(String(attributes[key]));
  return (
    is("gen_ai.operation.name", "execute_tool", "tool_call") ||
    is("mcp.method.name", "tools/call") ||
    is("openinference.span.kind", "TOOL", "tool") ||
    is("traceloop.span.kind", "tool") ||
    is("langfuse.observation.type", "tool") ||
    String(attributes["ai.operationId"]).startsWith("ai.toolCall")
  );
}

/** The span with `args_hash` in the place of its arguments; others as they are. */
export function withoutArguments(span: ReadableSpan): ReadableSpan {
  if (!isToolCall(span.attributes)) return span;
  const found = ARGUMENTS.find((key) => span.attributes[key] !== undefined);
  const isArguments = (key: string) =>
    ARGUMENTS.includes(key) || ALSO.includes(key) || key.startsWith(EACH);
  const attributes: Attributes = Object.fromEntries(
    Object.entries(span.attributes).filter(([key]) => !isArguments(key)),
  );
  const known = found === undefined ? undefined : hashOfText(String(span.attributes[found]));
  if (known !== undefined) attributes["args_hash"] ??= known;
  return Object.create(span, { attributes: { value: attributes, enumerable: true } });
}

/** Stands before another exporter; what it hands on has hashes and no arguments. */
export class ArgsHashExporter implements SpanExporter {
  readonly #exporter: SpanExporter;

  constructor(exporter: SpanExporter) {
    this.#exporter = exporter;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#exporter.export(spans.map(withoutArguments), done);
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  forceFlush(): Promise<void> {
    return this.#exporter.forceFlush?.() ?? Promise.resolve();
  }
}

/** Sets `args_hash` on a span, the active one unless another is given. */
export function noteArguments(args: unknown, span: Span | undefined = trace.getActiveSpan()): void {
  const known = argsHash(args);
  if (known !== undefined) span?.setAttribute("args_hash", known);
}
