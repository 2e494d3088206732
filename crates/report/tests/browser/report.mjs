// What a page must do in a real browser. Usage: node report.mjs CHROMIUM PAGE [FOLDER FOR SCREENSHOTS]

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { begin } from "./browser.mjs";

const { browser, url, shoot } = await begin(120);

/** The pixels of all panels as text: what changes when an axis does. */
const pictures = () =>
  browser.evaluate(`[...document.querySelectorAll("#panels canvas")].map((canvas) => canvas.toDataURL())`);
const value = (panel, place) =>
  browser.evaluate(`document.querySelectorAll("#panel-${panel} .value")[${place}].textContent`);
const drawn = `document.querySelectorAll("#panels canvas").length > 0`;

async function open(width, options) {
  await browser.open(url, width, 900, options);
  await browser.until(drawn, "the panels");
  await browser.settle();
}

/** The middle of a panel, scrolled to where it can be seen. */
async function middleOf(panel) {
  return browser.evaluate(`(() => {
    const frame = document.querySelector("#panel-${panel} .frame");
    frame.scrollIntoView({ block: "center", behavior: "instant" });
    const { left, top, width, height } = frame.getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2, left, width };
  })()`);
}

async function zooms() {
  await open(1280);
  const whole = await pictures();
  assert.equal(whole.length, 5, "five panels");
  const { x, y } = await middleOf("sequence");
  await browser.mouse("mouseMoved", x, y);
  await browser.mouse("mouseWheel", x, y, { deltaX: 0, deltaY: -240 });
  await browser.settle();
  const near = await pictures();
  near.forEach((picture, place) => assert.notEqual(picture, whole[place], `wheel: panel ${place} has a new axis`));
  await shoot("zoomed");
  await browser.mouse("mousePressed", x, y, { button: "left", clickCount: 1 });
  await browser.mouse("mouseReleased", x, y, { button: "left", clickCount: 1 });
  await browser.mouse("mousePressed", x, y, { button: "left", clickCount: 2 });
  await browser.mouse("mouseReleased", x, y, { button: "left", clickCount: 2 });
  await browser.mouse("mouseMoved", 2, 2);
  await browser.settle();
  assert.deepEqual(await pictures(), whole, "a double click shows the whole run again");
}

async function selects() {
  const whole = await pictures();
  const { x, y } = await middleOf("window");
  await browser.mouse("mousePressed", x, y, { button: "left", buttons: 1, clickCount: 1 });
  await browser.mouse("mouseMoved", x + 60, y, { button: "left", buttons: 1 });
  await browser.mouse("mouseMoved", x + 120, y, { button: "left", buttons: 1 });
  await browser.mouse("mouseReleased", x + 120, y, { button: "left", clickCount: 1 });
  await browser.settle();
  const near = await pictures();
  near.forEach((picture, place) => assert.notEqual(picture, whole[place], `drag: panel ${place} has a new axis`));
  await browser.evaluate(`document.getElementById("stage").focus()`);
  await browser.send("Input.dispatchKeyEvent", { type: "keyDown", key: "0", text: "0" });
  await browser.mouse("mouseMoved", 2, 2);
  await browser.settle();
  assert.deepEqual(await pictures(), whole, "the key 0 shows the whole run again");
}

async function reads() {
  const { x, y, left, width } = await middleOf("window");
  await browser.mouse("mouseMoved", x, y);
  await browser.settle();
  for (const panel of ["sequence", "window", "roundtrip", "goodput"]) {
    assert.match(await value(panel, 0), /\d/, `hovering shows a value in ${panel}`);
  }
  assert.match(await browser.evaluate(`document.getElementById("clock").textContent`), /^t = \d/);
  const { duration } = JSON.parse(await browser.evaluate(`document.getElementById("data").textContent`)).runs[0];
  // The axis begins 76 pixels from the left and ends 14 from the right.
  const expected = (duration * (x - left - 76)) / (width - 90);
  const clock = await browser.evaluate(`parseFloat(document.getElementById("clock").textContent.slice(4))`);
  assert.ok(Math.abs(clock - expected) < duration / width, `within a pixel: ${clock}, not ${expected}`);
  await shoot("hover");
}

async function changesTheme() {
  const background = `getComputedStyle(document.body).backgroundColor`;
  const light = await browser.evaluate(background);
  const pictureInLight = await pictures();
  await browser.evaluate(`document.getElementById("theme").click()`);
  await browser.settle();
  assert.notEqual(await browser.evaluate(background), light, "the switch changes the page");
  assert.notDeepEqual(await pictures(), pictureInLight, "and the panels");
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

async function fitsAPhone() {
  await open(390, { phone: true });
  const width = await browser.evaluate(`document.documentElement.scrollWidth`);
  assert.ok(width <= 390, `no scrolling sideways: ${width} px wide`);
  await shoot("phone");
}

await zooms();
await selects();
await reads();
await changesTheme();
await saves();
await fitsAPhone();
const others = browser.requests.filter((request) => request !== url && !/^(about|data|blob):/.test(request));
assert.deepEqual(others, [], "no request to anywhere");
assert.deepEqual(browser.errors, [], "no errors");
console.log("wheel, drag, keys, values, theme, numbers to save and phone are as they should be");
browser.stop();
process.exit(0);
