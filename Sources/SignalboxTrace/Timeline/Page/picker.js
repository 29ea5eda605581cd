// Picker — finds the thing at a point of the canvas, and the place where a
// thing is drawn.
(() => {
  "use strict";

  const { lowerBound } = Signalbox;

  /** How far from a narrow thing the pointer may be, in pixels. */
  const NEAR = 4;
  const NEAR_POINT = 8;

  class Picker {
    constructor(scene) {
      this.scene = scene;
    }

    /** Returns `{ lane, track, ref, time }`; `ref` is null if nothing is there. */
    pick(x, y) {
      const { list, viewport } = this.scene;
      const row = list.rows[list.at(y + this.scene.scroll)];
      const time = viewport.time(x);
      if (!row || row.kind === "group") return { lane: null, track: null, ref: null, time };
      const inside = y + this.scene.scroll - row.top;
      let best = null;
      let distance = Infinity;
      for (const track of row.tracks) {
        const away = Math.max(0, track.y - inside, inside - track.y - track.height);
        if (away > 4 || away >= distance) continue;
        const ref = this.inTrack(track, time);
        if (ref) [best, distance] = [{ track, ref }, away];
      }
      return { lane: row, track: best?.track ?? null, ref: best?.ref ?? null, time };
    }

    inTrack(track, time) {
      const { pixel } = this.scene.viewport;
      if (track.style === "points") return this.point(track.points, time, NEAR_POINT * pixel);
      if (track.style === "depth") return this.waitingLongest(track, time);
      const i = track.row.at(time, NEAR * pixel);
      return i < 0 ? null : { kind: track.entity, id: track.row.ids[i] };
    }

    point({ points, at }, time, near) {
      const i = lowerBound(at, time);
      const [before, after] = [points[i - 1], points[i]];
      const nearest = !before ? after : !after ? before
        : time - before.at < after.at - time ? before : after;
      return nearest && Math.abs(nearest.at - time) <= near
        ? { kind: nearest.kind, id: nearest.id } : null;
    }

    /** Of the items that wait at a time, the one with the longest wait. */
    waitingLongest(track, time) {
      const { story } = this.scene;
      const { waitFrom, waitTo } = story.items;
      let best = -1;
      for (const i of story.relations.queueItems.of(track.queue)) {
        if (waitFrom[i] > time || waitTo[i] <= time) continue;
        if (best < 0 || story.waited(i) > story.waited(best)) best = i;
      }
      return best < 0 ? null : { kind: "item", id: best };
    }

    /** The span of time that a thing covers. */
    extent({ kind, id }) {
      const { story } = this.scene;
      switch (kind) {
        case "item": return [story.items.waitFrom[id], story.items.runTo[id]];
        case "wait": return [story.waits.began[id], story.waits.ended[id]];
        case "pass": return [story.passes.began[id], story.passes.ended[id]];
        case "hold": return [story.holds.taken[id], story.holds.left[id]];
        case "interval": return [story.intervals.began[id], story.intervals.ended[id]];
        case "timer": return [story.timers.fired[id] - Math.max(0, story.timers.late[id]),
          story.timers.fired[id]];
        case "mark": return [story.marks.at[id], story.marks.at[id]];
        case "gap": return [story.gaps.at[id], story.gaps.at[id]];
        default: return [0, story.end];
      }
    }

    /** The lanes that contain a thing, the preferred one first. */
    lanesOf({ kind, id }) {
      const { story, list } = this.scene;
      const table = { wait: "waits", pass: "passes", hold: "holds", timer: "timers", mark: "marks",
        gap: "gaps", interval: "intervals" }[kind];
      const lanes = kind === "item"
        ? [list.laneOf("queue", story.items.queue[id]), list.laneOf("thread", story.items.runner[id])]
        : kind === "queue" || kind === "thread" ? [list.laneOf(kind, id)]
          : [list.laneOf("thread", story[table].thread[id])];
      return lanes.filter((lane) => lane);
    }

    /** Every `{ track, from, to }` where a thing is drawn. */
    places(ref) {
      const places = [];
      for (const lane of this.lanesOf(ref)) {
        for (const track of lane.tracks) {
          const i = this.positionIn(track, ref);
          if (i >= 0) places.push({ track, from: track.row.from[i], to: track.row.to[i] });
          else if (track.style === "points" && ["timer", "mark", "gap"].includes(ref.kind)) {
            const [from, to] = this.extent(ref);
            places.push({ track, from, to });
          } else if (track.style === "depth" && ref.kind === "item") {
            const { waitFrom, waitTo } = this.scene.story.items;
            places.push({ track, from: waitFrom[ref.id], to: waitTo[ref.id] });
          }
        }
      }
      return places;
    }

    positionIn(track, ref) {
      if (!track.row || track.entity !== ref.kind) return -1;
      const { story } = this.scene;
      const { row } = track;
      const from = ref.kind !== "item" ? this.extent(ref)[0]
        : track.style === "queued" ? story.items.waitFrom[ref.id] : story.items.started[ref.id];
      for (let i = lowerBound(row.from, from); i < row.length && row.from[i] === from; i++) {
        if (row.ids[i] === ref.id) return i;
      }
      return -1;
    }

    trackOf(lane, ref) {
      return lane.tracks.find((track) => this.positionIn(track, ref) >= 0) ?? null;
    }
  }

  Object.assign(Signalbox, { Picker });
})();
