// Glance — links to what to look at first. Shown while nothing is selected.
(() => {
  "use strict";

  const { count, counted, duration, element, longestSpan, oneLine, percent } = Signalbox;

  const LATE = 1e6;

  class Glance {
    constructor(parts) {
      this.parts = parts;
      this.story = parts.story;
    }

    render() {
      const { parts, story } = this;
      if (story.isEmpty) {
        return [...parts.title("Recording", "Nothing was recorded"),
          element("p", {}, "The recording has no items, waits, marks or intervals. Was the recorder on while ",
            "the program worked?")];
      }
      const findings = [
        ...this.advice(), this.waited(), this.main(), this.blocked(), this.deepest(), this.late(), this.loop(),
        this.preempted(),
      ].filter((each) => each);
      return [
        ...parts.title("At a glance", "Where did the time go?"),
        element("ul", { class: "findings" }, ...findings.map(([state, title, ...content]) =>
          element("li", { class: `finding finding-${state}` },
            element("h3", {}, title), element("div", {}, ...content.flat())))),
        element("p", { class: "note" }, "Click anything for its story. ", element("kbd", {}, "?"),
          " lists the keys and what the drawing means."),
      ];
    }

    /** The output of `signalbox-trace advice`. */
    advice() {
      const { parts, story } = this;
      return story.advice.map((each) => {
        const queue = each.queue === "" ? -1
          : story.queues.findIndex((queue) => queue.label === each.queue);
        const places = each.places.map((place) => [element("code", {}, oneLine(place.function)),
          ` (${counted(place.count, "sample")})`]);
        return ["advice", `Advice: ${oneLine(each.kind)}`,
          queue < 0 ? "" : [parts.queue(queue), ": "], oneLine(each.finding), ". ",
          element("strong", {}, "Instead: "), oneLine(each.remedy), ".",
          places.length ? parts.list(places) : null];
      });
    }

    waited() {
      const { parts, story } = this;
      const [id] = parts.statistics().longestWaits(1);
      if (id === undefined) return null;
      return ["wait", "Waited longest", parts.item(id), " of ", parts.queue(story.items.queue[id]),
        ": ", element("strong", {}, duration(story.waited(id))), " before it ran."];
    }

    main() {
      const { parts, story } = this;
      const main = story.threads.findIndex((thread) => thread.role === "main");
      if (main < 0) return null;
      const facts = parts.statistics().threads[main];
      if (facts.running + facts.blocked === 0) return null;
      return ["run", "The main thread", parts.thread(main), ": running ",
        element("strong", {}, percent(facts.running, facts.lifetime)), ", blocked ",
        element("strong", {}, percent(facts.blocked, facts.lifetime)), " of the time."];
    }

    blocked() {
      const { parts, story } = this;
      const [id] = parts.statistics().longestBlocks(1);
      if (id === undefined) return null;
      const owner = story.waits.owner[id];
      return ["blocked", "Blocked longest", parts.thread(story.waits.thread[id]), " ", parts.wait(id),
        ": ", element("strong", {}, duration(story.blocked(id))),
        ...(owner >= 0 ? [", held by ", parts.thread(owner)] : []), "."];
    }

    deepest() {
      const { parts } = this;
      const { queues } = parts.statistics();
      const deepest = queues.reduce((best, each) =>
        (each.greatestDepth > (best?.greatestDepth ?? 1) ? each : best), null);
      return deepest && ["wait", "Deepest queue", parts.queue(deepest.queue), ": up to ",
        element("strong", {}, count(deepest.greatestDepth)), " items waited at a time."];
    }

    late() {
      const { parts, story: { timers } } = this;
      let latest = -1;
      for (let i = 0; i < timers.count; i++) {
        if (timers.late[i] > (latest < 0 ? LATE : timers.late[latest])) latest = i;
      }
      return latest < 0 ? null : ["timer", "Latest timer",
        parts.link({ kind: "timer", id: latest }, parts.names.object(timers.object[latest])), " fired ",
        element("strong", {}, duration(timers.late[latest])), " late."];
    }

    /** The longest time from a call of the run loop's observers to its next work. */
    loop() {
      const { parts, story } = this;
      const longest = longestSpan(story);
      return longest && ["timer", "Slowest observers", "From an observer’s call to the work (",
        parts.names.step(longest.step), ") it was ", element("strong", {}, duration(longest.time)),
        " in ", parts.link({ kind: "pass", id: longest.pass },
          `a pass of ${parts.names.object(story.passes.object[longest.pass])}`), "."];
    }

    preempted() {
      const { parts } = this;
      const { threads } = parts.statistics();
      const most = threads.reduce((best, each) => (each.preempted > (best?.preempted ?? 0) ? each : best), null);
      return most && ["switch", "Preempted most", parts.thread(most.thread), ": ",
        element("strong", {}, count(most.preempted)), " context switches against its will."];
    }
  }

  Object.assign(Signalbox, { Glance });
})();
