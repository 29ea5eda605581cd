// Gestures — the pointer on the canvas: wheel and pinch zoom, a drag pans, a
// click selects.
(() => {
  "use strict";

  const { byId } = Signalbox;

  /** A press that moves less than this many pixels is a click. */
  const STILL = 4;

  class Gestures {
    constructor(timeline, tooltip) {
      this.timeline = timeline;
      this.tooltip = tooltip;
      this.pointers = new Map();
      const { canvas } = timeline;
      canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
      canvas.addEventListener("pointerdown", (event) => this.down(event));
      canvas.addEventListener("pointermove", (event) => this.move(event));
      canvas.addEventListener("pointerup", (event) => this.up(event));
      canvas.addEventListener("pointercancel", (event) => this.end(event));
      canvas.addEventListener("pointerleave", () => this.leave());
      canvas.addEventListener("dblclick", (event) => this.twice(event));
      this.axis(byId("axis"));
    }

    wheel(event) {
      event.preventDefault();
      const { viewport, scroller } = this.timeline;
      const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
      const [x, y] = [event.deltaX * unit, event.deltaY * unit];
      if (event.shiftKey) {
        scroller.scrollTop += y || x;
      } else if (Math.abs(x) > Math.abs(y) && !event.ctrlKey) {
        viewport.panBy(x);
      } else {
        // A pinch on a touch pad arrives as a wheel with the control key, in smaller steps.
        viewport.zoomBy(Math.exp(y * (event.ctrlKey ? 0.01 : 0.0022)), event.offsetX);
      }
    }

    down(event) {
      if (event.button !== 0) return;
      const { canvas, viewport, scroll } = this.timeline;
      canvas.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
      this.press = {
        x: event.offsetX, y: event.offsetY, begin: viewport.begin, scroll, moved: false,
      };
    }

    move(event) {
      const { timeline } = this;
      if (!this.pointers.has(event.pointerId)) {
        this.over(event.offsetX, event.offsetY);
        return;
      }
      const before = [...this.pointers.values()].map((each) => ({ ...each }));
      this.pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
      if (this.pointers.size === 2) {
        this.pinch(before, [...this.pointers.values()]);
        return;
      }
      const { press } = this;
      const [dx, dy] = [event.offsetX - press.x, event.offsetY - press.y];
      if (!press.moved && Math.hypot(dx, dy) < STILL) return;
      press.moved = true;
      this.tooltip.hide();
      timeline.canvas.classList.add("dragged");
      timeline.viewport.set(press.begin - dx * timeline.viewport.pixel, timeline.viewport.span);
      timeline.scroller.scrollTop = press.scroll - dy;
    }

    pinch(before, after) {
      const { viewport } = this.timeline;
      const apart = ([a, b]) => Math.max(10, Math.abs(a.x - b.x));
      const middle = ([a, b]) => (a.x + b.x) / 2;
      viewport.panBy(middle(before) - middle(after));
      viewport.zoomBy(apart(before) / apart(after), middle(after));
      this.press.moved = true;
    }

    up(event) {
      const { press, timeline } = this;
      const was = this.pointers.has(event.pointerId);
      this.end(event);
      if (!was || !press || press.moved) return;
      const { ref, lane } = timeline.picker.pick(event.offsetX, event.offsetY);
      if (lane) timeline.lane = lane;
      timeline.choose(ref);
    }

    end(event) {
      this.pointers.delete(event.pointerId);
      this.timeline.canvas.classList.remove("dragged");
    }

    leave() {
      this.tooltip.hide();
      this.timeline.hover(null);
    }

    over(x, y) {
      const { timeline } = this;
      const found = timeline.picker.pick(x, y);
      timeline.hover(found.ref);
      timeline.canvas.classList.toggle("on-item", found.ref !== null);
      if (found.ref) this.tooltip.show(found, x, y);
      else this.tooltip.hide();
    }

    twice(event) {
      const { ref } = this.timeline.picker.pick(event.offsetX, event.offsetY);
      if (ref) this.timeline.show(ref, { fill: true });
      else this.timeline.viewport.zoomBy(0.4, event.offsetX);
    }

    /** Makes a drag on the axis select the span to show. */
    axis(canvas) {
      let from = null;
      canvas.addEventListener("pointerdown", (event) => {
        from = event.offsetX;
        canvas.setPointerCapture(event.pointerId);
      });
      canvas.addEventListener("pointerup", (event) => {
        const { viewport } = this.timeline;
        if (from !== null && Math.abs(event.offsetX - from) > STILL) {
          const times = [viewport.time(from), viewport.time(event.offsetX)].sort((a, b) => a - b);
          viewport.moveTo(times[0], times[1] - times[0]);
        }
        from = null;
      });
      canvas.addEventListener("dblclick", () => this.timeline.viewport.fit());
      canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    }
  }

  Object.assign(Signalbox, { Gestures });
})();
