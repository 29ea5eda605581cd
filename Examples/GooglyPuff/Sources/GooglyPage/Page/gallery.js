// Gallery — the grid of photos, and the walk through it by keyboard.
//
// The first screens of cards are made at once, more of them after each drawing; they are laid out
// when they come into view (`content-visibility`). A new state touches the cards of the photos that
// changed.

import { byId } from "./elements.js";
import { Card } from "./card.js";

/** More than the largest window shows, and made within a fraction of a drawing. */
const AT_ONCE = 150;

export class Gallery {
  constructor({ open, remove }) {
    this.node = byId("gallery");
    this.open = open;
    this.remove = remove;
    this.cards = new Map();
    this.order = [];
    this.node.addEventListener("click", (event) => this.click(event));
    this.node.addEventListener("keydown", (event) => this.key(event));
    this.node.addEventListener("focusin", (event) => this.focused(event));
  }

  show(photos, most = AT_ONCE) {
    const held = this.node.contains(document.activeElement) ? this.indexOf(this.current) : -1;
    const gone = new Set(this.cards.keys());
    const fresh = document.createDocumentFragment();
    let last = null;
    let ordered = true;
    this.left = null;
    for (const photo of photos) {
      let card = this.cards.get(photo.id);
      if (card) {
        gone.delete(photo.id);
        card.update(photo);
        ordered &&= fresh.childElementCount === 0;
      } else if (fresh.childElementCount >= most) {
        this.left = photos;
        continue;
      } else {
        card = new Card(photo);
        this.cards.set(photo.id, card);
        fresh.append(card.node);
      }
      last = card;
    }
    for (const id of gone) {
      this.cards.get(id).node.remove();
      this.cards.delete(id);
    }
    this.node.append(fresh);
    this.order = photos.map((photo) => photo.id);
    // Photos come last, as a rule; where they do not, all are put in order.
    if (!ordered || last?.node !== this.node.lastElementChild) {
      this.node.append(...this.order.flatMap((id) => this.cards.get(id)?.node ?? []));
    }
    this.keepCurrent(held);
    if (this.left) requestAnimationFrame(() => setTimeout(() => this.left && this.show(this.left)));
  }

  /** Makes the cards that are left, for whoever wants to go there now. */
  complete() {
    if (this.left) this.show(this.left, Infinity);
  }

  /** One card can be reached by Tab. If it was removed under the focus, its neighbour gets it. */
  keepCurrent(held) {
    if (this.cards.has(this.current)) return;
    const at = Math.min(Math.max(held, 0), this.order.length - 1);
    this.current = undefined;
    if (at < 0) return;
    this.setCurrent(this.order[at]);
    if (held >= 0) this.cards.get(this.current).focus();
  }

  setCurrent(id) {
    if (this.current === id) return;
    const before = this.cards.get(this.current);
    if (before) before.link.tabIndex = -1;
    this.current = id;
    const card = this.cards.get(id);
    if (card) card.link.tabIndex = 0;
  }

  focus(id = this.current) {
    this.complete();
    const card = this.cards.get(id) ?? this.cards.get(this.current);
    card?.focus();
    return Boolean(card);
  }

  indexOf(id) {
    return this.order.indexOf(id);
  }

  /** The photo beside one, or undefined at the ends. */
  beside(id, step) {
    const at = this.indexOf(id);
    return at < 0 ? undefined : this.order[at + step];
  }

  // MARK: - Pointer and keys

  idAt(event) {
    const node = event.target.closest?.(".card");
    return node ? Number(node.dataset.id) : undefined;
  }

  click(event) {
    const id = this.idAt(event);
    if (id === undefined) return;
    if (event.target.closest(".card-remove")) {
      this.remove(id);
    } else if (event.target.closest(".card-link") && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      this.open(id);
    }
  }

  focused(event) {
    const id = this.idAt(event);
    if (id !== undefined) this.setCurrent(id);
  }

  key(event) {
    if (event.altKey || event.metaKey || (event.ctrlKey && event.key !== "Home" && event.key !== "End")) return;
    const id = this.idAt(event);
    if (id === undefined) return;
    this.complete();
    if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault();
      this.remove(id);
      return;
    }
    const target = this.target(event.key, this.indexOf(id));
    if (target === null) return;
    event.preventDefault();
    this.cards.get(this.order[target]).focus();
  }

  /** Where a key leads from a place, within the ends; null if it is no key of the grid. */
  target(key, at) {
    const last = this.order.length - 1;
    const columns = getComputedStyle(this.node).gridTemplateColumns.split(" ").length;
    const forward = getComputedStyle(this.node).direction === "rtl" ? -1 : 1;
    const rows = Math.max(1, Math.floor(innerHeight / (this.node.firstElementChild.offsetHeight || 1)) - 1);
    const steps = {
      ArrowLeft: -forward, ArrowRight: forward, ArrowUp: -columns, ArrowDown: columns,
      PageUp: -columns * rows, PageDown: columns * rows,
    };
    if (key === "Home") return 0;
    if (key === "End") return last;
    if (!(key in steps)) return null;
    const to = at + steps[key];
    if (to >= 0 && to <= last) return to;
    if (key === "ArrowDown" && Math.floor(at / columns) < Math.floor(last / columns)) return last;
    if (key === "PageUp") return at % columns;
    return key === "PageDown" ? last : at;
  }
}
