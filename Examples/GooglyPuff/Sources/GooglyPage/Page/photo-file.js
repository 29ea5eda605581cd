// PhotoFile — whether a file may be sent, found out before a byte of it travels.

import { bytes } from "./words.js";

const JPEG = [0xff, 0xd8, 0xff];
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Why a file cannot be sent, or null. */
export async function objection(file, limits) {
  if (file.size === 0) return "The file is empty";
  if (file.size > limits.uploadBytes) {
    return `${bytes(file.size)} are too many: the limit is ${bytes(limits.uploadBytes)}`;
  }
  let head;
  try {
    head = new Uint8Array(await file.slice(0, PNG.length).arrayBuffer());
  } catch {
    return "It cannot be read; perhaps it is a folder, or has been moved";
  }
  const begins = (magic) => magic.every((byte, at) => head[at] === byte);
  // By the bytes: a name says nothing.
  return begins(JPEG) || begins(PNG) ? null : "Not a JPEG or PNG photo";
}
