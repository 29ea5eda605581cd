// Axis — the time scale over the lanes. If times are long and the view is
// short, it shows the time of a base line once and counts from there.
(() => {
  "use strict";

  const { duration, moment, roundStep } = Signalbox;

  const ROOM = 92;

  class Axis {
    constructor(canvas, base, viewport, palette, lettering) {
      Object.assign(this, { canvas, base, viewport, palette, lettering });
    }

    /** The times of the labelled lines, `step` apart, and the base time from which they count. */
    ticks() {
      const { begin, end, width, span } = this.viewport;
      const step = Math.max(1, roundStep(span * ROOM / width));
      const times = [];
      for (let i = Math.ceil(begin / step); i * step <= end; i++) times.push(i * step);
      const far = Math.max(Math.abs(begin), Math.abs(end));
      const coarse = roundStep(span * 1.01);
      const base = far > 200 * span ? Math.floor(begin / coarse) * coarse : 0;
      return { step, times, base };
    }

    draw() {
      const { canvas, viewport, palette, lettering } = this;
      const context = Signalbox.prepare(canvas);
      const { width, height } = context.size;
      const { step, times, base } = this.ticks();
      context.clearRect(0, 0, width, height);
      context.font = lettering.font(11);
      context.textBaseline = "middle";
      context.textAlign = "left";
      for (const time of times) {
        const x = Math.round(viewport.x(time)) + 0.5;
        context.fillStyle = palette.lineStrong;
        context.fillRect(x - 0.5, height - 8, 1, 8);
        context.fillStyle = palette.textSoft;
        const shown = base === 0 ? this.point(time, step)
          : time === base ? "+0" : `+${duration(time - base)}`;
        if (x + 5 + lettering.width(context, shown) < width) context.fillText(shown, x + 5, height / 2 + 2);
        for (let part = 1; part < 5; part++) {
          const minor = Math.round(viewport.x(time + step * part / 5));
          context.fillStyle = palette.line;
          context.fillRect(minor, height - 4, 1, 4);
        }
      }
      this.base.textContent = base === 0 ? "" : `${moment(base, Math.max(1, step / 10))} +`;
      this.times = times;
    }

    point(time, step) {
      if (time === 0) return "0";
      if (Math.abs(time) >= 60e9) return duration(time);
      return time < 0 ? "−" + moment(-time, step) : moment(time, step);
    }
  }

  /** Sizes a canvas in device pixels. Returns its context, scaled to CSS pixels. */
  function prepare(canvas) {
    const ratio = devicePixelRatio || 1;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    const context = canvas.getContext("2d");
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.size = { width, height };
    return context;
  }

  Object.assign(Signalbox, { Axis, prepare });
})();
