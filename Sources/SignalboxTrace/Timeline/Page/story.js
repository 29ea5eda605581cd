// Story — the recording as the page reads it: validated, in typed columns, with
// an end for everything that had not ended when it was written.
(() => {
  "use strict";

  const { StoryProblem, Table, Grouping, list } = Signalbox;

  // `likely`: the submission and the start probably belong together, but that
  // is uncertain. `truncated`: a later event of the item was lost, so an open span
  // did not last until the end.
  const Flag = { barrier: 1, delayed: 2, handler: 4, job: 8, sync: 16, likely: 32, truncated: 64 };

  /** Flags of an interval; `truncated`: its end was lost, or may have been. */
  const IntervalFlag = { scoped: 1, truncated: 2 };

  const number = (value, fallback = 0) => (Number.isFinite(value) ? value : fallback);

  /** Parses and validates the text of the page's data block. */
  function readStory(text) {
    if (text.trim() === "") throw new StoryProblem("There is no story in this page.");
    let data;
    try {
      data = JSON.parse(text);
    } catch (error) {
      throw new StoryProblem(`The story is not JSON; it may have been cut off. (${error.message})`);
    }
    if (data === null || typeof data !== "object" || data.format !== "signalbox-story") {
      throw new StoryProblem("What is in this page is not a story that Signalbox recorded.");
    }
    if (data.version !== 1) {
      throw new StoryProblem(
        `The story has version ${JSON.stringify(data.version)?.slice(0, 40)}, and this page reads ` +
        "version 1. Write it again with the page that belongs to it.");
    }
    return new Story(data);
  }

  class Story {
    constructor(data) {
      this.meta = this.readMeta(data.meta);
      this.strings = list(data, "strings").map(String);
      this.threads = list(data, "threads").map((each, index) => ({
        index, number: number(each?.number, index), name: this.text(each?.name),
        kernel: number(each?.kernel, 0), role: String(each?.role ?? "other"),
        began: number(each?.began, -1), ended: number(each?.ended, -1),
      }));
      const queues = list(data, "queues");
      this.queues = queues.map((each, index) => ({
        index, label: this.text(each?.label), kind: String(each?.kind ?? "serial"),
        target: this.index(each?.target, queues.length, `queue ${index}`),
      }));
      this.objects = list(data, "objects").map((each, index) => ({
        index, kind: String(each?.kind ?? "other"), name: this.text(each?.name),
        described: each?.described === true,
      }));
      this.readTasks(new Table(data, "tasks"));
      this.readItems(new Table(data, "items"));
      this.readWaits(new Table(data, "waits"));
      this.readRest(data);
      this.end = this.findEnd();
      this.closeItems();
      this.closeSpans();
    }

    text(index) {
      if (index === -1 || index === undefined || index === null) return "";
      const text = this.strings[index];
      if (text === undefined) throw new StoryProblem(`There is no text ${String(index)}.`);
      return text;
    }

    index(value, bound, what) {
      const index = value ?? -1;
      if (!Number.isInteger(index) || index < -1 || index >= bound) {
        throw new StoryProblem(`The ${what} points at something that is not in the story.`);
      }
      return index;
    }

    readMeta(meta) {
      if (meta === null || typeof meta !== "object") {
        throw new StoryProblem("The story does not say which program it is of.");
      }
      return {
        program: String(meta.program ?? ""), pid: number(meta.pid), began: String(meta.began ?? ""),
        duration: number(meta.duration), processors: number(meta.processors),
        lostEvents: number(meta.lostEvents), lostNames: number(meta.lostNames),
        why: String(meta.why ?? ""), notes: list(meta, "notes").map(String),
      };
    }

    readTasks(table) {
      this.tasks = {
        number: table.numbers("number"), name: table.indices("name", this.strings.length),
        count: table.rows,
      };
    }

    readItems(table) {
      const threads = this.threads.length;
      this.items = {
        queue: table.indices("queue", this.queues.length),
        submitted: table.times("submitted"), started: table.times("started"),
        finished: table.times("finished"), submitter: table.indices("submitter", threads),
        runner: table.indices("runner", threads), within: table.indices("within", table.rows),
        flags: table.numbers("flags"), qos: table.numbers("qos"),
        switches: table.numbers("switches"), preempted: table.numbers("preempted"),
        task: table.indices("task", this.tasks.count), count: table.rows,
      };
    }

    readWaits(table) {
      const threads = this.threads.length;
      this.waits = {
        thread: table.indices("thread", threads), began: table.times("began"),
        ended: table.times("ended"), object: table.indices("object", this.objects.length),
        queue: table.indices("queue", this.queues.length),
        reason: table.indices("reason", this.strings.length),
        owner: table.indices("owner", threads), waker: table.indices("waker", threads),
        item: table.indices("item", this.items.count), timedOut: table.numbers("timedOut"),
        count: table.rows,
      };
    }

    readRest(data) {
      const threads = this.threads.length;
      const objects = this.objects.length;
      const texts = ["text", "name", "details"];
      const read = (name, columns) => {
        const table = new Table(data, name);
        const result = {};
        for (const column of columns) {
          if (column === "thread") result.thread = table.indices("thread", threads);
          else if (column === "object") result.object = table.indices("object", objects);
          else if (column === "queue") result.queue = table.indices("queue", this.queues.length);
          else if (column === "item") result.item = table.indices("item", this.items.count);
          else if (texts.includes(column)) result[column] = table.indices(column, this.strings.length);
          else if (column === "ender") result.ender = table.indices("ender", threads);
          else if (column === "within") result.within = table.indices("within", table.rows);
          else result[column] = table.times(column);
        }
        result.count = table.rows;
        return result;
      };
      this.parked = read("parked", ["thread", "began", "ended"]);
      this.timers = read("timers", ["object", "thread", "fired", "due", "late"]);
      this.steps = read("steps", ["thread", "at", "step", "object"]);
      this.passes = read("passes", ["thread", "object", "began", "ended"]);
      this.holds = read("holds", ["thread", "object", "taken", "left"]);
      this.marks = read("marks", ["thread", "at", "text"]);
      this.intervals = read("intervals", [
        "name", "details", "number", "thread", "began", "ender", "ended", "item", "within", "flags",
      ]);
      this.gaps = read("gaps", ["thread", "at", "lost"]);
      this.drains = read("drains", ["thread", "queue", "began", "ended"]);
      this.loops = read("loops", ["thread", "iterations", "began", "ended", "item"]);
      this.turns = read("turns", ["object", "thread", "at", "entry"]);
      this.advice = list(data, "advice").map((each) => ({
        kind: String(each?.kind ?? ""), queue: String(each?.queue ?? ""),
        finding: String(each?.finding ?? ""), remedy: String(each?.remedy ?? ""),
        places: list(each ?? {}, "places").map((place) => ({
          function: String(place?.function ?? ""), count: number(place?.count),
        })),
      }));
      this.operations = read("operations", [
        "object", "queued", "ready", "started", "finished", "cancelled", "thread", "item",
      ]);
    }

    findEnd() {
      const { items, waits, parked, timers, steps, passes, holds, marks, gaps, operations } = this;
      const { drains, loops, turns, intervals } = this;
      let end = Math.max(0, this.meta.duration);
      const columns = [
        items.submitted, items.started, items.finished, waits.began, waits.ended, parked.began,
        parked.ended, timers.fired, steps.at, passes.began, passes.ended, holds.taken, holds.left,
        marks.at, gaps.at, operations.queued, operations.ready, operations.started,
        operations.finished, operations.cancelled, drains.began, drains.ended, loops.began,
        loops.ended, turns.at, intervals.began, intervals.ended,
      ];
      for (const column of columns) {
        for (let i = 0; i < column.length; i++) if (column[i] > end) end = column[i];
      }
      return end;
    }

    /**
     * Computes for each item when its wait began and ended, and when its run ended. An open span ends
     * at the end of the recording; a truncated one ends at the item's last known event.
     */
    closeItems() {
      const { items } = this;
      const count = items.count;
      items.waitFrom = new Float64Array(count);
      items.waitTo = new Float64Array(count);
      items.runTo = new Float64Array(count);
      for (let i = 0; i < count; i++) {
        const started = items.started[i];
        const end = this.has(i, Flag.truncated) ? Math.max(0, started, items.submitted[i]) : this.end;
        const to = started >= 0 ? started : items.finished[i] >= 0 ? items.finished[i] : end;
        const from = items.submitted[i] >= 0 ? items.submitted[i] : to;
        items.waitTo[i] = to;
        items.waitFrom[i] = Math.min(from, to);
        items.runTo[i] = started < 0 ? to
          : Math.max(started, items.finished[i] >= 0 ? items.finished[i] : end);
      }
    }

    closeSpans() {
      const close = (began, ended) => {
        for (let i = 0; i < began.length; i++) {
          if (began[i] < 0) began[i] = 0;
          if (ended[i] < began[i]) ended[i] = ended[i] < 0 ? this.end : began[i];
        }
      };
      this.waits.open = this.waits.ended.map((at) => (at < 0 ? 1 : 0));
      close(this.waits.began, this.waits.ended);
      close(this.parked.began, this.parked.ended);
      close(this.passes.began, this.passes.ended);
      close(this.holds.taken, this.holds.left);
      close(this.drains.began, this.drains.ended);
      close(this.loops.began, this.loops.ended);
      this.closeIntervals(close);
    }

    /** An interval whose end was lost ends where it began: nothing else of it is known. */
    closeIntervals(close) {
      const { began, ended, flags } = this.intervals;
      this.intervals.open = ended.map((at) => (at < 0 ? 1 : 0));
      for (let i = 0; i < began.length; i++) {
        if (ended[i] < 0 && flags[i] & IntervalFlag.truncated) ended[i] = Math.max(0, began[i]);
      }
      close(began, ended);
    }

    /**
     * Whether it is certain how long an item waited to start, or until the end if it did not
     * start.
     */
    knowsWait(item) {
      const { submitted, started } = this.items;
      return submitted[item] >= 0 && !this.has(item, Flag.likely) &&
        (started[item] >= 0 || !this.has(item, Flag.truncated));
    }

    /** Whether it is known how long an item ran, or until the end if it had not ended. */
    knowsRun(item) {
      const { started, finished } = this.items;
      return started[item] >= 0 && (finished[item] >= 0 || !this.has(item, Flag.truncated));
    }

    waited(item) {
      return this.items.waitTo[item] - this.items.waitFrom[item];
    }

    ran(item) {
      return this.items.started[item] < 0 ? 0 : this.items.runTo[item] - this.items.started[item];
    }

    blocked(wait) {
      return this.waits.ended[wait] - this.waits.began[wait];
    }

    lasted(interval) {
      return this.intervals.ended[interval] - this.intervals.began[interval];
    }

    /** Whether it is known how long an interval lasted, or until the end if it had not ended. */
    knowsInterval(interval) {
      const { open, flags } = this.intervals;
      return !(open[interval] && flags[interval] & IntervalFlag.truncated);
    }

    has(item, flag) {
      return (this.items.flags[item] & flag) !== 0;
    }

    /** Whether the thread waits because it has no work. */
    isIdle(wait) {
      const { object, queue, thread, item } = this.waits;
      if (object[wait] >= 0) return this.objects[object[wait]].kind === "runLoop";
      return queue[wait] >= 0 && item[wait] < 0 && this.queues[queue[wait]].kind === "main" &&
        this.threads[thread[wait]]?.role === "main";
    }

    get isEmpty() {
      return [
        this.items, this.waits, this.parked, this.timers, this.steps, this.passes, this.holds,
        this.marks, this.intervals, this.gaps,
      ].every((table) => table.count === 0);
    }
  }

  Object.assign(Signalbox, { readStory, Story, Flag });
})();
