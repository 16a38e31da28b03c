// An agent of the Vercel AI SDK with a scripted mock model.
//
// Usage: vercel_ai.mjs new|legacy      (which of its two vocabularies it tells)

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

import { LegacyOpenTelemetry, OpenTelemetry } from "@ai-sdk/otel";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { generateText, registerTelemetry, stepCountIs, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { z } from "zod";

const story = JSON.parse(readFileSync(process.env.CAPTURES_STORY));

const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({ "service.name": "shop-agent" }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
provider.register();
const isLegacy = process.argv[2] === "legacy";
registerTelemetry(isLegacy ? new LegacyOpenTelemetry() : new OpenTelemetry());

const kinds = { string: () => z.string(), integer: () => z.number().int() };

const tools = Object.fromEntries(
  Object.entries(story.tools).map(([name, { about, parameters, answer, failure }]) => [
    name,
    tool({
      description: about,
      inputSchema: z.object(
        Object.fromEntries(Object.entries(parameters).map(([key, kind]) => [key, kinds[kind]()])),
      ),
      execute: async () => {
        if (name === "convert") await sleep(50);
        if (failure) throw new Error(failure);
        return answer ?? [];
      },
    }),
  ]),
);

function scriptedModel(turns) {
  let said = 0;
  return new MockLanguageModelV4({
    doGenerate: async () => {
      await sleep(story.thinking_ms);
      const calls = turns[said] ?? [];
      said += 1;
      const content = calls.map(([toolName, input], number) => ({
        type: "tool-call",
        toolCallId: `call_${said}_${number}`,
        toolName,
        input: JSON.stringify(input),
      }));
      const reason = content.length ? "tool-calls" : "stop";
      return {
        content: content.length ? content : [{ type: "text", text: "cAnArY-done" }],
        finishReason: { unified: reason, raw: reason },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
        warnings: [],
      };
    },
  });
}

for (const { prompt, turns } of story.conversations) {
  await generateText({
    model: scriptedModel(turns),
    tools,
    prompt,
    stopWhen: stepCountIs(turns.length + 1),
    experimental_telemetry: { isEnabled: true, functionId: "shopper" },
  });
}
await provider.shutdown();
