// EventLog — records events from any thread, in order.

package final class EventLog<Event: Sendable>: Sendable {
  private let events = Guarded<[Event]>([])

  package init() {}

  package func append(_ event: Event) { events.withValue { $0.append(event) } }

  package var all: [Event] { events.current }

  package var count: Int { events.current.count }

  /// Waits until the log holds at least this many events and returns them all.
  @discardableResult
  package func wait(
    forCount expected: Int, file: StaticString = #fileID, line: UInt = #line
  ) throws -> [Event] {
    guard events.wait(limit: RealTime.wedge, until: { $0.count >= expected }) else {
      throw Wedge.found(
        "the log has \(count) events, waiting for \(expected): \(all)", file: file, line: line)
    }
    return events.current
  }
}
