// Summary — how much there is, in a line below the program's name.

import { byId, write } from "./elements.js";
import { counted } from "./words.js";

export function showSummary(photos) {
  const done = photos.filter((photo) => photo.work === "done");
  const faces = done.reduce((sum, photo) => sum + (photo.faces ?? 0), 0);
  const failed = photos.filter(({ status, work }) => status === "failed" || work === "failed").length;
  const parts = [photos.length > 0 ? counted(photos.length, "photo") : "No photos yet"];
  if (done.length > 0) parts.push(`${faces > 0 ? counted(faces, "face") : "no face"} googlyified`);
  if (failed > 0) parts.push(`${failed} failed`);
  write(byId("summary"), parts.join(", "));
}
