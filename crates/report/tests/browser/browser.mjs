// Chromium through its debugging pipe: no package needed, only node.

import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** A browser with one page. */
export class Browser {
  static async start(program) {
    const flags = [
      "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
      "--disable-background-networking", "--remote-debugging-pipe", "about:blank",
    ];
    const child = spawn(program, flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    const browser = new Browser(child);
    const { targetId } = await browser.send("Target.createTarget", { url: "about:blank" });
    browser.session = (await browser.send("Target.attachToTarget", { targetId, flatten: true })).sessionId;
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await browser.send(`${domain}.enable`);
    return browser;
  }

  constructor(child) {
    Object.assign(this, { child, session: undefined, number: 0, waiting: new Map(), requests: [], errors: [] });
    const [input, output] = [child.stdio[3], child.stdio[4]];
    this.input = input;
    let rest = "";
    output.on("data", (data) => {
      const parts = (rest + data).split("\0");
      rest = parts.pop();
      parts.forEach((part) => this.receive(JSON.parse(part)));
    });
  }

  receive({ id, result, error, method, params }) {
    if (id !== undefined) {
      const { resolve, reject } = this.waiting.get(id);
      this.waiting.delete(id);
      return error ? reject(new Error(error.message)) : resolve(result);
    }
    if (method === "Network.requestWillBeSent") this.requests.push(params.request.url);
    if (method === "Runtime.exceptionThrown") this.errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === "Runtime.consoleAPICalled" && params.type === "error") this.errors.push(JSON.stringify(params.args));
    if (method === "Log.entryAdded" && params.entry.level !== "verbose") this.errors.push(params.entry.text);
  }

  send(method, params = {}) {
    const id = ++this.number;
    this.input.write(JSON.stringify({ id, method, params, sessionId: this.session }) + "\0");
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression, awaitPromise: true, returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Wait until an expression is true, ten seconds at most. */
  async until(expression, what) {
    for (let tries = 0; tries < 200; tries++) {
      if (await this.evaluate(expression)) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`waited in vain for ${what}`);
  }

  async open(url, width, height, { dark = false, phone = false } = {}) {
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: phone });
    await this.send("Emulation.setEmulatedMedia", {
      features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }],
    });
    await this.send("Page.navigate", { url: "about:blank" });
    await this.until("location.href === 'about:blank'", "an empty page");
    await this.send("Page.navigate", { url });
    await this.until("location.href !== 'about:blank' && document.readyState === 'complete'", url);
  }

  async mouse(type, x, y, more = {}) {
    await this.send("Input.dispatchMouseEvent", { type, x, y, ...more });
  }

  /** Two frames, so that what was asked for has been drawn. */
  async settle() {
    await this.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))");
  }

  /** A picture of the whole page, or of a part of it. */
  async screenshot(selector = "html") {
    const clip = await this.evaluate(`(() => {
      const { left, top, width, height } = document.querySelector("${selector}").getBoundingClientRect();
      return { x: left + scrollX, y: top + scrollY, width, height, scale: 1 };
    })()`);
    const { data } = await this.send("Page.captureScreenshot", { format: "png", captureBeyondViewport: true, clip });
    return Buffer.from(data, "base64");
  }

  stop() {
    this.child.kill("SIGKILL");
  }
}

/** What every test begins with: the browser and page of the command line. Whatever goes wrong ends the test. */
export async function begin(mostSeconds) {
  const [program, page, folder] = process.argv.slice(2);
  let browser;
  const fail = (error) => {
    console.error(error.stack ?? error);
    browser?.stop();
    process.exit(1);
  };
  process.on("unhandledRejection", fail);
  setTimeout(() => fail(new Error(`no end after ${mostSeconds} s`)), mostSeconds * 1000).unref();
  browser = await Browser.start(program);
  const shoot = async (name, selector) => {
    if (!folder) return;
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}/${name}.png`, await browser.screenshot(selector));
  };
  return { browser, url: pathToFileURL(page).href, shoot };
}
