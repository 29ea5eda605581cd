// Announcer — says to a screen reader what others see.

import { byId } from "./elements.js";

export function announce(text) {
  const node = byId("announcer");
  // The same words twice are said twice.
  node.textContent = node.textContent === text ? `${text}\u00a0` : text;
}
