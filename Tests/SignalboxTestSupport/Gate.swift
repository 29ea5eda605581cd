// Gate — closed until it is opened once; then open for ever.
//
// A test's own thread waits by POSIX means. An item waits in the library's own
// semaphore, so that the pool knows of it and another worker takes over: with
// as many tests at a time as there are processors, items that wait unknown to
// the pool would take every worker.

import SignalboxDispatch

package final class Gate: Sendable {
  private let name: String
  private let isOpen = Guarded(false)
  /// Holds one signal from the opening on; who takes it gives it back.
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

  /// The test's own thread waits here. Throws when nobody opens the gate.
  package func wait(file: StaticString = #fileID, line: UInt = #line) throws {
    guard isOpen.wait(limit: RealTime.wedge, until: { $0 }) else {
      throw Wedge.found("waiting at \(name)", file: file, line: line)
    }
  }

  /// An item waits here; it cannot throw to the test, so that a gate which
  /// stays closed ends the process, with a report. It waits longer than
  /// `wait()`, so that the test can fail and open the gate first.
  package func pass(file: StaticString = #fileID, line: UInt = #line) {
    let limit = DispatchTimeInterval.nanoseconds(Int((RealTime.wedge * 3).wholeNanoseconds))
    guard turnstile.wait(timeout: .now() + limit) == .success else {
      Wedge.fatal("an item waiting at \(name)", file: file, line: line)
    }
    turnstile.signal()
  }
}
