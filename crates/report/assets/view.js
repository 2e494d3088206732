// The part of the run that is shown: one for all panels.

class View {
  constructor(duration) {
    this.duration = duration;
    this.from = 0;
    this.to = duration;
    this.listeners = [];
  }

  get span() {
    return this.to - this.from;
  }

  get isWhole() {
    return this.from <= 0 && this.to >= this.duration;
  }

  onChange(listener) {
    this.listeners.push(listener);
  }

  /** Show from..to, within the run and not shorter than 20 microseconds. */
  show(from, to) {
    const span = Math.min(this.duration, Math.max(2e-5, to - from));
    const middle = (from + to) / 2;
    this.from = Math.max(0, Math.min(this.duration - span, middle - span / 2));
    this.to = this.from + span;
    for (const listener of this.listeners) listener();
  }

  /** Make the shown part `factor` times as long, `around` staying where it is. */
  zoom(factor, around = (this.from + this.to) / 2) {
    const span = Math.min(this.duration, Math.max(2e-5, this.span * factor));
    const share = (around - this.from) / this.span;
    this.show(around - span * share, around + span * (1 - share));
  }

  /** Move by a share of what is shown. */
  pan(share) {
    this.show(this.from + this.span * share, this.to + this.span * share);
  }

  reset() {
    this.show(0, this.duration);
  }
}
