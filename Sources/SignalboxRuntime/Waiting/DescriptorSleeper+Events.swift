// DescriptorSleeper+Events — a sleep with a deadline among any number of descriptors that
// come and go: a run loop's.

import CSignalbox

extension DescriptorSleeper {
  /// What one descriptor is ready for.
  package struct Event: Sendable {
    /// What it was added as.
    package let token: UInt64
    /// In epoll's own bits.
    package let bits: UInt32
  }

  /// The lowest token that a descriptor may have: the one below is the wake-up's.
  package static var firstToken: UInt64 { 2 }

  /// What a look or a sleep found.
  package struct Found: Sendable {
    /// How many events were written.
    package var count = 0
    /// Whether a `wake()` was among it, which is no event.
    package var isWoken = false
  }

  // MARK: Descriptors

  /// Adds a descriptor that is told while it is readable.
  ///
  /// - Parameter token: `firstToken` or above.
  /// - Returns: 0 or the errno of what the system refused.
  package func add(_ descriptor: Int32, token: UInt64, bits: UInt32) -> Int32 {
    csb_epoll_add(set, descriptor, bits, token)
  }

  /// Has the descriptor told for other `bits` from now on; for none of them it is never
  /// told but that it hung up or is broken.
  package func change(_ descriptor: Int32, token: UInt64, bits: UInt32) -> Int32 {
    csb_epoll_change(set, descriptor, bits, token)
  }

  /// Removes a descriptor that may be closed already.
  @discardableResult
  package func remove(_ descriptor: Int32) -> Int32 { csb_epoll_remove(set, descriptor) }

  /// epoll's bit for what can be read.
  package static var readable: UInt32 { EpollBits.readable }
  /// epoll's bit for what can be written.
  package static var writable: UInt32 { EpollBits.writable }

  /// The same, told once for each time that more can be read.
  package static var readableOnce: UInt32 { EpollBits.readable | EpollBits.edge }

  // MARK: Sleeping

  /// What is ready now. One system call.
  package func look(into events: UnsafeMutableBufferPointer<Event>) -> Found {
    wait(until: 0, into: events)
  }

  /// Sleeps until something is ready, or the uptime clock shows `deadline`. Finds nothing
  /// when that is over or a signal interrupted the sleep.
  func wait(
    until deadline: UInt64, into events: UnsafeMutableBufferPointer<Event>
  ) -> Found {
    // One more than the caller has room for: the wake-up's.
    withUnsafeTemporaryAllocation(of: csb_epoll_event.self, capacity: events.count + 1) { raw in
      let count = csb_epoll_wait_until(set, raw.baseAddress!, Int32(raw.count), deadline)
      if count == -EINTR { return Found() }
      if count < 0 { internalBug("epoll_pwait2 failed with errno \(-count)") }
      var found = Found()
      for event in raw[..<Int(count)] {
        if event.token == Ready.wake.rawValue {
          found.isWoken = true
        } else if found.count < events.count {
          events[found.count] = Event(token: event.token, bits: event.events)
          found.count += 1
        }
      }
      return found
    }
  }
}
