// Statistics — how each queue and thread spent its time, and the longest waits.
(() => {
  "use strict";

  const { DepthCurve, Flag, activity } = Signalbox;

  /**
   * The percentile of ascending values by the nearest-rank method, so the result is one of them.
   * `Distribution` does the same, for the summary on a terminal.
   */
  function percentile(sorted, hundredths) {
    return sorted.length === 0 ? 0 : sorted[Math.ceil(sorted.length * hundredths / 100) - 1];
  }

  function spread(values) {
    const sorted = Float64Array.from(values).sort();
    return {
      total: sorted.reduce((sum, each) => sum + each, 0),
      median: percentile(sorted, 50), p99: percentile(sorted, 99),
      longest: percentile(sorted, 100), sorted,
    };
  }

  function depthOf(story, ids) {
    const { items } = story;
    const came = [];
    const went = [];
    for (const i of ids) {
      if (items.waitTo[i] > items.waitFrom[i]) {
        came.push(items.waitFrom[i]);
        went.push(items.waitTo[i]);
      }
    }
    return new DepthCurve(Float64Array.from(came).sort(), Float64Array.from(went).sort());
  }

  function queueStatistics(story, queue) {
    const { items, relations } = story;
    const ids = relations.queueItems.of(queue);
    const waits = [];
    const runs = [];
    let longestWait = -1;
    let longestRun = -1;
    let most = -1;
    let longest = -1;
    let blocked = 0;
    let sync = 0;
    let barriers = 0;
    let unfinished = 0;
    for (const i of ids) {
      if (story.knowsWait(i)) {
        const waited = story.waited(i);
        waits.push(waited);
        if (waited > most) [most, longestWait] = [waited, i];
      }
      if (story.knowsRun(i)) {
        const ran = story.ran(i);
        runs.push(ran);
        if (ran > longest) [longest, longestRun] = [ran, i];
      }
      if (story.has(i, Flag.sync)) sync++;
      if (story.has(i, Flag.barrier)) barriers++;
      if (items.finished[i] < 0 && !story.has(i, Flag.truncated)) unfinished++;
      blocked += relations.blockedIn(i);
    }
    const depth = depthOf(story, ids.filter((i) => story.knowsWait(i)));
    return {
      queue, items: ids.length, sync, barriers, unfinished, blocked, longestWait, longestRun,
      waiting: spread(waits), running: spread(runs), depth, greatestDepth: depth.greatest,
    };
  }

  function threadStatistics(story, thread) {
    const { items, relations } = story;
    const { began, ended } = story.threads[thread];
    const from = Math.max(0, began);
    const to = ended >= 0 ? ended : story.end;
    const ids = relations.runners.of(thread);
    let switches = 0;
    let preempted = 0;
    let longestRun = -1;
    for (const i of ids) {
      switches += items.switches[i];
      preempted += items.preempted[i];
      if (longestRun < 0 || story.ran(i) > story.ran(longestRun)) longestRun = i;
    }
    let longestBlock = -1;
    let waits = 0;
    for (const wait of relations.threadWaits.of(thread)) {
      if (story.isIdle(wait)) continue;
      waits++;
      if (longestBlock < 0 || story.blocked(wait) > story.blocked(longestBlock)) longestBlock = wait;
    }
    const did = activity(story, thread, from, to, 0);
    return {
      thread, items: ids.length, switches, preempted, longestRun, longestBlock, waits,
      lifetime: to - from, running: did.running, blocked: did.blocked, idle: did.idle,
      other: did.other,
    };
  }

  /** The row numbers with the greatest values, in descending order of the values. */
  function greatest(count, value, most) {
    const rows = new Int32Array(count).map((_, i) => i).filter((i) => value(i) > 0);
    const values = new Float64Array(count);
    for (const row of rows) values[row] = value(row);
    return Array.from(rows.sort((a, b) => values[b] - values[a] || a - b).subarray(0, most));
  }

  /**
   * From this number on, queues of one kind and label share a row, as for
   * `TraceModel.manyQueues`.
   */
  const MANY = 8;

  /** One row for several queues, which are its `parts`. */
  function together(story, rows) {
    const sum = (of) => rows.reduce((total, row) => total + of(row), 0);
    const all = (of) => spread(rows.flatMap((row) => Array.from(of(row).sorted)));
    const best = (of, value) => rows.map(of).reduce(
      (most, item) => (item >= 0 && (most < 0 || value(item) > value(most)) ? item : most), -1);
    return {
      queue: rows[0].queue, parts: rows, items: sum((row) => row.items),
      blocked: sum((row) => row.blocked),
      longestWait: best((row) => row.longestWait, (item) => story.waited(item)),
      longestRun: best((row) => row.longestRun, (item) => story.ran(item)),
      waiting: all((row) => row.waiting), running: all((row) => row.running),
      greatestDepth: rows.reduce((most, row) => Math.max(most, row.greatestDepth), 0),
    };
  }

  /**
   * Splits things into lists that share a queue's kind and label with many others, and the
   * rest.
   */
  function byLabel(story, things, queueOf) {
    const groups = new Map();
    for (const thing of things) {
      const queue = story.queues[queueOf(thing)];
      const key = `${queue.kind} ${queue.label}`;
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(thing);
    }
    const many = [...groups.values()].filter((group) => group.length >= MANY);
    const grouped = new Set(many.flat());
    return { many, single: things.filter((thing) => !grouped.has(thing)) };
  }

  class Statistics {
    constructor(story) {
      this.story = story;
      this.queues = story.queues.map((_, queue) => queueStatistics(story, queue));
      this.threads = story.threads.map((_, thread) => threadStatistics(story, thread));
    }

    /** The rows of the table of queues that have items. */
    queueRows() {
      const used = this.queues.filter((row) => row.items > 0);
      const { many, single } = byLabel(this.story, used, (row) => row.queue);
      return [...many.map((rows) => together(this.story, rows)), ...single];
    }

    longestWaits(most) {
      const { story } = this;
      return greatest(story.items.count, (i) => story.waited(i), most);
    }

    longestBlocks(most) {
      const { story } = this;
      return greatest(story.waits.count, (w) => (story.isIdle(w) ? 0 : story.blocked(w)), most);
    }
  }

  Object.assign(Signalbox, { Statistics, byLabel, depthOf, spread });
})();
