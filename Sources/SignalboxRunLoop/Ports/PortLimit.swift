// PortLimit — until when a sender waits: a date, which is looked at only if it must wait.

import FoundationEssentials
import SignalboxRuntime

struct PortLimit {
  let date: Date

  /// On the uptime clock.
  var deadline: Deadline { Deadline(.uptime, UptimeLimit.at(date)) }
}
