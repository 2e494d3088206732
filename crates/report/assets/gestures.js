// Wheel, mouse, fingers and keys.

/** A wheel that was turning the page keeps turning it; panels take over after a pause. */
const PAUSE = 250;

function attachGestures(stage, chart) {
  const view = () => chart().view;
  let pageTurned = 0;
  window.addEventListener("wheel", (event) => {
    if (!event.defaultPrevented) pageTurned = event.timeStamp;
  });
  stage.addEventListener("wheel", (event) => onWheel(event, chart(), pageTurned), { passive: false });
  stage.addEventListener("dblclick", () => view().reset());
  stage.addEventListener("keydown", (event) => onKey(event, chart()));
  attachPointers(stage, chart);
}

function onWheel(event, chart, pageTurned) {
  const { view } = chart;
  const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
  const outwards = !sideways && event.deltaY > 0;
  if (event.timeStamp - pageTurned < PAUSE && !event.ctrlKey) return;
  if (view.isWhole && (outwards || sideways)) return;
  event.preventDefault();
  const lines = event.deltaMode === 1 ? 16 : 1;
  if (sideways || event.shiftKey) view.pan(((event.deltaX || event.deltaY) * lines) / 1000);
  else view.zoom(Math.exp(Math.max(-240, Math.min(240, event.deltaY * lines)) / 400), chart.timeAt(event.clientX));
}

function onKey(event, chart) {
  const { view } = chart;
  const middle = () => (view.from + view.to) / 2;
  const move = (share) => {
    chart.cursor = Math.max(view.from, Math.min(view.to, (chart.cursor ?? middle()) + view.span * share));
    chart.showValues();
  };
  const actions = {
    ArrowLeft: () => (event.shiftKey ? view.pan(-0.2) : move(-0.01)),
    ArrowRight: () => (event.shiftKey ? view.pan(0.2) : move(0.01)),
    "+": () => view.zoom(0.6, chart.cursor ?? middle()),
    "=": () => view.zoom(0.6, chart.cursor ?? middle()),
    "-": () => view.zoom(1 / 0.6, chart.cursor ?? middle()),
    0: () => view.reset(),
    Home: () => view.reset(),
    n: () => chart.toHandover(1),
    p: () => chart.toHandover(-1),
    Escape: () => {
      chart.cursor = null;
      chart.showValues();
    },
  };
  const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actions[event.key];
  if (!action || event.target.closest("button, select, a")) return;
  event.preventDefault();
  action();
}

/** Drag: zoom to what was dragged over; with shift or a finger: pan. Two fingers: zoom. */
function attachPointers(stage, chart) {
  const pointers = new Map();
  let drag = null;
  const start = (event) => {
    if (event.button !== 0 || !event.target.closest(".frame")) return;
    pointers.set(event.pointerId, event.clientX);
    const pans = event.shiftKey || event.pointerType !== "mouse";
    const { from, to } = chart().view;
    drag = { pans, x: event.clientX, time: chart().timeAt(event.clientX), from, to, span: spread(pointers) };
    stage.setPointerCapture(event.pointerId);
  };
  const move = (event) => {
    const now = chart();
    if (pointers.has(event.pointerId)) pointers.set(event.pointerId, event.clientX);
    if (event.pointerType === "mouse" || pointers.size < 2) {
      now.cursor = event.target.closest?.(".frame") || drag ? now.timeAt(event.clientX) : null;
      now.showValues();
    }
    if (drag && pointers.size === 2) pinch(now, drag, pointers);
    else if (drag?.pans) panTo(now, drag, event.clientX);
    else if (drag) select(now, drag.x, event.clientX);
  };
  const end = (event) => {
    pointers.delete(event.pointerId);
    if (drag && !drag.pans && event.type === "pointerup" && Math.abs(event.clientX - drag.x) > 5) {
      const times = [drag.time, chart().timeAt(event.clientX)].sort((a, b) => a - b);
      chart().view.show(Math.max(drag.from, times[0]), Math.min(drag.to, times[1]));
    }
    drag = null;
    hideSelection(chart());
  };
  stage.addEventListener("pointerdown", start);
  stage.addEventListener("pointermove", move);
  stage.addEventListener("pointerup", end);
  stage.addEventListener("pointercancel", end);
  stage.addEventListener("pointerleave", () => {
    chart().cursor = null;
    chart().showValues();
  });
}

const spread = (pointers) => {
  const places = [...pointers.values()];
  return places.length === 2 ? Math.abs(places[0] - places[1]) : 0;
};

function panTo(chart, drag, x) {
  const shift = ((drag.x - x) / chart.panels[0].area.box.width) * (drag.to - drag.from);
  chart.view.show(drag.from + shift, drag.to + shift);
}

function pinch(chart, drag, pointers) {
  const span = Math.max(10, spread(pointers));
  const factor = Math.max(10, drag.span) / span;
  const length = (drag.to - drag.from) * factor;
  const share = (drag.time - drag.from) / (drag.to - drag.from);
  chart.view.show(drag.time - length * share, drag.time + length * (1 - share));
}

function select(chart, from, to) {
  for (const { frame, selection } of chart.panels) {
    const left = frame.getBoundingClientRect().left;
    selection.hidden = Math.abs(to - from) <= 5;
    selection.style.left = `${Math.min(from, to) - left}px`;
    selection.style.width = `${Math.abs(to - from)}px`;
  }
}

function hideSelection(chart) {
  for (const { selection } of chart.panels) selection.hidden = true;
}
