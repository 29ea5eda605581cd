// PlaceStory — the stories of queues and threads, and of single events on a
// thread.
(() => {
  "use strict";

  const { Grouping, count, counted, duration, element, lowerBound, observedSteps, spread,
    workSteps } = Signalbox;

  const BINS = 24;
  const LISTED = 8;

  class PlaceStory {
    constructor(parts) {
      this.parts = parts;
      this.story = parts.story;
    }

    queue(id) {
      const { parts, story } = this;
      const queue = story.queues[id];
      const facts = parts.statistics().queues[id];
      const under = [parts.names.kind(queue.kind)];
      if (queue.target >= 0) under.push(", aimed at ", parts.queue(queue.target));
      return [
        ...parts.title("Queue", parts.names.queue(id), ...under),
        facts.items === 0 ? element("p", {}, "No item of this queue was recorded.") : parts.facts([
          ["Items", count(facts.items)],
          facts.sync ? ["of these by sync", count(facts.sync)] : null,
          facts.barriers ? ["barriers", count(facts.barriers)] : null,
          facts.unfinished ? ["not finished", count(facts.unfinished)] : null,
          ["Greatest depth", count(facts.greatestDepth)],
          ["Waiting, in all", duration(facts.waiting.total)],
          ["Running, in all", duration(facts.running.total)],
          facts.blocked ? ["Blocked, in all", duration(facts.blocked)] : null,
          ...this.drained(id),
        ]),
        ...this.spread("How long its items waited", "wait", facts.waiting, facts.longestWait, "Longest wait"),
        ...this.spread("How long its items ran", "run", facts.running, facts.longestRun, "Longest run"),
      ];
    }

    /** How often a queue was drained, and by how many threads. */
    drained(id) {
      const { drains } = this.story;
      this.drains ??= new Grouping(drains.queue, this.story.queues.length);
      const rows = this.drains.of(id);
      if (rows.length === 0) return [];
      const longest = rows.reduce((most, i) => Math.max(most, drains.ended[i] - drains.began[i]), 0);
      return [
        ["Drains", count(rows.length)], ["Longest drain", duration(longest)],
        ["Threads that drained it", count(new Set(rows.map((i) => drains.thread[i])).size)],
      ];
    }

    /** The longest calls of concurrentPerform on a thread, and the groups that it entered. */
    called(id) {
      const { parts, story: { loops, turns } } = this;
      const all = this.rowsOf(loops.thread, id);
      const lasted = (i) => loops.ended[i] - loops.began[i];
      const calls = all.slice().sort((a, b) => lasted(b) - lasted(a)).slice(0, LISTED)
        .map((i) => [`${counted(loops.iterations[i], "iteration")} in ${duration(lasted(i))} from `,
          parts.time(loops.began[i]), ...(loops.item[i] >= 0 ? [", within ", parts.item(loops.item[i])] : [])]);
      if (all.length > LISTED) calls.push([`and ${count(all.length - LISTED)} more`]);
      const groups = new Map();
      for (const i of this.rowsOf(turns.thread, id)) {
        const group = groups.get(turns.object[i]) ?? [0, 0];
        group[turns.entry[i] ? 0 : 1]++;
        groups.set(turns.object[i], group);
      }
      const turned = [...groups].slice(0, LISTED).map(([object, [entered, left]]) =>
        [`${parts.names.object(object)}: entered ${counted(entered, "time")}, left ${counted(left, "time")}`]);
      if (groups.size > LISTED) turned.push([`and ${count(groups.size - LISTED)} more`]);
      return [
        calls.length ? parts.section("Calls of concurrentPerform", parts.list(calls)) : null,
        turned.length ? parts.section("Groups that it entered or left", parts.list(turned)) : null,
      ];
    }

    rowsOf(column, key) {
      const rows = [];
      for (let i = 0; i < column.length; i++) if (column[i] === key) rows.push(i);
      return rows;
    }

    /** A histogram on a logarithmic scale, and the percentiles in words. */
    spread(title, state, values, longest, words) {
      const { parts } = this;
      if (values.sorted.length === 0 || longest < 0) return [];
      const low = Math.log10(Math.max(1, values.sorted[0]));
      const high = Math.max(low + 0.5, Math.log10(Math.max(1, values.longest)));
      const bins = new Array(BINS).fill(0);
      for (const value of values.sorted) {
        const part = (Math.log10(Math.max(1, value)) - low) / (high - low);
        bins[Math.min(BINS - 1, Math.max(0, Math.floor(part * BINS)))]++;
      }
      const most = Math.max(...bins);
      const bars = bins.map((each) => {
        const bar = element("span", { class: `bin share-${state}` });
        bar.style.height = each ? `${Math.max(4, 100 * Math.sqrt(each / most))}%` : "0";
        return bar;
      });
      return [parts.section(title,
        element("div", { class: "histogram", "aria-hidden": true }, ...bars),
        element("div", { class: "histogram-scale", "aria-hidden": true },
          element("span", {}, duration(10 ** low)), element("span", {}, duration(10 ** high))),
        parts.facts([
          ["Median", duration(values.median)], ["99 of 100 at most", duration(values.p99)],
        ]),
        element("p", {}, `${words}: `, parts.item(longest), `, ${duration(values.longest)}.`))];
    }

    thread(id) {
      const { parts, story } = this;
      const thread = story.threads[id];
      const facts = parts.statistics().threads[id];
      const under = [`${parts.names.kind(thread.role === "main" ? "thread" : thread.role)}, number ${thread.number}`];
      if (thread.kernel > 0) under.push(`, ${thread.kernel} to the kernel`);
      return [
        ...parts.title(thread.role === "main" ? "Main thread" : "Thread", parts.names.thread(id), ...under),
        parts.shares([
          ["run", "running", facts.running], ["blocked", "blocked", facts.blocked],
          ["idle", "idle", facts.idle], ["other", "nothing recorded", facts.other],
        ]),
        parts.facts([
          ["Items", count(facts.items)], ["Waits", count(facts.waits)],
          ["Context switches", count(facts.switches)], ["Preempted", count(facts.preempted)],
        ]),
        facts.longestBlock < 0 ? null : parts.section("Longest blocked", element("p", {},
          parts.wait(facts.longestBlock), `, ${duration(story.blocked(facts.longestBlock))}.`)),
        facts.longestRun < 0 ? null : parts.section("Longest item", element("p", {},
          parts.item(facts.longestRun), " of ", parts.queue(story.items.queue[facts.longestRun]),
          `, ${duration(story.ran(facts.longestRun))}.`)),
        ...this.called(id),
      ];
    }

    timer(id) {
      const { parts, story: { timers } } = this;
      const late = timers.late[id];
      return [
        ...parts.title("Timer", parts.names.object(timers.object[id]), "on ", parts.thread(timers.thread[id])),
        parts.steps(
          timers.due[id] >= 0 ? parts.step("submit", "Due at ", parts.time(timers.due[id]), ".") : null,
          parts.step("run", "Fired at ", parts.time(timers.fired[id]), late > 0
            ? [", ", element("strong", {}, duration(late)), " late."] : ", on time.")),
        late > 0 ? parts.section("What its thread did while it was due", ...parts.meanwhile(
          timers.thread[id], timers.fired[id] - late, timers.fired[id], -1).filter((each) => each)) : null,
      ];
    }

    mark(id) {
      const { parts, story: { marks, relations, items } } = this;
      const item = relations.itemAt(marks.thread[id], marks.at[id]);
      return [
        ...parts.title("Mark", parts.names.mark(id), "on ", parts.thread(marks.thread[id])),
        element("p", {}, "Made by the program at ", parts.time(marks.at[id]), ...(item >= 0
          ? [", within ", parts.item(item), " of ", parts.queue(items.queue[item])] : []), "."),
      ];
    }

    interval(id) {
      const { parts, story } = this;
      const { intervals } = story;
      const item = intervals.item[id];
      const ender = intervals.ender[id];
      const from = ["from ", parts.time(intervals.began[id])];
      const inner = this.rowsOf(intervals.within, id);
      return [
        ...parts.title("Interval", parts.names.interval(id), "on ", parts.thread(intervals.thread[id])),
        element("p", {}, ...(!story.knowsInterval(id)
          ? ["Began ", ...from.slice(1), ". Its end was lost"]
          : ["Took ", element("strong", {}, duration(story.lasted(id))), " ", ...from,
            intervals.open[id] ? " to the end of the recording: the program did not end it" : "",
            ...(ender >= 0 && ender !== intervals.thread[id]
              ? ["; ended on ", parts.thread(ender)] : [])]), "."),
        item >= 0 ? element("p", {}, "Began within ", parts.item(item), " of ",
          parts.queue(story.items.queue[item]), ".") : null,
        inner.length === 0 ? null : parts.section("Intervals within it", parts.list([
          ...inner.slice(0, LISTED).map((i) => [`${parts.names.interval(i)}, `,
            story.knowsInterval(i) ? `${duration(story.lasted(i))} from ` : "its end was lost, from ",
            parts.time(intervals.began[i])]),
          ...(inner.length > LISTED ? [[`and ${count(inner.length - LISTED)} more`]] : []),
        ])),
        ...this.sameName(id),
      ];
    }

    /** How long the intervals of the same name lasted. */
    sameName(id) {
      const { parts, story } = this;
      const rows = this.rowsOf(story.intervals.name, story.intervals.name[id])
        .filter((i) => story.knowsInterval(i));
      if (rows.length < 2) return [];
      const times = spread(rows.map((i) => story.lasted(i)));
      return [parts.section(`All of the name ${parts.names.intervalShortly(id)}`, parts.facts([
        ["Intervals", count(rows.length)],
        ["Median", duration(times.median)], ["99 of 100 at most", duration(times.p99)],
        ["Longest", duration(times.longest)],
      ]))];
    }

    gap(id) {
      const { parts, story: { gaps } } = this;
      return [
        ...parts.title("Gap", `${counted(gaps.lost[id], "event")} lost`, "on ", parts.thread(gaps.thread[id])),
        element("p", {}, "The recorder’s memory was full: it has no events of this thread just before ",
          parts.time(gaps.at[id]), ". Near it, items may lack their beginning or their end."),
      ];
    }

    hold(id) {
      const { parts, story: { holds } } = this;
      return [
        ...parts.title("Held", parts.names.object(holds.object[id]), "by ", parts.thread(holds.thread[id])),
        element("p", {}, "Held for ", element("strong", {}, duration(holds.left[id] - holds.taken[id])),
          " from ", parts.time(holds.taken[id]), "."),
      ];
    }

    pass(id) {
      const { parts, story } = this;
      const { passes, steps } = story;
      const { ids, at } = story.points.stepsOf(passes.thread[id]);
      const first = lowerBound(at, passes.began[id]);
      const lines = [];
      let i = first;
      for (; i < ids.length && at[i] <= passes.ended[id] && lines.length < 60; i++) {
        const number = steps.step[ids[i]];
        const since = i > first ? at[i] - at[i - 1] : 0;
        const span = i > first && workSteps.has(number) && observedSteps.has(steps.step[ids[i - 1]]);
        lines.push(element("li", { class: span ? "step-span" : "" },
          element("span", { class: "step-name" }, parts.names.step(number)),
          element("span", { class: "step-since" }, since > 0 ? `+${duration(since)}` : "")));
      }
      return [
        ...parts.title("Pass of a run loop", parts.names.object(passes.object[id]), "on ",
          parts.thread(passes.thread[id])),
        element("p", {}, "Took ", element("strong", {}, duration(passes.ended[id] - passes.began[id])),
          " from ", parts.time(passes.began[id]), "."),
        lines.length === 0 ? null : parts.section("Its steps",
          element("p", { class: "note" }, "Set off: from an observer’s call to the work."),
          element("ol", { class: "pass-steps" }, ...lines)),
        parts.section("Within it", ...parts.meanwhile(
          passes.thread[id], passes.began[id], passes.ended[id], -1).filter((each) => each)),
      ];
    }

    sentence({ kind, id }) {
      const { parts: { names }, story } = this;
      switch (kind) {
        case "queue": return `Queue ${names.queue(id)}`;
        case "thread": return `Thread ${names.thread(id)}`;
        case "timer": return `${names.object(story.timers.object[id])} fired ${
          duration(Math.max(0, story.timers.late[id]))} late`;
        case "mark": return `Mark ${names.mark(id)}`;
        case "interval": return `Interval ${names.interval(id)}, ${story.knowsInterval(id)
          ? duration(story.lasted(id)) : "its end was lost"}`;
        case "gap": return `${story.gaps.lost[id]} events lost`;
        case "hold": return `${names.object(story.holds.object[id])} held for ${
          duration(story.holds.left[id] - story.holds.taken[id])}`;
        default: return `Pass of ${names.object(story.passes.object[id])}, ${
          duration(story.passes.ended[id] - story.passes.began[id])}`;
      }
    }
  }

  Object.assign(Signalbox, { PlaceStory });
})();
