// WaitStory — what a thread waited for, which thread held it, what that one
// did, and who woke it.
(() => {
  "use strict";

  const { duration, element } = Signalbox;

  class WaitStory {
    constructor(parts) {
      this.parts = parts;
      this.story = parts.story;
    }

    sentence(id) {
      const { parts: { names }, story } = this;
      const { waits } = story;
      const owner = waits.owner[id] >= 0 ? `, held by ${names.thread(waits.owner[id])}` : "";
      return `${names.thread(waits.thread[id])} was blocked ${names.wait(id)} for ` +
        `${duration(story.blocked(id))}${owner}`;
    }

    render(id) {
      const { parts, story } = this;
      const { waits } = story;
      const item = waits.item[id];
      const { began, ended, owner, waker } = waits;
      const open = waits.open[id] === 1;
      return [
        ...parts.title("Blocked", parts.names.wait(id), "on ", parts.thread(waits.thread[id])),
        parts.steps(
          parts.step("blocked", "Blocked ", element("strong", {}, duration(story.blocked(id))),
            " from ", parts.time(began[id]), " to ", open ? "the end of the recording" : parts.time(ended[id]),
            ...(item >= 0 ? [", within ", parts.item(item), " of ", parts.queue(story.items.queue[item])] : []),
            "."),
          owner[id] < 0 ? null : parts.step("held", "Held by ", parts.thread(owner[id]), "."),
          this.end(id, open, waker[id])),
        this.holder(id),
        parts.meanwhileSection(began[id], ended[id], item),
      ];
    }

    end(id, open, waker) {
      const { parts, story } = this;
      if (open) return parts.step("end", "It had not ended when the recording did.");
      if (story.waits.timedOut[id]) return parts.step("end", "It timed out.");
      if (waker < 0) return parts.step("end", "Who woke it was not recorded.");
      const item = story.relations.itemAt(waker, story.waits.ended[id]);
      return parts.step("end", "Woken by ", parts.thread(waker),
        ...(item >= 0 ? [" within ", parts.item(item), " of ", parts.queue(story.items.queue[item])] : []),
        ".");
    }

    holder(id) {
      const { parts, story: { waits } } = this;
      const owner = waits.owner[id];
      if (owner < 0) return null;
      return parts.section(`What ${parts.names.thread(owner)} did meanwhile`,
        ...parts.meanwhile(owner, waits.began[id], waits.ended[id], -1).filter((each) => each));
    }
  }

  Object.assign(Signalbox, { WaitStory });
})();
