// Page — assembles the page, or says why that is impossible.
(() => {
  "use strict";

  const {
    Gestures, Help, Keys, Names, Relations, Search, Splitters, Statistics, StoryPanel, StoryProblem,
    Summary, Theme, Timeline, Tooltip, byId, count, counted, duration, element, legendLine, oneLine,
    readStory,
  } = Signalbox;

  const reasons = {
    end: "written at the program’s end", demand: "written on demand", signal: "written on a signal",
    crash: "written at a trap or crash", condition: "written when a condition was met",
  };

  class Page {
    constructor(story) {
      this.story = story;
      story.relations = new Relations(story);
      this.names = new Names(story);
      this.head();
      byId("failure").hidden = true;
      byId("page").hidden = false;
      this.timeline = new Timeline(story, this.names);
      this.theme = new Theme(() => this.recolour());
      this.search = new Search(this.timeline, (text) => this.summary?.filter(text));
      this.tooltip = new Tooltip(this.timeline);
      this.gestures = new Gestures(this.timeline, this.tooltip);
      this.splitters = new Splitters();
      this.help = new Help();
      this.keys = new Keys(this);
      byId("legend").append(...legendLine());
      this.buttons();
      this.empty();
      this.timeline.draw();
      // Build the tables after the first drawing: they need every item sorted
      // by its times.
      requestAnimationFrame(() => setTimeout(() => this.complete()));
    }

    complete() {
      this.panel = new StoryPanel(this.timeline, () => this.statistics());
      this.timeline.onChoice((ref) => ref && this.announce(this.panel.sentence(ref)));
      this.panel.show(this.timeline.chosen);
      this.summary = new Summary(this.timeline, () => this.statistics());
      performance.mark("signalbox:complete");
      document.documentElement.dataset.state = "complete";
    }

    statistics() {
      return (this.measured ??= new Statistics(this.story));
    }

    head() {
      const { meta, end } = this.story;
      const program = oneLine(meta.program) || "a program";
      document.title = `${program} · Signalbox timeline`;
      byId("program").textContent = program;
      const began = new Date(meta.began);
      const facts = [
        meta.pid ? `process ${meta.pid}` : "",
        Number.isNaN(began.getTime()) ? "" : began.toISOString().replace("T", " ").slice(0, 19) + " UTC",
        duration(end), counted(this.story.items.count, "item"),
        meta.processors ? counted(meta.processors, "processor") : "", reasons[meta.why] ?? "",
      ];
      byId("facts").textContent = facts.filter((fact) => fact).join(" · ");
      const notes = meta.notes.map(oneLine);
      if (meta.lostEvents > 0) {
        notes.unshift(`${counted(meta.lostEvents, "event")} ${meta.lostEvents === 1 ? "was" : "were"} lost, because ` +
          "the recorder’s memory was full; chequered columns show where. A larger SIGNALBOX_TRACE_SIZE keeps more.");
      }
      if (meta.lostNames > 0) notes.push(`${counted(meta.lostNames, "name")} ${meta.lostNames === 1 ? "was" : "were"} lost, because there was ` +
        "no room for more. A larger SIGNALBOX_TRACE_SIZE keeps more.");
      byId("notices").hidden = notes.length === 0;
      byId("notices").append(...notes.map((note) => element("p", {}, note)));
    }

    buttons() {
      const { viewport } = this.timeline;
      byId("zoom-in").addEventListener("click", () => viewport.zoomBy(1 / 1.6));
      byId("zoom-out").addEventListener("click", () => viewport.zoomBy(1.6));
      byId("fit").addEventListener("click", () => viewport.fit());
      byId("arrows").addEventListener("click", () => this.toggleArrows());
    }

    toggleArrows() {
      const { hops } = this.timeline;
      hops.all = !hops.all;
      byId("arrows").setAttribute("aria-pressed", hops.all);
      this.timeline.requestDraw();
    }

    recolour() {
      this.timeline.palette.read();
      this.timeline.requestDraw();
    }

    empty() {
      if (!this.story.isEmpty) return;
      byId("empty").hidden = false;
      byId("empty").append(element("h2", {}, "Nothing was recorded"),
        element("p", {}, "No item, wait, mark or interval is in this recording."));
    }

    announce(text) {
      byId("announcer").textContent = text;
    }
  }

  function fail(error) {
    byId("page").hidden = true;
    byId("failure").hidden = false;
    byId("failure-text").textContent = error instanceof StoryProblem ? error.message
      : `Something in this page went wrong: ${error?.message ?? error}`;
    document.documentElement.dataset.state = "failed";
  }

  try {
    Signalbox.page = new Page(readStory(byId("story").textContent));
  } catch (error) {
    fail(error);
    if (!(error instanceof StoryProblem)) console.error(error);
  }
})();
