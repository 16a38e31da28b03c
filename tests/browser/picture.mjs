// The top of one page as a picture: node tests/browser/picture.mjs PAGE PNG
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { chromiumOptions } from "./chromium.mjs";

const [page, picture] = process.argv.slice(2);
const browser = await chromium.launch(chromiumOptions);
const context = await browser.newContext({
  viewport: { width: 1120, height: 1400 },
  colorScheme: "light",
  deviceScaleFactor: 1,
});
const tab = await context.newPage();
await tab.goto(pathToFileURL(page).href);
await tab.screenshot({ path: picture });
await browser.close();
