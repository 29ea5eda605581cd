// Comparison — the result above the original; how much of the original is seen, from the left, is
// said by a slider, by dragging on the picture, or by holding a key.

import { byId, element } from "./elements.js";
import { pictures } from "./server.js";
import { counted, shownName } from "./words.js";

/** A result beyond this is shown by its small form until the photo is zoomed. */
const LARGE_PIXELS = 24e6;

export class Comparison {
  constructor({ zoom }) {
    this.zoom = zoom;
    this.node = byId("picture");
    this.range = byId("compare-range");
    this.panel = byId("compare");
    this.range.addEventListener("input", () => this.divide(this.range.valueAsNumber));
    const hold = byId("compare-hold");
    for (const name of ["pointerdown", "keydown"]) {
      hold.addEventListener(name, (event) => this.holds(event) && this.hold(true));
    }
    for (const name of ["pointerup", "pointercancel", "pointerleave", "keyup", "blur"]) {
      hold.addEventListener(name, () => this.hold(false));
    }
    this.node.addEventListener("pointerdown", (event) => this.drag(event));
    this.node.addEventListener("pointermove", (event) => this.dragging && this.dragTo(event));
    for (const name of ["pointerup", "pointercancel"]) {
      this.node.addEventListener(name, () => (this.dragging = false));
    }
  }

  /** Begins with the original of a photo, above its thumbnail until it is there. */
  begin(photo) {
    const name = shownName(photo.name);
    this.photo = photo;
    this.result = null;
    this.original = null;
    this.panel.hidden = true;
    this.hold(false);
    this.divide(0);
    this.node.replaceChildren();
    this.node.classList.remove("measured");
    if (photo.thumbnail !== null) {
      this.thumbnail = this.image("placeholder", pictures.thumbnail(photo), "");
      this.node.append(this.thumbnail);
    }
    if (photo.status === "ready") this.showOriginal(name);
    if (photo.width && photo.height) this.measure(photo.width, photo.height);
  }

  update(photo) {
    const name = shownName(photo.name);
    if (!this.original && photo.status === "ready") this.showOriginal(name);
    if (photo.width && photo.height) this.measure(photo.width, photo.height);
    if (!this.result && photo.work === "done" && photo.faces > 0) this.showResult(photo, name);
    this.photo = photo;
  }

  get isComparable() {
    return Boolean(this.result?.classList.contains("shown"));
  }

  end() {
    this.node.replaceChildren();
    this.photo = this.result = this.original = null;
  }

  // MARK: - The pictures

  image(className, source, alt) {
    const node = element("img", { class: className, alt, decoding: "async", draggable: "false" });
    node.src = source;
    return node;
  }

  showOriginal(name) {
    const image = this.image("original", pictures.original(this.photo), `${name}, the original`);
    this.original = image;
    this.node.append(image);
    image.decode().then(
      () => {
        if (this.original !== image) return;
        this.measure(image.naturalWidth, image.naturalHeight);
        image.classList.add("shown");
      },
      () => {});
  }

  showResult(photo, name) {
    const large = photo.width * photo.height > LARGE_PIXELS;
    const image = this.image("result", large ? pictures.after(photo) : pictures.googly(photo),
      `${name} with googly eyes on ${counted(photo.faces, "face")}`);
    this.result = image;
    this.isSmall = large;
    const divider = element("span", { class: "divider", "aria-hidden": "true" });
    this.node.append(image, divider);
    image.decode().then(
      () => {
        if (this.result !== image) return;
        // Laid out unseen first, so that there is something to fade from.
        image.getBoundingClientRect();
        image.classList.add("shown");
        this.panel.hidden = false;
      },
      () => this.result === image && image.classList.add("broken"));
  }

  /** The result at its full size. The small form is seen until that is there. */
  sharpen() {
    if (!this.result || !this.isSmall) return;
    this.isSmall = false;
    this.result.src = pictures.googly(this.photo);
  }

  /** The picture's place has the photo's shape before the photo is there. */
  measure(width, height) {
    if (!(width > 0 && height > 0)) return;
    // The browser turns the original upright, and so is the result: what was measured counts.
    if (this.node.classList.contains("measured") && this.original?.naturalWidth
        && this.original.naturalWidth !== width) return;
    this.node.style.setProperty("--ratio", String(width / height));
    this.node.style.setProperty("--natural", `${Math.max(width, 480)}px`);
    this.node.classList.add("measured");
  }

  // MARK: - How much of it

  divide(percent) {
    this.range.value = String(percent);
    this.range.setAttribute("aria-valuetext", `${Math.round(percent)} % original`);
    this.node.style.setProperty("--part", `${percent}%`);
    this.node.classList.toggle("divided", percent > 0 && percent < 100);
  }

  /** The original alone, as long as it is held. */
  hold(on) {
    this.node.classList.toggle("held", on);
    byId("compare-hold").classList.toggle("held", on);
  }

  holds(event) {
    return event.type === "pointerdown" || event.key === " " || event.key === "Enter";
  }

  drag(event) {
    // A photo that is zoomed is moved by dragging, and compared by the slider.
    if (event.button !== 0 || !this.isComparable || this.zoom.isZoomed) return;
    this.dragging = true;
    this.node.setPointerCapture(event.pointerId);
    this.dragTo(event);
  }

  dragTo(event) {
    // A second finger zooms.
    if (this.zoom.fingers.size > 1) {
      this.dragging = false;
      return;
    }
    const { left, width } = this.node.getBoundingClientRect();
    this.divide(Math.min(100, Math.max(0, (100 * (event.clientX - left)) / width)));
  }
}
