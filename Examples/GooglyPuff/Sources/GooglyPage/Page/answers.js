// Answers — how soon the program's main queue answered, and whether that is soon enough.

import { byId, write } from "./elements.js";
import { count, milliseconds } from "./words.js";

/** One drawing of a screen that draws sixty times a second. */
const GOAL_MS = 16;

export function showAnswers(answer) {
  if (!(answer?.samples > 0)) return;
  const soon = answer.max <= GOAL_MS;
  byId("answers").dataset.kind = soon ? "soon" : "late";
  const line = soon ? `Main queue answers within ${milliseconds(answer.max)}`
    : `Main queue answers within ${milliseconds(answer.max)}: not always in time`;
  write(byId("answers-line"), line);
  write(byId("detail-answer"), line);
  write(byId("answers-p50"), milliseconds(answer.p50));
  write(byId("answers-p99"), milliseconds(answer.p99));
  write(byId("answers-max"), milliseconds(answer.max));
  write(byId("answers-samples"), count(answer.samples));
}
