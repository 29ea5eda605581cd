// Summary — the tables below the lanes that show where the time went.
(() => {
  "use strict";

  const { DataTable, byId, count, duration, element } = Signalbox;

  const LONGEST = 500;

  const number = (id, title, value, help) =>
    ({ id, title, value, help, text: (row) => (value(row) ? count(value(row)) : "·") });
  const time = (id, title, value, bar, help) =>
    ({ id, title, value, bar, help, text: (row) => (value(row) > 0 ? duration(value(row)) : "·") });
  const words = (id, title, text) => ({ id, title, text, value: text, words: true });

  class Summary {
    constructor(timeline, statistics) {
      this.timeline = timeline;
      this.story = timeline.story;
      this.names = timeline.names;
      this.statistics = statistics;
      this.tables = new Map();
      this.wanted = "";
      this.tabs = [
        ["queues", "Queues", () => this.queues()], ["threads", "Threads", () => this.threads()],
        ["waits", "Longest waits", () => this.waits()], ["blocks", "Blocked", () => this.blocks()],
      ];
      this.place = byId("table-place");
      byId("tabs").append(...this.tabs.map(([id, title]) => element("button", {
        type: "button", role: "tab", id: `tab-${id}`, "aria-controls": "table-place",
        onclick: () => this.show(id), onkeydown: (event) => this.key(event, id),
      }, title)));
      this.show("queues");
    }

    key(event, id) {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      const at = this.tabs.findIndex(([each]) => each === id);
      const [next] = this.tabs[(at + step + this.tabs.length) % this.tabs.length];
      this.show(next);
      byId(`tab-${next}`).focus();
    }

    show(id) {
      for (const [each] of this.tabs) {
        const tab = byId(`tab-${each}`);
        tab.setAttribute("aria-selected", each === id);
        tab.tabIndex = each === id ? 0 : -1;
      }
      let table = this.tables.get(id);
      if (!table) {
        table = this.tabs.find(([each]) => each === id)[2]();
        this.tables.set(id, table);
      }
      this.current = table;
      table.filter(this.wanted);
      this.place.setAttribute("aria-labelledby", `tab-${id}`);
      this.place.replaceChildren(table.rows.length ? table.node
        : element("p", { class: "nothing" }, "Nothing of the kind was recorded."));
    }

    /** Shows only the rows that match the search. */
    filter(text) {
      this.wanted = text;
      this.current.filter(text);
    }

    open(ref) {
      this.timeline.choose(ref, { show: true });
    }

    queues() {
      const { names, story } = this;
      return new DataTable({
        caption: "Where the time went, by queue", sort: "waiting",
        rows: this.statistics().queueRows(), partsOf: (row) => row.parts,
        columns: [
          words("queue", "Queue", (row) =>
            (row.parts ? `${count(row.parts.length)} × ` : "") + names.queue(row.queue)),
          words("kind", "Kind", (row) => story.queues[row.queue].kind),
          number("items", "Items", (row) => row.items),
          time("waiting", "Waiting", (row) => row.waiting.total, "wait", "The sum over its items"),
          time("wait50", "median", (row) => row.waiting.median, null, "Half of the items waited at most this"),
          time("wait99", "99 %", (row) => row.waiting.p99, null, "99 of 100 items waited at most this"),
          time("waitMax", "longest", (row) => row.waiting.longest, null, "Click: the item that waited longest"),
          time("running", "Running", (row) => row.running.total, "run", "The sum over its items"),
          time("run50", "median", (row) => row.running.median, null, "Half of the items ran at most this"),
          time("run99", "99 %", (row) => row.running.p99, null, "99 of 100 items ran at most this"),
          time("runMax", "longest", (row) => row.running.longest, null, "Click: the item that ran longest"),
          time("blocked", "Blocked", (row) => row.blocked, "blocked", "Within its items"),
          number("depth", "Depth", (row) => row.greatestDepth, "The most that waited at a time"),
        ],
        open: (row, column) => {
          const item = /^run/.test(column) && row.longestRun >= 0 ? row.longestRun : row.longestWait;
          const isWhole = column === "queue" || column === "kind" || column === "items";
          this.open(isWhole || item < 0 ? { kind: "queue", id: row.queue } : { kind: "item", id: item });
        },
      });
    }

    threads() {
      const { names } = this;
      return new DataTable({
        caption: "Where the time went, by thread", sort: "running", rows: this.statistics().threads,
        columns: [
          words("thread", "Thread", (row) => names.thread(row.thread)),
          number("items", "Items", (row) => row.items),
          time("running", "Running", (row) => row.running, "run"),
          time("blocked", "Blocked", (row) => row.blocked, "blocked", "Click: where it was blocked longest"),
          time("idle", "Idle", (row) => row.idle, "idle"),
          time("other", "Nothing recorded", (row) => row.other),
          number("waits", "Waits", (row) => row.waits),
          number("switches", "Switches", (row) => row.switches, "Context switches by its own waiting, within items"),
          number("preempted", "Preempted", (row) => row.preempted, "Context switches against its will, within items"),
        ],
        open: (row, column) => {
          const toBlock = ["blocked", "waits"].includes(column) && row.longestBlock >= 0;
          const toRun = column === "running" && row.longestRun >= 0;
          this.open(toBlock ? { kind: "wait", id: row.longestBlock }
            : toRun ? { kind: "item", id: row.longestRun } : { kind: "thread", id: row.thread });
        },
      });
    }

    waits() {
      const { names, story } = this;
      const { items, relations } = story;
      return new DataTable({
        caption: "The items that waited longest in their queues", sort: "waited",
        rows: this.statistics().longestWaits(LONGEST),
        columns: [
          words("item", "Item", (id) => names.item(id)),
          words("queue", "Queue", (id) => names.queue(items.queue[id])),
          time("waited", "Waited", (id) => story.waited(id), "wait"),
          number("behind", "Behind", (id) => relations.behind(id, 0).total, "Items of its queue which ran meanwhile"),
          time("ran", "Ran", (id) => story.ran(id), "run"),
          words("runner", "On", (id) => (items.runner[id] < 0 ? "—" : names.thread(items.runner[id]))),
          words("submitter", "Submitted by", (id) => (items.submitter[id] < 0 ? "—" : names.thread(items.submitter[id]))),
          time("at", "At", (id) => items.waitFrom[id]),
        ],
        open: (id) => this.open({ kind: "item", id }),
      });
    }

    blocks() {
      const { names, story } = this;
      const { waits } = story;
      const who = (thread) => (thread < 0 ? "—" : names.thread(thread));
      return new DataTable({
        caption: "The longest waits of threads", sort: "blocked",
        rows: this.statistics().longestBlocks(LONGEST),
        columns: [
          words("thread", "Thread", (id) => who(waits.thread[id])),
          words("what", "Blocked", (id) => names.wait(id)),
          time("blocked", "For", (id) => story.blocked(id), "blocked"),
          words("owner", "Held by", (id) => who(waits.owner[id])),
          words("waker", "Woken by", (id) => (waits.timedOut[id] ? "timed out" : who(waits.waker[id]))),
          words("item", "Within", (id) => (waits.item[id] < 0 ? "—" : names.item(waits.item[id]))),
          time("at", "At", (id) => waits.began[id]),
        ],
        open: (id) => this.open({ kind: "wait", id }),
      });
    }
  }

  Object.assign(Signalbox, { Summary });
})();
