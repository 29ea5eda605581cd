// DescriptorSleeper+Events — a sleep with a deadline on a changing set of descriptors, for
// run loops.

import CSignalbox

extension DescriptorSleeper {
  /// A descriptor that is ready.
  package struct Event: Sendable {
    /// The token with which the descriptor was added.
    package let token: UInt64
    /// The events, as bits of epoll.
    package let bits: UInt32
  }

  /// The lowest token for a descriptor. The token below it is reserved for the wake-up.
  package static var firstToken: UInt64 { 2 }

  /// The result of a poll or a sleep.
  package struct Found: Sendable {
    /// The number of events written.
    package var count = 0
    /// Whether a `wake()` came, which is not counted as an event.
    package var isWoken = false
  }

  // MARK: Descriptors

  /// Adds a descriptor, which is reported as long as it is ready.
  ///
  /// - Parameter token: `firstToken` or above.
  /// - Returns: 0, or the errno with which the system refused.
  package func add(_ descriptor: Int32, token: UInt64, bits: UInt32) -> Int32 {
    csb_epoll_add(set, descriptor, bits, token)
  }

  /// Reports the descriptor for other `bits` from now on. Without any bits, only a hang-up
  /// or an error is reported.
  package func change(_ descriptor: Int32, token: UInt64, bits: UInt32) -> Int32 {
    csb_epoll_change(set, descriptor, bits, token)
  }

  /// Removes a descriptor, which may be closed already.
  @discardableResult
  package func remove(_ descriptor: Int32) -> Int32 { csb_epoll_remove(set, descriptor) }

  /// The bit of epoll for reading.
  package static var readable: UInt32 { EpollBits.readable }
  /// The bit of epoll for writing.
  package static var writable: UInt32 { EpollBits.writable }

  /// The bits for reading, reported only once each time that more can be read.
  package static var readableOnce: UInt32 { EpollBits.readable | EpollBits.edge }

  // MARK: Sleeping

  /// Finds what is ready now. One system call.
  package func look(into events: UnsafeMutableBufferPointer<Event>) -> Found {
    wait(until: 0, into: events)
  }

  /// Sleeps until something is ready, or the uptime clock shows `deadline`. Finds nothing
  /// if the deadline passed or a signal interrupted the sleep.
  func wait(
    until deadline: UInt64, into events: UnsafeMutableBufferPointer<Event>
  ) -> Found {
    // One more than the caller has room for: the wake-up.
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
