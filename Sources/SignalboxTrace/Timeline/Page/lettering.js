// Lettering — text on a canvas, shortened to the available room. It measures
// each width once.
(() => {
  "use strict";

  const PAD = 4;
  const KEPT = 20000;

  class Lettering {
    constructor(palette) {
      this.palette = palette;
      this.widths = new Map();
    }

    font(size, weight = 400) {
      return `${weight} ${size}px ${this.palette.font}`;
    }

    width(context, text) {
      const key = context.font + "\n" + text;
      let width = this.widths.get(key);
      if (width === undefined) {
        if (this.widths.size > KEPT) this.widths.clear();
        width = context.measureText(text).width;
        this.widths.set(key, width);
      }
      return width;
    }

    /** The text, shortened with an ellipsis if necessary; empty if too little would remain. */
    fitted(context, text, room) {
      if (room < 14) return "";
      const short = text.length > 160 ? text.slice(0, 160) : text;
      const width = this.width(context, short);
      if (width <= room) return short;
      const letters = [...short];
      const keep = Math.floor(letters.length * (room - 8) / width);
      return keep < 2 ? "" : letters.slice(0, keep).join("") + "…";
    }

    /** The first of these texts that fits, or the last one shortened. */
    best(context, texts, room) {
      return texts.find((text) => this.width(context, text) <= room) ??
        this.fitted(context, texts.at(-1), room);
    }

    /** Draws the best of these texts within a bar. */
    within(context, texts, x, y, width, height, ink) {
      const size = Math.min(11.5, height - 3);
      if (size < 8 || width < 18) return;
      context.font = this.font(size, 500);
      const fitted = this.best(context, texts, width - 2 * PAD);
      if (fitted === "") return;
      context.fillStyle = ink;
      context.textBaseline = "middle";
      context.textAlign = "left";
      context.fillText(fitted, x + PAD, y + height / 2 + 0.5);
    }
  }

  Object.assign(Signalbox, { Lettering });
})();
