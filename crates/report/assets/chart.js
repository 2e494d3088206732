// The panels on the page: one canvas each, one time axis, one cursor.

const MARGIN = { left: 76, right: 14, top: 8 };
const AXIS = 24;

class Chart {
  constructor(root, run, flowPlace, view) {
    Object.assign(this, { root, run, flowPlace, view, ghost: null, cursor: null, panels: [] });
    root.textContent = "";
    const shown = PANELS.filter((panel) => !panel.queues || run.queues.length > 0);
    shown.forEach((panel, place) => this.panels.push(this.build(panel, place === shown.length - 1)));
    view.onChange(() => this.schedule());
    new ResizeObserver(() => this.schedule()).observe(root);
    this.schedule();
  }

  get flow() {
    return this.run.flows[this.flowPlace];
  }

  build(panel, isLast) {
    const figure = element("figure", { className: "panel", id: `panel-${panel.id}` }, this.root);
    const head = element("div", { className: "panel-head" }, figure);
    element("h3", { textContent: panel.title }, head);
    const keys = panel.queues
      ? this.run.queues.map((queue, n) => [n, "queue", queue.link])
      : panel.keys;
    const values = keys.map(([colour, shape, name]) => {
      const key = element("span", { className: "key" }, head);
      key.append(symbol(colour, shape), name, " ");
      return element("b", { className: "value" }, key);
    });
    const hasAxis = isLast || panel.id === "sequence";
    const height = panel.height + (hasAxis ? AXIS : 4);
    const frame = element("div", { className: "frame" }, figure);
    frame.style.height = `${height}px`;
    const canvas = element("canvas", {}, frame);
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${panel.title} (${panel.axis}) over time. ${panel.caption}`);
    const line = element("div", { className: "cursor", hidden: true }, frame);
    const box = element("div", { className: "selection", hidden: true }, frame);
    element("figcaption", { textContent: panel.caption }, figure);
    return { panel, figure, frame, canvas, line, selection: box, values, hasAxis, height };
  }

  schedule() {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.draw();
    });
  }

  draw() {
    const colours = themeColours();
    for (const one of this.panels) this.drawPanel(one, colours);
    this.showValues();
  }

  drawPanel(one, colours) {
    const { panel, canvas, frame, hasAxis, height } = one;
    const width = frame.clientWidth;
    if (width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    const box = { left: MARGIN.left, top: MARGIN.top, width: width - MARGIN.left - MARGIN.right };
    box.height = height - MARGIN.top - (hasAxis ? AXIS : 4);
    const [low, high] = panel.range(this.flow, this.view, this.run, box.width);
    const area = new Area(context, this.view, box, low, high, panel.isLog);
    one.area = area;
    drawBands(area, this.run.meta.bands, colours, panel.id === "sequence");
    drawAxes(area, panel, hasAxis, colours);
    context.save();
    context.beginPath();
    context.rect(box.left, box.top - 2, box.width, box.height + 3);
    context.clip();
    panel.draw(area, this.flow, colours, this.ghost?.flows[this.flowPlace] ?? null, this.run);
    context.restore();
  }

  /** The values at the cursor, in all panels. */
  showValues() {
    const time = this.cursor;
    const inside = time !== null && time >= this.view.from && time <= this.view.to;
    for (const { panel, line, values, area } of this.panels) {
      line.hidden = !inside;
      if (!area) continue;
      if (inside) line.style.transform = `translateX(${area.x(time)}px)`;
      const texts = inside ? panel.read(this.flow, time, this.run, this.view, area.box.width) : [];
      values.forEach((value, n) => (value.textContent = texts[n] ?? ""));
    }
    const clock = document.getElementById("clock");
    clock.textContent = inside ? `t = ${asTime(time, this.view.span)} s` : "";
  }

  /** The time at a place on the screen. */
  timeAt(clientX) {
    const { frame, area } = this.panels[0];
    const x = clientX - frame.getBoundingClientRect().left - area.box.left;
    return this.view.from + (x / area.box.width) * this.view.span;
  }
}

const asTime = (time, span) => time.toFixed(decimalsFor(span / 1000));

function element(name, properties, parent) {
  const made = Object.assign(document.createElement(name), properties);
  parent?.append(made);
  return made;
}

/** Colours of the theme, for canvases. */
function themeColours() {
  const style = getComputedStyle(document.documentElement);
  const names = ["ink", "red", "green", "amber", "purple", "blue", "grey", "ghost", "axis", "grid", "band", "text", "wash"];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

/** The sign of a line in its legend, with its dashes or its shape. */
function symbol(colour, shape) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 26 12");
  svg.setAttribute("aria-hidden", "true");
  const name = shape === "queue" ? ["blue", "amber", "green", "purple"][colour % 4] : colour;
  const dash = shape === "queue" ? queueDash(colour).join(" ") : { dash: "7 4", dot: "1 2" }[shape] ?? "";
  const line = `M1 6H25`;
  const paths = {
    bar: ["M13 1V11M9.5 1H16.5M9.5 11H16.5", false],
    step: ["M1 10H9V6H17V2H25", false],
    cross: ["M9 2L17 10M9 10L17 2", false],
    down: ["M8 2H18L13 11Z", true],
    diamond: ["M13 1L18 6L13 11L8 6Z", false],
  };
  const [data, filled] = paths[shape] ?? [line, false];
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", data);
  path.setAttribute("style", `stroke:var(--${name});fill:${filled ? `var(--${name})` : "none"}`);
  path.setAttribute("stroke-width", shape === "thin" ? "1" : "1.8");
  if (dash) path.setAttribute("stroke-dasharray", dash);
  svg.append(path);
  return svg;
}

/** Handovers: a band while nothing passes, hatched so that it shows without colour, and what came when. */
function drawBands(area, bands, colours, named) {
  const { context, box, view } = area;
  let free = -Infinity;
  for (const band of bands) {
    const end = band.end_s ?? view.duration;
    if (end < view.from || band.start_s > view.to) continue;
    const left = Math.max(box.left, area.x(band.start_s));
    const right = Math.min(box.left + box.width, Math.max(area.x(end), left + 1.5));
    context.fillStyle = colours.band;
    context.fillRect(left, box.top, right - left, box.height);
    hatch(context, left, right, box, colours.grid);
    for (const [time, dash] of [[band.predicted_s, [1, 3]], [band.movement_detected_s, [4, 3]], [band.registered_s, [8, 3]]]) {
      if (time !== null && time >= view.from && time <= view.to) upright(area, time, dash, colours.grey);
    }
    if (named) {
      const text = right - left > 90 ? `handover of ${band.link}` : "handover";
      context.fillStyle = colours.text;
      context.font = "11px system-ui, sans-serif";
      context.textAlign = "left";
      context.textBaseline = "bottom";
      const wide = context.measureText(text).width;
      const at = Math.min(left + 3, box.left + box.width - wide);
      if (at < free) continue;
      context.fillText(text, at, box.top + box.height - 3);
      free = at + wide + 8;
    }
  }
}

function upright(area, time, dash, colour) {
  const { context, box } = area;
  prepare(context, { colour, dash, width: 1 });
  context.beginPath();
  context.moveTo(area.x(time), box.top);
  context.lineTo(area.x(time), box.top + box.height);
  context.stroke();
  context.setLineDash([]);
}

function hatch(context, left, right, box, colour) {
  if (right - left < 6) return;
  context.save();
  context.beginPath();
  context.rect(left, box.top, right - left, box.height);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  for (let x = left - box.height; x < right; x += 9) {
    context.moveTo(x, box.top + box.height);
    context.lineTo(x + box.height, box.top);
  }
  context.stroke();
  context.restore();
}

function drawAxes(area, panel, hasAxis, colours) {
  const { context, box, view } = area;
  context.font = "11px system-ui, sans-serif";
  context.lineWidth = 1;
  const levels = area.isLog ? logTicks(area.low, area.high) : ticks(area.low, area.high, Math.max(2, box.height / 44)).at;
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const level of levels) {
    const y = Math.round(area.y(level)) + 0.5;
    context.strokeStyle = colours.grid;
    line(context, box.left, y, box.left + box.width, y);
    context.fillStyle = colours.text;
    context.fillText(panel.format(Number(level.toPrecision(12))), box.left - 7, y);
  }
  const moments = ticks(view.from, view.to, Math.max(2, box.width / 90));
  context.textAlign = "center";
  context.textBaseline = "top";
  for (const moment of moments.at) {
    const x = Math.round(area.x(moment)) + 0.5;
    context.strokeStyle = colours.grid;
    line(context, x, box.top, x, box.top + box.height);
    if (hasAxis) {
      context.fillStyle = colours.text;
      const last = moment === moments.at[moments.at.length - 1];
      context.fillText(moment.toFixed(decimalsFor(moments.step)) + (last ? " s" : ""), x, box.top + box.height + 6);
    }
  }
  context.strokeStyle = colours.axis;
  line(context, box.left + 0.5, box.top, box.left + 0.5, box.top + box.height);
  line(context, box.left, box.top + box.height + 0.5, box.left + box.width, box.top + box.height + 0.5);
  context.save();
  context.fillStyle = colours.text;
  context.translate(10, box.top + box.height / 2);
  context.rotate(-Math.PI / 2);
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(panel.axis, 0, 0);
  context.restore();
}

function line(context, x1, y1, x2, y2) {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}
