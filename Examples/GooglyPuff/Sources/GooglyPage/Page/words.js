// Words — numbers and names as they are read.

const grouping = new Intl.NumberFormat("en-US");

/** 12,345 */
export const count = (number) => grouping.format(number);

/** 1 photo, 2 photos */
export const counted = (number, one, many = `${one}s`) =>
  `${count(number)} ${number === 1 ? one : many}`;

/** 640 bytes, 12 kB, 3.4 MB */
export function bytes(number) {
  if (number < 1000) return counted(number, "byte");
  if (number < 999_500) return `${Math.round(number / 1000)} kB`;
  const millions = number / 1e6;
  return `${millions < 100 ? millions.toFixed(1).replace(/\.0$/, "") : count(Math.round(millions))} MB`;
}

/** 0.04 ms, 1.3 ms, 12 ms */
export function milliseconds(number) {
  if (!(number >= 0)) return "–";
  if (number < 0.1) return `${number.toFixed(2)} ms`;
  return number < 10 ? `${number.toFixed(1)} ms` : `${count(Math.round(number))} ms`;
}

// Control characters break lines, and directional ones reorder the words around them.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** A sentence that may quote a name. */
export const plain = (text) => text.replace(UNSEEN, "");

/** A photo's name as it is shown: on one line, in the order in which it is written; of an address
    the last part. */
export function shownName(name) {
  const last = /^[a-z]+:\/\/[^?#]*\/([^/?#]+)/.exec(name)?.[1] ?? name;
  const shown = plain(last).trim();
  return shown || "(a photo without a name)";
}

/** A file's name as a label the server takes: without control characters, at most 255 bytes. */
export function sentName(name) {
  const clean = name.replace(/[\u0000-\u001f\u007f-\u009f]/gu, "").toWellFormed?.() ?? name;
  const encoder = new TextEncoder();
  if (encoder.encode(clean).length <= 255) return clean || "photo";
  let kept = "";
  let length = 0;
  for (const character of clean) {
    length += encoder.encode(character).length;
    if (length > 252) break;
    kept += character;
  }
  return `${kept}…`;
}
