// SpanRow — sorted spans that don't overlap. Binary search finds those in view,
// and spans narrower than a pixel are drawn as one.
(() => {
  "use strict";

  const { gallop, lowerBound } = Signalbox;

  class SpanRow {
    constructor(ids, from, to) {
      const count = ids.length;
      this.ids = Int32Array.from(ids);
      this.from = new Float64Array(count);
      this.to = new Float64Array(count);
      /** The time covered by all spans before each one. */
      this.covered = new Float64Array(count + 1);
      for (let i = 0; i < count; i++) {
        this.from[i] = from[ids[i]];
        this.to[i] = to[ids[i]];
        this.covered[i + 1] = this.covered[i] + this.to[i] - this.from[i];
      }
    }

    get length() {
      return this.ids.length;
    }

    /** The first span that ends after a time. */
    firstAfter(time) {
      return lowerBound(this.to, time);
    }

    /**
     * Calls `single(position)` for each span that is at least `pixel` long, and
     * `merged(first, after, from, to)` for shorter spans that begin in the same pixel. Pixels count
     * from time 0, so that panning merges the same spans. Makes at most two calls per pixel, however
     * many spans there are.
     */
    visit(begin, end, pixel, single, merged) {
      const { from, to, ids } = this;
      let i = this.firstAfter(begin);
      while (i < ids.length && from[i] < end) {
        if (to[i] - from[i] >= pixel) {
          single(i++);
          continue;
        }
        const next = (Math.floor(from[i] / pixel) + 1) * pixel;
        let after = Math.max(i + 1, gallop(from, next, i));
        if (after > i + 1 && to[after - 1] - from[after - 1] >= pixel) after--;
        if (after === i + 1) single(i);
        else merged(i, after, from[i], Math.max(to[after - 1], next));
        i = after;
      }
    }

    /** The time covered between two times. */
    coverage(begin, end) {
      const first = this.firstAfter(begin);
      const after = lowerBound(this.from, end, first);
      if (after <= first) return 0;
      return this.covered[after] - this.covered[first] -
        Math.max(0, begin - this.from[first]) - Math.max(0, this.to[after - 1] - end);
    }

    /** How many spans overlap the range from `begin` to `end`. */
    countBetween(begin, end) {
      const first = this.firstAfter(begin + 1e-6);
      return Math.max(0, lowerBound(this.from, end, first) - first);
    }

    /** The position of the span that contains a time or is at most `near` away from it, or −1. */
    at(time, near) {
      const i = this.firstAfter(time);
      let best = -1;
      let distance = near;
      for (let k = Math.max(0, i - 1); k <= i + 1 && k < this.length; k++) {
        const away = Math.max(0, this.from[k] - time, time - this.to[k]);
        if (away === 0) return k;
        if (away <= distance) [best, distance] = [k, away];
      }
      return best;
    }
  }

  /**
   * Distributes spans, sorted by their beginnings, over as few rows as possible without overlap. For
   * nested spans of a thread, the row is the depth. Uses at most `most` rows and returns how many
   * spans did not fit.
   */
  function pack(ids, from, to, most) {
    const rows = [];
    const ends = [];
    let left = 0;
    for (const id of ids) {
      let row = 0;
      while (row < ends.length && ends[row] > from[id]) row++;
      if (row === most) {
        left++;
        continue;
      }
      if (row === ends.length) {
        rows.push([]);
        ends.push(0);
      }
      rows[row].push(id);
      ends[row] = to[id];
    }
    return { rows: rows.map((each) => new SpanRow(each, from, to)), left };
  }

  Object.assign(Signalbox, { SpanRow, pack });
})();
