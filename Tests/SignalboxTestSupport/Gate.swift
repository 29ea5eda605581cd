// Gate — stays closed until it is opened once; then it stays open.
//
// The test's own thread waits with POSIX primitives. An item waits on the library's own
// semaphore, so that the pool knows about the wait and another worker takes over. As many tests
// run at a time as there are processors, so items with waits unknown to the pool would occupy
// every worker.

import SignalboxDispatch

package final class Gate: Sendable {
  private let name: String
  private let isOpen = Guarded(false)
  /// Holds one signal once the gate is open; each waiter that takes it gives it back.
  private let turnstile = DispatchSemaphore(value: 0)

  package init(_ name: String = "gate") { self.name = name }

  package func open() {
    let isFirst = isOpen.withValue { isOpen in
      defer { isOpen = true }
      return !isOpen
    }
    if isFirst { turnstile.signal() }
  }

  package var isOpened: Bool { isOpen.current }

  /// Blocks the test's own thread until the gate opens. Throws if nothing opens the gate.
  package func wait(file: StaticString = #fileID, line: UInt = #line) throws {
    guard isOpen.wait(limit: RealTime.wedge, until: { $0 }) else {
      throw Wedge.found("waiting at \(name)", file: file, line: line)
    }
  }

  /// Blocks an item until the gate opens. An item cannot throw to the test, so a gate that
  /// stays closed ends the process with a report. The limit is longer than that of `wait()`, so
  /// that the test can fail and open the gate first.
  package func pass(file: StaticString = #fileID, line: UInt = #line) {
    let limit = DispatchTimeInterval.nanoseconds(Int((RealTime.wedge * 3).wholeNanoseconds))
    guard turnstile.wait(timeout: .now() + limit) == .success else {
      Wedge.fatal("an item waiting at \(name)", file: file, line: line)
    }
    turnstile.signal()
  }
}
