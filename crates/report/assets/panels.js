// What each panel shows: its lines with their keys, its range, and the values at a time.

const KB = ["B", "kB", "MB", "GB", "TB"];
const asBytes = (value) => scaled(value, KB);

/** The largest of the values visible in an area of time, what holds at its beginning included. */
function most(times, values, view, start = 0) {
  let largest = start;
  const last = after(times, view.to);
  for (let place = Math.max(0, after(times, view.from) - 1); place < last; place++) {
    if (values[place] > largest && values[place] !== Infinity) largest = values[place];
  }
  return largest;
}

function least(times, values, view, start = Infinity) {
  let smallest = start;
  const last = after(times, view.to);
  for (let place = Math.max(0, after(times, view.from) - 1); place < last; place++) {
    if (values[place] > 0 && values[place] < smallest) smallest = values[place];
  }
  return smallest;
}

/** Columns that are drawn but not stored. */
function prepareRun(run) {
  run.flows.forEach((flow, place) => {
    const size = run.meta.flows[place].segment_size || 1;
    flow.acks.edge = flow.acks.position.map((position, n) => position + flow.acks.window[n]);
    flow.sender.flightSegments = flow.sender.flight.map((bytes) => bytes / size);
    flow.sent.end = flow.sent.start.map((start, n) => start + flow.sent.length[n]);
    flow.bin = run.meta.flows[place].bin;
    flow.sums = new Float64Array(flow.delivered.length + 1);
    flow.delivered.forEach((bytes, n) => (flow.sums[n + 1] = flow.sums[n] + bytes));
  });
  return run;
}

/** Goodput in stretches about three pixels wide, but not shorter than what was recorded. */
function goodput(flow, view, width) {
  const wanted = Math.max(flow.bin, (view.span / width) * 3);
  const steps = [1, 2, 5].flatMap((step) => [0, 1, 2, 3, 4].map((power) => step * 10 ** power));
  const per = steps.sort((a, b) => a - b).find((step) => step * flow.bin >= wanted) ?? 1;
  const length = per * flow.bin;
  const first = Math.max(0, Math.floor(view.from / length) - 1);
  const last = Math.min(Math.ceil(view.duration / length), Math.ceil(view.to / length) + 1);
  const sum = (bin) => flow.sums[Math.max(0, Math.min(flow.sums.length - 1, bin))];
  const t = [];
  const rate = [];
  for (let n = first; n < last; n++) {
    const end = Math.min((n + 1) * length, view.duration);
    t.push(n * length);
    rate.push(((sum((n + 1) * per) - sum(n * per)) * 8) / 1e6 / Math.max(flow.bin, end - n * length));
  }
  return { t, rate, length };
}

/**
 * The end of an axis of goodput. The largest two of a hundred steps do not set it when they are more than 2.5 times as
 * high as all others.
 */
function goodputTop(rates) {
  const sorted = rates.filter((rate) => rate > 0).sort((a, b) => a - b);
  const largest = sorted.at(-1) ?? 0.001;
  const usual = sorted[Math.ceil(sorted.length * 0.98) - 1] ?? largest;
  return largest > 2.5 * usual ? 1.5 * usual : 1.1 * largest;
}

const PANELS = [
  {
    id: "sequence",
    title: "Time and sequence",
    axis: "position (bytes)",
    height: 360,
    format: (value) => (value === 0 ? "0" : asBytes(value)),
    caption:
      "Each segment is an I-beam over the bytes it carries; below it are the acknowledgments as steps, above it the peer's " +
      "window. A flat line means that no new data arrived; red bars marked R are retransmissions.",
    keys: [
      ["ink", "bar", "sent"],
      ["red", "bar", "R retransmitted"],
      ["green", "step", "acknowledged"],
      ["amber", "dot", "peer's window"],
      ["purple", "bar", "SACK"],
      ["red", "cross", "lost"],
      ["red", "down", "timeout"],
      ["blue", "diamond", "fast recovery"],
    ],
    range(flow, view) {
      const { acks, sent, again } = flow;
      let low = holding(acks.t, acks.position, view.from) ?? sent.start[0] ?? 0;
      const [first, last] = [after(again.t, view.from), after(again.t, view.to)];
      for (let n = first; n < last; n++) low = Math.min(low, again.start[n]);
      let high = most(sent.t, sent.end, view, low);
      high = Math.max(high, holding(acks.t, acks.position, view.to) ?? 0);
      const edge = most(acks.t, acks.edge, view, 0);
      // Far above, the window would leave no room for the rest.
      if (edge < high + (high - low) * 0.5) high = Math.max(high, edge);
      const room = Math.max((high - low) * 0.06, 1500);
      return [Math.max(0, low - room), high + room * 1.6];
    },
    draw(area, flow, colours, ghost) {
      const { sent, again, acks, sacks, drops } = flow;
      if (ghost) drawSteps(area, ghost.acks.t, ghost.acks.position, { colour: colours.ghost, dash: [2, 3] });
      drawSteps(area, acks.t, acks.edge, { colour: colours.amber, dash: [1, 2], width: 1.2 });
      drawBeams(area, sacks.t, sacks.start, sacks.length, { colour: colours.purple });
      drawSteps(area, acks.t, acks.position, { colour: colours.green, width: 1.4 });
      drawBeams(area, sent.t, sent.start, sent.length, { colour: colours.ink });
      drawBeams(area, again.t, again.start, again.length, { colour: colours.red }, 3);
      drawCrosses(area, drops.t, drops.start, { colour: colours.red, width: 1.2 });
      drawLetters(area, again.t, again.start.map((start, n) => start + again.length[n]), "R", colours.red);
      drawMarks(area, flow.timeouts, area.box.top + 8, { colour: colours.red }, "down");
      drawMarks(area, flow.recoveries, area.box.top + 8, { colour: colours.blue }, "diamond");
    },
    read(flow, time) {
      const { sent, acks, again } = flow;
      const edge = holding(acks.t, acks.edge, time);
      return [
        after(sent.t, time) ? asBytes(sent.end[after(sent.t, time) - 1]) : "–",
        `${after(again.t, time)}`,
        after(acks.t, time) ? asBytes(holding(acks.t, acks.position, time)) : "–",
        edge === undefined ? "–" : asBytes(edge),
        "",
        `${after(flow.drops.t, time)}`,
        `${after(flow.timeouts, time)}`,
        `${after(flow.recoveries, time)}`,
      ];
    },
  },
  {
    id: "window",
    title: "Congestion window",
    axis: "segments",
    height: 170,
    format: String,
    caption: "The window grows until a loss cuts it; the threshold marks the end of slow start.",
    keys: [
      ["blue", "solid", "cwnd"],
      ["amber", "dash", "ssthresh"],
      ["grey", "thin", "in flight"],
    ],
    range(flow, view) {
      const { t, cwnd, flightSegments, ssthresh } = flow.sender;
      const window = most(t, cwnd, view, 1);
      // What is far above would flatten the window.
      const others = [most(t, ssthresh, view, 0), most(t, flightSegments, view, 0)];
      return [0, Math.max(window, ...others.filter((value) => value < window * 2)) * 1.08];
    },
    draw(area, flow, colours, ghost) {
      const { t, cwnd, ssthresh, flightSegments } = flow.sender;
      drawSteps(area, t, flightSegments, { colour: colours.grey, width: 1 });
      if (ghost) drawSteps(area, ghost.sender.t, ghost.sender.cwnd, { colour: colours.ghost, dash: [2, 3] });
      drawSteps(area, t, ssthresh, { colour: colours.amber, dash: [7, 4] });
      drawSteps(area, t, cwnd, { colour: colours.blue, width: 1.8 });
    },
    read(flow, time) {
      const { t, cwnd, ssthresh, flightSegments } = flow.sender;
      const text = (values) => {
        const value = holding(t, values, time);
        return value === undefined ? "–" : value === Infinity ? "∞" : digits(value);
      };
      return [text(cwnd), text(ssthresh), text(flightSegments)];
    },
  },
  {
    id: "roundtrip",
    title: "Round-trip time",
    axis: "ms, logarithmic",
    height: 150,
    isLog: true,
    format: (value) => (value >= 1000 ? `${value / 1000} s` : `${value}`),
    caption: "Queueing increases the smoothed round-trip time; the timeout is above it and doubles when it expires.",
    keys: [
      ["green", "solid", "SRTT"],
      ["red", "dash", "RTO"],
    ],
    range(flow, view) {
      const { t, srtt, rto } = flow.sender;
      const low = Math.min(least(t, srtt, view), least(t, rto, view));
      return [Number.isFinite(low) ? low * 0.8 : 1, Math.max(most(t, rto, view, 1), most(t, srtt, view, 1)) * 1.3];
    },
    draw(area, flow, colours, ghost) {
      const known = (values) => values.map((value) => (value > 0 ? value : Infinity));
      if (ghost) {
        drawSteps(area, ghost.sender.t, known(ghost.sender.srtt), { colour: colours.ghost, dash: [2, 3] });
      }
      drawSteps(area, flow.sender.t, flow.sender.rto, { colour: colours.red, dash: [7, 4] });
      drawSteps(area, flow.sender.t, known(flow.sender.srtt), { colour: colours.green, width: 1.8 });
    },
    read(flow, time) {
      const text = (value) => (value > 0 ? asMillis(value) : "–");
      const { t, srtt, rto } = flow.sender;
      return [text(holding(t, srtt, time)), text(holding(t, rto, time))];
    },
  },
  {
    id: "queue",
    title: "Queues",
    axis: "packets",
    height: 140,
    format: String,
    caption: "Packets that wait for each link or are being sent.",
    queues: true,
    range(_flow, view, run) {
      return [0, Math.max(...run.queues.map((queue) => most(queue.t, queue.packets, view, 1))) * 1.1];
    },
    draw(area, _flow, colours, _ghost, run) {
      run.queues.forEach((queue, n) => {
        drawSteps(area, queue.t, queue.packets, queueStyle(n, colours));
      });
    },
    read: (_flow, time, run) =>
      run.queues.map((queue) => `${holding(queue.t, queue.packets, time) ?? 0}`),
  },
  {
    id: "goodput",
    title: "Goodput",
    axis: "Mbit/s",
    height: 150,
    format: String,
    caption:
      "Payload delivered to the receiving application; each step is the mean over its width. A diamond at the top is a step " +
      "far above the others: data that waited behind a gap arrives at once.",
    keys: [
      ["blue", "solid", "goodput"],
      ["red", "diamond", "beyond the axis"],
    ],
    range(flow, view, _run, width) {
      return [0, goodputTop(goodput(flow, view, width).rate)];
    },
    draw(area, flow, colours, ghost) {
      const own = goodput(flow, area.view, area.box.width);
      drawArea(area, own.t, own.rate, own.length, colours.wash);
      if (ghost) {
        const other = goodput(ghost, area.view, area.box.width);
        drawSteps(area, other.t, other.rate, { colour: colours.ghost, dash: [2, 3] });
      }
      drawSteps(area, own.t, own.rate, { colour: colours.blue, width: 1.6 });
      const beyond = own.t.filter((_, n) => own.rate[n] > area.high).map((time) => time + own.length / 2);
      drawMarks(area, beyond, area.box.top + 5, { colour: colours.red }, "diamond");
    },
    read(flow, time, _run, view, width) {
      const { t, rate, length } = goodput(flow, view, width);
      const value = holding(t, rate, time);
      const top = goodputTop(rate);
      const shown = value === undefined ? "–" : `${asRate(value * 1e6)} over ${asMillis(length * 1000)}`;
      return [shown, `${rate.filter((value) => value > top).length}`];
    },
  },
];

const QUEUE_DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3]];

/** Of queues with one colour, the dashes differ. */
const queueDash = (n) => QUEUE_DASHES[(n + Math.floor(n / 4)) % 4];

function queueStyle(n, colours) {
  const names = ["blue", "amber", "green", "purple"];
  return { colour: colours[names[n % 4]], dash: queueDash(n), width: 1.5 };
}

/** The area below a line of steps. */
function drawArea(area, times, values, length, colour) {
  const { context } = area;
  const [first, last] = area.visible(times);
  context.fillStyle = colour;
  const bottom = area.y(area.low);
  for (let n = first; n < last; n++) {
    const [left, right] = [times[n], times[n] + length].map((time) => Math.round(area.x(time)));
    const top = area.y(values[n]);
    context.fillRect(left, top, right - left, bottom - top);
  }
}
