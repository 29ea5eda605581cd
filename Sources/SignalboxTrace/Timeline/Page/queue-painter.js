// QueuePainter — draws what only queues have: waiting items, their number,
// barriers.
(() => {
  "use strict";

  const { Flag, SpanPainter } = Signalbox;

  class QueuePainter extends SpanPainter {
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

    /** Draws the number of waiting items, if there are too many for a line each. */
    depth(track, y) {
      const { context, palette, lettering, viewport, width } = this.scene;
      const { curve, height } = track;
      const scale = (height - 2) / Math.max(1, curve.greatest);
      const bottom = y + height;
      const levels = new Float64Array(Math.ceil(width));
      for (let x = 0; x < levels.length; x++) {
        const time = viewport.time(x);
        levels[x] = curve.greatestBetween(time, time + viewport.pixel) * scale;
      }
      // Draw columns of the same height as one rectangle. The line on top shows
      // the height without colour.
      for (let x = 0; x < levels.length;) {
        const begin = x;
        while (x < levels.length && levels[x] === levels[begin]) x++;
        if (levels[begin] === 0) continue;
        const before = Math.min(levels[begin], begin > 0 ? levels[begin - 1] : Infinity);
        context.fillStyle = palette.wait;
        context.fillRect(begin, bottom - levels[begin], x - begin, levels[begin]);
        context.fillStyle = palette.waitLine;
        context.fillRect(begin, bottom - levels[begin], x - begin, 1.25);
        context.fillRect(begin, bottom - levels[begin], 1, levels[begin] - before);
      }
      context.font = lettering.font(10);
      context.fillStyle = palette.textSoft;
      context.textAlign = "right";
      context.textBaseline = "top";
      context.fillText(`up to ${curve.greatest} waiting`, width - 6, y + 1);
    }

    /** Fills the whole height of a queue while a barrier excludes all other items. */
    barriers(lane, top) {
      const { context, palette } = this.scene;
      const { row } = lane.barriers;
      this.visit(row, (i) => {
        const [x, width] = this.clip(row.from[i], row.to[i]);
        this.barrier(x, top, width, lane.height);
      }, (first, after, from, to) => {
        const [x, width] = this.clip(from, to);
        context.globalAlpha = 0.5;
        this.barrier(x, top, width, lane.height);
        context.globalAlpha = 1;
      });
    }

    barrier(x, top, width, height) {
      const { context, palette } = this.scene;
      context.fillStyle = palette.barrier;
      if (width < 3) {
        context.fillRect(x, top + 1, 1, height - 2);
        return;
      }
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

  Object.assign(Signalbox, { QueuePainter });
})();
