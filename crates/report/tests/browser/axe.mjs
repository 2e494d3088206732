// What axe-core finds wrong with a page for people who use a keyboard or a screen reader: nothing serious, in any size and colour.
// Usage: node axe.mjs CHROMIUM PAGE. SEAMLINE_AXE is the path of axe.min.js.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { begin } from "./browser.mjs";

const { browser, url } = await begin(120);
const axe = readFileSync(process.env.SEAMLINE_AXE, "utf8");

/** What is wrong at these conditions: the rule, how bad it is, and the first parts of the page. */
async function problems(width, options) {
  await browser.open(url, width, 900, options);
  await browser.settle();
  await browser.evaluate(`${axe}; true`);
  const { violations, passes } = await browser.evaluate(`axe.run(document, { resultTypes: ["violations"] })`);
  assert.ok(passes.length > 15, `${passes.length} rules were applied`);
  return violations.map(({ id, impact, nodes }) => ({ id, impact, parts: nodes.slice(0, 3).map(({ html, failureSummary }) => html.slice(0, 160) + " " + failureSummary) }));
}

for (const [name, width, options] of [
  ["desktop", 1280, {}],
  ["desktop, dark", 1280, { dark: true }],
  ["phone", 390, { phone: true }],
  ["phone, dark", 390, { phone: true, dark: true }],
]) {
  const found = await problems(width, options);
  const serious = found.filter(({ impact }) => impact === "serious" || impact === "critical");
  assert.deepEqual(serious, [], name);
  console.log(`${name}: ${found.length} minor or moderate: ${found.map(({ id }) => id).join(", ")}`);
}
browser.stop();
process.exit(0);
