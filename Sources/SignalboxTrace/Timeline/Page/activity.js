// Activity — what a thread did in a span of time: what it ran, what blocked it,
// and its idle time.
(() => {
  "use strict";

  const { lowerBound } = Signalbox;

  /**
   * The number of entries examined for the list of the longest; the sums are exact for any
   * number.
   */
  const LOOKED_AT = 20000;

  function overlapping(row, begin, end, visit) {
    const first = row.firstAfter(begin + 1e-6);
    const after = Math.min(lowerBound(row.from, end, first), first + LOOKED_AT);
    for (let i = first; i < after; i++) {
      visit(row.ids[i], Math.min(end, row.to[i]) - Math.max(begin, row.from[i]));
    }
  }

  /** Returns `{ running, blocked, idle, other, entries }`, with the entries by descending share. */
  function activity(story, thread, begin, end, most) {
    const { relations } = story;
    const length = Math.max(0, end - begin);
    const top = relations.ranBy(thread).rows[0];
    const waits = relations.blockedOn(thread).rows[0];
    const entries = [];
    let within = 0;
    if (top) overlapping(top, begin, end, (id, time) => entries.push({ kind: "item", id, time }));
    if (waits) {
      overlapping(waits, begin, end, (id, time) => entries.push({ kind: "wait", id, time }));
      within = insideItems(story, top, waits, begin, end);
    }
    const items = top?.coverage(begin, end) ?? 0;
    const blocked = waits?.coverage(begin, end) ?? 0;
    const idle = Math.min(length, relations.parkedRows[thread].coverage(begin, end) +
      relations.idleOf(thread).coverage(begin, end));
    const running = Math.max(0, items - within);
    entries.sort((a, b) => b.time - a.time);
    return {
      length, running, blocked, idle, other: Math.max(0, length - running - blocked - idle),
      total: entries.length, entries: entries.slice(0, most),
    };
  }

  /** The blocked time within items, which do not run during it. */
  function insideItems(story, top, waits, begin, end) {
    if (!top) return 0;
    let sum = 0;
    const first = waits.firstAfter(begin + 1e-6);
    const after = lowerBound(waits.from, end, first);
    for (let i = first; i < after; i++) {
      const from = Math.max(begin, waits.from[i]);
      const to = Math.min(end, waits.to[i]);
      if (to > from) sum += top.coverage(from, to);
    }
    return sum;
  }

  Object.assign(Signalbox, { activity });
})();
