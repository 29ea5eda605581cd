// Splitters — the borders of the story and the summary, which you can move by
// pointer or arrow keys.
(() => {
  "use strict";

  const { byId } = Signalbox;

  const STEP = 24;

  class Splitters {
    constructor() {
      const page = byId("page");
      this.split(byId("story-splitter"), {
        property: "--story-width", least: 220, most: () => page.clientWidth * 0.6,
        size: () => byId("story-panel").offsetWidth, along: "clientX", less: "ArrowRight", more: "ArrowLeft",
      });
      this.split(byId("summary-splitter"), {
        property: "--summary-height", least: 34, most: () => page.clientHeight * 0.7,
        size: () => byId("summary").offsetHeight, along: "clientY", less: "ArrowDown", more: "ArrowUp",
      });
    }

    split(node, { property, least, most, size, along, less, more }) {
      const page = byId("page");
      const set = (value) => {
        const limited = Math.round(Math.min(most(), Math.max(least, value)));
        page.style.setProperty(property, `${limited}px`);
        node.setAttribute("aria-valuenow", limited);
      };
      node.setAttribute("aria-valuemin", least);
      node.setAttribute("aria-valuenow", size());
      let drag = null;
      node.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        node.focus();
        node.setPointerCapture(event.pointerId);
        drag = { at: event[along], size: size() };
      });
      node.addEventListener("pointermove", (event) => {
        if (drag) set(drag.size + drag.at - event[along]);
      });
      for (const name of ["pointerup", "pointercancel"]) node.addEventListener(name, () => (drag = null));
      node.addEventListener("keydown", (event) => {
        if (event.key !== less && event.key !== more) return;
        event.preventDefault();
        event.stopPropagation();
        set(size() + (event.key === more ? STEP : -STEP));
      });
    }
  }

  Object.assign(Signalbox, { Splitters });
})();
