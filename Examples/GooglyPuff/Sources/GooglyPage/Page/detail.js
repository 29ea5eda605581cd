// Detail — one photo at its full size: the original at once, and its result when the eyes are drawn.
//
// It is opened by the address. Opening it asks the server for the work; what becomes of that is
// told by the states that follow.

import { byId, write } from "./elements.js";
import { Comparison } from "./comparison.js";
import { photoSentence, photoStatus } from "./photo-status.js";
import { pictures, send } from "./server.js";
import { count, counted, shownName } from "./words.js";
import { Zoom } from "./zoom.js";

const GALLERY = ["bar", "main", "foot"];

export class Detail {
  constructor({ route, beside, remove, closed, complain, announce }) {
    Object.assign(this, { route, beside, remove, closed, complain });
    this.node = byId("detail");
    this.zoom = new Zoom({ announce, enlarged: () => this.comparison.sharpen() });
    this.comparison = new Comparison({ zoom: this.zoom });
    this.asked = new Set();
    byId("detail-close").addEventListener("click", () => route.close());
    byId("detail-previous").addEventListener("click", () => this.turn(-1));
    byId("detail-next").addEventListener("click", () => this.turn(1));
    byId("detail-remove").addEventListener("click", () => this.removeShown());
  }

  get isOpen() {
    return this.node.open;
  }

  /** Shows a photo. */
  show(photo) {
    const opening = !this.node.open;
    this.photo = photo;
    if (opening) {
      for (const id of GALLERY) byId(id).inert = true;
      document.documentElement.classList.add("in-detail");
      // Not modal: notices and uploads stay within reach. The gallery behind it is inert.
      this.node.show();
      byId("detail-close").focus({ preventScroll: true });
    }
    this.zoom.reset();
    this.comparison.begin(photo);
    this.draw(photo);
  }

  /** A new state of the photo that is shown; undefined if it is no longer there. */
  update(photo) {
    if (!this.isOpen) return;
    if (!photo) {
      this.route.close();
      return;
    }
    this.photo = photo;
    this.draw(photo);
  }

  hide() {
    if (!this.node.open) return;
    this.node.close();
    this.comparison.end();
    this.zoom.reset();
    for (const id of GALLERY) byId(id).inert = false;
    document.documentElement.classList.remove("in-detail");
    document.title = "GooglyPuff";
    this.closed(this.photo.id);
    this.photo = null;
  }

  turn(step) {
    const id = this.beside(this.photo.id, step);
    if (id !== undefined) this.route.open(id);
  }

  /** The next photo takes the place of one that is removed. */
  removeShown() {
    const { id } = this.photo;
    const next = this.beside(id, 1) ?? this.beside(id, -1);
    if (next === undefined) this.route.close();
    else this.route.open(next);
    this.remove(id);
  }

  // MARK: - Drawing

  draw(photo) {
    const name = shownName(photo.name);
    const { kind } = photoStatus(photo);
    const done = photo.work === "done";
    write(byId("detail-name"), name);
    byId("detail-name").title = name;
    document.title = `${name} · GooglyPuff`;
    write(byId("detail-facts"), facts(photo));
    write(byId("detail-status"), photoSentence(photo));
    byId("detail-shape").setAttribute("href", `#shape-${kind}`);
    this.node.dataset.kind = kind;
    this.node.setAttribute("aria-busy", String(kind === "running" || kind === "waiting"));
    for (const id of ["detail-full", "detail-save"]) {
      byId(id).hidden = !done;
      if (done) byId(id).href = pictures.googly(photo);
    }
    byId("detail-save").download = name;
    this.drawTurns(photo);
    this.comparison.update(photo);
    this.ask(photo);
  }

  drawTurns(photo) {
    for (const [id, step] of [["detail-previous", -1], ["detail-next", 1]]) {
      const button = byId(id);
      const none = this.beside(photo.id, step) === undefined;
      // A button that had the focus keeps it: it says that it leads nowhere, and does not vanish.
      button.setAttribute("aria-disabled", String(none));
    }
  }

  /** Asks for the eyes, once. */
  async ask(photo) {
    if (photo.status !== "ready" || photo.work !== "none" || this.asked.has(photo.id)) return;
    this.asked.add(photo.id);
    try {
      await send("POST", `/photos/${photo.id}/work`);
    } catch (error) {
      this.complain(`${shownName(photo.name)}: ${error.message}`);
    } finally {
      // What was begun is told by the state; what was not may be asked for again, by opening it.
      this.asked.delete(photo.id);
    }
  }
}

function facts(photo) {
  const facts = [];
  if (photo.work === "done") facts.push(photo.faces > 0 ? counted(photo.faces, "face") : "no face");
  if (photo.width && photo.height) facts.push(`${count(photo.width)} × ${count(photo.height)}`);
  facts.push({ file: "from disk", upload: "uploaded", address: "from Le Internet" }[photo.kind]);
  return facts.filter(Boolean).join(" · ");
}
