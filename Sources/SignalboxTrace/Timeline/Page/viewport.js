// Viewport — the span of time in view: it zooms about a point, pans, and stays
// on the recording.
(() => {
  "use strict";

  /** The shortest span that fills the view, in nanoseconds. */
  const SHORTEST = 50;
  const MARGIN = 0.03;
  const MOVE = 180;

  class Viewport {
    constructor(duration, changed) {
      this.duration = Math.max(duration, SHORTEST);
      this.changed = changed;
      this.width = 1000;
      this.begin = 0;
      this.span = this.duration;
      this.moving = 0;
      this.still = matchMedia("(prefers-reduced-motion: reduce)");
      this.place(-this.duration * MARGIN, this.duration * (1 + 2 * MARGIN));
    }

    get end() {
      return this.begin + this.span;
    }

    get longest() {
      return this.duration * (1 + 2 * MARGIN);
    }

    /** How much of the recording is in view, without the margins. */
    get shown() {
      return Math.max(0, Math.min(this.end, this.duration) - Math.max(this.begin, 0));
    }

    /** Nanoseconds per pixel. */
    get pixel() {
      return this.span / this.width;
    }

    x(time) {
      return (time - this.begin) / this.span * this.width;
    }

    time(x) {
      return this.begin + x * this.pixel;
    }

    place(begin, span) {
      this.span = Math.min(this.longest, Math.max(SHORTEST, span));
      const low = -MARGIN * this.duration - this.span * 0.5;
      const high = this.duration * (1 + MARGIN) - this.span * 0.5;
      const least = this.span >= this.longest ? -MARGIN * this.duration : low;
      this.begin = Math.min(Math.max(begin, least), Math.max(least, high));
    }

    set(begin, span) {
      cancelAnimationFrame(this.moving);
      this.target = null;
      this.place(begin, span);
      this.changed();
    }

    panBy(pixels) {
      this.set(this.begin + pixels * this.pixel, this.span);
    }

    /** Zooms, keeping the time at `x` in place. */
    zoomBy(factor, x = this.width / 2) {
      const time = this.time(x);
      const span = Math.min(this.longest, Math.max(SHORTEST, this.span * factor));
      this.set(time - x / this.width * span, span);
    }

    /** Moves the view in an animation, unless the reader prefers reduced motion. */
    moveTo(begin, span) {
      if (this.still.matches) {
        this.set(begin, span);
        return;
      }
      cancelAnimationFrame(this.moving);
      const from = { begin: this.begin, span: this.span };
      this.target = { begin, span };
      const started = performance.now();
      const step = (now) => {
        const part = Math.min(1, Math.max(0, (now - started) / MOVE));
        const eased = 1 - (1 - part) ** 3;
        const width = Math.exp(Math.log(from.span) + Math.log(span / from.span) * eased);
        const done = from.span === span ? eased : (from.span - width) / (from.span - span);
        this.place(from.begin + (begin - from.begin) * done, width);
        if (part < 1) {
          this.moving = requestAnimationFrame(step);
        } else {
          this.target = null;
          this.place(begin, span);
        }
        this.changed();
      };
      this.moving = requestAnimationFrame(step);
    }

    fit() {
      this.moveTo(-this.duration * MARGIN, this.longest);
    }

    /** Shows a span with room around it. */
    show(begin, end) {
      const span = Math.max(SHORTEST, (end - begin) * 1.5, this.duration * 1e-7);
      this.moveTo((begin + end) / 2 - span / 2, span);
    }

    /** Pans, and zooms if necessary, so that a span is in view. */
    reveal(begin, end) {
      const length = end - begin;
      const { begin: low, span } = this.target ?? this;
      const pixel = span / this.width;
      if (length > span * 0.9 || length < pixel * 2) {
        const wanted = length > span * 0.9 ? length * 1.5 : Math.max(length * 60, SHORTEST * 4);
        const next = Math.min(this.longest, Math.max(wanted, this.duration * 1e-7));
        this.moveTo((begin + end) / 2 - next / 2, next);
      } else if (begin < low + span * 0.02 || end > low + span * 0.98) {
        this.moveTo((begin + end) / 2 - span / 2, span);
      }
    }
  }

  Object.assign(Signalbox, { Viewport });
})();
