// Relations — the items of queues and threads, their children, waits and marks.
(() => {
  "use strict";

  const { Grouping, SpanRow, lowerBound, ordered, pack } = Signalbox;

  /** The number of rows for items that run at the same time; further items are only counted. */
  const WIDEST = 64;
  /** The nesting depth up to which the items of a thread are drawn. */
  const DEEPEST = 8;

  class Relations {
    constructor(story) {
      this.story = story;
      const { items, waits } = story;
      const queues = story.queues.length;
      const threads = story.threads.length;
      const ran = (column) => column.map((key, i) => (items.started[i] < 0 ? -1 : key));
      this.queueItems = new Grouping(items.queue, queues);
      this.runners = new Grouping(ran(items.runner), threads);
      this.children = new Grouping(items.within, items.count);
      this.jobs = new Grouping(items.task, story.tasks.count);
      this.itemWaits = new Grouping(waits.item, items.count);
      this.threadWaits = new Grouping(waits.thread, threads);
      this.queueRows = new Map();
      this.threadRows = new Map();
      this.waitRows = new Map();
      const { parked } = story;
      const parkings = new Grouping(parked.thread, threads);
      this.parkedRows = story.threads.map((_, thread) => this.single(
        pack(ordered(parkings.of(thread), parked.began), parked.began, parked.ended, 1)));
      this.idleRows = new Map();
    }

    /** The only row of spans that cannot overlap. */
    single({ rows }) {
      return rows[0] ?? new SpanRow([], [], []);
    }

    remembered(map, key, make) {
      let value = map.get(key);
      if (value === undefined) map.set(key, (value = make()));
      return value;
    }

    /** The items of a queue that ran, in rows; each row is sorted by time. */
    ranOn(queue) {
      const { items } = this.story;
      return this.remembered(this.queueRows, queue, () => pack(
        ordered(this.queueItems.of(queue).filter((i) => items.started[i] >= 0), items.started),
        items.started, items.runTo, WIDEST));
    }

    /** The items that ran on a thread: a nested item is one row below the outer one. */
    ranBy(thread) {
      const { items } = this.story;
      return this.remembered(this.threadRows, thread, () => pack(
        ordered(this.runners.of(thread), items.started), items.started, items.runTo, DEEPEST));
    }

    /** The waits that kept a thread from its work, in rows. */
    blockedOn(thread) {
      const { story } = this;
      return this.remembered(this.waitRows, thread, () => pack(
        ordered(this.threadWaits.of(thread).filter((w) => !story.isIdle(w)), story.waits.began),
        story.waits.began, story.waits.ended, DEEPEST));
    }

    /** The waits of a thread that had no work. */
    idleOf(thread) {
      const { story } = this;
      return this.remembered(this.idleRows, thread, () => this.single(pack(
        ordered(this.threadWaits.of(thread).filter((w) => story.isIdle(w)), story.waits.began),
        story.waits.began, story.waits.ended, 1)));
    }

    /** The first mark that the program set while the item was the innermost one, or −1. */
    markOf(item) {
      this.marked ??= this.findMarks();
      return this.marked.get(item) ?? -1;
    }

    /** The operation that started within an item, or −1. */
    operationOf(item) {
      this.operated ??= this.findOperations();
      return this.operated.get(item) ?? -1;
    }

    findOperations() {
      const { operations } = this.story;
      const found = new Map();
      for (let row = 0; row < operations.count; row++) {
        if (operations.item[row] >= 0 && !found.has(operations.item[row])) {
          found.set(operations.item[row], row);
        }
      }
      return found;
    }

    /** The innermost item that ran on a thread at a time, or −1. */
    itemAt(thread, time) {
      if (thread < 0) return -1;
      const { rows } = this.ranBy(thread);
      for (let depth = rows.length - 1; depth >= 0; depth--) {
        const row = rows[depth];
        const i = lowerBound(row.to, time);
        if (i < row.length && row.from[i] <= time) return row.ids[i];
      }
      return -1;
    }

    findMarks() {
      const { marks } = this.story;
      const found = new Map();
      for (let mark = 0; mark < marks.count; mark++) {
        const item = this.itemAt(marks.thread[mark], marks.at[mark]);
        if (item >= 0 && !found.has(item)) found.set(item, mark);
      }
      return found;
    }

    /**
     * The items of the same queue that ran while an item waited: their number, and the first
     * `most`.
     */
    behind(item, most) {
      const { items } = this.story;
      const begin = items.waitFrom[item];
      const end = items.waitTo[item];
      const found = [];
      let total = 0;
      if (items.queue[item] < 0 || end <= begin) return { total, found };
      for (const row of this.ranOn(items.queue[item]).rows) {
        const first = row.firstAfter(begin + 1e-6);
        const after = lowerBound(row.from, end, first);
        total += Math.max(0, after - first);
        for (let i = first; i < after && i < first + most; i++) found.push(row.ids[i]);
      }
      found.sort((a, b) => items.started[a] - items.started[b]);
      return { total, found: found.slice(0, most) };
    }

    /** The time for which an item's thread was blocked within the item. */
    blockedIn(item) {
      const { story } = this;
      let sum = 0;
      for (const wait of this.itemWaits.of(item)) if (!story.isIdle(wait)) sum += story.blocked(wait);
      return sum;
    }
  }

  Object.assign(Signalbox, { Relations });
})();
