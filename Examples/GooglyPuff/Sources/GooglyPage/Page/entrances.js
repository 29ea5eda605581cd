// Entrances — the ways in which photos come onto the page: the picker, drag and drop, and paste.

import { byId, write } from "./elements.js";
import { bytes } from "./words.js";

export class Entrances {
  constructor({ take }) {
    this.take = take;
    this.overlay = byId("overlay");
    this.picker = byId("picker");
    this.depth = 0;
    byId("add").addEventListener("click", () => this.pick());
    this.picker.addEventListener("change", () => {
      take(this.picker.files);
      // The same file may be picked again.
      this.picker.value = "";
    });
    addEventListener("paste", (event) => {
      if (event.clipboardData?.files.length > 0) take(event.clipboardData.files);
    });
    addEventListener("dragenter", (event) => this.enter(event));
    addEventListener("dragover", (event) => this.over(event));
    addEventListener("dragleave", (event) => this.leave(event));
    addEventListener("drop", (event) => this.drop(event));
  }

  know(limits) {
    write(byId("overlay-limits"),
      `JPEG or PNG, up to ${bytes(limits.uploadBytes)} and ${limits.megapixels} megapixels each`);
  }

  pick() {
    this.picker.click();
  }

  hasFiles(event) {
    return event.dataTransfer?.types.includes("Files") ?? false;
  }

  enter(event) {
    if (!this.hasFiles(event)) return;
    event.preventDefault();
    this.depth += 1;
    this.overlay.hidden = false;
  }

  over(event) {
    if (!this.hasFiles(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
  }

  /** Each element that is crossed is entered and left. */
  leave(event) {
    if (!this.hasFiles(event)) return;
    this.depth = Math.max(0, this.depth - 1);
    if (this.depth === 0) this.overlay.hidden = true;
  }

  drop(event) {
    if (!this.hasFiles(event)) return;
    event.preventDefault();
    this.depth = 0;
    this.overlay.hidden = true;
    this.take(event.dataTransfer.files);
  }
}
