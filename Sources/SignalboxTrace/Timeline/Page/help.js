// Help — the keys and the legend, in a dialog.
(() => {
  "use strict";

  const { byId, element, legendList } = Signalbox;

  const keys = [
    [["↑", "↓"], "lane above, below"],
    [["N", "P"], "next, previous item in the lane (also Shift+→, Shift+←)"],
    [["Enter"], "open the story of the item"],
    [["Tab"], "from part to part; in the names of lanes, ↑ and ↓"],
    [["Escape"], "back to the lanes; then close the story"],
    [["←", "→"], "pan"],
    [["+", "−"], "zoom"],
    [["0"], "show everything"],
    [["Z"], "zoom to what is chosen"],
    [["Home", "End"], "beginning, end of the recording"],
    [["Page Up", "Page Down"], "scroll the lanes"],
    [["/"], "search; Enter goes to the next match"],
    [["W"], "the item that waited longest"],
    [["B"], "the longest time a thread was blocked"],
    [["Backspace"], "the story before"],
    [["A"], "arrows of hops, or only those of what is chosen"],
    [["T"], "dark or light"],
    [["?"], "this help"],
  ];

  const gestures = [
    ["Wheel, pinch", "zoom at the pointer"],
    ["Drag, sideways wheel", "pan; dragging up and down scrolls the lanes"],
    ["Shift and wheel", "scroll the lanes"],
    ["Double click", "zoom to an item"],
    ["Drag on the time axis", "zoom to that stretch"],
    ["Overview", "drag the frame or its edges"],
  ];

  class Help {
    constructor() {
      this.node = byId("help");
      this.node.append(
        element("div", { class: "help-head" },
          element("h2", { id: "help-title" }, "Keys and legend"),
          element("button", {
            type: "button", class: "icon", "aria-label": "Close", onclick: () => this.node.close(),
          }, "×")),
        element("div", { class: "help-columns" },
          element("div", {}, element("h3", {}, "Keys"), element("dl", { class: "key-list" },
            ...keys.map(([names, text]) => element("div", {},
              element("dt", {}, ...names.map((name) => element("kbd", {}, name))),
              element("dd", {}, text))))),
          element("div", {}, element("h3", {}, "What the drawing means"), legendList(),
            element("h3", {}, "Pointer"), element("dl", { class: "gesture-list" },
              ...gestures.map(([name, text]) => element("div", {},
                element("dt", {}, name), element("dd", {}, text)))))));
      this.node.addEventListener("click", (event) => {
        if (event.target === this.node) this.node.close();
      });
      byId("keys").addEventListener("click", () => this.open());
    }

    open() {
      if (!this.node.open) this.node.showModal();
    }
  }

  Object.assign(Signalbox, { Help });
})();
