// Keys — what letters and arrows do outside the grid, which has its own.

import { byId } from "./elements.js";

/** Which part of a zoomed photo an arrow leads to: to the right, down. */
const PANS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Keys {
  constructor({ detail, route, help, gallery }) {
    Object.assign(this, { detail, route, help, gallery });
    document.addEventListener("keydown", (event) => this.down(event));
    document.addEventListener("keyup", (event) => this.up(event));
    addEventListener("blur", () => detail.comparison.hold(false));
  }

  down(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.help.node.open) return;
    const action = (this.detail.isOpen ? this.inDetail(event) : this.inGallery(event)) ?? this.anywhere(event);
    if (!action) return;
    event.preventDefault();
    action();
  }

  up({ key }) {
    if (key === "o" || key === "O") this.detail.comparison.hold(false);
  }

  anywhere({ key, repeat }) {
    if (repeat) return null;
    switch (key) {
      case "a": case "A": return () => byId("picker").click();
      case "i": case "I": return () => byId("internet").click();
      case "l": case "L": return () => byId("timeline").click();
      case "t": case "T": return () => byId("theme").click();
      case "?": return () => this.help.open();
      default: return null;
    }
  }

  /** From nowhere in particular, arrows lead into the grid. */
  inGallery({ key, target }) {
    const arrow = key.startsWith("Arrow") || key === "Home" || key === "End";
    return arrow && target === document.body ? () => this.gallery.focus() : null;
  }

  inDetail({ key, target }) {
    const { detail } = this;
    if (key === "Escape") return () => this.route.close();
    switch (key) {
      case "+": case "=": return () => detail.zoom.step(1);
      case "-": return () => detail.zoom.step(-1);
      case "0": return () => detail.zoom.fit();
      case "o": case "O": return () => detail.comparison.hold(true);
      default: break;
    }
    // The slider has the other keys for itself.
    if (target.closest?.("input")) return null;
    if (detail.zoom.isZoomed && key in PANS) return () => detail.zoom.pan(...PANS[key]);
    switch (key) {
      case "ArrowLeft": return () => detail.turn(-1);
      case "ArrowRight": return () => detail.turn(1);
      case "Delete": case "Backspace": return () => detail.removeShown();
      default: return null;
    }
  }
}
