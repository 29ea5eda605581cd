// PointPainter — draws single events: timers and how late they were, the
// program's marks, the steps of a run loop, and lost events.
(() => {
  "use strict";

  const { duration, gallop, lowerBound } = Signalbox;

  /** Points closer together than this, in pixels, are not drawn one by one. */
  const APART = 3;
  /** The number of points after the view that are examined. */
  const AHEAD = 500;
  /** With more steps than this in view, only the passes are drawn. */
  const STEPS = 4000;

  /** The steps at which a loop calls observers, and those at which it does work. */
  const observedSteps = new Set([0, 1, 2, 6, 8]);
  const workSteps = new Set([3, 4, 9, 10, 11, 14]);

  /**
   * The longest time within a pass from a step that calls observers to the work that follows it:
   * `{ pass, step, time }`, or null.
   */
  function longestSpan(story) {
    const { passes, steps } = story;
    let longest = null;
    for (const { index } of story.threads) {
      const { ids, at } = story.points.stepsOf(index);
      for (let i = 1; i < ids.length; i++) {
        const time = at[i] - at[i - 1];
        const isSpan = workSteps.has(steps.step[ids[i]]) && observedSteps.has(steps.step[ids[i - 1]]);
        if (isSpan && time > (longest?.time ?? 0)) {
          longest = { thread: index, step: steps.step[ids[i]], at: at[i], time };
        }
      }
    }
    const pass = longest ? passes.thread.findIndex((thread, id) => thread === longest.thread &&
      passes.began[id] <= longest.at && longest.at <= passes.ended[id]) : -1;
    return pass < 0 ? null : { ...longest, pass };
  }

  class PointPainter {
    constructor(scene) {
      this.scene = scene;
    }

    paint(track, y, lane, top) {
      const { viewport, story } = this.scene;
      const { points, at, gaps } = track.points;
      for (const gap of gaps) {
        const x = viewport.x(gap.at);
        if (x > -120 && x < viewport.width + 8) this.gap(gap, x, lane, top);
      }
      let i = lowerBound(at, viewport.begin - viewport.pixel * 240);
      // A timer that fires after the view may have been due within it.
      for (let ahead = 0; i < at.length && ahead < AHEAD; i = this.next(at, i)) {
        const point = points[i];
        if (at[i] > viewport.end) {
          ahead++;
          if (point.kind !== "timer" || at[i] - story.timers.late[point.id] > viewport.end) continue;
        }
        const x = viewport.x(at[i]);
        if (point.kind === "timer") this.timer(point.id, x, y, track.height);
        if (point.kind === "mark") this.mark(point.id, x, y, track.height, this.room(track, i));
      }
    }

    /** The next point that is far enough from this one to be distinguished. */
    next(at, i) {
      return Math.max(i + 1, gallop(at, at[i] + APART * this.scene.viewport.pixel, i));
    }

    room(track, i) {
      const { viewport, width } = this.scene;
      const { at } = track.points;
      const next = i + 1 < at.length ? viewport.x(at[i + 1]) : width;
      return next - viewport.x(at[i]) - 10;
    }

    timer(id, x, y, height) {
      const { context, palette, viewport, story, spans, lettering } = this.scene;
      const middle = y + height / 2;
      const late = story.timers.late[id];
      const due = late > 0 ? viewport.x(story.timers.fired[id] - late) : x;
      if (x - due > 2) {
        context.fillStyle = palette.timerLine;
        for (let at = Math.max(-4, due); at < x; at += 4) context.fillRect(at, middle - 1, 2, 2);
        context.fillRect(due, y + 1, 1.5, height - 2);
        context.font = lettering.font(10);
        const text = lettering.best(context, [`${duration(late)} late`, duration(late)],
          x - Math.max(0, due) - 14);
        if (text) this.ink(text, Math.max(0, due) + 5, middle, palette.text, palette.lane);
      }
      spans.diamond(x, middle, 6, palette.timerLine);
      spans.diamond(x, middle, 4.2, palette.timer);
    }

    ink(text, x, middle, colour, ground) {
      const { context, lettering } = this.scene;
      context.fillStyle = ground;
      context.fillRect(x - 2, middle - 6, lettering.width(context, text) + 4, 12);
      context.fillStyle = colour;
      context.textAlign = "left";
      context.textBaseline = "middle";
      context.fillText(text, x, middle + 0.5);
    }

    mark(id, x, y, height, room) {
      const { context, palette, lettering, names, search } = this.scene;
      context.globalAlpha = search.matchesMark(id) ? 1 : 0.25;
      context.fillStyle = palette.mark;
      context.fillRect(x - 0.5, y, 1.5, height);
      context.beginPath();
      context.moveTo(x + 1, y);
      context.lineTo(x + 8, y + 3.5);
      context.lineTo(x + 1, y + 7);
      context.fill();
      context.font = lettering.font(10.5, 500);
      const text = lettering.fitted(context, names.mark(id), Math.min(220, room));
      if (text) {
        context.fillStyle = palette.text;
        context.textAlign = "left";
        context.textBaseline = "middle";
        context.fillText(text, x + 11, y + height / 2);
      }
      context.globalAlpha = 1;
    }

    gap(point, x, lane, top) {
      const { context, palette, lettering, story } = this.scene;
      context.fillStyle = palette.grid(context);
      context.fillRect(x - 4, top + 1, 8, lane.height - 2);
      context.font = lettering.font(10, 600);
      this.ink(`${story.gaps.lost[point.id]} lost`, x + 7, top + 10, palette.text, palette.lane);
    }

    /**
     * Draws a tick for each step of a run loop, and the span from an observer's call to the
     * work.
     */
    steps(track, y) {
      const { context, palette, viewport, story, lettering } = this.scene;
      const { ids, at } = track.steps;
      const first = Math.max(0, lowerBound(at, viewport.begin) - 1);
      const after = lowerBound(at, viewport.end, first);
      if (after - first > STEPS) return;
      const number = (i) => story.steps.step[ids[i]];
      for (let i = first; i < after; i++) {
        const x = viewport.x(at[i]);
        const next = i + 1 < at.length ? viewport.x(at[i + 1]) : x;
        if (observedSteps.has(number(i)) && workSteps.has(number(i + 1)) && next - x > 3) {
          context.fillStyle = palette.timer;
          context.fillRect(x, y + 4, next - x, track.height - 6);
          context.font = lettering.font(9.5);
          const text = lettering.fitted(context, duration(at[i + 1] - at[i]), next - x - 8);
          if (text) this.ink(text, x + 4, y + track.height / 2 + 0.5, palette.timerInk, palette.timer);
        }
        context.fillStyle = workSteps.has(number(i)) ? palette.text : palette.pass;
        context.fillRect(x, y + (workSteps.has(number(i)) ? 3 : 6), 1, track.height);
      }
    }
  }

  Object.assign(Signalbox, { PointPainter, longestSpan, observedSteps, workSteps });
})();
