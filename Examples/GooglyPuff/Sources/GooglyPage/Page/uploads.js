// Uploads — the tray: files that were picked, dropped or pasted, a few of them on their way at once.

import { byId, write } from "./elements.js";
import { objection } from "./photo-file.js";
import { Upload } from "./upload.js";
import { counted } from "./words.js";

/** A browser has six connections to a server: the others are for states and pictures. */
const AT_ONCE = 3;
/** Lines of photos that have come leave the tray after this. */
const LINGER_MS = 6_000;

export class Uploads {
  constructor({ open, announce }) {
    this.announce = announce;
    this.open = open;
    this.all = new Set();
    this.line = [];
    this.sending = 0;
    this.node = byId("tray");
    this.list = byId("tray-list");
    byId("tray-clear").addEventListener("click", () => this.clear());
    addEventListener("beforeunload", (event) => this.underWay > 0 && event.preventDefault());
  }

  get underWay() {
    return [...this.all].filter(({ state }) => state === "waiting" || state === "sending").length;
  }

  /** Photos the gallery has, and what the server takes; from its state. */
  know(limits, photos) {
    this.limits = limits;
    this.photos = photos;
  }

  async add(files) {
    const added = [...files].map((file) => new Upload(file, {
      changed: (upload) => this.changed(upload),
      retry: (upload) => this.retry(upload),
      open: this.open,
    }));
    this.list.append(...added.map((upload) => upload.node));
    for (const upload of added) this.all.add(upload);
    this.draw();
    let room = this.limits.photos - this.photos - this.underWay + added.length;
    for (const upload of added) {
      const why = room > 0 ? await objection(upload.file, this.limits)
        : `There is room for ${counted(this.limits.photos, "photo")}: remove some first`;
      if (upload.state === "gone") continue;
      if (why) {
        upload.fail(why);
        continue;
      }
      room -= 1;
      this.line.push(upload);
      this.next();
    }
  }

  retry(upload) {
    upload.set("waiting", "Waiting");
    this.line.push(upload);
    this.next();
  }

  next() {
    while (this.sending < AT_ONCE && this.line.length > 0) {
      const upload = this.line.shift();
      if (upload.state !== "waiting") continue;
      this.sending += 1;
      upload.occupies = true;
      upload.send();
    }
  }

  changed(upload) {
    if (upload.occupies && upload.state !== "sending") {
      upload.occupies = false;
      this.sending -= 1;
      this.next();
    }
    if (upload.state === "gone") this.all.delete(upload);
    if (upload.state === "done") setTimeout(() => this.leave(upload), LINGER_MS);
    this.draw();
    this.tell();
  }

  /** Not while others are on their way, nor under the pointer or focus of someone about to press. */
  leave(upload) {
    if (this.underWay > 0 || this.node.matches(":hover, :focus-within")) setTimeout(() => this.leave(upload), LINGER_MS);
    else upload.dismiss();
  }

  clear() {
    for (const upload of [...this.all]) {
      if (upload.state === "done" || upload.state === "failed") upload.dismiss();
    }
  }

  draw() {
    const states = [...this.all].map(({ state }) => state);
    const done = states.filter((state) => state === "done").length;
    const failed = states.filter((state) => state === "failed").length;
    const going = states.length - done - failed;
    this.node.hidden = states.length === 0;
    byId("tray-clear").hidden = done + failed === 0;
    const came = `${counted(done, "photo")} added${failed > 0 ? `, ${failed} failed` : ""}`;
    write(byId("tray-title"), going > 0 ? `Uploading ${done + failed + 1} of ${states.length}` : came);
    this.came = going === 0 && done + failed > 0 ? came : null;
  }

  /** When the last is through, once. */
  tell() {
    if (this.came && this.came !== this.told) this.announce(this.came);
    this.told = this.came;
  }
}
