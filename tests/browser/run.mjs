// Opens every page of a generated site from disk in headless Chromium, script off where a
// reader may have it off, and checks what no text test can: that nothing is asked of any
// network, that nothing is reported on the console, that the content security policy holds,
// that a phone's width is enough, that light and dark and paper work, and that axe-core finds
// nothing.
//
//   node tests/browser/run.mjs SITE_DIR [--shots DIR]

import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { chromiumOptions } from "./chromium.mjs";
import { checkComfort } from "./comfort.mjs";

const require = createRequire(import.meta.url);
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const [site, flag, shots] = process.argv.slice(2);
if (!site || !existsSync(join(site, "index.html"))) {
  console.error("usage: node tests/browser/run.mjs SITE_DIR [--shots DIR]");
  process.exit(2);
}
const shotDir = flag === "--shots" && shots ? resolve(shots) : undefined;
if (shotDir) mkdirSync(shotDir, { recursive: true });

const failures = [];
const fail = (page, what) => failures.push(`${page}: ${what}`);

function pagesBelow(dir) {
  return readdirSync(dir)
    .sort()
    .flatMap((name) => {
      const path = join(dir, name);
      if (statSync(path).isDirectory()) return pagesBelow(path);
      return name.endsWith(".html") ? [path] : [];
    });
}

// Pages of one kind differ in names and numbers only. Nights, and the pages of any kind that has
// more than MANY, are stood for by the first, the last, the longest, and some between: the same
// ones whenever the site is the same.
const MANY = 100;
const BETWEEN = 10;

function kindOf(page) {
  const [, folder, name] = /(?:^|\/)(tools|clients|nights)\/([^/]*)$/.exec(page) ?? [];
  if (folder === undefined || /^(index|by-)/.test(name)) return undefined;
  return /^page-\d+\.html$/.test(name) ? `${folder} split` : folder;
}

function sample(pages) {
  const kinds = new Map();
  for (const page of pages) {
    const kind = kindOf(page);
    kinds.set(kind, [...(kinds.get(kind) ?? []), page]);
  }
  const kept = new Set(kinds.get(undefined));
  kinds.delete(undefined);
  for (const [kind, all] of kinds) {
    const between = kind === "nights" ? 1 : all.length > MANY ? BETWEEN : all.length;
    const step = (all.length - 1) / (between + 1);
    for (let at = 0; at <= between + 1; at += 1) kept.add(all[Math.round(at * step)]);
    if (between >= all.length) all.forEach((page) => kept.add(page));
    kept.add(all.reduce((a, b) => (statSync(b).size > statSync(a).size ? b : a)));
  }
  return pages.filter((page) => kept.has(page));
}

const browser = await chromium.launch(chromiumOptions);

async function open(path, options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const name = relative(resolve(site), path);
  page.on("console", (message) => fail(name, `console: ${message.text()}`));
  page.on("pageerror", (error) => fail(name, `error: ${error.message}`));
  page.on("dialog", (dialog) => {
    fail(name, `a dialog opened: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith("file://") && !url.startsWith("data:")) fail(name, `asked for ${url}`);
  });
  await page.goto(pathToFileURL(path).href);
  return { context, page, name };
}

async function shoot(page, name, kind) {
  if (!shotDir) return;
  const file = `${name.replaceAll("/", "_").replace(/\.html$/, "")}.${kind}.png`;
  await page.screenshot({ path: join(shotDir, file), fullPage: true });
}

const colours = (page) =>
  page.evaluate(() => {
    const style = getComputedStyle(document.documentElement);
    return `${style.backgroundColor} on ${style.color}`;
  });

async function check(path) {
  const seen = {};
  for (const scheme of ["light", "dark"]) {
    const { context, page, name } = await open(path, {
      viewport: { width: 1200, height: 900 },
      colorScheme: scheme,
      // axe is put in by the test, past the page's policy.
      bypassCSP: true,
    });
    seen[scheme] = await colours(page);
    await page.evaluate(axe);
    const found = await page.evaluate(() => globalThis.axe.run(document, { preload: false }));
    for (const violation of found.violations) {
      const where = violation.nodes.map((node) => node.target.join(" ")).slice(0, 3);
      fail(name, `axe ${scheme} ${violation.id}: ${violation.help} (${where.join("; ")})`);
    }
    await shoot(page, name, scheme);
    await context.close();
  }
  const name = relative(resolve(site), path);
  if (seen.light === seen.dark) fail(name, "light and dark look the same");

  const { context, page } = await open(path, {
    viewport: { width: 320, height: 640 },
    javaScriptEnabled: false,
  });
  await shoot(page, name, "phone");
  await context.close();

  const phone = await open(path, { viewport: { width: 320, height: 640 } });
  const [inner, outer] = await phone.page.evaluate(() => [
    document.documentElement.scrollWidth,
    document.documentElement.clientWidth,
  ]);
  if (inner > outer) fail(name, `scrolls sideways at 320 px: ${inner} in ${outer}`);
  const [styles, scripts] = await phone.page.evaluate(() => [
    document.styleSheets.length,
    document.scripts.length,
  ]);
  if (styles !== 1) fail(name, `the policy let ${styles} style sheets in, expected 1`);
  if (scripts !== 1) fail(name, `${scripts} scripts`);
  const links = await phone.page.evaluate(() =>
    [...document.querySelectorAll("a[href]")].map((link) => link.href));
  for (const link of links) {
    if (!link.startsWith("file://")) fail(name, `links out: ${link}`);
  }
  // By keyboard alone: the first stop skips the navigation.
  await phone.page.keyboard.press("Tab");
  const first = await phone.page.evaluate(() => document.activeElement?.getAttribute("href"));
  if (first !== "#main") fail(name, `the first tab stop is ${first}`);
  // On paper nothing can be opened, and a table's head stands on each of its pages.
  await phone.page.emulateMedia({ media: "print" });
  const [folded, heads] = await phone.page.evaluate(() => [
    [...document.querySelectorAll("details > :not(summary)")]
      .filter((element) => !element.checkVisibility()).length,
    [...document.querySelectorAll("thead:not(.vh)")]
      .filter((head) => getComputedStyle(head).display !== "table-header-group").length,
  ]);
  if (folded + heads > 0) fail(name, `on paper ${folded} parts are folded, ${heads} heads alone`);
  const pdf = await phone.page.pdf({ format: "A4" });
  if (shotDir) writeFileSync(join(shotDir, `${name.replaceAll("/", "_")}.pdf`), pdf);
  if (pdf.length < 1000 || pdf.subarray(0, 5).toString() !== "%PDF-") fail(name, "no PDF");
  await phone.context.close();
}

// FIRSTCALL_PAGES, a pattern, picks the pages: all by default.
const picked = new RegExp(process.env.FIRSTCALL_PAGES ?? "");
const pages = sample(pagesBelow(resolve(site))).filter((page) =>
  picked.test(relative(resolve(site), page)));
for (const page of pages) await check(page);
await checkComfort(join(resolve(site), "index.html"), open, fail);
await browser.close();

if (failures.length > 0) {
  console.error(failures.join("\n"));
  console.error(`${failures.length} failures on ${pages.length} pages`);
  process.exit(1);
}
console.log(`${pages.length} pages: nothing asked for, nothing reported, nothing out of reach`);
