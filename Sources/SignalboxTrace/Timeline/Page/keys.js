// Keys — keyboard control. Letter keys work wherever the focus is not in a text
// field.
(() => {
  "use strict";

  const { byId } = Signalbox;

  const PAN = 0.15;
  const ZOOM = 1.4;

  class Keys {
    constructor(page) {
      this.page = page;
      this.timeline = page.timeline;
      document.addEventListener("keydown", (event) => this.key(event));
    }

    key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
      const target = event.target;
      if (target.closest?.("input, textarea, select")) return;
      const action = this.anywhere(event) ?? (target === this.timeline.canvas ? this.onLanes(event) : null);
      if (!action) return;
      event.preventDefault();
      action();
    }

    anywhere({ key }) {
      const { timeline, page } = this;
      const { viewport } = timeline;
      switch (key) {
        case "+": case "=": return () => viewport.zoomBy(1 / ZOOM, this.focusX());
        case "-": case "−": case "_": return () => viewport.zoomBy(ZOOM, this.focusX());
        case "0": case "f": return () => viewport.fit();
        case "/": return () => byId("search").focus();
        case "?": return () => page.help.open();
        case "a": return () => page.toggleArrows();
        case "t": return () => page.theme.toggle();
        case "z": return () => timeline.chosen && timeline.show(timeline.chosen, { fill: true });
        case "w": return () => this.jump("item", page.statistics().longestWaits(1)[0]);
        case "b": return () => this.jump("wait", page.statistics().longestBlocks(1)[0]);
        case "n": return () => this.walk(1);
        case "p": return () => this.walk(-1);
        case "Backspace": return () => page.panel.back();
        case "Escape": return () => this.escape();
        default: return null;
      }
    }

    onLanes({ key, shiftKey }) {
      const { timeline } = this;
      const { viewport, scroller } = timeline;
      switch (key) {
        case "ArrowLeft": return shiftKey ? () => this.walk(-1) : () => viewport.panBy(-PAN * viewport.width);
        case "ArrowRight": return shiftKey ? () => this.walk(1) : () => viewport.panBy(PAN * viewport.width);
        case "ArrowUp": return () => this.lane(-1);
        case "ArrowDown": return () => this.lane(1);
        case "Home": return () => viewport.moveTo(-0.02 * viewport.span, viewport.span);
        case "End": return () => viewport.moveTo(viewport.duration - 0.98 * viewport.span, viewport.span);
        case "PageUp": return () => (scroller.scrollTop -= timeline.height * 0.8);
        case "PageDown": return () => (scroller.scrollTop += timeline.height * 0.8);
        case "Enter": return () => this.open();
        default: return null;
      }
    }

    /** The position that stays fixed when keys zoom: that of the selected thing. */
    focusX() {
      const { viewport, chosen, picker } = this.timeline;
      if (!chosen || chosen.kind === "queue" || chosen.kind === "thread") return undefined;
      const [begin, end] = picker.extent(chosen);
      const x = viewport.x((begin + end) / 2);
      return x > 0 && x < viewport.width ? x : undefined;
    }

    jump(kind, id) {
      if (id !== undefined) this.timeline.choose({ kind, id }, { show: true });
    }

    lane(step) {
      const { timeline } = this;
      const { rows } = timeline.list;
      let at = timeline.lane?.position >= 0 ? timeline.lane.position + step
        : step > 0 ? timeline.list.at(timeline.scroll) : rows.length - 1;
      while (rows[at]?.kind === "group") at += step;
      const lane = rows[at];
      if (!lane) return;
      timeline.lane = lane;
      timeline.scrollTo(lane);
      timeline.requestDraw();
      const { names } = timeline;
      const name = lane.kind === "queue" ? names.queue(lane.index) : names.thread(lane.index);
      this.page.announce(`${lane.kind} ${name}, ${timeline.stopsOf(lane).length} entries`);
    }

    walk(step) {
      const { timeline } = this;
      if (!(timeline.lane?.position >= 0)) this.lane(1);
      const { lane, viewport } = timeline;
      if (!lane) return;
      const next = timeline.stopsOf(lane).beside(timeline.chosen, step, viewport.begin);
      if (!next) {
        this.page.announce(step > 0 ? "No later entry in this lane" : "No earlier entry in this lane");
        return;
      }
      timeline.choose({ kind: next.kind, id: next.id }, { show: true });
      timeline.canvas.focus({ preventScroll: true });
    }

    open() {
      const { timeline, page } = this;
      if (!timeline.chosen && timeline.lane) {
        timeline.choose({ kind: timeline.lane.kind, id: timeline.lane.index });
      }
      if (timeline.chosen) page.panel.node.focus({ preventScroll: true });
    }

    escape() {
      const { timeline } = this;
      if (document.activeElement !== timeline.canvas) timeline.canvas.focus({ preventScroll: true });
      else timeline.choose(null);
    }
  }

  Object.assign(Signalbox, { Keys });
})();
