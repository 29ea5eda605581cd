// Elements — makes DOM nodes. Texts become text nodes and nothing else, so that no label of a
// program can become markup.
(() => {
  "use strict";

  /** An element with properties (`class`, `on…` listeners, `data…`, attributes) and children. */
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

  /** A program's text, kept from reordering the words around it. */
  function label(text) {
    return element("bdi", { class: "label" }, text);
  }

  const byId = (id) => document.getElementById(id);

  const grouping = new Intl.NumberFormat("en-US");

  /** 12,345 */
  const count = (number) => grouping.format(number);

  /** 1 item, 2 items */
  const counted = (number, one, many = one + "s") => `${count(number)} ${number === 1 ? one : many}`;

  /** 12 %, and never 0 % or 100 % of something that is not. */
  function percent(part, whole) {
    if (!(whole > 0) || part <= 0) return "0 %";
    const value = (100 * part) / whole;
    if (value < 1) return "< 1 %";
    return value > 99 && value < 100 ? "> 99 %" : `${Math.round(value)} %`;
  }

  Object.assign(Signalbox, { element, label, byId, count, counted, percent });
})();
