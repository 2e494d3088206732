// Numbers as people read them, and ticks at round numbers.

function digits(value) {
  const magnitude = Math.abs(value);
  if (magnitude === 0) return "0";
  if (magnitude >= 99.95) return value.toFixed(0);
  if (magnitude >= 9.995) return value.toFixed(1);
  if (magnitude >= 0.9995) return value.toFixed(2);
  return value.toFixed(3);
}

function scaled(value, units) {
  let place = 0;
  while (Math.abs(value) >= 999.5 && place + 1 < units.length) {
    value /= 1000;
    place += 1;
  }
  return `${digits(value)} ${units[place]}`;
}

const asRate = (value) => scaled(value, ["bit/s", "kbit/s", "Mbit/s", "Gbit/s"]);
const asMillis = (value) => (value >= 999.5 ? `${digits(value / 1000)} s` : `${digits(value)} ms`);

/** The decimals that tell apart two times this far from each other. */
const decimalsFor = (step) => Math.max(0, Math.min(6, -Math.floor(Math.log10(step) + 1e-9)));

/** Round numbers within low..high, about `wanted` of them, and their distance. */
function ticks(low, high, wanted) {
  const span = high - low;
  if (!(span > 0) || wanted < 1) return { at: [], step: 1 };
  const least = span / wanted;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= least * (1 - 1e-9));
  const at = [];
  for (let n = Math.ceil(low / step - 1e-9); n <= Math.floor(high / step + 1e-9); n++) at.push(n * step);
  return { at, step };
}

/** 1, 2 and 5 times powers of ten within low..high, fewer when they are many. */
function logTicks(low, high) {
  const many = Math.log10(high / low) > 2.5;
  const at = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    for (const factor of many ? [1] : [1, 2, 5]) {
      const value = factor * 10 ** power;
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) at.push(value);
    }
  }
  return at;
}

/** The place of the first entry that is larger than `value`. */
function after(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The value that holds at a time: that of the last sample not after it. */
function holding(times, values, time) {
  const place = after(times, time) - 1;
  return place >= 0 ? values[place] : undefined;
}
