// Overview — the whole recording in one strip: how many items ran and waited,
// and a frame around the view, which you can drag.
(() => {
  "use strict";

  const { prepare } = Signalbox;

  const EDGE = 6;

  class Overview {
    constructor(canvas, story, viewport, palette) {
      Object.assign(this, { canvas, story, viewport, palette, strip: null });
      this.listen();
    }

    /** The time that items ran and waited in each of `bins` parts of the recording. */
    measure(bins) {
      const { items, end } = this.story;
      const part = Math.max(end, 1) / bins;
      const ran = new Float64Array(bins + 1);
      const waited = new Float64Array(bins + 1);
      const blocked = new Float64Array(bins + 1);
      // Note whole bins only where a span begins and ends, and sum them up
      // afterwards: the cost of a span doesn't depend on its length.
      const whole = new Map([ran, waited, blocked].map((each) => [each, new Int32Array(bins + 1)]));
      const spread = (into, from, to) => {
        const first = Math.min(bins - 1, Math.floor(from / part));
        const last = Math.min(bins - 1, Math.floor(to / part));
        if (first === last) {
          into[first] += to - from;
          return;
        }
        into[first] += (first + 1) * part - from;
        into[last] += to - last * part;
        whole.get(into)[first + 1]++;
        whole.get(into)[last]--;
      };
      for (let i = 0; i < items.count; i++) {
        if (items.started[i] >= 0) spread(ran, items.started[i], items.runTo[i]);
        if (items.waitTo[i] > items.waitFrom[i]) spread(waited, items.waitFrom[i], items.waitTo[i]);
      }
      const { waits } = this.story;
      for (let wait = 0; wait < waits.count; wait++) {
        if (!this.story.isIdle(wait)) spread(blocked, waits.began[wait], waits.ended[wait]);
      }
      for (const [values, changes] of whole) {
        for (let bin = 0, open = 0; bin < bins; bin++) values[bin] += part * (open += changes[bin]);
      }
      return { ran, waited, blocked, bins };
    }

    paintStrip(context, width, height) {
      const { palette } = this;
      this.measured ??= this.measure(512);
      const { ran, waited, blocked, bins } = this.measured;
      const most = (values) => values.reduce((top, each) => Math.max(top, each), 0) || 1;
      const middle = Math.round(height * 0.5);
      const x = (bin) => this.x(bin / bins * this.story.end, width);
      const area = (values, scale, base, direction, colour) => {
        context.fillStyle = colour;
        context.beginPath();
        context.moveTo(x(0), base);
        for (let bin = 0; bin < bins; bin++) {
          const level = base + direction * values[bin] / scale * (height / 2 - 5);
          context.lineTo(x(bin), level);
          context.lineTo(x(bin + 1), level);
        }
        context.lineTo(x(bins), base);
        context.fill();
      };
      area(ran, most(ran), middle, -1, palette.run);
      area(waited, most(waited), middle + 1, 1, palette.waitLine);
      // Draw stripes over the times at which anything was blocked.
      context.fillStyle = palette.stripes(context);
      for (let bin = 0; bin < bins; bin++) {
        if (blocked[bin] > 0) context.fillRect(x(bin), 2, Math.max(1, x(1) - x(0)), 3);
      }
      context.fillStyle = palette.lineStrong;
      context.fillRect(0, middle, width, 1);
    }

    x(time, width) {
      const margin = 4;
      return margin + time / Math.max(1, this.story.end) * (width - 2 * margin);
    }

    time(x) {
      const margin = 4;
      return (x - margin) / (this.canvas.clientWidth - 2 * margin) * this.story.end;
    }

    draw() {
      const context = prepare(this.canvas);
      const { width, height } = context.size;
      const ratio = devicePixelRatio || 1;
      const key = `${width}/${height}/${ratio}/${this.palette.run}`;
      if (this.strip?.key !== key) {
        const canvas = document.createElement("canvas");
        canvas.width = this.canvas.width || 1;
        canvas.height = this.canvas.height || 1;
        const drawing = canvas.getContext("2d");
        drawing.scale(ratio, ratio);
        this.paintStrip(drawing, width, height);
        this.strip = { key, canvas };
      }
      context.clearRect(0, 0, width, height);
      context.drawImage(this.strip.canvas, 0, 0, width, height);
      const from = Math.max(0, this.x(this.viewport.begin, width));
      const to = Math.min(width, this.x(this.viewport.end, width));
      const wide = Math.max(3, to - from);
      context.fillStyle = this.palette.ground;
      context.globalAlpha = 0.62;
      context.fillRect(0, 0, from, height);
      context.fillRect(from + wide, 0, width - from - wide, height);
      context.globalAlpha = 1;
      context.strokeStyle = this.palette.accent;
      context.lineWidth = 1.5;
      context.strokeRect(from + 0.75, 0.75, wide - 1.5, height - 1.5);
      context.fillStyle = this.palette.accent;
      for (const edge of [from, from + wide - 3]) context.fillRect(edge, height / 2 - 7, 3, 14);
    }

    listen() {
      const { canvas, viewport } = this;
      let drag = null;
      canvas.addEventListener("pointerdown", (event) => {
        const x = event.offsetX;
        const width = canvas.clientWidth;
        const from = this.x(viewport.begin, width);
        const to = this.x(viewport.end, width);
        const time = this.time(x);
        let part = "middle";
        if (Math.abs(x - from) < EDGE) part = "from";
        else if (Math.abs(x - to) < EDGE) part = "to";
        else if (x < from || x > to) viewport.set(time - viewport.span / 2, viewport.span);
        drag = { part, time, begin: viewport.begin, end: viewport.end };
        canvas.setPointerCapture(event.pointerId);
      });
      canvas.addEventListener("pointermove", (event) => {
        if (!drag) return;
        const time = this.time(event.offsetX);
        if (drag.part === "middle") {
          viewport.set(drag.begin + time - drag.time, viewport.span);
        } else {
          const fixed = drag.part === "from" ? drag.end : drag.begin;
          viewport.set(Math.min(fixed, time), Math.abs(time - fixed));
        }
      });
      for (const name of ["pointerup", "pointercancel"]) {
        canvas.addEventListener(name, () => (drag = null));
      }
      canvas.addEventListener("dblclick", () => viewport.fit());
      canvas.addEventListener("wheel", (event) => {
        event.preventDefault();
        viewport.zoomBy(Math.exp(event.deltaY * 0.002), viewport.x(this.time(event.offsetX)));
      }, { passive: false });
    }
  }

  Object.assign(Signalbox, { Overview });
})();
