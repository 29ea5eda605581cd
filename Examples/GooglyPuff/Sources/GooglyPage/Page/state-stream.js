// StateStream — hears of every new state of the server, and of the connection to it.
//
// The server answers when there is something new. When it does not answer at all it is asked again
// after pauses that grow; each time it is found out first whether it has ended or is silent.

import { ServerError, askState } from "./server.js";

/** Between two states: a progress that changes a thousand times a second is not drawn so often. */
const SPACING_MS = 100;
/** The server answers within 25 s (`wait`). */
const PATIENCE_MS = 40_000;
const PROBE_MS = 5_000;
const PAUSES_MS = [500, 1_000, 2_000, 4_000, 8_000, 15_000];

export class StateStream {
  /** `told` hears `{kind: "live"}`, or why not (`ended`, `silent`, `refused`) and the pause. */
  constructor({ changed, told }) {
    this.changed = changed;
    this.told = told;
    this.failures = 0;
    this.wake = () => {};
  }

  async run() {
    for (;;) {
      const state = await this.ask();
      if (!state) continue;
      if (this.failures > 0) this.told({ kind: "live" });
      this.failures = 0;
      this.version = state.version;
      this.changed(state);
      await new Promise((resolve) => setTimeout(resolve, SPACING_MS));
    }
  }

  /** The pause that is under way ends now. */
  tryNow() {
    this.wake();
  }

  async ask() {
    try {
      return await askState(this.version, AbortSignal.timeout(PATIENCE_MS));
    } catch (error) {
      await this.recover(error);
      return null;
    }
  }

  async recover(error) {
    // Another run of the program counts its versions anew.
    this.version = undefined;
    this.failures += 1;
    const found = error instanceof ServerError ? "refused" : await this.probe();
    // A connection that was cut is opened again without a word.
    if (found === "there" && this.failures === 1) return;
    const pause = PAUSES_MS[Math.min(this.failures, PAUSES_MS.length) - 1];
    const kind = found === "there" ? "silent" : found;
    this.told({ kind, pause, sentence: kind === "refused" ? error.message : null });
    await this.sleep(pause);
  }

  /** Nobody listens on the port of a program that has ended: that fails at once. */
  async probe() {
    try {
      const answer = await fetch("/healthz", { cache: "no-store", signal: AbortSignal.timeout(PROBE_MS) });
      return answer.ok ? "there" : "silent";
    } catch (error) {
      return error.name === "TimeoutError" ? "silent" : "ended";
    }
  }

  sleep(pause) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pause);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
