// Search — finds labels that contain the typed text. Lanes without a match
// disappear, other items fade, and Enter moves from match to match in time
// order.
(() => {
  "use strict";

  const { byId, count, lowerBound, ordered } = Signalbox;

  class Search {
    /** `changed` receives the text in lower case. */
    constructor(timeline, changed) {
      this.timeline = timeline;
      this.changed = changed;
      this.input = byId("search");
      this.text = "";
      timeline.search = this;
      this.input.addEventListener("input", () => this.set(this.input.value));
      this.input.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && event.shiftKey) {
          event.preventDefault();
          this.jump(-1);
        }
        if (event.key === "Escape") this.clear();
      });
      byId("search-form").addEventListener("submit", (event) => {
        event.preventDefault();
        this.jump(1);
      });
      byId("search-previous").addEventListener("click", () => this.jump(-1));
    }

    clear() {
      this.input.value = "";
      this.set("");
    }

    set(text) {
      const { timeline } = this;
      const { story, names, list } = timeline;
      this.text = text.trim().toLowerCase();
      if (this.text === "") {
        this.found = null;
        list.filter(null);
      } else {
        const contains = (name) => (name.toLowerCase().includes(this.text) ? 1 : 0);
        this.queues = Uint8Array.from(names.queues, contains);
        this.threads = Uint8Array.from(names.threads, contains);
        this.objects = Uint8Array.from(names.objects, contains);
        this.marks = Uint8Array.from({ length: story.marks.count }, (_, i) => contains(names.mark(i)));
        this.intervals = Uint8Array.from(
          { length: story.intervals.count }, (_, i) => contains(names.interval(i)));
        this.named = new Set();
        const { relations, operations } = story;
        relations.markOf(-1);
        for (const [item, mark] of relations.marked) if (this.marks[mark]) this.named.add(item);
        relations.operationOf(-1);
        for (const [item, row] of relations.operated) {
          if (this.objects[operations.object[row]]) this.named.add(item);
        }
        const tasks = Uint8Array.from({ length: story.tasks.count }, (_, i) => contains(names.task(i)));
        for (let item = 0; item < story.items.count; item++) {
          if (tasks[story.items.task[item]]) this.named.add(item);
        }
        this.find();
        list.filter((lane) => this.matchesLane(lane));
      }
      byId("search-count").textContent = this.text === "" ? "" : this.found.length === 0
        ? list.rows.length ? "no items" : "nothing found" : `${count(this.found.length)} found`;
      timeline.laid();
      this.changed(this.text);
    }

    matchesItem(item) {
      if (this.text === "") return true;
      const { items } = this.timeline.story;
      return this.queues[items.queue[item]] === 1 || this.threads[items.runner[item]] === 1 ||
        this.named.has(item);
    }

    matchesWait(wait) {
      if (this.text === "") return true;
      const { waits } = this.timeline.story;
      return this.objects[waits.object[wait]] === 1 || this.threads[waits.thread[wait]] === 1 ||
        this.queues[waits.queue[wait]] === 1;
    }

    matchesMark(mark) {
      return this.text === "" || this.marks[mark] === 1;
    }

    matchesInterval(interval) {
      return this.text === "" || this.intervals[interval] === 1;
    }

    matchesLane(lane) {
      return lane.kind === "queue"
        ? this.queues[lane.index] === 1 || this.lanesOfItems.queues[lane.index] === 1
        : this.threads[lane.index] === 1 || this.lanesOfItems.threads[lane.index] === 1;
    }

    /** All matches in time order, and the lanes that contain them. */
    find() {
      const { story } = this.timeline;
      const { items, waits, marks, intervals, timers } = story;
      const lanes = {
        queues: new Uint8Array(story.queues.length), threads: new Uint8Array(story.threads.length),
      };
      const found = [];
      for (let i = 0; i < items.count; i++) {
        if (!this.matchesItem(i)) continue;
        found.push({ kind: "item", id: i, at: items.waitFrom[i] });
        if (items.queue[i] >= 0) lanes.queues[items.queue[i]] = 1;
        if (items.runner[i] >= 0) lanes.threads[items.runner[i]] = 1;
      }
      const add = (kind, table, at, matches) => {
        for (let i = 0; i < table.count; i++) {
          if (!matches(i)) continue;
          found.push({ kind, id: i, at: at[i] });
          if (table.thread[i] >= 0) lanes.threads[table.thread[i]] = 1;
        }
      };
      add("wait", waits, waits.began, (i) => this.matchesWait(i) && !story.isIdle(i));
      add("mark", marks, marks.at, (i) => this.marks[i] === 1);
      add("interval", intervals, intervals.began, (i) => this.intervals[i] === 1);
      add("timer", timers, timers.fired, (i) => this.objects[timers.object[i]] === 1);
      const at = Float64Array.from(found, (ref) => ref.at);
      this.found = Array.from(ordered(Int32Array.from(found, (_, i) => i), at), (i) => found[i]);
      this.at = Float64Array.from(this.found, (ref) => ref.at);
      this.lanesOfItems = lanes;
    }

    jump(step) {
      const { timeline, found } = this;
      if (!found || found.length === 0) return;
      const { chosen } = timeline;
      const current = chosen ? found.findIndex((ref) => ref.kind === chosen.kind && ref.id === chosen.id) : -1;
      const next = current >= 0 ? (current + step + found.length) % found.length
        : step > 0 ? lowerBound(this.at, Math.max(0, timeline.viewport.begin)) % found.length
          : found.length - 1;
      timeline.choose({ kind: found[next].kind, id: found[next].id }, { show: true });
      byId("search-count").textContent = `${count(next + 1)} of ${count(found.length)}`;
    }
  }

  Object.assign(Signalbox, { Search });
})();
