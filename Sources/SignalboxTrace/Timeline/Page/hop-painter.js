// HopPainter — draws arrows from where an item was submitted to where it ran,
// and from the waking thread to the thread that it woke.
(() => {
  "use strict";

  /** With more hops than this in view, only those of the selected item are drawn. */
  const MOST = 240;
  /** How far before the view an item may have been submitted, in widths of the view: arrows from
      further away only clutter those that can be followed. */
  const BEFORE = 0.25;
  /** How many children of the selected item get an arrow. */
  const CHILDREN = 60;

  class HopPainter {
    constructor(scene) {
      this.scene = scene;
      this.all = true;
    }

    /**
     * Draws the arrows of the selected thing and of the one under the pointer, on top of
     * everything.
     */
    paint(chosen, hovered) {
      for (const ref of [hovered, chosen]) {
        if (!ref) continue;
        if (ref.kind === "item") this.item(ref.id);
        if (ref.kind === "wait") this.wait(ref.id);
      }
    }

    /** Draws all hops in view, under the bars, unless there are too many to follow. */
    paintAll() {
      if (!this.all) return;
      const { viewport, story, list } = this.scene;
      const rows = [];
      let total = 0;
      for (const lane of this.scene.visibleLanes()) {
        if (lane.kind !== "thread") continue;
        for (const track of lane.tracks) {
          if (track.style !== "run") continue;
          total += track.row.countBetween(viewport.begin, viewport.end);
          rows.push(track);
        }
      }
      if (total > MOST) return;
      for (const track of rows) {
        track.row.visit(viewport.begin, viewport.end, 0, (i) => {
          const item = track.row.ids[i];
          const from = story.items.submitter[item];
          if (from === story.items.runner[item]) return;
          if (story.items.submitted[item] < viewport.begin - viewport.span * BEFORE) return;
          if (list.laneOf("thread", from)?.position >= 0) this.hop(item, 0.55, 1);
        }, () => {});
      }
    }

    item(id) {
      const { story } = this.scene;
      this.hop(id, 1, 1.75);
      for (const child of story.relations.children.of(id).subarray(0, CHILDREN)) {
        this.hop(child, 0.75, 1.25);
      }
      for (const wait of story.relations.itemWaits.of(id).subarray(0, CHILDREN)) this.wait(wait);
    }

    /**
     * Draws a dashed arrow from the thread that holds the object, and an arrow from the waking
     * thread.
     */
    wait(id) {
      const { story, palette, context } = this.scene;
      const { owner, began } = story.waits;
      if (owner[id] >= 0) {
        const from = this.point("thread", owner[id], began[id]);
        const to = this.place({ kind: "wait", id }, "thread", began[id]);
        context.setLineDash([4, 3]);
        if (from && to) this.arrow(from, to, palette.held, 1, 1.5);
        context.setLineDash([]);
      }
      this.wake(id);
    }

    hop(item, alpha, width) {
      const { story, list } = this.scene;
      const { items } = story;
      if (items.submitted[item] < 0 || items.started[item] < 0) return;
      const from = this.point("thread", items.submitter[item], items.submitted[item]);
      const to = this.place({ kind: "item", id: item }, "thread", items.started[item]) ??
        this.place({ kind: "item", id: item }, "queue", items.started[item]);
      if (from && to && list) this.arrow(from, to, this.scene.palette.hop, alpha, width);
    }

    wake(wait) {
      const { story, palette } = this.scene;
      const { waker, ended, open } = story.waits;
      if (waker[wait] < 0 || open[wait] === 1) return;
      const from = this.point("thread", waker[wait], ended[wait]);
      const to = this.place({ kind: "wait", id: wait }, "thread", ended[wait]);
      if (from && to) this.arrow(from, to, palette.blocked, 1, 1.75);
    }

    /** The position of a time in a lane: on its first row of items. */
    point(kind, index, time) {
      const { list, viewport } = this.scene;
      const lane = list.laneOf(kind, index);
      if (!lane || lane.position < 0) return null;
      const item = this.scene.story.relations.itemAt(index, time);
      const track = this.scene.picker.trackOf(lane, { kind: "item", id: item }) ??
        lane.tracks.find((each) => each.style === "run");
      return { x: viewport.x(time), y: this.scene.y(lane) + (track ? track.y + track.height / 2 : 8) };
    }

    place(ref, kind, time) {
      const { picker, viewport } = this.scene;
      const place = picker.places(ref).find((each) =>
        each.track.lane.kind === kind && each.track.style !== "queued");
      if (!place || place.track.lane.position < 0) return null;
      const { track } = place;
      return { x: viewport.x(time), y: this.scene.y(track.lane) + track.y + track.height / 2 };
    }

    arrow(from, to, colour, alpha, width) {
      const { context, width: limit } = this.scene;
      if (Math.max(from.x, to.x) < -50 || Math.min(from.x, to.x) > limit + 50) return;
      const x1 = Math.min(limit + 2000, Math.max(-2000, from.x));
      const x2 = Math.min(limit + 2000, Math.max(-2000, to.x));
      const bend = Math.max(14, Math.min(90, Math.abs(x2 - x1) / 2));
      context.globalAlpha = alpha;
      context.strokeStyle = context.fillStyle = colour;
      context.lineWidth = width;
      context.beginPath();
      context.moveTo(x1, from.y);
      context.bezierCurveTo(x1 + bend, from.y, x2 - bend, to.y, x2 - 5, to.y);
      context.stroke();
      context.beginPath();
      context.arc(x1, from.y, width + 1, 0, 2 * Math.PI);
      context.moveTo(x2, to.y);
      context.lineTo(x2 - 7, to.y - 3.5);
      context.lineTo(x2 - 7, to.y + 3.5);
      context.fill();
      context.globalAlpha = 1;
    }
  }

  Object.assign(Signalbox, { HopPainter });
})();
