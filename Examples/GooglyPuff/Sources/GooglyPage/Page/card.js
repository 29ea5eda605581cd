// Card — one photo of the gallery. It writes to the document what changed, and nothing else.

import { byId, element, write } from "./elements.js";
import { photoStatus } from "./photo-status.js";
import { pictures } from "./server.js";
import { plain, shownName } from "./words.js";

export class Card {
  constructor(photo) {
    this.node = document.importNode(byId("card-template").content.firstElementChild, true);
    this.link = this.node.firstElementChild;
    const [thumb, name, status] = this.link.children;
    [this.thumb, this.name, this.status] = [thumb, name, status];
    this.image = thumb.firstElementChild;
    this.use = status.firstElementChild.firstElementChild;
    this.word = status.lastElementChild;
    this.node.dataset.id = photo.id;
    this.link.href = `#photo-${photo.id}`;
    this.photo = {};
    this.update(photo);
  }

  /** Whether anything changed. */
  update(photo) {
    const before = this.photo;
    if (same(before, photo)) return false;
    this.photo = photo;
    if (before.name !== photo.name) this.showName(photo);
    if (before.thumbnail !== photo.thumbnail) this.showThumbnail(photo);
    this.showStatus(photo);
    return true;
  }

  focus() {
    this.link.focus({ preventScroll: true });
    this.node.scrollIntoView({ block: "nearest" });
  }

  showName(photo) {
    const name = shownName(photo.name);
    write(this.name, name);
    this.link.title = name;
    this.node.lastElementChild.setAttribute("aria-label", `Remove ${name}`);
  }

  showThumbnail(photo) {
    if (photo.thumbnail === null) this.image.removeAttribute("src");
    else this.image.src = pictures.thumbnail(photo);
  }

  showStatus(photo) {
    const { kind, word, progress } = photoStatus(photo);
    if (kind !== this.kind) {
      this.kind = kind;
      this.node.dataset.kind = kind;
      this.use.setAttribute("href", `#shape-${kind}`);
    }
    write(this.word, word);
    const error = kind === "failed" && photo.error ? plain(photo.error) : null;
    if (error) this.link.title = `${shownName(photo.name)}: ${error}`;
    this.showReason(error);
    this.showProgress(progress);
  }

  /** In the place of a picture that did not come. */
  showReason(error) {
    if (!error || this.photo.thumbnail !== null) {
      this.reason?.remove();
      this.reason = null;
      return;
    }
    if (!this.reason) this.thumb.append((this.reason = element("span", { class: "thumb-reason" })));
    write(this.reason, error);
  }

  showProgress(progress) {
    if (!progress) {
      this.bar?.remove();
      this.bar = null;
      return;
    }
    if (!this.bar) {
      this.bar = element("progress", { max: 1, "aria-label": `Download of ${shownName(this.photo.name)}` });
      this.thumb.append(this.bar);
    }
    if (progress.value === undefined) this.bar.removeAttribute("value");
    else this.bar.value = progress.value;
  }
}

function same(one, other) {
  for (const key in other) if (one[key] !== other[key]) return false;
  return true;
}
