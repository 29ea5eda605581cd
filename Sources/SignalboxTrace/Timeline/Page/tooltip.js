// Tooltip — describes the thing under the pointer in two lines beside it.
(() => {
  "use strict";

  const { byId, duration, element, label } = Signalbox;

  class Tooltip {
    constructor(timeline) {
      this.timeline = timeline;
      this.node = byId("tooltip");
      this.key = "";
    }

    hide() {
      this.node.hidden = true;
      this.key = "";
    }

    show(found, x, y) {
      const key = `${found.ref.kind}:${found.ref.id}:${found.track.style}`;
      if (key !== this.key) {
        this.key = key;
        const [title, ...lines] = this.lines(found);
        this.node.replaceChildren(element("strong", {}, label(title)),
          ...lines.filter((line) => line).map((line) => element("span", {}, line)));
      }
      this.node.hidden = false;
      const { canvas } = this.timeline;
      const { offsetWidth: width, offsetHeight: height } = this.node;
      const left = x + 16 + width > canvas.clientWidth ? x - width - 12 : x + 16;
      const top = y + 18 + height > canvas.clientHeight ? y - height - 12 : y + 18;
      this.node.style.left = `${canvas.offsetLeft + Math.max(0, left)}px`;
      this.node.style.top = `${Math.max(0, top)}px`;
    }

    lines({ ref: { kind, id }, track, time }) {
      const { story, names } = this.timeline;
      const { items, waits, timers, gaps, passes, holds } = story;
      switch (kind) {
        case "item": {
          const blocked = story.relations.blockedIn(id);
          return [
            track.style === "depth" ? `${track.curve.at(time)} waiting in ${names.queue(track.queue)}`
              : `${names.item(id)} · ${names.queue(items.queue[id])}`,
            track.style === "depth" ? `longest here: ${names.item(id)}` : names.form(id),
            names.waited(id), names.run(id), blocked > 0 ? `blocked ${duration(blocked)}` : "",
          ];
        }
        case "wait": return [
          `${names.thread(waits.thread[id])} blocked ${duration(story.blocked(id))}`, names.wait(id),
          waits.owner[id] >= 0 ? `held by ${names.thread(waits.owner[id])}` : "",
          waits.waker[id] >= 0 ? `woken by ${names.thread(waits.waker[id])}` : "",
          waits.timedOut[id] ? "timed out" : "",
        ];
        case "timer": return [names.object(timers.object[id]),
          timers.late[id] > 0 ? `fired ${duration(timers.late[id])} late` : "fired on time"];
        case "mark": return [names.mark(id), "mark of the program"];
        case "gap": return [`${gaps.lost[id]} events lost`, "what happened here is not known"];
        case "pass": return [`pass of ${names.object(passes.object[id])}`,
          `took ${duration(passes.ended[id] - passes.began[id])}`];
        case "interval": return [names.interval(id), "interval of the program",
          story.knowsInterval(id) ? `took ${duration(story.lasted(id))}` : "its end was lost",
          story.intervals.open[id] && story.knowsInterval(id) ? "not ended" : ""];
        case "hold": return [names.object(holds.object[id]),
          `held for ${duration(holds.left[id] - holds.taken[id])}`];
        default: return [kind];
      }
    }
  }

  Object.assign(Signalbox, { Tooltip });
})();
