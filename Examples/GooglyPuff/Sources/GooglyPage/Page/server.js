// Server — asks the program for something, and tells its answer or its sentence of refusal.

/** What the server refused, in its words; `status` 0 if it did not answer at all. */
export class ServerError extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

export const UNREACHABLE = "GooglyPuff does not answer";

/** The sentence of a refusal's body, or one of ours where there is none. */
export function sentence(status, body) {
  try {
    const { error } = JSON.parse(body);
    if (typeof error === "string" && error) return error;
  } catch {
    // Not JSON: of what is no HTTP libmicrohttpd says so itself.
  }
  return `The server refused it (${status})`;
}

/** A request that changes something. The header makes other sites' requests fail. */
export async function send(method, path, { keepalive = false } = {}) {
  let answer;
  try {
    answer = await fetch(path, {
      method, keepalive, headers: { "X-GooglyPuff": "1" }, cache: "no-store",
    });
  } catch {
    throw new ServerError(0, UNREACHABLE);
  }
  const body = await answer.text().catch(() => "");
  if (!answer.ok) throw new ServerError(answer.status, sentence(answer.status, body));
}

/** The state, at once or when it is no longer `version`. */
export async function askState(version, signal) {
  const query = version === undefined ? "" : `?after=${encodeURIComponent(version)}&wait=25`;
  const answer = await fetch(`/state${query}`, { signal, cache: "no-store" });
  const body = await answer.text();
  if (!answer.ok) throw new ServerError(answer.status, sentence(answer.status, body));
  return JSON.parse(body);
}

export const pictures = {
  thumbnail: (photo) => `/photos/${photo.id}/thumbnail?v=${encodeURIComponent(photo.thumbnail)}`,
  original: (photo) => `/photos/${photo.id}/original`,
  googly: (photo) => `/photos/${photo.id}/googly`,
  after: (photo) => `/photos/${photo.id}/after`,
};
