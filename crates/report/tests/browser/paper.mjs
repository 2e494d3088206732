// What the page of a paper must do in a real browser. Usage: node paper.mjs CHROMIUM PAGE [FOLDER FOR SCREENSHOTS]

import assert from "node:assert/strict";
import { begin } from "./browser.mjs";
import { Panels } from "./panels.mjs";

const { browser, url, shoot } = await begin(120);
const panels = new Panels(browser, shoot);

const background = `getComputedStyle(document.body).backgroundColor`;
/** Parts that stick out of the window, other than inside of what scrolls by itself. */
const sticksOut = `(() => {
  const inside = (node) => node.closest(".table, .picture, pre") !== null;
  return [...document.querySelectorAll("body *")]
    .filter((node) => !inside(node) && node.getBoundingClientRect().right > innerWidth + 1)
    .map((node) => node.outerHTML.slice(0, 120));
})()`;

/** What can be seen of these buttons. */
const names = (selector) =>
  browser.evaluate(`[...document.querySelectorAll("${selector}")].filter((it) => it.checkVisibility()).map((it) => it.textContent)`);

/** The runs over time: every figure can be chosen, and has its own runs. */
async function showsRuns() {
  await panels.drawn();
  const { runs, groups } = JSON.parse(await browser.evaluate(`document.getElementById("data").textContent`));
  assert.equal(await browser.evaluate("location.hash"), "", "what is shown at first is in no address");
  assert.deepEqual(await names("#group-choice button"), groups.map(({ title }) => title));
  for (const [place, { title, look, first, count, shown }] of groups.entries()) {
    await browser.evaluate(`document.querySelectorAll("#group-choice button")[${place}].click()`);
    const chosen = `document.querySelector("#group-choice [aria-pressed=true]").textContent`;
    await browser.until(`${chosen} === ${JSON.stringify(title)}`, title);
    await browser.settle();
    const own = runs.slice(first, first + count).map(({ name }) => name);
    assert.deepEqual(await names("#run-choice button"), own, `the runs of ${title}`);
    assert.deepEqual(await names("#run-choice [aria-pressed=true]"), [own[0]]);
    const compared = await browser.evaluate(`[...document.getElementById("ghost-choice").options].map((it) => it.text)`);
    assert.deepEqual(compared, ["none", ...own]);
    assert.equal(await browser.evaluate(`document.getElementById("group-look").textContent`), look);
    const clipped = shown && shown[1] <= runs[first].duration;
    await browser.until(`location.hash.includes("run=${first}&")`, "the choice in the address");
    const part = await browser.evaluate(`new URLSearchParams(location.hash.slice(1)).get("t")`);
    if (clipped) assert.deepEqual(part.split("-").map(Number), shown, "the part that is shown at first");
    await shoot(`paper-runs-${place}`, "#time");
  }
  await browser.evaluate(`document.querySelector("#group-choice button").click()`);
  await browser.until(`location.hash.includes("run=0&")`, "the first figure again");
  await panels.zoom();
  await panels.select();
  await panels.read();
}

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
await showsRuns();
const pictureInLight = await panels.pictures();
await browser.evaluate(`document.getElementById("theme").click()`);
await browser.settle();
assert.notEqual(await browser.evaluate(background), light, "the switch changes the page");
(await panels.pictures()).forEach((picture, place) => assert.notEqual(picture, pictureInLight[place], `dark panel ${place}`));
await browser.evaluate(`localStorage.clear()`);

await browser.open(url, 1280, 900, { dark: true });
await panels.drawn();
assert.notEqual(await browser.evaluate(background), light, "a system in dark shows it dark");
const band = `getComputedStyle(document.querySelector(".band")).fill`;
assert.notEqual(await browser.evaluate(band), "rgb(215, 229, 243)", "pictures are dark as well");
await shoot("paper-dark");
await shoot("paper-dark-runs", "#time");

await browser.open(url, 390, 900, { phone: true });
await panels.drawn();
const width = await browser.evaluate(`document.documentElement.scrollWidth`);
assert.ok(width <= 390, `no scrolling sideways: ${width} px wide`);
assert.deepEqual(await browser.evaluate(sticksOut), [], "everything is within a phone's screen");
const narrow = `[...document.querySelectorAll("#panels canvas")].map((canvas) => canvas.getBoundingClientRect().width)`;
for (const wide of await browser.evaluate(narrow)) assert.ok(wide > 250 && wide <= 390, `a panel ${wide} px wide`);
await shoot("paper-phone");
await shoot("paper-phone-runs", "#time");

const others = browser.requests.filter((request) => request !== url && !/^(about|data|blob):/.test(request));
assert.deepEqual(others, [], "no request to anywhere");
assert.deepEqual(browser.errors, [], "no errors");
console.log("claims, pictures, runs over time, links, themes and phone are as they should be");
browser.stop();
process.exit(0);
