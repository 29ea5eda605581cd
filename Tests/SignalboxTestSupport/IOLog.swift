// IOLog — records the arguments of an operation's handlers, and whether two calls overlapped.

package import SignalboxDispatch

/// The arguments of one call.
package struct Told: Sendable, Equatable {
  package let done: Bool
  package let bytes: [UInt8]?
  package let error: Int32

  package init(_ done: Bool, _ bytes: [UInt8]?, _ error: Int32) {
    self.done = done
    self.bytes = bytes
    self.error = error
  }
}

package final class IOLog: Sendable {
  private let calls = Guarded<[Told]>([])
  private let inside = Occupancy()

  package init() {}

  /// The function to pass as a handler.
  package func handle(_ done: Bool, _ data: DispatchData?, _ error: Int32) {
    inside.enter()
    let told = Told(done, data.map { Array($0) }, error)
    calls.withValue { $0.append(told) }
    inside.leave()
  }

  package var all: [Told] { calls.current }
  /// Whether two calls ever ran at the same time.
  package var overlapped: Bool { inside.most > 1 }
  /// The bytes of all calls, concatenated.
  package var bytes: [UInt8] { all.flatMap { $0.bytes ?? [] } }

  /// Waits for the call with `done` and returns all calls.
  @discardableResult
  package func wait(file: StaticString = #fileID, line: UInt = #line) throws -> [Told] {
    try wait("a last call", file: file, line: line) { $0.last?.done == true }
  }

  @discardableResult
  package func wait(
    _ what: String, file: StaticString = #fileID, line: UInt = #line,
    until condition: ([Told]) -> Bool
  ) throws -> [Told] {
    guard calls.wait(limit: RealTime.wedge, until: condition) else {
      throw Wedge.found(
        "waiting for \(what); \(all.count) calls, the last: \(String(describing: all.last))",
        file: file, line: line)
    }
    return all
  }
}

extension DispatchData {
  package init(_ bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { DispatchData(bytes: $0) }
  }
}

/// Returns bytes whose values depend on their positions.
package func numbered(_ count: Int, from first: Int = 0) -> [UInt8] {
  (first..<first + count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
}
