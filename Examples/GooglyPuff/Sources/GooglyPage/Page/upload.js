// Upload — one file on its way to the server, and its line in the tray.

import { element, shape, write } from "./elements.js";
import { UNREACHABLE, sentence } from "./server.js";
import { bytes, sentName, shownName } from "./words.js";

export class Upload {
  /** `changed` is called at each step of `state`: waiting, sending, done, failed, gone. */
  constructor(file, { changed, retry, open }) {
    this.file = file;
    this.changed = changed;
    this.state = "waiting";
    this.name = shownName(file.name);
    this.word = element("span", { class: "word" }, "Waiting");
    this.bar = element("progress", { max: 1, value: 0, "aria-label": `Upload of ${this.name}` });
    this.retryButton = element("button", { type: "button", class: "quiet", hidden: true, onclick: () => retry(this) }, "Try again");
    this.openButton = element("button", { type: "button", class: "quiet", hidden: true, onclick: () => open(this.photo) }, "Open");
    this.node = element("li", { class: "upload" },
      element("bdi", { class: "upload-name", title: this.name }, this.name),
      element("button", {
        type: "button", class: "quiet icon", "aria-label": `Cancel or dismiss ${this.name}`, onclick: () => this.dismiss(),
      }, shape("cross")),
      this.bar, element("p", { class: "upload-state" }, this.word, this.retryButton, this.openButton));
    this.set("waiting", "Waiting");
  }

  /** Sends the file. A request of the older kind: only that one tells how much has gone. */
  send() {
    const request = new XMLHttpRequest();
    this.request = request;
    request.open("POST", `/photos?name=${encodeURIComponent(sentName(this.file.name))}`);
    request.setRequestHeader("X-GooglyPuff", "1");
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.onprogress = ({ loaded }) => this.progress(loaded);
    request.onload = () => this.answered(request);
    request.onerror = () => this.fail(UNREACHABLE, true);
    this.set("sending", "Sending");
    request.send(this.file);
  }

  progress(loaded) {
    if (this.state !== "sending") return;
    const part = Math.min(1, loaded / this.file.size);
    this.bar.value = part;
    write(this.word, part < 1 ? `${Math.floor(100 * part)} % of ${bytes(this.file.size)}` : "Being looked at");
  }

  answered({ status, responseText }) {
    if (status !== 201) {
      this.fail(sentence(status, responseText), status === 429 || status >= 500);
      return;
    }
    this.bar.value = 1;
    this.photo = JSON.parse(responseText).id;
    this.openButton.hidden = false;
    this.set("done", "Added");
  }

  fail(text, again = false) {
    if (this.state === "gone") return;
    this.retryButton.hidden = !again;
    this.set("failed", text);
  }

  /** What is under way is broken off; the line goes. */
  dismiss() {
    if (this.state === "gone") return;
    const held = this.node.contains(document.activeElement);
    this.set("gone", "");
    this.request?.abort();
    const beside = this.node.nextElementSibling ?? this.node.previousElementSibling;
    this.node.remove();
    if (held) beside?.querySelector("button")?.focus();
  }

  set(state, word) {
    this.state = state;
    this.node.dataset.kind = state;
    if (state === "waiting") this.bar.value = 0;
    if (state !== "failed") this.retryButton.hidden = true;
    this.bar.hidden = state === "failed" || state === "done";
    this.word.replaceChildren(...(state === "failed" ? [shape("failed"), word] : state === "done" ? [shape("tick"), word] : [word]));
    this.changed(this);
  }
}
