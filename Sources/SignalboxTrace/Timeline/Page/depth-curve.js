// DepthCurve — the number of items that wait in a queue over time. It finds the
// maximum of any span without examining every step.
(() => {
  "use strict";

  const { lowerBound } = Signalbox;

  /** Steps per entry of the index of maxima: a query examines at most two further blocks. */
  const BLOCK = 64;

  class DepthCurve {
    /** Builds the curve from the ascending times at which items arrived and left. */
    constructor(came, went) {
      const count = came.length + went.length;
      this.times = new Float64Array(count);
      this.depths = new Int32Array(count);
      let i = 0;
      let k = 0;
      let used = 0;
      let depth = 0;
      while (i < came.length || k < went.length) {
        const time = i < came.length && (k >= went.length || came[i] <= went[k]) ? came[i] : went[k];
        const before = depth;
        let peak = depth;
        while (i < came.length && came[i] === time) {
          depth++;
          i++;
        }
        peak = depth;
        while (k < went.length && went[k] === time) {
          depth--;
          k++;
        }
        if (depth === before && peak === before) continue;
        this.times[used] = time;
        this.depths[used++] = depth;
      }
      this.times = this.times.subarray(0, used);
      this.depths = this.depths.subarray(0, used);
      this.blocks = new Int32Array(Math.ceil(used / BLOCK));
      for (let at = 0; at < used; at++) {
        const block = Math.floor(at / BLOCK);
        if (this.depths[at] > this.blocks[block]) this.blocks[block] = this.depths[at];
      }
      this.greatest = this.blocks.reduce((most, each) => Math.max(most, each), 0);
    }

    /** The depth at a time. */
    at(time) {
      let i = lowerBound(this.times, time);
      if (this.times[i] !== time) i--;
      return i < 0 ? 0 : this.depths[i];
    }

    /** The greatest depth in the span from `begin` to before `end`. */
    greatestBetween(begin, end) {
      let most = this.at(begin);
      let i = lowerBound(this.times, begin);
      const after = lowerBound(this.times, end, i);
      while (i < after) {
        if (i % BLOCK === 0 && i + BLOCK <= after) {
          most = Math.max(most, this.blocks[i / BLOCK]);
          i += BLOCK;
        } else {
          most = Math.max(most, this.depths[i++]);
        }
      }
      return most;
    }
  }

  Object.assign(Signalbox, { DepthCurve });
})();
