// Lifeline — the building blocks of stories: links, facts, and bars of shares
// of time.
(() => {
  "use strict";

  const { duration, element, label, moment, percent } = Signalbox;

  /** Builds the parts of a story. A link selects the thing that it names. */
  class StoryParts {
    constructor(timeline, statistics) {
      this.timeline = timeline;
      this.story = timeline.story;
      this.names = timeline.names;
      this.statistics = statistics;
    }

    link(ref, text) {
      return element("button", {
        type: "button", class: `link link-${ref.kind}`, "data-ref": `${ref.kind}:${ref.id}`,
        onclick: () => this.timeline.choose(ref, { show: true, follow: true }),
      }, label(text));
    }

    item(id) {
      return this.link({ kind: "item", id }, this.names.item(id));
    }

    /** A link to a queue; plain text if the queue is unknown. */
    queue(index) {
      return index < 0 ? "an unknown queue" : this.link({ kind: "queue", id: index }, this.names.queue(index));
    }

    thread(index) {
      return index < 0 ? "an unknown thread"
        : this.link({ kind: "thread", id: index }, this.names.thread(index));
    }

    wait(id) {
      return this.link({ kind: "wait", id }, this.names.wait(id));
    }

    time(at) {
      const { end } = this.story;
      const resolution = end < 1e6 ? 1 : end < 1e9 ? 1e3 : end < 60e9 ? 1e4 : 1e6;
      return element("time", {}, moment(at, resolution));
    }

    title(kind, text, ...under) {
      return [
        element("p", { class: "story-kind" }, kind),
        element("h2", { class: "story-title", id: "story-title" }, label(text)),
        under.length ? element("p", { class: "story-under" }, ...under) : null,
      ];
    }

    section(title, ...content) {
      return element("section", { class: "story-section" }, element("h3", {}, title), ...content);
    }

    /** A step in a story, with a sign for its state. */
    step(state, ...content) {
      return element("li", { class: `step step-${state}` }, ...content);
    }

    steps(...steps) {
      return element("ol", { class: "steps" }, ...steps);
    }

    list(entries) {
      return element("ul", { class: "entries" }, ...entries.map((entry) => element("li", {}, ...entry)));
    }

    facts(pairs) {
      return element("dl", { class: "facts" }, ...pairs.filter((pair) => pair).map(([name, value]) =>
        element("div", {}, element("dt", {}, name), element("dd", {}, value))));
    }

    /** Shares of a whole, side by side: `[state, words, time]`. */
    shares(parts) {
      const shown = parts.filter(([, , time]) => time > 0);
      const whole = shown.reduce((sum, [, , time]) => sum + time, 0);
      const bar = element("div", { class: "shares", "aria-hidden": true },
        ...shown.map(([state, , time]) => {
          const part = element("span", { class: `share share-${state}` });
          part.style.flexGrow = String(time / whole);
          return part;
        }));
      const words = element("ul", { class: "share-words" }, ...shown.map(([state, text, time]) =>
        element("li", {}, element("span", { class: `swatch share-${state}`, "aria-hidden": true }),
          `${text} `, element("strong", {}, duration(time)), ` ${percent(time, whole)}`)));
      return element("div", {}, bar, words);
    }

    /** What a thread did in a span of time, with links to the longest entries. */
    meanwhile(thread, begin, end, except) {
      const { story } = this;
      const did = Signalbox.activity(story, thread, begin, end, 8);
      const entries = did.entries.filter(({ kind, id }) => kind !== "item" || id !== except);
      const shares = this.shares([
        ["run", "running", did.running], ["blocked", "blocked", did.blocked],
        ["idle", "idle", did.idle], ["other", "nothing recorded", did.other],
      ]);
      const lines = entries.map(({ kind, id, time }) => (kind === "item"
        ? [this.item(id), " of ", this.queue(story.items.queue[id]), ` for ${duration(time)}`]
        : ["blocked ", this.wait(id), ` for ${duration(time)}`]));
      const more = did.total - did.entries.length;
      if (more > 0) lines.push([`and ${Signalbox.count(more)} more`]);
      return [shares, lines.length ? this.list(lines) : null];
    }

    /** The section “Meanwhile” with a choice of threads, the main thread first. */
    meanwhileSection(begin, end, except) {
      const { story, names } = this;
      if (story.threads.length === 0 || end <= begin) return null;
      const main = story.threads.findIndex((thread) => thread.role === "main");
      const place = element("div", { class: "meanwhile" });
      const fill = (thread) => place.replaceChildren(
        ...this.meanwhile(thread, begin, end, except).filter((each) => each));
      const select = element("select", {
        "aria-label": "Thread", class: "meanwhile-thread",
        onchange: (event) => fill(Number(event.target.value)),
      }, ...story.threads.slice(0, 2000).map((thread) =>
        element("option", { value: thread.index, selected: thread.index === Math.max(0, main) },
          names.thread(thread.index))));
      fill(Math.max(0, main));
      const section = this.section("Meanwhile", place);
      section.firstChild.append(" on ", select);
      section.classList.add("meanwhile-section");
      return section;
    }
  }

  Object.assign(Signalbox, { StoryParts });
})();
