/**
 * Sends tool calls through the OpenTelemetry SDK, with their arguments or with their hashes.
 *
 * Usage: send-hashed.js HTTP_URL CASES_JSON START_UNIX_S hashed|whole
 *
 * The cases are [tool, attributes, arguments text] each; tests/it/args_hash.rs writes them and
 * looks at what firstcall keeps.
 */
import { readFileSync } from "node:fs";

import { SpanKind, trace, type Attributes } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";

import { ArgsHashExporter, noteArguments } from "./args-hash.js";

const [url, cases, start, form] = process.argv.slice(2);
const inner = new OTLPTraceExporter({ url: `${url}/v1/traces` });
const exporter = form === "hashed" ? new ArgsHashExporter(inner) : inner;
const provider = new BasicTracerProvider({
  resource: resourceFromAttributes({ "service.name": `typescript-${form}` }),
  spanProcessors: [new BatchSpanProcessor(exporter)],
});
const tracer = provider.getTracer("openinference.instrumentation.example");
const begin = Number(start) * 1000;
const told: [string, Attributes][] = JSON.parse(readFileSync(cases!, "utf8"));
told.forEach(([tool, attributes], number) => {
  const startTime = begin + number * 1000;
  const options = { kind: SpanKind.INTERNAL, startTime, attributes, root: true };
  tracer.startSpan(tool, options).end(startTime + 100);
});
// A span that is no tool call keeps what it has.
tracer.startSpan("chat", { attributes: { "input.value": "a prompt" }, root: true }).end();
// One that carries no arguments gets its hash where they are known.
const attributes = { "mcp.method.name": "tools/call", "gen_ai.tool.name": "noted" };
const options = { kind: SpanKind.SERVER, startTime: begin, attributes, root: true };
const span = tracer.startSpan("tools/call noted", options);
noteArguments({ b: 1, a: "x" }, span);
span.end(begin + 100);
trace.disable();
await provider.forceFlush();
await provider.shutdown();
