// Removal — takes a photo away, and gives it back if asked at once.
//
// The photo is hidden; the server is told when the notice with its Undo has gone, or the page is
// left. Nothing has to be put back together, so nothing can be lost on the way.

import { ServerError, send } from "./server.js";
import { shownName } from "./words.js";

const UNDO_MS = 9_000;

export class Removal {
  constructor({ toasts, changed }) {
    this.toasts = toasts;
    this.changed = changed;
    this.hidden = new Map();
    addEventListener("pagehide", () => this.leave());
  }

  /** Whether a photo shall be seen. */
  shows(photo) {
    return !this.hidden.has(photo.id);
  }

  /** What the server no longer has need not be hidden. */
  forget(photos) {
    if (this.hidden.size === 0) return;
    const there = new Set(photos.map(({ id }) => id));
    for (const id of this.hidden.keys()) if (!there.has(id)) this.hidden.delete(id);
  }

  remove(photo) {
    if (this.hidden.has(photo.id)) return;
    const name = shownName(photo.name);
    let undone = false;
    const toast = this.toasts.show(`${name} removed`, {
      kind: "removal", lasts: UNDO_MS,
      action: { name: "Undo", run: () => { undone = true; } },
      gone: () => (undone ? this.restore(photo.id) : this.tell(photo)),
    });
    this.hidden.set(photo.id, toast);
    this.changed();
  }

  restore(id) {
    this.hidden.delete(id);
    this.changed(id);
  }

  async tell(photo) {
    try {
      await send("DELETE", `/photos/${photo.id}`);
    } catch (error) {
      // Someone else was quicker.
      if (error instanceof ServerError && error.status === 404) return;
      this.toasts.show(`${shownName(photo.name)} is still here: ${error.message}`, { kind: "failure" });
      this.restore(photo.id);
    }
  }

  leave() {
    for (const [id, toast] of this.hidden) {
      if (toast.isShown) send("DELETE", `/photos/${id}`, { keepalive: true }).catch(() => {});
    }
  }
}
