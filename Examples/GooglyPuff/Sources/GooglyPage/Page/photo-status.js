// PhotoStatus — what a photo's state is called, with a shape and a word for it.

import { bytes, counted, plain } from "./words.js";

/** A kind (which is also a shape and a colour), a word, and how far a download has come. */
export function photoStatus(photo) {
  if (photo.status === "failed") return { kind: "failed", word: "Failed" };
  if (photo.status === "downloading") {
    const { received = 0, expected } = photo;
    if (!(expected > 0)) return { kind: "downloading", word: bytes(received), progress: {} };
    const part = Math.min(1, received / expected);
    return {
      kind: "downloading", word: `${Math.floor(100 * part)} %`, progress: { value: part },
    };
  }
  switch (photo.work) {
    case "waiting": return { kind: "waiting", word: "Waiting" };
    case "running": return { kind: "running", word: "Drawing eyes" };
    case "failed": return { kind: "failed", word: "Failed" };
    case "done": return photo.faces > 0
      ? { kind: "done", word: counted(photo.faces, "face") }
      : { kind: "faceless", word: "No face" };
    default: return { kind: "ready", word: "Ready" };
  }
}

/** The same in a sentence, for the detail. */
export function photoSentence(photo) {
  if (photo.status === "failed") return `It did not come: ${plain(photo.error ?? "no reason is known")}`;
  if (photo.status === "downloading") {
    const whole = photo.expected > 0 ? ` of ${bytes(photo.expected)}` : "";
    return `Downloading: ${bytes(photo.received ?? 0)}${whole}`;
  }
  switch (photo.work) {
    case "waiting": return "Waiting for its turn";
    case "running": return "Looking for faces and drawing eyes, in the background";
    case "failed": return `It could not be done: ${plain(photo.error ?? "no reason is known")}`;
    case "done": return photo.faces > 0
      ? `Googly eyes on ${counted(photo.faces, "face")}`
      : "No face was found, so nothing was drawn";
    default: return "Here, and not looked at yet";
  }
}
