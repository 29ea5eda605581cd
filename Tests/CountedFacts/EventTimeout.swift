// EventTimeout — how long scenarios wait for an event: long enough for a machine that is busy
// with other work.

import Glibc

/// How long a scenario waits for an event, in milliseconds, before it counts as stuck.
var eventTimeout: Double { Double(scenarioLimitInSeconds) * 1e3 / 6 }

/// Waits until the condition holds, or until the timeout.
func wait(until condition: () -> Bool) {
  let end = milliseconds() + eventTimeout
  while !condition() && milliseconds() < end { usleep(1000) }
}
