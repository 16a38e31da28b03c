// The script adds comfort and nothing else: with it off every figure stands in the page, with
// it on a table sorts and filters, by keyboard alone.

// Everything that a reader sees in the page, without what the script put there.
const figures = (page) =>
  page.evaluate(() => {
    const copy = document.querySelector("main").cloneNode(true);
    for (const added of copy.querySelectorAll(".filter")) added.remove();
    return copy.textContent.replace(/\s+/g, " ").trim();
  });

const names = (table) =>
  table.evaluate((found) =>
    [...found.tBodies[0].rows].filter((row) => !row.hidden).map((row) => row.cells[0].textContent));

const judged = (table, column) =>
  table.evaluate((found, at) =>
    [...found.tBodies[0].rows]
      .map((row) => Number(row.cells[at].textContent.replaceAll(",", "")))
      .filter((value) => !Number.isNaN(value)), column);

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// Tabs until the focus is on what `wanted` matches.
async function tabTo(page, wanted) {
  for (let presses = 0; presses < 2000; presses += 1) {
    await page.keyboard.press("Tab");
    if (await page.evaluate((is) => document.activeElement.matches(is), wanted)) return true;
  }
  return false;
}

export async function checkComfort(path, open, fail) {
  const off = await open(path, { javaScriptEnabled: false });
  const without = await figures(off.page);
  const added = await off.page.locator(".filter, .sorts button").count();
  if (added !== 0) fail(off.name, "a control that does nothing without the script");
  await off.context.close();

  const { context, page, name } = await open(path, {});
  if ((await figures(page)) !== without) fail(name, "the script changes what the page says");
  const table = page.locator("#tools table.sorts").first();
  // One row needs no sorting.
  if ((await table.locator("tbody tr").count()) < 2) {
    await context.close();
    return false;
  }
  const heads = await table.locator("thead th").allTextContents();
  const column = heads.indexOf("Judged");
  const original = await names(table);
  const head = `#tools thead th:nth-child(${column + 1})`;
  if (!(await tabTo(page, `${head} button`))) fail(name, "no way to the button by keyboard");
  const states = [];
  for (const key of ["Enter", "Space", "Enter"]) {
    await page.keyboard.press(key);
    states.push(await page.locator(head).getAttribute("aria-sort"));
    const values = await judged(table, column);
    const sorted = values.toSorted((a, b) => (key === "Space" ? a - b : b - a));
    if (states.length < 3 && !same(values, sorted)) fail(name, `${key}: ${values}`);
  }
  if (!same(states, ["descending", "ascending", null])) fail(name, `aria-sort ${states}`);
  if (!same(await names(table), original)) fail(name, "the third press does not restore");

  const filter = page.locator("#tools .filter input");
  if ((await filter.count()) > 0) {
    await page.evaluate(() => document.activeElement.blur());
    if (!(await tabTo(page, "#tools .filter input"))) fail(name, "no way to the filter");
    await page.keyboard.type("SEARCH");
    const left = await names(table);
    const expected = original.filter((text) => text.toLowerCase().includes("search"));
    if (left.length >= original.length || !expected.every((text) => left.includes(text))) {
      fail(name, `the filter left ${left}`);
    }
    const said = await page.locator("#tools .filter [role=status]").textContent();
    if (said !== `${left.length} of ${original.length} shown`) fail(name, `it says ${said}`);
  }
  await context.close();
  return true;
}
