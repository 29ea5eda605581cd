// Elements — creates DOM nodes. Texts always become text nodes, so that a
// program's label can't become markup.
(() => {
  "use strict";

  /** Creates an element with properties (`class`, `on…` listeners, attributes) and children. */
  function element(tag, properties = {}, ...children) {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(properties)) {
      if (value === undefined || value === null || value === false) continue;
      if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else if (key === "class") node.className = value;
      else node.setAttribute(key, value === true ? "" : String(value));
    }
    node.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return node;
  }

  /** A program's text, isolated so that its direction doesn't affect the words around it. */
  function label(text) {
    return element("bdi", { class: "label" }, text);
  }

  const byId = (id) => document.getElementById(id);

  const grouping = new Intl.NumberFormat("en-US");

  /** Formats a number: 12,345. */
  const count = (number) => grouping.format(number);

  /** Formats a count with its noun: 1 item, 2 items. */
  const counted = (number, one, many = one + "s") => `${count(number)} ${number === 1 ? one : many}`;

  /**
   * Formats a percentage: 12 %. A part that is neither nothing nor all never shows as 0 % or
   * 100 %.
   */
  function percent(part, whole) {
    if (!(whole > 0) || part <= 0) return "0 %";
    const value = (100 * part) / whole;
    if (value < 1) return "< 1 %";
    return value > 99 && value < 100 ? "> 99 %" : `${Math.round(value)} %`;
  }

  Object.assign(Signalbox, { element, label, byId, count, counted, percent });
})();
