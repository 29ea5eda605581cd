// Stops — the things in a lane in time order, for moving through them by
// keyboard.
(() => {
  "use strict";

  const { lowerBound } = Signalbox;

  const key = ({ kind, id }) => `${kind}:${id}`;

  class Stops {
    constructor(story, lane) {
      const refs = [];
      for (const track of lane.tracks) {
        if (track.points) refs.push(...track.points.points);
        if (!track.row || track.style === "queued") continue;
        for (let i = 0; i < track.row.length; i++) {
          refs.push({ kind: track.entity, id: track.row.ids[i], at: track.row.from[i] });
        }
      }
      if (lane.kind === "queue") {
        for (const id of story.relations.queueItems.of(lane.index)) {
          if (story.items.started[id] < 0) refs.push({ kind: "item", id, at: story.items.waitFrom[id] });
        }
      }
      refs.sort((a, b) => a.at - b.at);
      this.refs = refs;
      this.at = Float64Array.from(refs, (ref) => ref.at);
      this.positions = new Map(refs.map((ref, position) => [key(ref), position]));
    }

    get length() {
      return this.refs.length;
    }

    position(ref) {
      return ref ? this.positions.get(key(ref)) ?? -1 : -1;
    }

    /**
     * The stop `step` positions after a thing; without a thing, the first one at or after a
     * time.
     */
    beside(ref, step, time) {
      const position = this.position(ref);
      if (position >= 0) return this.refs[position + step] ?? null;
      const first = Math.min(lowerBound(this.at, time), this.length - 1);
      return this.refs[first] ?? null;
    }
  }

  Object.assign(Signalbox, { Stops });
})();
