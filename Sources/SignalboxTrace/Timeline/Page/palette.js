// Palette — the style sheet's colours for the canvas, and patterns that convey
// the same without colour: stripes for blocked, dots for idle, a grid for lost
// events.
(() => {
  "use strict";

  const names = [
    "ground", "lane", "lane-alternate", "heading", "line", "line-strong", "text", "text-soft",
    "run", "run-ink", "sync", "sync-ink", "barrier", "barrier-ink", "wait", "wait-line", "blocked",
    "blocked-ink", "blocked-ground", "idle", "timer", "timer-ink", "timer-line", "mark", "gap", "pass",
    "pass-ground", "held", "interval", "interval-ground", "accent", "hop", "shade",
  ];

  class Palette {
    constructor() {
      this.read();
    }

    read() {
      const style = getComputedStyle(document.documentElement);
      for (const name of names) {
        const key = name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
        this[key] = style.getPropertyValue(`--${name}`).trim();
      }
      this.font = style.getPropertyValue("--font").trim();
      this.patterns = new Map();
    }

    /** A pattern tile in device pixels, so that it stays sharp. */
    tile(context, name, size, draw) {
      const ratio = devicePixelRatio || 1;
      const key = `${name}@${ratio}`;
      let pattern = this.patterns.get(key);
      if (!pattern) {
        const tile = document.createElement("canvas");
        tile.width = tile.height = Math.max(1, Math.round(size * ratio));
        const drawing = tile.getContext("2d");
        drawing.scale(tile.width / size, tile.height / size);
        draw(drawing, size);
        pattern = context.createPattern(tile, "repeat");
        pattern.setTransform(new DOMMatrix().scale(size / tile.width, size / tile.height));
        this.patterns.set(key, pattern);
      }
      return pattern;
    }

    stripes(context) {
      return this.tile(context, "stripes", 8, (drawing, size) => {
        drawing.fillStyle = this.blockedGround;
        drawing.fillRect(0, 0, size, size);
        drawing.strokeStyle = this.blocked;
        drawing.lineWidth = 2.4;
        drawing.beginPath();
        for (const shift of [-size, 0, size]) {
          drawing.moveTo(shift - 1, size + 1);
          drawing.lineTo(shift + size + 1, -1);
        }
        drawing.stroke();
      });
    }

    dots(context) {
      return this.tile(context, "dots", 6, (drawing) => {
        drawing.fillStyle = this.idle;
        drawing.fillRect(2, 2, 2, 2);
      });
    }

    grid(context) {
      return this.tile(context, "grid", 6, (drawing) => {
        drawing.fillStyle = this.gap;
        drawing.fillRect(0, 0, 3, 3);
        drawing.fillRect(3, 3, 3, 3);
      });
    }
  }

  Object.assign(Signalbox, { Palette });
})();
