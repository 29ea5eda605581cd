// Connection — the line that says that the program has ended or does not answer, and when it is
// asked again.

import { byId, write } from "./elements.js";

const SENTENCES = {
  ended: "GooglyPuff has ended. Once it runs again at this address, the page goes on.",
  silent: "GooglyPuff does not answer.",
};

export class Connection {
  constructor({ tryNow, announce }) {
    this.announce = announce;
    this.node = byId("connection");
    byId("connection-now").addEventListener("click", tryNow);
    document.addEventListener("visibilitychange", () => !document.hidden && this.lost && tryNow());
  }

  get lost() {
    return !this.node.hidden;
  }

  show({ kind, pause, sentence }) {
    document.documentElement.dataset.connection = kind;
    clearInterval(this.ticking);
    if (kind === "live") {
      if (this.lost) this.announce("GooglyPuff answers again.");
      this.node.hidden = true;
      return;
    }
    const until = performance.now() + pause;
    const text = SENTENCES[kind] ?? sentence;
    const say = () => {
      const seconds = Math.max(0, Math.ceil((until - performance.now()) / 1000));
      byId("connection-now").textContent = seconds > 0 ? `Try now (${seconds} s)` : "Trying…";
    };
    this.node.hidden = false;
    // The seconds stand on the button: a screen reader is told the sentence once.
    write(byId("connection-text"), text);
    say();
    this.ticking = setInterval(say, 1000);
  }
}
