// StoryPanel — the story of the selected thing, beside the lanes, with a way
// back to the previous one.
(() => {
  "use strict";

  const { Glance, ItemStory, PlaceStory, StoryParts, WaitStory, byId, element } = Signalbox;

  class StoryPanel {
    constructor(timeline, statistics) {
      this.timeline = timeline;
      this.node = byId("story-panel");
      this.parts = new StoryParts(timeline, statistics);
      this.item = new ItemStory(this.parts);
      this.wait = new WaitStory(this.parts);
      this.place = new PlaceStory(this.parts);
      this.glance = new Glance(this.parts);
      this.past = [];
      this.shown = null;
      timeline.onChoice((ref, how) => this.show(ref, how));
    }

    render(ref) {
      if (!ref) return this.glance.render();
      if (ref.kind === "item") return this.item.render(ref.id);
      if (ref.kind === "wait") return this.wait.render(ref.id);
      return this.place[ref.kind](ref.id);
    }

    sentence(ref) {
      if (ref.kind === "item") return this.item.sentence(ref.id);
      if (ref.kind === "wait") return this.wait.sentence(ref.id);
      return this.place.sentence(ref);
    }

    show(ref, { back = false, follow = false } = {}) {
      const before = this.shown;
      if (!back && before && (ref?.kind !== before.kind || ref?.id !== before.id)) {
        this.past.push(before);
        if (this.past.length > 200) this.past.shift();
      }
      this.shown = ref;
      const head = !ref && this.past.length === 0 ? null : element("div", { class: "story-head" },
        element("button", {
          type: "button", class: "icon", "aria-label": "Back to the story before", title: "Back (Backspace)",
          disabled: this.past.length === 0, onclick: () => this.back(),
        }, "←"),
        ref ? element("button", {
          type: "button", onclick: () => this.timeline.show(ref, { fill: true }), title: "Zoom to it (Z)",
        }, "Zoom to it") : null,
        ref ? element("button", {
          type: "button", class: "icon", "aria-label": "Close the story", title: "Close (Escape)",
          onclick: () => this.timeline.choose(null),
        }, "×") : null);
      this.node.replaceChildren(...(head ? [head] : []), element("div", { class: "story-body" },
        ...this.render(ref).flat().filter((each) => each)));
      this.node.scrollTop = 0;
      this.node.setAttribute("aria-labelledby", "story-title");
      if (follow) this.node.focus({ preventScroll: true });
    }

    back() {
      const ref = this.past.pop();
      if (ref) this.timeline.choose(ref, { show: true, back: true, follow: true });
    }
  }

  Object.assign(Signalbox, { StoryPanel });
})();
