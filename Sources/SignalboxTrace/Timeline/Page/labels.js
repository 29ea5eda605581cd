// Labels — the column of lane names beside the canvas. It has elements only for
// names in view.
(() => {
  "use strict";

  const { count, counted, element, label } = Signalbox;

  /** Rows kept above and below the view, so that scrolling doesn't show an empty column. */
  const SPARE = 4;

  class Labels {
    constructor(place, scene, events) {
      this.place = place;
      this.scene = scene;
      this.events = events;
      this.rows = new Map();
      this.stamp = "";
      place.addEventListener("keydown", (event) => this.key(event));
    }

    /** One name is in the tab order; the arrow keys move to the others. */
    key(event) {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const current = [...this.rows].find(([, node]) => node.contains(document.activeElement))?.[0];
      const next = this.scene.list.rows[(current?.position ?? -1) + step];
      if (!next) return;
      this.scene.scrollTo(next);
      this.update();
      this.focus(next);
    }

    focus(row) {
      for (const node of this.rows.values()) node.firstChild.tabIndex = -1;
      const button = this.rows.get(row)?.firstChild;
      if (!button) return;
      button.tabIndex = 0;
      button.focus({ preventScroll: true });
    }

    /** Puts the first name in view into the tab order, if none is in it. */
    rove() {
      const buttons = [...this.rows.values()].map((node) => node.firstChild);
      if (buttons.length && !buttons.some((button) => button.tabIndex === 0)) buttons[0].tabIndex = 0;
    }

    /** Updates the elements to match the view. */
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
      for (const [row, node] of this.rows) {
        if (kept.has(row)) continue;
        if (node.contains(document.activeElement) && row.position >= 0) kept.set(row, node);
        else node.remove();
      }
      this.rows = kept;
      this.rove();
    }

    mark(node, row) {
      node.setAttribute("aria-posinset", row.position + 1);
      node.setAttribute("aria-setsize", this.scene.list.rows.length);
      if (row.kind === "group") {
        const open = !row.collapsed || this.scene.list.matches !== null;
        const button = node.firstChild;
        button.setAttribute("aria-expanded", open);
        button.firstChild.textContent = open ? "▾" : "▸";
        button.lastChild.textContent = row.shown === row.lanes.length ? count(row.lanes.length)
          : `${count(row.shown)} of ${count(row.lanes.length)}`;
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
        element("button", { type: "button", tabindex: -1, onclick: () => this.events.toggle(group) },
          element("span", { class: "turn", "aria-hidden": true }),
          element("bdi", { class: "label heading-title" }, group.title),
          element("span", { class: "badge" })));
    }

    /** A queue's label. Its beginning may be truncated, because queues differ at their ends. */
    parts(queue) {
      const [before, last] = this.scene.names.queueParts(queue);
      return element("bdi", { class: "label lane-parts" },
        element("span", { class: "lane-before" }, before), element("span", { class: "lane-last" }, last));
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
          type: "button", tabindex: -1, title: name, "data-lane": `${lane.kind}:${lane.index}`,
          onclick: () => this.events.choose({ kind: lane.kind, id: lane.index }),
        },
        element("span", { class: `sign sign-${kind}`, "aria-hidden": true }),
        element("span", { class: "lane-name" }, isQueue ? this.parts(lane.index) : label(name)),
        element("span", { class: "lane-facts" }, facts.join(" · "))));
    }
  }

  Object.assign(Signalbox, { Labels });
})();
