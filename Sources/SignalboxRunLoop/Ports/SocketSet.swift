// SocketSet — the sockets of one port in an epoll set, which is readable when one of them is.
//
// Touching    `isClosed`: by the thread that holds the port's `reading`.

import SignalboxRuntime

final class SocketSet: @unchecked Sendable {  // SAFETY: see Touching.
  let sleeper = DescriptorSleeper()
  private(set) var isClosed = false

  /// The tokens of sockets that are readable now; not all of them if there are many.
  var ready: [UInt64] {
    withUnsafeTemporaryAllocation(of: DescriptorSleeper.Event.self, capacity: 32) { events in
      let found = sleeper.look(into: events)
      return events[..<found.count].map(\.token)
    }
  }

  func close() {
    isClosed = true
    sleeper.close()
  }

  static func token(_ descriptor: Int32) -> UInt64 {
    DescriptorSleeper.firstToken + UInt64(descriptor)
  }

  static func descriptor(_ token: UInt64) -> Int32 {
    Int32(truncatingIfNeeded: token - DescriptorSleeper.firstToken)
  }
}
