// Timeline — draws everything in view, at most once per frame, and holds the
// selection.
(() => {
  "use strict";

  const {
    Axis, HopPainter, Labels, LaneList, Lettering, Overview, Palette, Picker, PointPainter,
    QueuePainter, Stops, Viewport, byId, makeLanes, prepare,
  } = Signalbox;

  const same = (a, b) => a?.kind === b?.kind && a?.id === b?.id;

  class Timeline {
    constructor(story, names) {
      Object.assign(this, { story, names, chosen: null, hovered: null, lane: null, dim: false });
      this.canvas = byId("canvas");
      this.scroller = byId("lanes-scroll");
      this.space = byId("lanes-space");
      this.palette = new Palette();
      this.lettering = new Lettering(this.palette);
      this.viewport = new Viewport(story.end, () => this.requestDraw());
      this.search = {
        matchesItem: () => true, matchesWait: () => true, matchesMark: () => true,
      };
      this.list = new LaneList(story, makeLanes(story));
      this.list.version = 0;
      this.picker = new Picker(this);
      this.points = new PointPainter(this);
      this.spans = new QueuePainter(this);
      this.hops = new HopPainter(this);
      this.axis = new Axis(byId("axis"), byId("axis-base"), this.viewport, this.palette,
        this.lettering);
      this.overview = new Overview(byId("overview"), story, this.viewport, this.palette);
      this.labels = new Labels(this.space, this, {
        toggle: (group) => this.toggle(group), choose: (ref) => this.choose(ref),
      });
      this.stops = new Map();
      this.listeners = [];
      this.scroller.addEventListener("scroll", () => this.requestDraw());
      this.scroller.addEventListener("scroll", () => this.labels.update());
      new ResizeObserver(() => this.requestDraw()).observe(byId("lanes"));
      this.canvas.addEventListener("focus", () => this.requestDraw());
      this.canvas.addEventListener("blur", () => this.requestDraw());
    }

    get scroll() {
      return this.scroller.scrollTop;
    }

    get height() {
      return this.canvas.clientHeight;
    }

    /** The vertical position of a lane on the canvas. */
    y(lane) {
      return lane.top - this.scroll;
    }

    onChoice(listener) {
      this.listeners.push(listener);
    }

    /** Requests a drawing in the next frame. */
    requestDraw() {
      this.drawRequest ??= requestAnimationFrame(() => {
        this.drawRequest = null;
        this.draw();
      });
    }

    laid() {
      this.list.version++;
      this.requestDraw();
    }

    toggle(group) {
      this.list.toggle(group);
      this.laid();
    }

    *visibleLanes() {
      const { rows } = this.list;
      const bottom = this.scroll + this.height;
      for (let i = this.list.at(this.scroll); i < rows.length && rows[i].top < bottom; i++) {
        yield rows[i];
      }
    }

    draw() {
      this.space.style.height = `${this.list.height}px`;
      const bar = this.scroller.offsetWidth - this.scroller.clientWidth;
      if (bar !== this.bar) {
        this.bar = bar;
        byId("lanes").style.setProperty("--scroll-bar", `${bar}px`);
        byId("axis").parentElement.style.setProperty("--scroll-bar", `${bar}px`);
      }
      const context = prepare(this.canvas);
      this.context = context;
      this.width = context.size.width;
      this.viewport.width = Math.max(1, this.width);
      this.axis.draw();
      this.overview.draw();
      this.labels.update();
      context.fillStyle = this.palette.ground;
      context.fillRect(0, 0, this.width, this.height);
      const lanes = Array.from(this.visibleLanes());
      for (const lane of lanes) this.ground(lane);
      this.scale();
      this.hops.paintAll();
      for (const lane of lanes) if (lane.kind !== "group") this.paintLane(lane);
      this.hops.paint(this.chosen, this.hovered);
      this.outlines();
      for (const lane of lanes) if (lane.kind === "group") this.heading(lane);
      byId("span-text").textContent = Signalbox.duration(this.viewport.shown);
      if (!this.drawn) {
        this.drawn = true;
        requestAnimationFrame(() => performance.mark("signalbox:first-drawing"));
      }
    }

    ground(lane) {
      const { context, palette, width } = this;
      const y = this.y(lane);
      context.fillStyle = lane === this.lane && document.activeElement === this.canvas
        ? palette.heading : lane.position % 2 ? palette.lane : palette.laneAlternate;
      context.fillRect(0, y, width, lane.height);
      context.fillStyle = palette.line;
      context.fillRect(0, y + lane.height - 1, width, 1);
    }

    heading(group) {
      const { context, palette, width } = this;
      context.fillStyle = palette.heading;
      context.fillRect(0, this.y(group), width, group.height);
      context.fillStyle = palette.line;
      context.fillRect(0, this.y(group) + group.height - 1, width, 1);
    }

    scale() {
      const { context, palette, viewport, story, height, width } = this;
      context.fillStyle = palette.line;
      for (const time of this.axis.times) {
        context.fillRect(Math.round(viewport.x(time)), 0, 1, height);
      }
      const [from, to] = [viewport.x(0), viewport.x(story.end)];
      context.fillStyle = palette.shade;
      if (from > 0) context.fillRect(0, 0, from, height);
      if (to < width) context.fillRect(to, 0, width - to, height);
      context.fillStyle = palette.lineStrong;
      for (const x of [from, to]) if (x >= 0 && x <= width) context.fillRect(Math.round(x), 0, 1, height);
    }

    paintLane(lane) {
      const { context, width } = this;
      const top = this.y(lane);
      context.save();
      context.beginPath();
      context.rect(0, top, width, lane.height);
      context.clip();
      if (lane.barriers) this.spans.barriers(lane, top);
      for (const track of lane.tracks) {
        if (track.style !== "points") this.spans.paint(track, top + track.y);
      }
      for (const track of lane.tracks) {
        if (track.style === "points") this.points.paint(track, top + track.y, lane, top);
      }
      context.restore();
    }

    /**
     * Draws frames around the thing under the pointer and the selected one, wherever they
     * appear.
     */
    outlines() {
      for (const ref of [this.hovered, this.chosen]) {
        if (!ref || ref.kind === "queue" || ref.kind === "thread") continue;
        const chosen = same(ref, this.chosen);
        for (const { track, from, to } of this.picker.places(ref)) {
          if (track.lane.position < 0) continue;
          this.outline(track, from, to, chosen);
        }
      }
    }

    outline(track, from, to, chosen) {
      const { context, palette } = this;
      const point = track.style === "points";
      const y = this.y(track.lane) + track.y;
      if (y > this.height || y + track.height < 0) return;
      let [x, width] = this.spans.clip(from, to);
      if (point) [x, width] = [x - 8, width + 16];
      if (x > this.width || x + width < 0) return;
      const focus = chosen && document.activeElement === this.canvas;
      const out = chosen ? 2.5 : 1.5;
      const box = [x - out, y - out, Math.max(width, 2) + 2 * out, track.height - (point ? 0 : 1) + 2 * out];
      if (track.style === "depth") {
        box[1] = y + track.height - 6;
        box[3] = 6;
      }
      if (focus) {
        context.strokeStyle = palette.ground;
        context.lineWidth = 5;
        context.strokeRect(...box);
      }
      context.strokeStyle = chosen ? palette.accent : palette.text;
      context.lineWidth = chosen ? 2.25 : 1.25;
      context.strokeRect(...box);
    }

    hover(ref) {
      if (same(ref, this.hovered)) return;
      this.hovered = ref;
      this.requestDraw();
    }

    /** Selects a thing, or nothing. Pass `{ show: true }` in `how` to move to it. */
    choose(ref, how = {}) {
      this.chosen = ref;
      const lanes = ref ? this.picker.lanesOf(ref) : [];
      if (ref && !lanes.includes(this.lane)) this.lane = lanes[0] ?? null;
      if (ref && how.show) this.show(ref, how);
      for (const listener of this.listeners) listener(ref, how);
      this.requestDraw();
    }

    /** Brings a thing into view. */
    show(ref, { fill = false } = {}) {
      const lane = this.picker.lanesOf(ref)
        .map((each) => this.list.reveal(each.kind, each.index)).find((each) => each) ?? null;
      if (this.picker.lanesOf(ref).every((each) => each !== this.lane) || this.lane?.position < 0) {
        this.lane = lane;
      }
      this.laid();
      if (this.lane?.position >= 0) this.scrollTo(this.lane);
      if (ref.kind === "queue" || ref.kind === "thread") return;
      const [begin, end] = this.picker.extent(ref);
      if (fill) this.viewport.show(begin, end);
      else this.viewport.reveal(begin, end);
    }

    scrollTo(lane) {
      this.space.style.height = `${this.list.height}px`;
      const { scroll, height } = this;
      if (lane.top < scroll + 4 || lane.height > height) this.scroller.scrollTop = lane.top - 26;
      else if (lane.top + lane.height > scroll + height) {
        this.scroller.scrollTop = lane.top + lane.height - height + 8;
      }
    }

    stopsOf(lane) {
      let stops = this.stops.get(lane);
      if (!stops) this.stops.set(lane, (stops = new Stops(this.story, lane)));
      return stops;
    }

    /** The position of a thing on the page: the middle of its visible part, or null. */
    placeOf(ref) {
      const box = this.canvas.getBoundingClientRect();
      for (const { track, from, to } of this.picker.places(ref)) {
        if (track.lane.position < 0) continue;
        const y = this.y(track.lane) + track.y + track.height / 2;
        const [low, high] = track.style === "points"
          ? [this.viewport.x(to), this.viewport.x(to)]
          : [Math.max(0, this.viewport.x(from)), Math.min(this.width, this.viewport.x(to))];
        if (high < low || high < 0 || low > this.width || y < 0 || y > this.height) continue;
        return { x: box.left + (low + high) / 2, y: box.top + y, lane: track.lane.kind };
      }
      return null;
    }
  }

  Object.assign(Signalbox, { Timeline });
})();
