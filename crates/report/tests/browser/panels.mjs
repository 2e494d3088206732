// What the time panels of a page must do, whatever page they are on.

import assert from "node:assert/strict";

export class Panels {
  constructor(browser, shoot) {
    Object.assign(this, { browser, shoot });
  }

  /** Wait until they are there. */
  async drawn() {
    await this.browser.until(`document.querySelectorAll("#panels canvas").length > 0`, "the panels");
    await this.browser.settle();
  }

  /** The pixels of all panels as text: what changes when an axis does. */
  pictures() {
    return this.browser.evaluate(
      `[...document.querySelectorAll("#panels canvas")].map((canvas) => canvas.toDataURL())`,
    );
  }

  /** The pixels of all panels that show the whole run. */
  async whole() {
    await this.browser.evaluate(`document.getElementById("zoom-reset").click()`);
    await this.browser.mouse("mouseMoved", 2, 2);
    await this.browser.settle();
    return this.pictures();
  }

  value(panel, place) {
    return this.browser.evaluate(`document.querySelectorAll("#panel-${panel} .value")[${place}].textContent`);
  }

  /** The middle of a panel, scrolled to where it can be seen. */
  middleOf(panel) {
    return this.browser.evaluate(`(() => {
      const frame = document.querySelector("#panel-${panel} .frame");
      frame.scrollIntoView({ block: "center", behavior: "instant" });
      const { left, top, width, height } = frame.getBoundingClientRect();
      return { x: left + width / 2, y: top + height / 2, left, width };
    })()`);
  }

  /** The wheel gives every panel a new axis; a double click shows the whole run again. */
  async zoom() {
    const { browser } = this;
    const whole = await this.whole();
    assert.equal(whole.length, 5, "five panels");
    const { x, y } = await this.middleOf("sequence");
    await browser.mouse("mouseMoved", x, y);
    await browser.mouse("mouseWheel", x, y, { deltaX: 0, deltaY: -240 });
    await browser.settle();
    const near = await this.pictures();
    near.forEach((picture, place) => assert.notEqual(picture, whole[place], `wheel: panel ${place} has a new axis`));
    await this.shoot("zoomed");
    for (const clickCount of [1, 2]) {
      await browser.mouse("mousePressed", x, y, { button: "left", clickCount });
      await browser.mouse("mouseReleased", x, y, { button: "left", clickCount });
    }
    await browser.mouse("mouseMoved", 2, 2);
    await browser.settle();
    assert.deepEqual(await this.pictures(), whole, "a double click shows the whole run again");
  }

  /** Dragging over a part shows that part; so does the key 0 the whole run. */
  async select() {
    const { browser } = this;
    const whole = await this.whole();
    const { x, y } = await this.middleOf("window");
    await browser.mouse("mousePressed", x, y, { button: "left", buttons: 1, clickCount: 1 });
    await browser.mouse("mouseMoved", x + 60, y, { button: "left", buttons: 1 });
    await browser.mouse("mouseMoved", x + 120, y, { button: "left", buttons: 1 });
    await browser.mouse("mouseReleased", x + 120, y, { button: "left", clickCount: 1 });
    await browser.settle();
    const near = await this.pictures();
    near.forEach((picture, place) => assert.notEqual(picture, whole[place], `drag: panel ${place} has a new axis`));
    await browser.evaluate(`document.getElementById("stage").focus()`);
    await browser.send("Input.dispatchKeyEvent", { type: "keyDown", key: "0", text: "0" });
    await browser.mouse("mouseMoved", 2, 2);
    await browser.settle();
    assert.deepEqual(await this.pictures(), whole, "the key 0 shows the whole run again");
  }

  /** The mouse over a panel shows the values of all, and the time within a pixel. */
  async read() {
    const { browser } = this;
    await this.whole();
    const { x, y, left, width } = await this.middleOf("window");
    await browser.mouse("mouseMoved", x, y);
    await browser.settle();
    for (const panel of ["sequence", "window", "roundtrip", "goodput"]) {
      assert.match(await this.value(panel, 0), /\d/, `hovering shows a value in ${panel}`);
    }
    assert.match(await browser.evaluate(`document.getElementById("clock").textContent`), /^t = \d/);
    const { duration } = JSON.parse(await browser.evaluate(`document.getElementById("data").textContent`)).runs[0];
    // The axis begins 76 pixels from the left and ends 14 from the right.
    const expected = (duration * (x - left - 76)) / (width - 90);
    const clock = await browser.evaluate(`parseFloat(document.getElementById("clock").textContent.slice(4))`);
    assert.ok(Math.abs(clock - expected) < duration / width, `within a pixel: ${clock}, not ${expected}`);
    await this.shoot("hover");
  }
}
