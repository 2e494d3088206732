// Columns of numbers from text: base64, zlib, differences in as few bytes as they take (src/encode.rs).

async function inflate(text) {
  const binary = atob(text);
  const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Reads one column after the other. */
class Columns {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  /** A whole number; beyond 2^31 bit operations would not do. */
  varint() {
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = this.bytes[this.at++];
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
  }

  /** The next column, divided by `perUnit`. What was infinite is -1 / perUnit. */
  next(perUnit = 1) {
    const column = new Float64Array(this.varint());
    let value = 0;
    for (let place = 0; place < column.length; place++) {
      const zigzag = this.varint();
      value += zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
      column[place] = value / perUnit;
    }
    return column;
  }
}

const MICROS = 1e6;

/** The columns of a run, in the order in which src/page/columns.rs writes them. */
async function decodeRun(text, meta) {
  const columns = new Columns(await inflate(text));
  const flows = meta.flows.map(() => ({
    sent: { t: columns.next(MICROS), start: columns.next(), length: columns.next() },
    again: { t: columns.next(MICROS), start: columns.next(), length: columns.next() },
    acks: { t: columns.next(MICROS), position: columns.next(), window: columns.next() },
    sacks: { t: columns.next(MICROS), start: columns.next(), length: columns.next() },
    drops: { t: columns.next(MICROS), start: columns.next() },
    timeouts: columns.next(MICROS),
    recoveries: columns.next(MICROS),
    sender: {
      t: columns.next(MICROS),
      cwnd: columns.next(100),
      ssthresh: columns.next(100).map((value) => (value < 0 ? Infinity : value)),
      srtt: columns.next(100),
      rto: columns.next(100),
      flight: columns.next(),
    },
    delivered: columns.next(),
  }));
  const queues = meta.queues.map((link) => ({ link, t: columns.next(MICROS), packets: columns.next() }));
  return { meta, flows, queues };
}
