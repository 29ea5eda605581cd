// Help — the keys, in a dialog.

import { byId, element } from "./elements.js";

const LISTS = [
  ["In the gallery", [
    [["←", "→", "↑", "↓"], "from photo to photo"],
    [["Home", "End"], "the first, the last"],
    [["Page Up", "Page Down"], "a screen up, down"],
    [["Enter"], "open it"],
    [["Delete"], "remove it; Undo is in the corner"],
  ]],
  ["With a photo open", [
    [["←", "→"], "the one before, the next"],
    [["+", "−"], "zoom in, out; the wheel does, too"],
    [["←", "→", "↑", "↓"], "zoomed in: the other parts of it"],
    [["0"], "the whole photo"],
    [["O"], "hold it to see the original"],
    [["Delete"], "remove it"],
    [["Escape"], "back to the gallery"],
  ]],
  ["Everywhere", [
    [["A"], "add photos from disk"],
    [["Ctrl+V"], "add a photo you copied"],
    [["I"], "photos from Le Internet"],
    [["L"], "the timeline of what just happened"],
    [["T"], "dark or light"],
    [["?"], "these keys"],
  ]],
];

export class Help {
  constructor() {
    this.node = byId("help");
    byId("help-lists").append(...LISTS.map(([title, keys]) => element("section", {},
      element("h3", {}, title),
      element("dl", {}, ...keys.map(([names, text]) => element("div", {},
        element("dt", {}, ...names.map((name) => element("kbd", {}, name))),
        element("dd", {}, text)))))));
    byId("keys").addEventListener("click", () => this.open());
    byId("help-close").addEventListener("click", () => this.node.close());
    this.node.addEventListener("click", (event) => event.target === this.node && this.node.close());
  }

  open() {
    if (!this.node.open) this.node.showModal();
  }
}
