// What the page of a paper must do in a real browser. Usage: node paper.mjs CHROMIUM PAGE [FOLDER FOR SCREENSHOTS]

import assert from "node:assert/strict";
import { begin } from "./browser.mjs";

const { browser, url, shoot } = await begin(60);

const background = `getComputedStyle(document.body).backgroundColor`;
/** Parts that stick out of the window, other than inside of what scrolls by itself. */
const sticksOut = `(() => {
  const inside = (node) => node.closest(".table, .picture, pre") !== null;
  return [...document.querySelectorAll("body *")]
    .filter((node) => !inside(node) && node.getBoundingClientRect().right > innerWidth + 1)
    .map((node) => node.outerHTML.slice(0, 120));
})()`;

await browser.open(url, 1280, 900);
await browser.settle();
const rows = await browser.evaluate(`document.querySelectorAll("table.claims tbody tr").length`);
assert.ok(rows > 0, "there are claims");
const pictures = await browser.evaluate(
  `[...document.querySelectorAll("figure svg")].filter((svg) => svg.getBoundingClientRect().height > 50).length`,
);
assert.ok(pictures > 0, "pictures are drawn");
const anchors = `[...document.querySelectorAll("a[href^='#']")].filter((a) => !document.getElementById(a.hash.slice(1))).map((a) => a.hash)`;
assert.deepEqual(await browser.evaluate(anchors), [], "every link leads somewhere");
const light = await browser.evaluate(background);
await shoot("paper-light");
await browser.evaluate(`document.getElementById("theme").click()`);
assert.notEqual(await browser.evaluate(background), light, "the switch changes the page");
await browser.evaluate(`localStorage.clear()`);

await browser.open(url, 1280, 900, { dark: true });
await browser.settle();
assert.notEqual(await browser.evaluate(background), light, "a system in dark shows it dark");
const band = `getComputedStyle(document.querySelector(".band")).fill`;
assert.notEqual(await browser.evaluate(band), "rgb(215, 229, 243)", "pictures are dark as well");
await shoot("paper-dark");

await browser.open(url, 390, 900, { phone: true });
await browser.settle();
const width = await browser.evaluate(`document.documentElement.scrollWidth`);
assert.ok(width <= 390, `no scrolling sideways: ${width} px wide`);
assert.deepEqual(await browser.evaluate(sticksOut), [], "everything is within a phone's screen");
await shoot("paper-phone");

const others = browser.requests.filter((request) => request !== url && !/^(about|data|blob):/.test(request));
assert.deepEqual(others, [], "no request to anywhere");
assert.deepEqual(browser.errors, [], "no errors");
console.log("claims, pictures, links, themes and phone are as they should be");
browser.stop();
process.exit(0);
