// SpanPainter — draws the tracks of a lane that consist of spans: what ran, what waited, what was
// blocked or idle, passes of run loops, locks held. Each has a form of its own besides its colour.
(() => {
  "use strict";

  const { Flag, duration } = Signalbox;

  /** Below this width in pixels a span is drawn together with its neighbours. */
  const GRAIN = 1.5;

  class SpanPainter {
    constructor(scene) {
      this.scene = scene;
    }

    paint(track, y) {
      this[track.style]?.(track, y);
    }

    /** The visible part of a span, so that no number outgrows what a canvas can draw. */
    clip(from, to) {
      const { viewport, width } = this.scene;
      const x = Math.max(-8, viewport.x(from));
      return [x, Math.max(1, Math.min(width + 8, viewport.x(to)) - x)];
    }

    visit(row, single, merged) {
      const { viewport } = this.scene;
      row.visit(viewport.begin, viewport.end, viewport.pixel * GRAIN, single, merged);
    }

    /** One bar for many short spans, the fuller the more of the time they cover. */
    crowd(row, first, after, from, to, y, height, colour) {
      const { context } = this.scene;
      const [x, width] = this.clip(from, to);
      const share = Math.min(1, (row.covered[after] - row.covered[first]) / (to - from));
      context.fillStyle = colour;
      context.globalAlpha *= 0.35 + 0.65 * share;
      context.fillRect(x, y, width, height);
      context.globalAlpha = this.scene.dim ? 0.18 : 1;
    }

    faded(matches, draw) {
      const { context } = this.scene;
      this.scene.dim = !matches;
      context.globalAlpha = matches ? 1 : 0.18;
      draw();
      this.scene.dim = false;
      context.globalAlpha = 1;
    }

    colours(item) {
      const { palette, story } = this.scene;
      if (story.has(item, Flag.barrier)) return [palette.barrier, palette.barrierInk];
      if (story.has(item, Flag.sync)) return [palette.sync, palette.syncInk];
      return [palette.run, palette.runInk];
    }

    run(track, y) {
      const { row } = track;
      if (track.parked) this.idle(track, y);
      this.visit(row,
        (i) => this.faded(this.scene.search.matchesItem(row.ids[i]), () =>
          this.item(track, row, i, y)),
        (first, after, from, to) => {
          const item = row.ids[(first + after) >> 1];
          this.faded(this.scene.search.matchesItem(item), () =>
            this.crowd(row, first, after, from, to, y, track.height, this.colours(item)[0]));
        });
    }

    item(track, row, i, y) {
      const { context, lettering, story, names } = this.scene;
      const item = row.ids[i];
      const [x, width] = this.clip(row.from[i], row.to[i]);
      const [fill, ink] = this.colours(item);
      const { height } = track;
      context.fillStyle = fill;
      const gap = width > 5 ? 0.75 : 0;
      if (story.has(item, Flag.sync) && width > 9 && height > 6) {
        // A notch on the left: the closure came to run where its caller stood.
        const notch = Math.min(5, height / 2.5);
        context.beginPath();
        context.moveTo(x, y);
        context.lineTo(x + width - gap, y);
        context.lineTo(x + width - gap, y + height);
        context.lineTo(x, y + height);
        context.lineTo(x + notch, y + height / 2);
        context.closePath();
        context.fill();
      } else if (width > 6 && height > 6) {
        context.beginPath();
        context.roundRect(x, y, width - gap, height, story.has(item, Flag.job) ? height / 2 : 2.5);
        context.fill();
      } else {
        context.fillRect(x, y, width - gap, height);
      }
      if (width < 8) return;
      let inset = story.has(item, Flag.sync) ? 4 : 0;
      if (story.has(item, Flag.handler) && height > 9) {
        this.diamond(x + 8, y + height / 2, 3.5, ink);
        inset = 11;
      }
      this.preemptions(item, x, y + height, width, ink);
      if (width < 20) return;
      const other = track.names === "thread" ? names.thread(story.items.runner[item])
        : names.queue(story.items.queue[item]);
      const named = story.relations.markOf(item) >= 0 ? `${names.item(item)} · ${other}` : other;
      lettering.within(context, `${named} · ${duration(row.to[i] - row.from[i])}`,
        Math.max(0, x) + inset, y, x + width - Math.max(0, x) - inset, height, ink);
    }

    diamond(x, y, size, colour) {
      const { context } = this.scene;
      context.fillStyle = colour;
      context.beginPath();
      context.moveTo(x, y - size);
      context.lineTo(x + size, y);
      context.lineTo(x, y + size);
      context.lineTo(x - size, y);
      context.closePath();
      context.fill();
    }

    /** A tooth for each time that the thread was preempted within the item, up to eight. */
    preemptions(item, x, bottom, width, ink) {
      const { context, story } = this.scene;
      const count = Math.min(8, story.items.preempted[item]);
      if (count <= 0 || width < 24) return;
      context.fillStyle = ink;
      for (let i = 0; i < count; i++) {
        const at = x + width * (i + 1) / (count + 1);
        context.beginPath();
        context.moveTo(at - 2.5, bottom);
        context.lineTo(at, bottom - 4);
        context.lineTo(at + 2.5, bottom);
        context.fill();
      }
    }

    idle(track, y) {
      const { context, palette } = this.scene;
      const middle = Math.round(y + track.height / 2 - 3);
      context.fillStyle = palette.dots(context);
      for (const row of [track.parked, track.idle]) {
        this.visit(row, (i) => {
          const [x, width] = this.clip(row.from[i], row.to[i]);
          context.fillRect(x, middle, width, 6);
        }, (first, after, from, to) => {
          const [x, width] = this.clip(from, to);
          context.fillRect(x, middle, width, 6);
        });
      }
    }

    queued(track, y) {
      const { context, palette, story, search } = this.scene;
      const { row } = track;
      const height = track.height - 1;
      this.visit(row, (i) => this.faded(search.matchesItem(row.ids[i]), () => {
        const [x, width] = this.clip(row.from[i], row.to[i]);
        context.fillStyle = palette.wait;
        context.fillRect(x, y, width, height);
        context.fillStyle = palette.waitLine;
        if (story.has(row.ids[i], Flag.delayed)) {
          for (let at = x; at < x + width; at += 7) {
            context.fillRect(at, y + height / 2 - 0.5, Math.min(3, x + width - at), 1);
          }
        } else {
          context.fillRect(x, y + height - 1, width, 1);
        }
        context.fillRect(x, y - 1, Math.min(2, width), height + 2);
      }), (first, after, from, to) => this.faded(search.matchesItem(row.ids[first]), () =>
        this.crowd(row, first, after, from, to, y, height, palette.waitLine)));
    }

    blocked(track, y) {
      const { context, palette, lettering, names, search } = this.scene;
      const { row, height } = track;
      this.visit(row, (i) => this.faded(search.matchesWait(row.ids[i]), () => {
        const [x, width] = this.clip(row.from[i], row.to[i]);
        context.fillStyle = width > 4 ? palette.stripes(context) : palette.blocked;
        context.fillRect(x, y, width, height);
        if (width < 6) return;
        context.strokeStyle = palette.blocked;
        context.lineWidth = 1;
        context.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
        const left = Math.max(0, x);
        const room = x + width - left - 8;
        context.font = lettering.font(10.5, 500);
        const text = lettering.fitted(context,
          `${names.wait(row.ids[i])} · ${duration(row.to[i] - row.from[i])}`, room - 6);
        if (text === "") return;
        context.fillStyle = palette.blockedGround;
        context.fillRect(left + 4, y + 1.5, lettering.width(context, text) + 6, height - 3);
        context.fillStyle = palette.blockedInk;
        context.textBaseline = "middle";
        context.textAlign = "left";
        context.fillText(text, left + 7, y + height / 2 + 0.5);
      }), (first, after, from, to) => this.faded(search.matchesWait(row.ids[first]), () =>
        this.crowd(row, first, after, from, to, y, height, palette.blocked)));
    }

    pass(track, y) {
      const { context, palette, lettering } = this.scene;
      const { row, height } = track;
      this.visit(row, (i) => {
        const [x, width] = this.clip(row.from[i], row.to[i]);
        context.fillStyle = palette.passGround;
        context.fillRect(x, y, width, height);
        context.fillStyle = palette.pass;
        context.fillRect(x, y, width, 1);
        context.fillRect(x, y, 1, height);
        if (width > 4) context.fillRect(x + width - 1.75, y, 1, height);
        lettering.within(context, `pass ${i + 1} · ${duration(row.to[i] - row.from[i])}`,
          Math.max(0, x) + 2, y + 1, x + width - Math.max(0, x) - 4, height - 1, palette.textSoft);
      }, (first, after, from, to) =>
        this.crowd(row, first, after, from, to, y, height, palette.pass));
      this.scene.points.steps(track, y);
    }

    held(track, y) {
      const { context, palette } = this.scene;
      const { row, height } = track;
      const middle = Math.floor(y + height / 2) - 1;
      this.visit(row, (i) => {
        const [x, width] = this.clip(row.from[i], row.to[i]);
        context.fillStyle = palette.held;
        context.fillRect(x, middle, width, 2);
        if (width < 4) return;
        context.fillRect(x, y, 1.5, height);
        context.fillRect(x + width - 1.5, y, 1.5, height);
      }, (first, after, from, to) =>
        this.crowd(row, first, after, from, to, middle, 2, palette.held));
    }

    /** How many wait, where there are too many for a line each. */
    depth(track, y) {
      const { context, palette, lettering, viewport, width } = this.scene;
      const { curve, height } = track;
      const scale = (height - 2) / Math.max(1, curve.greatest);
      const bottom = y + height;
      context.beginPath();
      context.moveTo(0, bottom);
      for (let x = 0; x < width; x++) {
        const time = viewport.time(x);
        const level = bottom - curve.greatestBetween(time, time + viewport.pixel) * scale;
        context.lineTo(x, level);
        context.lineTo(x + 1, level);
      }
      context.lineTo(width, bottom);
      context.fillStyle = palette.wait;
      context.fill();
      context.strokeStyle = palette.waitLine;
      context.lineWidth = 1;
      context.stroke();
      context.font = lettering.font(10);
      context.fillStyle = palette.textSoft;
      context.textAlign = "right";
      context.textBaseline = "top";
      context.fillText(`up to ${curve.greatest} waiting`, width - 6, y + 1);
    }

    /** The whole height of a queue, for as long as a barrier kept everything else out. */
    barriers(lane, top) {
      const { context, palette } = this.scene;
      const { row } = lane.barriers;
      this.visit(row, (i) => {
        const [x, width] = this.clip(row.from[i], row.to[i]);
        this.barrier(x, top, width, lane.height);
      }, (first, after, from, to) => {
        const [x, width] = this.clip(from, to);
        context.globalAlpha = 0.6;
        this.barrier(x, top, width, lane.height);
        context.globalAlpha = 1;
      });
    }

    barrier(x, top, width, height) {
      const { context, palette } = this.scene;
      context.fillStyle = palette.shade;
      context.fillRect(x, top, width, height);
      context.fillStyle = palette.barrier;
      context.fillRect(x, top + 1, 2, height - 2);
      if (width > 7) {
        context.fillRect(x + 3.5, top + 1, 1, height - 2);
        context.fillRect(x + width - 2, top + 1, 2, height - 2);
      }
    }
  }

  Object.assign(Signalbox, { SpanPainter });
})();
