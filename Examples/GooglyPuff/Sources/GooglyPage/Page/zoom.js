// Zoom — a photo larger than its place, and which part of it is seen: by the wheel, by two fingers,
// by buttons, and by keys.
//
// The stage is the place of the picture; the picture is laid out as ever and then moved and enlarged
// by one transform. `x` and `y` say how far its middle is from the middle of the stage.

import { byId, write } from "./elements.js";

const LARGEST = 8;
/** One press of a key or button. */
const STEP = 1.5;
/** One press of an arrow, of the stage. */
const PAN = 0.15;
/** Pixels of a wheel that double the size. */
const DOUBLING = 240;
/** A wheel that counts in lines says so; a line is about so many pixels. */
const LINE = 20;

export class Zoom {
  constructor({ announce, enlarged }) {
    Object.assign(this, { announce, enlarged });
    this.stage = byId("room");
    this.picture = byId("picture");
    this.fingers = new Map();
    this.reset();
    byId("zoom-in").addEventListener("click", () => this.step(1));
    byId("zoom-out").addEventListener("click", () => this.step(-1));
    byId("zoom-fit").addEventListener("click", () => this.fit());
    // Not passive: the page stays where it is. Two fingers on a touch pad are a wheel with Ctrl.
    this.stage.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.stage.addEventListener("pointerdown", (event) => this.press(event));
    this.stage.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) {
      this.stage.addEventListener(name, (event) => this.release(event));
    }
    new ResizeObserver(() => this.draw()).observe(this.stage);
  }

  get isZoomed() {
    return this.scale > 1;
  }

  /** Another photo, or none. */
  reset() {
    Object.assign(this, { scale: 1, x: 0, y: 0 });
    this.fingers.clear();
    this.draw();
  }

  // MARK: - Larger and smaller

  fit() {
    this.to(1);
    this.say();
  }

  step(direction) {
    this.to(this.scale * STEP ** direction);
    this.say();
  }

  /** Gives it another size; what is at a point of the window stays there. */
  to(scale, point = this.middle()) {
    const next = Math.min(LARGEST, Math.max(1, scale));
    const middle = this.middle();
    const from = { x: point.x - middle.x - this.x, y: point.y - middle.y - this.y };
    this.x -= from.x * (next / this.scale - 1);
    this.y -= from.y * (next / this.scale - 1);
    this.scale = next;
    this.draw();
    if (this.isZoomed) this.enlarged();
  }

  wheel(event) {
    event.preventDefault();
    const delta = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE);
    // Two fingers on a touch pad move less than a wheel for as much.
    const speed = event.ctrlKey ? 4 : 1;
    this.to(this.scale * 2 ** (-delta * speed / DOUBLING), { x: event.clientX, y: event.clientY });
  }

  // MARK: - Another part of it

  /** Shows what is further in a direction. */
  pan(right, down) {
    this.x -= right * PAN * this.stage.clientWidth;
    this.y -= down * PAN * this.stage.clientHeight;
    this.draw();
  }

  press(event) {
    if (event.button !== 0) return;
    this.fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    // One finger or the mouse alone on the whole photo compares: see Comparison.
    if (this.isZoomed || this.fingers.size > 1) this.stage.setPointerCapture(event.pointerId);
  }

  move(event) {
    const last = this.fingers.get(event.pointerId);
    if (!last) return;
    const before = this.spread();
    this.fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const after = this.spread();
    if (this.fingers.size > 1) {
      this.x += after.x - before.x;
      this.y += after.y - before.y;
      if (before.wide > 0) this.to(this.scale * after.wide / before.wide, after);
    } else if (this.isZoomed) {
      this.x += event.clientX - last.x;
      this.y += event.clientY - last.y;
      this.draw();
    }
  }

  release(event) {
    const count = this.fingers.size;
    this.fingers.delete(event.pointerId);
    if (count > 1) this.say();
  }

  /** The middle of the fingers, and how far they are from it. */
  spread() {
    const all = [...this.fingers.values()];
    const x = all.reduce((sum, each) => sum + each.x, 0) / all.length;
    const y = all.reduce((sum, each) => sum + each.y, 0) / all.length;
    return { x, y, wide: Math.max(...all.map((each) => Math.hypot(each.x - x, each.y - y))) };
  }

  // MARK: - Drawing

  middle() {
    const { left, top, width, height } = this.stage.getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2 };
  }

  draw() {
    // No further than to its edge; what fits stays in the middle.
    const most = (inner, outer) => Math.max(0, (inner * this.scale - outer) / 2);
    const x = most(this.picture.offsetWidth, this.stage.clientWidth);
    const y = most(this.picture.offsetHeight, this.stage.clientHeight);
    this.x = Math.min(x, Math.max(-x, this.x));
    this.y = Math.min(y, Math.max(-y, this.y));
    this.picture.style.transform = this.isZoomed
      ? `translate(${this.x}px, ${this.y}px) scale(${this.scale})` : "";
    this.picture.style.setProperty("--scale", String(this.scale));
    this.stage.classList.toggle("zoomed", this.isZoomed);
    // A button that had the focus keeps it: it says that it does nothing, and does not vanish.
    byId("zoom-in").setAttribute("aria-disabled", String(this.scale >= LARGEST));
    for (const id of ["zoom-out", "zoom-fit"]) {
      byId(id).setAttribute("aria-disabled", String(!this.isZoomed));
    }
    write(byId("zoom-percent"), this.words());
  }

  words() {
    return `${Math.round(100 * this.scale)} %`;
  }

  say() {
    this.announce(this.isZoomed ? `Zoomed to ${this.words()}` : "The whole photo");
  }
}
