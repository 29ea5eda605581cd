// LaneList — the lanes in their groups, from top to bottom: which ones are
// shown, and where.
(() => {
  "use strict";

  const { byLabel, oneLine } = Signalbox;

  const HEADING = 26;

  class LaneList {
    constructor(story, lanes) {
      this.story = story;
      this.lanes = lanes;
      const used = (lane) => lane.items > 0;
      const firstItem = (lane) => {
        const [first] = story.relations.queueItems.of(lane.index);
        return first === undefined ? Infinity : story.items.waitFrom[first];
      };
      const rank = (lane) => (story.queues[lane.index].kind === "main" ? 0 : 1);
      const role = (lane) =>
        ({ main: 0, other: 1, worker: 2 })[story.threads[lane.index].role] ?? 1;
      const inOrder = lanes.queues.filter(used).sort(
        (a, b) => rank(a) - rank(b) || firstItem(a) - firstItem(b) || a.index - b.index);
      const { many, single } = byLabel(story, inOrder, (lane) => lane.index);
      this.groups = [
        this.group("queues", "Queues", single),
        // Hundreds of queues with one label would hide all others.
        ...many.map((each) => this.group(
          `label-${each[0].index}`, oneLine(story.queues[each[0].index].label) || "Queues without a label",
          each, true)),
        this.group("threads", "Threads", lanes.threads.slice().sort((a, b) => role(a) - role(b) ||
          story.threads[a.index].number - story.threads[b.index].number)),
        this.group("unused", "Queues without items", lanes.queues.filter((l) => !used(l)), true),
      ].filter((group) => group.lanes.length > 0);
      this.matches = null;
      this.lay();
    }

    group(id, title, lanes, collapsed = false) {
      return { kind: "group", id, title, lanes, collapsed, height: HEADING, top: 0 };
    }

    lay() {
      this.rows = [];
      let top = 0;
      const place = (row) => {
        row.top = top;
        row.position = this.rows.length;
        top += row.height;
        this.rows.push(row);
      };
      for (const group of this.groups) {
        const shown = this.matches ? group.lanes.filter((lane) => this.matches(lane)) : group.lanes;
        for (const lane of group.lanes) lane.position = -1;
        group.shown = shown.length;
        if (this.matches && shown.length === 0) {
          group.position = -1;
          continue;
        }
        place(group);
        if (!group.collapsed || this.matches) shown.forEach(place);
      }
      this.height = top;
    }

    filter(matches) {
      this.matches = matches;
      this.lay();
    }

    toggle(group, collapsed = !group.collapsed) {
      group.collapsed = collapsed;
      this.lay();
    }

    /** The position of the row at a vertical offset. */
    at(y) {
      let low = 0;
      let high = this.rows.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (this.rows[middle].top + this.rows[middle].height <= y) low = middle + 1;
        else high = middle;
      }
      return low;
    }

    /** Returns the lane of a queue or thread and opens its group; null if it is filtered out. */
    reveal(kind, index) {
      const lane = this.laneOf(kind, index);
      if (!lane) return null;
      if (lane.position < 0) {
        const group = this.groups.find((each) => each.lanes.includes(lane));
        if (group?.collapsed && !this.matches) this.toggle(group, false);
      }
      return lane.position < 0 ? null : lane;
    }

    laneOf(kind, index) {
      return index < 0 ? null : (kind === "queue" ? this.lanes.queues : this.lanes.threads)[index];
    }
  }

  Object.assign(Signalbox, { LaneList });
})();
