// Elements — makes DOM nodes. Texts become text nodes and nothing else, so that no file name can
// become markup.

const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

/** An element with properties (`class`, `on…` listeners, attributes) and children. */
export function element(tag, properties = {}, ...children) {
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

/** One of the shapes that index.html defines. */
export function shape(name, className = "shape") {
  const node = document.createElementNS(SVG, "svg");
  node.setAttribute("class", className);
  node.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#shape-${name}`);
  node.append(use);
  return node;
}

/** Writes a text only where it is another: what did not change is not laid out anew. */
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
