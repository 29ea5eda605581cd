// Gate — closed until it is opened once; then open for ever.

package final class Gate: Sendable {
  private let name: String
  private let isOpen = Guarded(false)

  package init(_ name: String = "gate") { self.name = name }

  package func open() { isOpen.withValue { $0 = true } }

  package var isOpened: Bool { isOpen.current }

  /// The test's own thread waits here. Throws when nobody opens the gate.
  package func wait(file: StaticString = #fileID, line: UInt = #line) throws {
    guard isOpen.wait(limit: RealTime.wedge, until: { $0 }) else {
      throw Wedge.found("waiting at \(name)", file: file, line: line)
    }
  }

  /// An item or another thread waits here; it cannot throw to the test, so
  /// that a gate which stays closed ends the process, with a report. It waits
  /// longer than `wait()`, so that the test can fail and open the gate first.
  package func pass(file: StaticString = #fileID, line: UInt = #line) {
    guard isOpen.wait(limit: RealTime.wedge * 3, until: { $0 }) else {
      Wedge.fatal("an item waiting at \(name)", file: file, line: line)
    }
  }
}
