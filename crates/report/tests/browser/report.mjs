// What a page must do in a real browser. Usage: node report.mjs CHROMIUM PAGE [FOLDER FOR SCREENSHOTS]

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { begin } from "./browser.mjs";
import { Panels } from "./panels.mjs";

const { browser, url, shoot } = await begin(120);
const panels = new Panels(browser, shoot);

async function open(width, options) {
  await browser.open(url, width, 900, options);
  await panels.drawn();
}

async function changesTheme() {
  const background = `getComputedStyle(document.body).backgroundColor`;
  const light = await browser.evaluate(background);
  const pictureInLight = await panels.pictures();
  await browser.evaluate(`document.getElementById("theme").click()`);
  await browser.settle();
  assert.notEqual(await browser.evaluate(background), light, "the switch changes the page");
  assert.notDeepEqual(await panels.pictures(), pictureInLight, "and the panels");
  await shoot("switched");
  await browser.evaluate(`localStorage.clear()`);
  await open(1280, { dark: true });
  assert.notEqual(await browser.evaluate(background), light, "a system in dark shows it dark");
  await shoot("dark");
}

/** What a click on a button of the numbers would save, as text. */
async function saves() {
  await open(1280);
  const save = (name) =>
    browser.evaluate(`(async () => {
      let saved;
      const click = HTMLAnchorElement.prototype.click;
      HTMLAnchorElement.prototype.click = function () { saved = { name: this.download, text: fetchText(this.href) }; };
      const blobs = new Map();
      const create = URL.createObjectURL;
      URL.createObjectURL = (blob) => { const address = create.call(URL, blob); blobs.set(address, blob); return address; };
      const fetchText = (address) => blobs.get(address).text();
      [...document.querySelectorAll("button.save")].find((button) => button.textContent === "${name}").click();
      HTMLAnchorElement.prototype.click = click;
      URL.createObjectURL = create;
      return { name: saved.name, text: await saved.text };
    })()`);
  assert.equal((await save("runs.json")).name, "runs.json");
  const inFolder = (name) => readFileSync(new URL(name, url), "utf8");
  for (const table of ["runs", "handovers", "links", "outcomes"]) {
    assert.equal((await save(`${table}.csv`)).text, inFolder(`${table}.csv`), `${table}.csv as in a folder`);
    const json = (await save(`${table}.json`)).text;
    assert.deepEqual(JSON.parse(json), JSON.parse(inFolder(`${table}.json`)), `${table}.json as in a folder`);
  }
}

/** The verdict is not cut off, and hence need not be scrolled, on a laptop. */
async function fitsALaptop() {
  await open(1280);
  const table = `document.querySelector(".verdict .table")`;
  const [content, room] = await browser.evaluate(`[${table}.scrollWidth, ${table}.clientWidth]`);
  assert.ok(content <= room, `the verdict is ${content} px wide, and its card has room for ${room}`);
}

/** A few steps far above all others do not set the axis of goodput. */
function boundsGoodput() {
  const source = readFileSync(new URL("../../assets/panels.js", import.meta.url), "utf8");
  const [text] = source.match(/function goodputTop[\s\S]*?\n}/);
  const top = new Function(`${text}; return goodputTop;`)();
  const usual = Array.from({ length: 300 }, (_, n) => 15 + (n % 6));
  assert.equal(top([...usual, 150]), 30, "one step in 300");
  assert.equal(top([...usual, 40]), 44, "twice as high is no outlier");
  assert.ok(top([...usual, ...Array(30).fill(150)]) > 150, "one step in ten is no outlier");
  assert.ok(top([]) > 0 && top([0, 5, 100]) > 100, "few steps");
}

async function fitsAPhone() {
  await open(390, { phone: true });
  const width = await browser.evaluate(`document.documentElement.scrollWidth`);
  assert.ok(width <= 390, `no scrolling sideways: ${width} px wide`);
  const goodput = await browser.evaluate(`(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector(".picture"))`);
  assert.equal(goodput, 0, "all of the goodput is in sight");
  const label = await browser.evaluate(`getComputedStyle(document.querySelector("td[data-name^=Relative]"), "::before").whiteSpace`);
  assert.notEqual(label, "nowrap", "labels of the table wrap");
  await shoot("phone");
}

await open(1280);
await panels.zoom();
await panels.select();
await panels.read();
await changesTheme();
await saves();
boundsGoodput();
await fitsALaptop();
await fitsAPhone();
const others = browser.requests.filter((request) => request !== url && !/^(about|data|blob):/.test(request));
assert.deepEqual(others, [], "no request to anywhere");
assert.deepEqual(browser.errors, [], "no errors");
console.log("wheel, drag, keys, values, theme, numbers to save and phone are as they should be");
browser.stop();
process.exit(0);
