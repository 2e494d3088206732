// The whole run in a strip, and what part of it is shown. Dragging moves that part.

class Overview {
  constructor(frame, chart) {
    Object.assign(this, { frame, chart });
    this.canvas = element("canvas", {}, frame);
    this.canvas.setAttribute("aria-hidden", "true");
    new ResizeObserver(() => this.draw()).observe(frame);
    const follow = (event) => {
      if (event.type === "pointerdown") frame.setPointerCapture(event.pointerId);
      else if (event.buttons === 0) return;
      const view = chart().view;
      const share = (event.clientX - frame.getBoundingClientRect().left - MARGIN.left) / this.width;
      const middle = share * view.duration;
      view.show(middle - view.span / 2, middle + view.span / 2);
    };
    frame.addEventListener("pointerdown", follow);
    frame.addEventListener("pointermove", follow);
  }

  get width() {
    return this.frame.clientWidth - MARGIN.left - MARGIN.right;
  }

  draw() {
    const { canvas, frame } = this;
    const { flow, run, view } = this.chart();
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [frame.clientWidth, frame.clientHeight];
    if (width === 0) return;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    const colours = themeColours();
    const whole = { from: 0, to: view.duration, span: view.duration, duration: view.duration };
    const box = { left: MARGIN.left, top: 3, width: this.width, height: height - 6 };
    const own = goodput(flow, whole, box.width);
    const area = new Area(context, whole, box, 0, goodputTop(own.rate));
    drawBands(area, run.meta.bands, colours, false);
    drawArea(area, own.t, own.rate, own.length, colours.wash);
    drawSteps(area, own.t, own.rate, { colour: colours.grey, width: 1 });
    const [left, right] = [area.x(view.from), area.x(view.to)];
    context.fillStyle = colours.grid;
    context.globalAlpha = 0.75;
    context.fillRect(box.left, 0, left - box.left, height);
    context.fillRect(right, 0, box.left + box.width - right, height);
    context.globalAlpha = 1;
    context.strokeStyle = colours.blue;
    context.lineWidth = 1.5;
    context.strokeRect(left, 1, Math.max(2, right - left), height - 2);
    context.fillStyle = colours.text;
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "right";
    context.fillText("whole run", box.left - 7, height / 2);
  }
}
