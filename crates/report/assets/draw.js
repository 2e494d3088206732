// Drawing on a canvas. However many points there are, a column of pixels gets at most a few strokes, and the
// extremes are always among them.

/** The area within the axes of one panel. */
class Area {
  constructor(context, view, box, low, high, isLog = false) {
    Object.assign(this, { context, view, box, low, high, isLog });
  }
  x(time) {
    return this.box.left + ((time - this.view.from) / this.view.span) * this.box.width;
  }
  y(value) {
    const place = (number) => (this.isLog ? Math.log(Math.max(number, 1e-9)) : number);
    const share = (place(value) - place(this.low)) / (place(this.high) - place(this.low));
    return this.box.top + this.box.height * (1 - share);
  }
  /** The first and the last place of what is visible, one more on either side. */
  visible(times) {
    return [Math.max(0, after(times, this.view.from) - 1), Math.min(times.length, after(times, this.view.to) + 1)];
  }
}

/** A line that keeps each value until the next; within a pixel its smallest, largest and last value. */
function drawSteps(area, times, values, style) {
  const { context } = area;
  const [first, last] = area.visible(times);
  prepare(context, style);
  context.beginPath();
  // What is known of the column of pixels being filled; one path, so that dashes go on.
  let column = null;
  const close = () => {
    if (!column) return;
    context.lineTo(column.x, column.low);
    context.lineTo(column.x, column.high);
    context.lineTo(column.x, column.y);
  };
  for (let place = first; place < last; place++) {
    if (!Number.isFinite(values[place])) {
      close();
      column = null;
      continue;
    }
    const x = Math.round(area.x(times[place]));
    const y = area.y(values[place]);
    if (column && x === column.x) {
      column.low = Math.min(column.low, y);
      column.high = Math.max(column.high, y);
      column.y = y;
      continue;
    }
    close();
    if (column) context.lineTo(x, column.y);
    else context.moveTo(x, y);
    const before = column?.y ?? y;
    column = { x, y, low: Math.min(before, y), high: Math.max(before, y) };
  }
  close();
  if (column) context.lineTo(Math.min(area.x(area.view.duration), area.box.left + area.box.width + 2), column.y);
  context.stroke();
  context.setLineDash([]);
}

function prepare(context, style) {
  context.strokeStyle = style.colour;
  context.fillStyle = style.colour;
  context.lineWidth = style.width ?? 1.5;
  context.setLineDash(style.dash ?? []);
}

/** Segments as I-beams: single ones with their caps where there is room, otherwise a bar for each pixel. */
function drawBeams(area, times, starts, lengths, style, leastHeight = 1) {
  const { context } = area;
  const [first, last] = area.visible(times);
  prepare(context, style);
  const apart = area.box.width / Math.max(1, last - first);
  const bar = (x, from, to) => {
    const [top, bottom] = [area.y(to), area.y(from)];
    const height = Math.max(leastHeight, bottom - top);
    const wide = apart > 6 ? 2 : 1;
    context.fillRect(x - wide / 2, bottom - height, wide, height);
    if (apart > 6 && height > 4) {
      context.fillRect(x - 3, bottom - height, 6, 1);
      context.fillRect(x - 3, bottom - 1, 6, 1);
    }
  };
  if (apart > 1) {
    for (let n = first; n < last; n++) bar(area.x(times[n]), starts[n], starts[n] + lengths[n]);
    return;
  }
  // A gap of more than a pixel between bars of one column stays a gap.
  const gap = ((area.high - area.low) / area.box.height) * 1.5;
  let column = NaN;
  let from = 0;
  let to = 0;
  for (let n = first; n < last; n++) {
    const x = Math.round(area.x(times[n]));
    const [start, end] = [starts[n], starts[n] + lengths[n]];
    if (x === column && start <= to + gap && end >= from - gap) {
      from = Math.min(from, start);
      to = Math.max(to, end);
      continue;
    }
    if (!Number.isNaN(column)) bar(column, from, to);
    [column, from, to] = [x, start, end];
  }
  if (!Number.isNaN(column)) bar(column, from, to);
}

/** A mark for each time, distinguished by its shape. */
function drawMarks(area, times, y, style, shape) {
  const { context } = area;
  const [first, last] = area.visible(times);
  prepare(context, style);
  let column = NaN;
  for (let n = first; n < last; n++) {
    const x = area.x(times[n]);
    if (Math.round(x) === column) continue;
    column = Math.round(x);
    context.beginPath();
    if (shape === "down") {
      context.moveTo(x - 4, y - 4);
      context.lineTo(x + 4, y - 4);
      context.lineTo(x, y + 4);
    } else {
      context.moveTo(x, y - 4);
      context.lineTo(x + 4, y);
      context.lineTo(x, y + 4);
      context.lineTo(x - 4, y);
    }
    context.closePath();
    if (shape === "down") context.fill();
    else context.stroke();
  }
}

/** Crosses for what was lost. */
function drawCrosses(area, times, values, style) {
  const { context } = area;
  const [first, last] = area.visible(times);
  const size = area.box.width / Math.max(1, last - first) > 10 ? 4 : 2.5;
  prepare(context, style);
  context.beginPath();
  for (let n = first; n < last; n++) {
    const [x, y] = [area.x(times[n]), area.y(values[n])];
    context.moveTo(x - size, y - size);
    context.lineTo(x + size, y + size);
    context.moveTo(x - size, y + size);
    context.lineTo(x + size, y - size);
  }
  context.stroke();
}

/** Letters at retransmissions, as many as do not cover each other. */
function drawLetters(area, times, starts, letter, colour) {
  const { context } = area;
  const [first, last] = area.visible(times);
  context.fillStyle = colour;
  context.font = "bold 11px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "bottom";
  let [lastX, lastY] = [-100, -100];
  for (let n = first; n < last; n++) {
    const [x, y] = [area.x(times[n]), area.y(starts[n])];
    if (Math.abs(x - lastX) < 9 && Math.abs(y - lastY) < 11) continue;
    context.fillText(letter, x, y - 3);
    [lastX, lastY] = [x, y];
  }
}
