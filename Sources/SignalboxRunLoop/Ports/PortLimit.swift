// PortLimit — the deadline of a sender: a date, converted only if the sender must wait.

import FoundationEssentials
import SignalboxRuntime

struct PortLimit {
  let date: Date

  var deadline: Deadline { Deadline(.uptime, UptimeLimit.at(date)) }
}
