// SpanPainter — draws the tracks that consist of spans: what ran, what was
// blocked or idle, run-loop passes, held locks. Each kind has its own shape
// besides its colour.
(() => {
  "use strict";

  const { Flag, duration } = Signalbox;

  /** A span narrower than this, in pixels, is drawn together with its neighbours. */
  const GRAIN = 1.5;

  class SpanPainter {
    constructor(scene) {
      this.scene = scene;
    }

    paint(track, y) {
      this[track.style]?.(track, y);
    }

    /** The visible part of a span, limited to coordinates that a canvas can draw. */
    clip(from, to) {
      const { viewport, width } = this.scene;
      const x = Math.max(-8, viewport.x(from));
      return [x, Math.max(1, Math.min(width + 8, viewport.x(to)) - x)];
    }

    visit(row, single, merged) {
      const { viewport } = this.scene;
      row.visit(viewport.begin, viewport.end, viewport.pixel * GRAIN, single, merged);
    }

    /** Draws one bar for many short spans; it is fuller the more of the time they cover. */
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
        // A notch on the left: the closure ran on the thread that called
        // `sync`.
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
      const left = Math.max(0, x) + inset;
      lettering.within(context, this.words(track, item, row.to[i] - row.from[i]),
        left, y, x + width - left, height, ink);
    }

    /** The texts for a bar, from the longest to the shortest. */
    words(track, item, time) {
      const { story, names } = this.scene;
      const took = duration(time);
      const others = track.names === "thread" ? [names.thread(story.items.runner[item])]
        : [names.queue(story.items.queue[item]), names.queueParts(story.items.queue[item])[1]];
      if (story.relations.markOf(item) >= 0 || story.items.task[item] >= 0) {
        const name = names.item(item);
        return [...others.map((other) => `${name} · ${other} · ${took}`), `${name} · ${took}`, name];
      }
      return [...others.map((other) => `${other} · ${took}`), others.at(-1)];
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
        const took = duration(row.to[i] - row.from[i]);
        const text = lettering.best(context, [`${names.wait(row.ids[i])} · ${took}`,
          `${names.waitShortly(row.ids[i])} · ${took}`, names.waitShortly(row.ids[i])], room - 6);
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
        // Put the text at the end, because the steps are at the beginning.
        context.font = lettering.font(10, 500);
        const text = `${duration(row.to[i] - row.from[i])}`;
        const room = Math.min(this.scene.width, x + width) - Math.max(0, x);
        if (room < 40 + lettering.width(context, text)) return;
        context.fillStyle = palette.textSoft;
        context.textAlign = "right";
        context.textBaseline = "middle";
        context.fillText(text, Math.min(this.scene.width, x + width) - 5, y + height / 2 + 1);
      }, (first, after, from, to) =>
        this.crowd(row, first, after, from, to, y, height, palette.pass));
      this.scene.points.steps(track, y);
    }

    /** An outline with the interval's name: dashed if another thread ended it. */
    interval(track, y) {
      const { context, palette, lettering, names, search, story } = this.scene;
      const { intervals } = story;
      const { row, height } = track;
      this.visit(row, (i) => this.faded(search.matchesInterval(row.ids[i]), () => {
        const id = row.ids[i];
        const [x, width] = this.clip(row.from[i], row.to[i]);
        context.fillStyle = palette.intervalGround;
        context.fillRect(x, y, width, height);
        context.fillStyle = palette.interval;
        context.fillRect(x, y, Math.min(2, width), height);
        if (width < 4) return;
        context.strokeStyle = palette.interval;
        context.lineWidth = 1;
        if (intervals.ender[id] >= 0 && intervals.ender[id] !== intervals.thread[id]) {
          context.setLineDash([4, 3]);
        }
        context.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
        context.setLineDash([]);
        const took = story.knowsInterval(id) ? duration(row.to[i] - row.from[i]) : "its end was lost";
        const left = Math.max(0, x);
        lettering.within(context, [`${names.interval(id)} · ${took}`,
          `${names.intervalShortly(id)} · ${took}`, names.intervalShortly(id)],
        left, y, x + width - left, height, palette.text);
      }), (first, after, from, to) => this.faded(search.matchesInterval(row.ids[first]), () =>
        this.crowd(row, first, after, from, to, y, height, palette.interval)));
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
  }

  Object.assign(Signalbox, { SpanPainter });
})();
