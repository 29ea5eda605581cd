// Toasts — short notices in the corner: of the server, of what was removed, of what failed.

import { byId, element, shape } from "./elements.js";
import { plain } from "./words.js";

export class Toasts {
  constructor() {
    this.node = byId("toasts");
  }

  /**
   * Shows a text until it is dismissed, or for some time, which stands still while the pointer or
   * the focus is on it. `gone` is called once, however it went.
   */
  show(text, { kind = "notice", action, lasts, gone = () => {} } = {}) {
    const toast = { isShown: true };
    const close = () => {
      if (!toast.isShown) return;
      toast.isShown = false;
      clearTimeout(toast.timer);
      toast.node.remove();
      gone();
    };
    const buttons = action ? [element("button", {
      type: "button", class: "quiet", onclick: () => { action.run(); close(); },
    }, action.name)] : [];
    toast.node = element("div", { class: "toast", "data-kind": kind },
      kind === "failure" ? shape("failed") : kind === "notice" ? shape("done") : null,
      element("p", {}, plain(text)), ...buttons,
      element("button", { type: "button", class: "quiet icon", "aria-label": "Dismiss", onclick: close }, shape("cross")));
    if (lasts) this.time(toast, lasts, close);
    this.node.append(toast.node);
    toast.close = close;
    return toast;
  }

  time(toast, lasts, close) {
    const start = () => {
      clearTimeout(toast.timer);
      toast.timer = setTimeout(() => {
        if (toast.node.matches(":hover, :focus-within")) start();
        else close();
      }, lasts);
    };
    start();
  }
}
