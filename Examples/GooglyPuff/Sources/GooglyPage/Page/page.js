// Page — puts the parts together, and gives each the part of a new state that concerns it.

import { announce } from "./announcer.js";
import { showAnswers } from "./answers.js";
import { Connection } from "./connection.js";
import { Detail } from "./detail.js";
import { byId } from "./elements.js";
import { Entrances } from "./entrances.js";
import { Gallery } from "./gallery.js";
import { GooglyEyes } from "./googly-eyes.js";
import { Help } from "./help.js";
import { Internet } from "./internet.js";
import { Keys } from "./keys.js";
import { Notices } from "./notices.js";
import { Removal } from "./removal.js";
import { Route } from "./route.js";
import { StateStream } from "./state-stream.js";
import { showSummary } from "./summary.js";
import { Toasts } from "./toasts.js";
import { Uploads } from "./uploads.js";

class Page {
  constructor() {
    this.toasts = new Toasts();
    const complain = (text) => this.toasts.show(text, { kind: "failure" });
    const remove = (id) => this.removal.remove(this.photo(id));
    const open = (id) => this.route.open(id);
    this.removal = new Removal({ toasts: this.toasts, changed: (id) => this.restored(id) });
    this.route = new Route(() => this.follow());
    this.gallery = new Gallery({ open, remove });
    this.detail = new Detail({
      route: this.route, remove, complain, announce, closed: (id) => this.gallery.focus(id),
      beside: (id, step) => this.gallery.beside(id, step),
    });
    this.notices = new Notices({ toasts: this.toasts });
    this.internet = new Internet({ complain, announce });
    this.uploads = new Uploads({ open, announce });
    this.entrances = new Entrances({ take: (files) => this.state && this.uploads.add(files) });
    this.help = new Help();
    this.keys = new Keys(this);
    this.eyes = new GooglyEyes(byId("eyes"));
    this.stream = new StateStream({
      changed: (state) => this.show(state), told: (connection) => this.connection.show(connection),
    });
    this.connection = new Connection({ announce, tryNow: () => this.stream.tryNow() });
    addEventListener("error", (event) => complain(`This page has a fault: ${event.message}`));
    addEventListener("unhandledrejection", (event) => complain(`This page has a fault: ${event.reason}`));
    this.stream.run();
  }

  show(state) {
    const first = !this.state;
    this.state = state;
    this.photos = new Map(state.photos.map((photo) => [photo.id, photo]));
    this.removal.forget(state.photos);
    this.drawPhotos();
    this.notices.show(state);
    this.internet.show(state);
    this.uploads.know(state.limits, state.photos.length);
    this.entrances.know(state.limits);
    showAnswers(state.answer);
    if (first) this.opened();
  }

  opened() {
    document.documentElement.dataset.state = "live";
    if (this.route.photo !== null) this.follow();
    requestAnimationFrame(() => requestAnimationFrame(() => performance.mark("googly:first-drawing")));
  }

  drawPhotos() {
    const shown = this.state.photos.filter((photo) => this.removal.shows(photo));
    this.gallery.show(shown);
    showSummary(shown);
    const { photo } = this.route;
    if (this.detail.isOpen && photo === this.detail.photo.id) this.detail.update(this.shownPhoto(photo));
  }

  /** A photo that may be shown, by its number. */
  shownPhoto(id) {
    const photo = this.photo(id);
    return photo && this.removal.shows(photo) ? photo : undefined;
  }

  photo(id) {
    return this.photos.get(id);
  }

  /** Shows what the address names. */
  follow() {
    if (!this.state) return;
    const { photo: id } = this.route;
    if (id === null) {
      this.detail.hide();
      return;
    }
    const photo = this.shownPhoto(id);
    if (photo) {
      this.detail.show(photo);
      return;
    }
    // Just uploaded, and not yet in a state; or no longer there.
    this.toasts.show("That photo is not here (any more).", { lasts: 6_000, kind: "removal" });
    this.route.close();
  }

  restored(id) {
    this.drawPhotos();
    if (id !== undefined && !this.detail.isOpen) this.gallery.focus(id);
  }
}

export const page = new Page();
