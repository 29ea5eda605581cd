// Columns — the typed arrays of a story: reading with bounds checks, grouping,
// searching.
(() => {
  "use strict";

  /** An error in a story, in words for the person who opened the page. */
  class StoryProblem extends Error {}

  /** Returns a list of the story, or an empty list if it is missing. */
  function list(parent, name) {
    const value = parent[name];
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) throw new StoryProblem(`“${name}” is not a list.`);
    return value;
  }

  /** The columns of one table, which must be of the same length. */
  class Table {
    constructor(story, name) {
      const value = story[name] ?? {};
      if (typeof value !== "object" || Array.isArray(value)) {
        throw new StoryProblem(`“${name}” does not consist of columns.`);
      }
      this.name = name;
      this.value = value;
      this.length = -1;
    }

    column(name, array, check) {
      const from = list(this.value, name);
      if (this.length < 0) this.length = from.length;
      if (from.length !== this.length) {
        throw new StoryProblem(
          `The columns of “${this.name}” differ in length: “${name}” has ${from.length} rows, ` +
          `and the one before it ${this.length}. The trace was cut off or changed.`);
      }
      for (let i = 0; i < from.length; i++) {
        const number = from[i];
        if (!Number.isSafeInteger(number) || !check(number)) {
          throw new StoryProblem(
            `Row ${i} of “${this.name}.${name}” cannot be ${JSON.stringify(number)?.slice(0, 60)}.`);
        }
        array[i] = number;
      }
      return array;
    }

    get rows() {
      const first = Object.keys(this.value)[0];
      return this.length >= 0 ? this.length : first ? list(this.value, first).length : 0;
    }

    /** Nanoseconds from the story's start, or −1. */
    times(name) {
      return this.column(name, new Float64Array(this.rows), () => true);
    }

    /** Indices of a list of `bound` entries, or −1. */
    indices(name, bound) {
      return this.column(name, new Int32Array(this.rows), (n) => n >= -1 && n < bound);
    }

    /** Numbers that count or enumerate. */
    numbers(name) {
      return this.column(name, new Float64Array(this.rows), () => true);
    }
  }

  /** The first position in ascending `array` between `low` and `high` whose value is ≥ `value`. */
  function lowerBound(array, value, low = 0, high = array.length) {
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (array[middle] < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Like `lowerBound`, but faster if the position is soon after `low`. */
  function gallop(array, value, low) {
    let step = 1;
    while (low + step < array.length && array[low + step] < value) step *= 2;
    return lowerBound(array, value, low + (step >> 1), Math.min(array.length, low + step));
  }

  /** Groups row numbers by a column: `of(g)` returns the rows with key g, in ascending order. */
  class Grouping {
    constructor(keys, groups) {
      this.offsets = new Int32Array(groups + 1);
      for (let i = 0; i < keys.length; i++) if (keys[i] >= 0) this.offsets[keys[i] + 1]++;
      for (let g = 0; g < groups; g++) this.offsets[g + 1] += this.offsets[g];
      this.rows = new Int32Array(this.offsets[groups]);
      const next = this.offsets.slice();
      for (let i = 0; i < keys.length; i++) if (keys[i] >= 0) this.rows[next[keys[i]]++] = i;
    }

    of(group) {
      return group < 0 ? new Int32Array(0)
        : this.rows.subarray(this.offsets[group], this.offsets[group + 1]);
    }

    count(group) {
      return this.offsets[group + 1] - this.offsets[group];
    }
  }

  /** Sorts row numbers by a column's values, unless they are already in order. */
  function ordered(rows, values) {
    for (let i = 1; i < rows.length; i++) {
      if (values[rows[i]] < values[rows[i - 1]]) {
        return rows.slice().sort((a, b) => values[a] - values[b] || a - b);
      }
    }
    return rows;
  }

  Object.assign(Signalbox, { StoryProblem, Table, Grouping, list, lowerBound, gallop, ordered });
})();
