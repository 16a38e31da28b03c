// Serves a site made with `--assets files` on loopback under the content security policy that
// Jenkins puts on what it hosts, and checks that it looks and reads as it does from disk.
//
//   node tests/browser/strict-host.mjs SITE_DIR

import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { chromiumOptions } from "./chromium.mjs";

const site = resolve(process.argv[2] ?? "");
if (!existsSync(join(site, "index.html")) || !existsSync(join(site, "assets"))) {
  console.error("usage: node tests/browser/strict-host.mjs SITE_DIR (made with --assets files)");
  process.exit(2);
}

const POLICY = "sandbox; default-src 'none'; img-src 'self'; style-src 'self';";
const types = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml" };
const server = createServer((request, response) => {
  const path = resolve(site, "." + decodeURIComponent(new URL(request.url, "http://x").pathname));
  if (!path.startsWith(site + sep) || !existsSync(path)) return response.writeHead(404).end();
  const type = types[extname(path)] ?? "application/octet-stream";
  response.writeHead(200, { "content-type": type, "content-security-policy": POLICY });
  response.end(readFileSync(path));
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const top = `http://127.0.0.1:${server.address().port}/`;

const browser = await chromium.launch(chromiumOptions);
// What a reader sees: the words, and how large and wide they are set.
async function look(url) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(url);
  const seen = {
    words: (await page.locator("main").innerText()).replace(/\s+/g, " "),
    box: await page.locator("main").boundingBox(),
    title: await page.locator("h1").boundingBox(),
  };
  await context.close();
  return JSON.stringify(seen);
}

const failures = [];
const pages = ["index.html", "tools/index.html", "clients/index.html", "quality.html", "method.html"];
for (const page of pages) {
  const [hosted, onDisk] = [await look(top + page), await look(pathToFileURL(join(site, page)).href)];
  if (hosted !== onDisk) failures.push(`${page} is not what it is from disk`);
}
await browser.close();
server.close();
if (failures.length > 0) {
  console.error(failures.join("\n"));
  process.exit(1);
}
console.log(`${pages.length} pages: the same under a host's strict policy`);
