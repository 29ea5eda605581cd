// Lanes — one lane for each queue and thread: its tracks and its height.
(() => {
  "use strict";

  const { Flag, Grouping, SpanRow, depthOf, ordered, pack } = Signalbox;

  /** Up to this many waiting items get a line each; for more, the lane draws their number. */
  const LINES = 24;
  /** Up to this many of a thread's intervals that overlap are drawn. */
  const OVERLAPPING = 16;
  const DEPTH_HEIGHT = 44;
  const PAD = 5;
  const LEAST = 38;

  const byCount = (count, sizes) => sizes.find(([most]) => count <= most)[1];
  const waitHeight = (rows) => byCount(rows, [[4, 7], [8, 5], [16, 4], [Infinity, 3]]);
  const intervalHeight = (rows) => byCount(rows, [[3, 13], [6, 10], [Infinity, 5]]);
  const runHeight = (rows) => byCount(rows, [[2, 18], [4, 15], [8, 11], [16, 7], [Infinity, 4]]);

  class Lane {
    constructor(kind, index) {
      this.kind = kind;
      this.index = index;
      this.tracks = [];
      this.height = PAD;
      this.top = 0;
      this.left = 0;
    }

    /** Adds a track below the others; `gap` is the space between it and the next track. */
    add(style, height, content, gap = 1) {
      const track = { style, y: this.height, height, lane: this, ...content };
      this.tracks.push(track);
      this.height += height + gap;
      return track;
    }

    close() {
      const rest = LEAST - PAD - this.height;
      if (rest > 0) {
        for (const track of this.tracks) track.y += Math.floor(rest / 2);
        this.height += rest;
      }
      this.height += PAD;
      return this;
    }
  }

  function queueLane(story, queue) {
    const lane = new Lane("queue", queue);
    const { items, relations } = story;
    const ids = relations.queueItems.of(queue);
    const waiting = ids.filter((i) => items.waitTo[i] > items.waitFrom[i]);
    const lines = pack(ordered(waiting, items.waitFrom), items.waitFrom, items.waitTo, LINES);
    if (lines.left > 0) {
      lane.add("depth", DEPTH_HEIGHT, { curve: depthOf(story, ids), queue }, 3);
    } else {
      const height = waitHeight(lines.rows.length);
      // The item that has waited longest is on the lowest line, next to where
      // it will run.
      for (const row of lines.rows.reverse()) lane.add("queued", height, { row, entity: "item" });
      if (lines.rows.length) lane.height += 2;
    }
    const ran = relations.ranOn(queue);
    lane.left = ran.left;
    const height = runHeight(ran.rows.length);
    for (const row of ran.rows) lane.add("run", height, { row, entity: "item", names: "thread" });
    const barriers = ids.filter((i) => story.has(i, Flag.barrier) && items.started[i] >= 0);
    if (barriers.length) {
      lane.barriers = { row: pack(ordered(barriers, items.started), items.started, items.runTo, 1)
        .rows[0] };
    }
    lane.items = ids.length;
    return lane.close();
  }

  /** The points of different kinds of one thread, sorted by time. */
  class PointRow {
    constructor(points) {
      points.sort((a, b) => a.at - b.at);
      this.points = points;
      this.gaps = points.filter((point) => point.kind === "gap");
      this.at = Float64Array.from(points, (point) => point.at);
    }
  }

  class ThreadPoints {
    constructor(story) {
      const threads = story.threads.length;
      const { timers, marks, gaps, steps, passes, holds } = story;
      this.story = story;
      this.timers = new Grouping(timers.thread, threads);
      this.marks = new Grouping(marks.thread, threads);
      this.gaps = new Grouping(gaps.thread, threads);
      this.steps = new Grouping(steps.thread, threads);
      this.passes = new Grouping(passes.thread, threads);
      this.holds = new Grouping(holds.thread, threads);
      this.intervals = new Grouping(story.intervals.thread, threads);
    }

    of(thread) {
      const { timers, marks, gaps } = this.story;
      const points = [];
      for (const id of this.timers.of(thread)) points.push({ kind: "timer", id, at: timers.fired[id] });
      for (const id of this.marks.of(thread)) points.push({ kind: "mark", id, at: marks.at[id] });
      for (const id of this.gaps.of(thread)) points.push({ kind: "gap", id, at: gaps.at[id] });
      return new PointRow(points.filter((point) => point.at >= 0));
    }

    stepsOf(thread) {
      const ids = ordered(this.steps.of(thread), this.story.steps.at);
      return { ids, at: Float64Array.from(ids, (id) => this.story.steps.at[id]) };
    }
  }

  function threadLane(story, points, thread) {
    const lane = new Lane("thread", thread);
    const { passes, holds, relations } = story;
    const row = points.of(thread);
    if (row.points.length) lane.add("points", 14, { points: row }, 3);
    const passIds = ordered(points.passes.of(thread), passes.began);
    const steps = points.stepsOf(thread);
    if (passIds.length || steps.ids.length) {
      for (const each of pack(passIds, passes.began, passes.ended, 3).rows) {
        lane.add("pass", 13, { row: each, entity: "pass", steps }, 2);
      }
      if (!passIds.length) lane.add("pass", 13, { row: new SpanRow([], [], []), entity: "pass", steps });
    }
    const { intervals } = story;
    const begun = pack(ordered(points.intervals.of(thread), intervals.began), intervals.began,
      intervals.ended, OVERLAPPING);
    const intervalRow = intervalHeight(begun.rows.length);
    for (const each of begun.rows) {
      lane.add("interval", intervalRow, { row: each, entity: "interval" }, 2);
    }
    const ran = relations.ranBy(thread);
    const first = lane.add("run", 18, {
      row: ran.rows[0] ?? new SpanRow([], [], []), entity: "item", names: "queue",
    });
    first.parked = relations.parkedRows[thread];
    first.idle = relations.idleOf(thread);
    first.thread = thread;
    for (const each of ran.rows.slice(1)) {
      lane.add("run", 14, { row: each, entity: "item", names: "queue" });
    }
    lane.left = ran.left + begun.left;
    for (const each of relations.blockedOn(thread).rows) {
      lane.add("blocked", 13, { row: each, entity: "wait" });
    }
    const holdIds = ordered(points.holds.of(thread), holds.taken);
    for (const each of pack(holdIds, holds.taken, holds.left, 3).rows) {
      lane.add("held", 6, { row: each, entity: "hold" });
    }
    lane.items = relations.runners.count(thread);
    lane.passes = passIds.length;
    return lane.close();
  }

  function makeLanes(story) {
    const points = new ThreadPoints(story);
    story.points = points;
    return {
      queues: story.queues.map((_, queue) => queueLane(story, queue)),
      threads: story.threads.map((_, thread) => threadLane(story, points, thread)),
    };
  }

  Object.assign(Signalbox, { makeLanes, Lane });
})();
