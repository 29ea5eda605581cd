// Patience — how long scenarios wait for what is to come: long enough for a machine that is
// busy with other things.

import Glibc

/// How long a scenario waits for what is to come, in milliseconds: it is stuck afterwards.
var patience: Double { Double(scenarioLimitInSeconds) * 1e3 / 6 }

/// Waits until the condition holds, for as long as patience allows.
func wait(until condition: () -> Bool) {
  let end = milliseconds() + patience
  while !condition() && milliseconds() < end { usleep(1000) }
}
