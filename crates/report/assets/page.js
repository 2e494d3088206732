// What makes the page live. Without scripts everything but the time panels is there.

const root = document.documentElement;
const data = JSON.parse(document.getElementById("data").textContent);
const decoded = new Map();

/** A run, decoded when it is first wanted. */
function load(place) {
  if (!decoded.has(place)) {
    const text = document.getElementById(`run-${place}`).textContent;
    decoded.set(place, decodeRun(text, data.runs[place]).then(prepareRun));
  }
  return decoded.get(place);
}

const state = { chart: null, overview: null, run: 0, flow: 0, ghost: -1 };

/** Where a page groups its runs, the group of a run; otherwise all of them. */
const everything = { first: 0, count: data.runs.length };
const groupOf = (run) =>
  data.groups.find(({ first, count }) => first <= run && run < first + count) ?? everything;

async function show(run, flow, ghost, from, to) {
  const panels = document.getElementById("panels");
  const meta = data.runs[run];
  const [main, other] = await Promise.all([load(run), ghost >= 0 && ghost !== run ? load(ghost) : null]);
  const view = new View(meta.duration);
  const earlier = groupOf(state.run) === groupOf(run) ? state.chart?.view : undefined;
  Object.assign(state, { run, flow: Math.min(flow, meta.flows.length - 1), ghost });
  const chart = new Chart(panels, main, state.flow, view);
  chart.ghost = other;
  chart.toHandover = (step) => toHandover(chart, step);
  state.chart = chart;
  if (from !== undefined) view.show(from, to);
  else if (earlier && !earlier.isWhole) view.show(earlier.from, earlier.to);
  view.onChange(() => {
    state.overview?.draw();
    remember();
  });
  state.overview ??= new Overview(document.getElementById("overview"), () => state.chart);
  state.overview.draw();
  showGroup();
  showControls(meta, other);
}

/** Show what a reader chose, and remember it. What a page shows at first is in no address. */
const choose = (...what) => show(...what).then(remember);

/** What there is to choose from within the group. */
function showGroup() {
  const group = groupOf(state.run);
  const { first, count } = group;
  document.querySelectorAll("#group-choice button").forEach((button, place) => {
    button.setAttribute("aria-pressed", `${data.groups[place] === group}`);
  });
  document.querySelectorAll("#run-choice button").forEach((button, place) => {
    button.hidden = place < first || place >= first + count;
  });
  const look = document.getElementById("group-look");
  if (look) look.textContent = group.look;
  const ghost = document.getElementById("ghost-choice");
  if (!ghost) return;
  const runs = data.runs.slice(first, first + count);
  ghost.replaceChildren(
    element("option", { value: "-1", textContent: "none" }),
    ...runs.map(({ name }, place) => element("option", { value: `${first + place}`, textContent: name })),
  );
  ghost.value = `${state.ghost}`;
}

function showControls(meta, other) {
  const press = (selector, place) =>
    document.querySelectorAll(selector).forEach((button, n) => button.setAttribute("aria-pressed", `${n === place}`));
  press("#run-choice button", state.run);
  const flows = document.getElementById("flow-choice");
  flows.textContent = "";
  if (meta.flows.length > 1) {
    meta.flows.forEach((flow, place) => {
      const button = element("button", { type: "button", textContent: `${flow.name} (${flow.variant})` }, flows);
      button.setAttribute("aria-pressed", `${place === state.flow}`);
      button.onclick = () => choose(state.run, place, state.ghost);
    });
  }
  const handovers = document.getElementById("handover-choice");
  handovers.hidden = meta.bands.length === 0;
  document.getElementById("handover-count").textContent =
    `${meta.bands.length} handover${meta.bands.length === 1 ? "" : "s"}`;
  document.getElementById("ghost-key").hidden = !other;
  if (other) document.getElementById("ghost-name").textContent = data.runs[state.ghost].name;
  document.getElementById("run-notes").replaceChildren(
    ...meta.notes.map((note) => element("li", { textContent: note })),
  );
}

/** The initial view of a group: its first run, compared with its second. */
function atFirst({ first, count, shown }) {
  return [first, 0, count > 1 ? first + 1 : -1, ...(shown ?? [])];
}

/** Show the next or the previous handover with what came before and after it. */
function toHandover(chart, step) {
  const { bands } = chart.run.meta;
  if (bands.length === 0) return;
  const now = (chart.view.from + chart.view.to) / 2;
  const middle = (band) => (band.start_s - before + (band.end_s ?? band.start_s) + following) / 2;
  const [before, following] = [1, 3];
  const aim = chart.view.isWhole ? (step > 0 ? -Infinity : Infinity) : now;
  const such = bands.filter((band) => (step > 0 ? middle(band) > aim + 1e-6 : middle(band) < aim - 1e-6));
  const band = step > 0 ? such[0] : such[such.length - 1];
  if (band) chart.view.show(band.start_s - before, (band.end_s ?? band.start_s) + following);
}

/** What is shown, in the address, so that a link leads there. */
let remembering = 0;
function remember() {
  clearTimeout(remembering);
  remembering = setTimeout(() => {
    const { from, to } = state.chart.view;
    const part = state.chart.view.isWhole ? "" : `&t=${from.toFixed(5)}-${to.toFixed(5)}`;
    const other = state.ghost >= 0 ? `&with=${state.ghost}` : "";
    history.replaceState(null, "", `#run=${state.run}&flow=${state.flow}${other}${part}`);
  }, 300);
}

function fromAddress() {
  const values = new URLSearchParams(location.hash.slice(1));
  const whole = (name, otherwise, below) => {
    const value = Number.parseInt(values.get(name) ?? "", 10);
    return value >= 0 && value < below ? value : otherwise;
  };
  const times = (values.get("t") ?? "").split("-").map(Number);
  const part = times.length === 2 && times[0] < times[1] ? times : [undefined, undefined];
  const runs = data.runs.length;
  if (!values.has("run") && data.groups.length > 0) return atFirst(data.groups[0]);
  return [whole("run", 0, runs), whole("flow", 0, 1000), whole("with", -1, runs), ...part];
}

function attachControls() {
  document.querySelectorAll("#group-choice button").forEach((button, place) => {
    button.onclick = () => choose(...atFirst(data.groups[place]));
  });
  document.querySelectorAll("#run-choice button").forEach((button, place) => {
    button.onclick = () => choose(place, state.flow, state.ghost);
  });
  const ghost = document.getElementById("ghost-choice");
  if (ghost) ghost.onchange = () => choose(state.run, state.flow, Number(ghost.value));
  const on = (id, action) => (document.getElementById(id).onclick = action);
  on("zoom-in", () => state.chart.view.zoom(0.5));
  on("zoom-out", () => state.chart.view.zoom(2));
  on("zoom-reset", () => state.chart.view.reset());
  on("handover-before", () => state.chart.toHandover(-1));
  on("handover-next", () => state.chart.toHandover(1));
  attachGestures(document.getElementById("stage"), () => state.chart);
}

function redraw() {
  state.chart?.draw();
  state.overview?.draw();
}

/** Light, dark, or what the system says. */
function attachTheme() {
  const button = document.getElementById("theme");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";
  const name = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `Change to the ${isDark() ? "light" : "dark"} theme`);
    redraw();
  };
  button.hidden = false;
  button.onclick = () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem("seamline-theme", root.dataset.theme);
    } catch {
      // A page from a file may have no storage; the choice then lasts as long as the page.
    }
    name();
  };
  try {
    const kept = localStorage.getItem("seamline-theme");
    if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  } catch {
    // Likewise.
  }
  dark.addEventListener("change", name);
  name();
}

function attachCopying() {
  for (const button of document.querySelectorAll("button.copy")) {
    button.hidden = false;
    button.onclick = async () => {
      const text = document.getElementById(button.dataset.of).textContent;
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(document.getElementById(button.dataset.of));
        button.textContent = "Selected";
      }
      setTimeout(() => (button.textContent = "Copy"), 1500);
    };
  }
}

/** A table of columns as RFC 4180 has it, below comments that say where it comes from, like src/export/csv.rs. */
function toCsv(name, columns) {
  const quoted = (value) => {
    if (value === null) return "";
    const text = String(value);
    return /[",\n\r#]|^ | $/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const names = Object.keys(columns);
  const rows = columns[names[0]].map((_, row) => names.map((name) => quoted(columns[name][row])));
  const comments = JSON.parse(document.getElementById("csv-comments").textContent);
  return `# table: ${name}\n${comments}` + [names.map(quoted), ...rows].map((row) => row.join(",") + "\n").join("");
}

/** The numbers of a page that stands alone, as files. */
function attachSaving() {
  for (const button of document.querySelectorAll("button.save")) {
    const { table, as } = button.dataset;
    button.onclick = () => {
      const json = document.getElementById(`table-${table}`).textContent;
      const text = as === "csv" ? toCsv(table, JSON.parse(json).columns) : json + "\n";
      const address = URL.createObjectURL(new Blob([text], { type: as === "csv" ? "text/csv" : "application/json" }));
      element("a", { href: address, download: `${table}.${as}` }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
    };
  }
  const place = document.getElementById("downloads");
  if (place) place.hidden = false;
}

attachTheme();
attachCopying();
attachSaving();
// Paper is light; what was dark comes back afterwards.
window.addEventListener("beforeprint", () => {
  root.classList.add("printing");
  redraw();
});
window.addEventListener("afterprint", () => {
  root.classList.remove("printing");
  redraw();
});
if (data.runs.length > 0) {
  attachControls();
  show(...fromAddress()).catch((error) => {
    document.getElementById("panels").textContent =
      `This browser cannot show the time panels (${error.message}). It needs DecompressionStream, which browsers have since 2023.`;
  });
}
