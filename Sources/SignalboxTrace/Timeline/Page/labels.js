// Labels — the column of lane names beside the canvas. Only those in view are elements.
(() => {
  "use strict";

  const { counted, element, label } = Signalbox;

  /** Rows kept above and below the view, so that scrolling does not show an empty column. */
  const SPARE = 4;

  class Labels {
    constructor(place, scene, events) {
      this.place = place;
      this.scene = scene;
      this.events = events;
      this.rows = new Map();
      this.stamp = "";
    }

    /** Makes the elements agree with what is in view. */
    update() {
      const { list, scroll, height } = this.scene;
      const first = Math.max(0, list.at(scroll) - SPARE);
      const after = Math.min(list.rows.length, list.at(scroll + height) + 1 + SPARE);
      const { chosen, lane } = this.scene;
      const stamp = [first, after, list.height, list.version, lane?.kind, lane?.index,
        chosen?.kind, chosen?.id].join("/");
      if (stamp === this.stamp) return;
      this.stamp = stamp;
      const kept = new Map();
      for (let i = first; i < after; i++) {
        const row = list.rows[i];
        const node = this.rows.get(row) ?? this.make(row);
        node.style.top = `${row.top}px`;
        node.style.height = `${row.height}px`;
        this.mark(node, row);
        if (!node.parentNode) this.place.append(node);
        kept.set(row, node);
      }
      for (const [row, node] of this.rows) if (!kept.has(row)) node.remove();
      this.rows = kept;
    }

    mark(node, row) {
      node.setAttribute("aria-posinset", row.position + 1);
      node.setAttribute("aria-setsize", this.scene.list.rows.length);
      if (row.kind === "group") {
        const open = !row.collapsed || this.scene.list.matches !== null;
        const button = node.firstChild;
        button.setAttribute("aria-expanded", open);
        button.firstChild.textContent = open ? "▾" : "▸";
        button.lastChild.textContent = row.shown === row.lanes.length ? String(row.lanes.length)
          : `${row.shown} of ${row.lanes.length}`;
      } else {
        const { chosen, lane } = this.scene;
        node.classList.toggle("current", lane === row);
        node.classList.toggle("chosen", chosen?.kind === row.kind && chosen.id === row.index);
      }
    }

    make(row) {
      return row.kind === "group" ? this.makeGroup(row) : this.makeLane(row);
    }

    makeGroup(group) {
      return element("div", { class: "lane-label heading", role: "listitem" },
        element("button", { type: "button", onclick: () => this.events.toggle(group) },
          element("span", { class: "turn", "aria-hidden": true }), group.title,
          element("span", { class: "badge" })));
    }

    makeLane(lane) {
      const { story, names } = this.scene;
      const isQueue = lane.kind === "queue";
      const name = isQueue ? names.queue(lane.index) : names.thread(lane.index);
      const kind = isQueue ? story.queues[lane.index].kind : story.threads[lane.index].role;
      const facts = [isQueue ? kind : kind === "other" ? "thread" : kind];
      facts.push(counted(lane.items, "item"));
      if (lane.passes) facts.push(counted(lane.passes, "pass", "passes"));
      if (lane.left) facts.push(`${lane.left} too many to draw`);
      return element("div", { class: `lane-label ${lane.kind}`, role: "listitem" },
        element("button", {
          type: "button", title: name, "data-lane": `${lane.kind}:${lane.index}`,
          onclick: () => this.events.choose({ kind: lane.kind, id: lane.index }),
        },
        element("span", { class: `sign sign-${kind}`, "aria-hidden": true }),
        element("span", { class: "lane-name" }, label(name)),
        element("span", { class: "lane-facts" }, facts.join(" · "))));
    }
  }

  Object.assign(Signalbox, { Labels });
})();
