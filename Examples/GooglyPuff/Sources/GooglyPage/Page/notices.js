// Notices — the server's prompt when there are no photos, and its notice when all have come.

import { byId, element } from "./elements.js";
import { GooglyEyes } from "./googly-eyes.js";
import { send } from "./server.js";

export class Notices {
  constructor({ toasts }) {
    this.toasts = toasts;
    this.node = byId("prompt");
    this.eyes = byId("eyes").cloneNode(true);
    this.eyes.removeAttribute("id");
    new GooglyEyes(this.eyes);
  }

  show({ prompt, notice, photos }) {
    this.showPrompt(photos.length === 0 ? prompt : null);
    this.showNotice(notice);
  }

  showPrompt(text) {
    if (text === (this.prompt ?? null)) return;
    this.prompt = text;
    this.node.replaceChildren(...(text ? [
      this.eyes, element("p", { class: "prompt-text" }, text),
      element("p", { class: "prompt-how" }, "Drop them here, paste them, or press ",
        element("kbd", {}, "A"), " to choose some."),
    ] : []));
  }

  /** It stands until it is dismissed, here or in another window, or another takes its place. */
  showNotice(notice) {
    if ((notice?.id ?? null) === (this.shown ?? null)) return;
    this.shown = notice?.id;
    const before = this.toast;
    this.toast = null;
    before?.close();
    if (!notice) return;
    const toast = this.toasts.show(notice.text, {
      // One that was replaced or seen elsewhere is not seen here.
      gone: () => this.toast === toast && this.seen(notice.id),
    });
    this.toast = toast;
  }

  seen(id) {
    // If this is lost, the notice comes again, which harms nobody.
    send("POST", `/notice/${id}/seen`).catch(() => {});
  }
}
